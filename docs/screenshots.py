"""Takes the pictures of the page that the README shows.

astragal serve --no-browser &
python docs/screenshots.py http://127.0.0.1:8000/
"""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parent
WIDE = {"width": 1200, "height": 760}
PHONE = {"width": 390, "height": 800}


def main(address: str) -> None:
    """Ur on a wide screen, backgammon on a dark phone, a position analysed."""
    ur = played(address, "ur", "expert", 18, turns=17)
    backgammon = played(address, "backgammon", "champion", 7, turns=8)
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shoot(browser.new_page(viewport=WIDE), f"{address}#/game/{ur}", "page-ur")
        dark = browser.new_page(viewport=PHONE, color_scheme="dark")
        shoot(dark, f"{address}#/game/{backgammon}", "page-phone")
        browser.close()


def played(address: str, game: str, against: str, seed: int, turns: int) -> str:
    """A game in which a person has mostly played the best moves."""
    kept = ask(address, "games", {"game": game, "players": ["human", against], "seed": seed})
    while kept["shown"]["turn"] < turns:
        plays = ask(address, f"games/{kept['id']}/hint")["plays"]
        move = plays[1 if len(plays) > 1 and kept["shown"]["turn"] % 6 == 4 else 0]["move"]
        body = {"turn": kept["shown"]["turn"], "move": move}
        kept = ask(address, f"games/{kept['id']}/moves", body)
    return str(kept["id"])


def ask(address: str, path: str, body: Any = None) -> Any:
    """What the server answers."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{address}api/{path}", data)) as answer:
        return json.load(answer)


def shoot(page: Page, address: str, name: str) -> None:
    """Writes the picture of a page once everything on it is there."""
    page.add_init_script("localStorage.setItem('astragal toured', 'yes')")
    page.goto(address)
    page.wait_for_selector(".turns tbody tr")
    page.wait_for_timeout(500)
    page.screenshot(path=DOCS / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1])
