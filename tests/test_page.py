"""The page in a real browser, as people use it: with a mouse, a keyboard, a phone, two tabs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import asked, browsing, needs_browser, serving

pytestmark = needs_browser

READY = ".source, .target, .hints .main, .buttons .main"
"""What can be clicked by whoever is to move, or after the end."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("page")
    return folder / "data", folder / "runs"


@pytest.fixture(scope="module")
def address(folders: tuple[Path, Path]) -> Iterator[str]:
    with serving(*folders) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


class Person:
    """Somebody before the page, who notices every fault."""

    def __init__(self, browser: Any, address: str, **screen: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | screen)
        self.context.add_init_script(
            "localStorage.setItem('astragal still', 'yes');"
            "localStorage.setItem('astragal toured', 'yes')"
        )
        self.faults: list[str] = []
        self.address, self.page = address, self.tab()

    def tab(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        page.on(
            "console",
            lambda line: self.faults.append(line.text) if line.type == "error" else None,
        )
        return page

    def begin(self, game: str, *players: str, seed: int) -> str:
        asking = {"game": game, "players": players, "seed": seed}
        name: str = asked(self.address, "games", asking)["id"]
        self.page.goto(f"{self.address}#/game/{name}")
        return name

    def shown(self, name: str) -> dict[str, Any]:
        shown: dict[str, Any] = asked(self.address, f"games/{name}")["shown"]
        return shown


@pytest.fixture
def person(browser: Any, address: str) -> Iterator[Person]:
    someone = Person(browser, address)
    yield someone
    someone.context.close()
    assert someone.faults == []


def wait_for_turn(page: Any, turn: int) -> None:
    """Until more turns are listed than that."""
    page.wait_for_function(
        "turn => document.querySelectorAll('.turns tbody tr').length > turn", arg=turn
    )


def play_with_mouse(page: Any) -> bool:
    """One click on what can be moved; whether the game goes on."""
    page.wait_for_selector(READY)
    for kind in (".target", ".source", ".hints .main"):
        found = page.locator(kind)
        if found.count():
            # A piece can be above or below another; the page is clicked, not the element.
            found.first.click(force=True)
            return True
    return False


@pytest.mark.parametrize(("game", "seed"), [("ur", 5), ("backgammon", 7), ("tictactoe", 1)])
def test_a_whole_game_is_played_by_mouse(person: Person, game: str, seed: int) -> None:
    name = person.begin(game, "human", "random", seed=seed)
    for _ in range(2_000):
        if not play_with_mouse(person.page):
            break
        person.page.wait_for_timeout(20)
    assert person.shown(name)["points"] is not None
    person.page.wait_for_selector("text=How it went")
    assert "won" in person.page.inner_text(".status") or "draw" in person.page.inner_text(".status")


def test_a_whole_game_is_played_by_keyboard_alone(person: Person) -> None:
    name = person.begin("ur:1", "human", "random", seed=3)
    page = person.page
    page.wait_for_selector(".source, .hints .main")
    tab_to_the_board(page)
    for _ in range(300):
        page.wait_for_selector(READY)
        if page.locator(".source, .hints .main").count() == 0:
            break
        turn = person.shown(name)["turn"]
        # Whoever plays with the keyboard is still at the board after the machine's move.
        assert is_at_something_to_play(page)
        page.keyboard.press("Enter")
        if person.shown(name)["points"] is None:
            wait_for_turn(page, turn)
    assert person.shown(name)["points"] is not None


def tab_to_the_board(page: Any) -> None:
    page.locator("header a").first.focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        if is_at_something_to_play(page):
            return


def is_at_something_to_play(page: Any) -> bool:
    here = page.evaluate("document.activeElement.getAttribute('class') ?? ''")
    return "source" in here or "main" in here


def test_stones_are_dragged(person: Person) -> None:
    name = person.begin("backgammon", "human", "random", seed=7)
    page = person.page
    page.wait_for_selector(".source")
    choices = person.shown(name)["choices"]
    start, end, _ = choices["nodes"][0]["edges"][0]
    (x, y), (to_x, to_y) = (middle_of(page, name, person, place) for place in (start, end))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=3)
    page.mouse.move(to_x, to_y, steps=3)
    assert page.locator(".mark.preview").count() >= 1
    page.mouse.up()
    page.wait_for_selector("text=Take step back")
    page.keyboard.press("Escape")
    assert person.shown(name)["turn"] == 0


def middle_of(page: Any, name: str, person: Person, place: int) -> tuple[float, float]:
    """Where on the screen a place of the mover is."""
    shown = person.shown(name)
    stage = asked(person.address, f"stages/{shown['game']}")
    x, y, width, height = stage["places"][shown["side"]][place]["hit"]
    found = page.evaluate(
        """([x, y]) => {
          const drawing = document.querySelector("astragal-board svg");
          const at = new DOMPoint(x, y).matrixTransform(drawing.getScreenCTM());
          return [at.x, at.y];
        }""",
        [x + width / 2, y + height / 2],
    )
    return found[0], found[1]


def test_a_reload_in_the_middle_changes_nothing(person: Person) -> None:
    name = person.begin("ur", "human", "casual", seed=11)
    page = person.page
    for _ in range(4):
        turn = person.shown(name)["turn"]
        play_with_mouse(page)
        wait_for_turn(page, turn)
    page.wait_for_selector(READY)
    before, shown = page.inner_text(".status"), person.shown(name)
    page.reload()
    page.wait_for_selector(READY)
    assert page.inner_text(".status") == before
    assert person.shown(name) == shown


def test_two_tabs_show_the_same_game(person: Person) -> None:
    name = person.begin("ur", "human", "random", seed=12)
    other = person.tab()
    other.goto(f"{person.address}#/game/{name}")
    other.wait_for_selector(READY)
    play_with_mouse(person.page)
    wait_for_turn(other, 0)
    wait_for_turn(person.page, 0)
    person.page.wait_for_selector(READY)
    other.wait_for_selector(READY)
    assert other.inner_text(".status") == person.page.inner_text(".status")


def test_moves_are_judged_and_taken_back(person: Person) -> None:
    name = person.begin("ur", "human", "champion", seed=20)
    page = person.page
    page.wait_for_selector(".source")
    page.click("text=Hint")
    page.wait_for_selector(".hints .plays")
    assert page.locator(".hints .plays tbody tr").count() == len(
        person.shown(name)["choices"]["plays"]
    )
    page.locator(".hints .plays button").first.click()
    wait_for_turn(page, 0)
    page.wait_for_function("() => document.querySelector('.remark').textContent.includes('play')")
    assert page.locator(".win-bar").get_attribute("aria-valuenow")
    assert page.locator("svg.win-curve").count() == 1
    page.wait_for_selector(READY)
    if page.locator("button:text('Undo')").is_enabled():
        page.click("text=Undo")
        page.wait_for_function("() => document.querySelectorAll('.turns tbody tr').length === 0")
    page.locator("text=what moves are worth").click()
    page.wait_for_function("() => document.querySelectorAll('.win-bar').length === 0")


def test_two_agents_can_be_watched(person: Person) -> None:
    name = person.begin("tictactoe", "random", "random", seed=4)
    person.page.wait_for_selector("text=How it went")
    assert person.shown(name)["points"] is not None


def test_who_leaves_a_watched_game_lets_go_of_it(person: Person) -> None:
    name = person.begin("ur", "random", "random", seed=4)
    page = person.page
    wait_for_turn(page, 2)
    page.goto(f"{person.address}#/")
    page.wait_for_selector(".begin")
    page.wait_for_timeout(300)
    turn = person.shown(name)["turn"]
    page.wait_for_timeout(700)
    assert person.shown(name)["turn"] == turn
    page.go_back()
    wait_for_turn(page, turn)
    assert not page.is_visible("#trouble")


def test_what_is_done_during_ones_own_move_is_not_mixed_up_with_it(person: Person) -> None:
    name = person.begin("ur", "human", "random", seed=11)
    page = person.page
    while not (person.shown(name)["can_undo"] and page.locator(".source").count()):
        play_with_mouse(page)
        page.wait_for_timeout(100)
    page.click("text=animation")
    page.locator(".source").first.click(force=True)
    page.wait_for_timeout(60)
    page.locator("button:text('Undo')").click()
    page.wait_for_timeout(800)
    shown = person.shown(name)
    stage = asked(person.address, "stages/ur")
    edges = shown["choices"]["nodes"][0]["edges"]
    offered = {stage["places"][shown["side"]][edge[0]]["name"] for edge in edges}
    page.wait_for_selector(READY)
    seen = page.locator(".source").evaluate_all("all => all.map(each => each.dataset.place)")
    assert set(seen) == offered


def test_the_last_move_stays_marked(person: Person) -> None:
    name = person.begin("ur", "human", "champion", seed=20)
    page = person.page
    while not any(turn["side"] == 1 and turn["move"] != "pass" for turn in turns_of(person, name)):
        play_with_mouse(page)
        page.wait_for_timeout(50)
    page.wait_for_selector(READY)
    if turns_of(person, name)[-1]["move"] != "pass":
        assert page.locator(".mark.reached").count() == 1


def turns_of(person: Person, name: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = person.shown(name)["turns"]
    return turns


def test_a_draw_is_half_a_win(person: Person) -> None:
    page = person.page
    page.goto(f"{person.address}#/analyse/tictactoe")
    page.wait_for_selector(".win-bar")
    assert page.locator(".win-bar").get_attribute("aria-valuenow") == "50"
    assert "draws" in page.inner_text("section[aria-label='What it is worth']")


@pytest.mark.parametrize(
    "path", ["#/game/nobody", "#/learn/nothing", "#/record/5", "#/constructor"]
)
def test_a_link_to_nothing_is_told_in_a_sentence(person: Person, path: str) -> None:
    page = person.page
    page.goto(f"{person.address}#/analyse")
    page.wait_for_selector("h1")
    page.goto(f"{person.address}{path}")
    page.wait_for_selector("[role=alert] a, .begin")
    assert ("expected" in page.inner_text("main")) == ("constructor" not in path)
    page.go_back()
    page.wait_for_selector("text=Roll by roll")
    person.faults.clear()  # a refused question is an error to the console


def test_a_game_is_begun_on_the_page(person: Person) -> None:
    page = person.page
    page.goto(person.address)
    page.click("text=Tic-tac-toe")
    page.select_option("select[name=seat]", "both")
    page.click("button.main")
    page.wait_for_selector(".target")
    assert page.url.split("#")[1].startswith("/game/")
    page.locator(".target").nth(4).click()
    wait_for_turn(page, 0)
    assert "o to move" in page.inner_text(".status").lower()


def test_a_first_game_has_a_tour(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    name = asked(address, "games", {"game": "ur", "players": ["human", "random"], "seed": 2})["id"]
    page.goto(f"{address}#/game/{name}")
    for _ in range(4):
        page.click(".tour button:text('Next')")
    page.click(".tour button:text('Play')")
    assert page.locator(".tour").count() == 0
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator(".tour").count() == 0
    context.close()


def test_a_record_is_opened_and_stepped_through(person: Person, tmp_path: Path) -> None:
    name = person.begin("tictactoe", "random", "random", seed=9)
    page = person.page
    page.wait_for_selector("text=How it went")
    with page.expect_download() as download:
        page.click("text=Download")
    path = tmp_path / "game.jsonl"
    download.value.save_as(path)
    record = json.loads(path.read_text())
    assert len(record["turns"]) == person.shown(name)["turn"]
    page.goto(f"{person.address}#/")
    page.set_input_files("input[type=file]", path)
    page.wait_for_selector(".win-bar")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".status").startswith("2. ")
    assert page.locator(".turns tbody tr").count() == len(record["turns"])


def test_a_position_is_analysed(person: Person) -> None:
    page = person.page
    page.goto(f"{person.address}#/analyse/backgammon/4HPwATDgc%2FABMA?roll=31")
    page.wait_for_selector("text=Roll by roll")
    assert page.locator("section[aria-label=Rolls] tbody tr").count() == 21
    assert (
        page.locator("section[aria-label=Plays] tbody tr").first.inner_text().startswith("8/5 6/5")
    )
    page.select_option("select[name=agent]", "pips")
    page.wait_for_selector("text=says pips")
    page.fill("input.position", "nonsense")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trouble:has-text('nonsense')")
    page.click("#trouble button")
    page.fill("input.position", "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Plays of 52")
    person.faults.clear()  # a refused question is an error to the console


def test_a_position_is_set_up_by_hand_and_shared(person: Person) -> None:
    page = person.page
    page.goto(f"{person.address}#/analyse/ur")
    page.wait_for_selector("text=Roll by roll")
    page.click("text=Set up by hand")
    page.locator("rect[aria-label='red on d3']").click(force=True)
    page.wait_for_function("() => document.querySelector('input.position').value.startsWith('6o')")
    page.click("text=Other side to move")
    page.wait_for_function("() => document.querySelector('input.position').value.endsWith('b')")
    link = page.url
    other = person.tab()
    other.goto(link)
    other.wait_for_selector("text=Roll by roll")
    assert other.input_value("input.position") == page.input_value("input.position")


def test_a_rollout_tells_how_far_it_is(person: Person) -> None:
    page = person.page
    page.goto(f"{person.address}#/analyse/ur:2")
    page.goto(f"{person.address}#/analyse/ur")
    page.wait_for_selector("text=Roll by roll")
    page.select_option("select[name=agent]", "pips")
    page.select_option("select[name=ply]", "0")
    page.wait_for_selector("text=says pips")
    page.click("text=Roll out")
    page.wait_for_selector("section[aria-label=Roll-out] :text('standard error')")
    page.wait_for_function("() => document.querySelectorAll('progress').length === 0")
    assert "in 324 games" in page.inner_text("section[aria-label=Roll-out]")


def test_a_run_is_watched_and_played_against_while_it_learns(person: Person) -> None:
    page = person.page
    page.goto(f"{person.address}#/learn")
    page.fill("input[name=hidden]", "many")
    page.click("button.main")
    page.wait_for_selector("#trouble:has-text('many')")
    page.click("#trouble button")
    page.fill("input[name=hidden]", "10")
    page.fill("input[name=games]", "2000000")
    page.click("button.main")
    page.wait_for_selector(".run:has-text('running')")
    page.wait_for_selector("svg.learning-curve circle")
    page.wait_for_selector("img.weights[src]")
    page.click("text=Play against it")
    page.wait_for_function("() => location.hash.startsWith('#/game/')")
    page.wait_for_selector(READY)
    name = page.url.rsplit("/", 1)[1]
    opponent = person.shown(name)["players"][1]
    assert opponent.startswith("run:page-ur")
    while person.shown(name)["turn"] < 3:
        play_with_mouse(page)
        page.wait_for_timeout(50)
    page.goto(f"{person.address}#/learn/{opponent.removeprefix('run:')}")
    page.click("text=Stop")
    page.wait_for_selector(".run:has-text('stopped')")


@pytest.mark.parametrize("path", ["#/", "#/analyse", "#/learn", "#/game"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Any, address: str, path: str, scheme: str) -> None:
    phone = {"width": 360, "height": 740}
    someone = Person(browser, address, viewport=phone, color_scheme=scheme, has_touch=True)
    page = someone.page
    if path == "#/game":
        someone.begin("backgammon", "human", "random", seed=1)
        page.wait_for_selector(READY)
    else:
        page.goto(f"{address}{path}")
        page.wait_for_selector("h1, h2")
    assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3]))
    assert (brightness > 600) == (scheme == "light")
    assert someone.faults == []
    someone.context.close()


def test_who_does_not_see_the_board_hears_of_it(person: Person) -> None:
    name = person.begin("ur", "human", "champion", seed=20)
    page = person.page
    page.wait_for_selector(".source")
    page.get_by_role("meter").first.wait_for()
    tree = page.locator("main").aria_snapshot()
    assert re.search(r'group "Board"', tree)
    assert re.search(r'button "Move from \w+ to \w+"', tree)
    assert re.search(r'meter "Chance of red to win"', tree)
    assert re.search(r'img "rolled \d"', tree)
    assert "red: 7 on waiting" in page.inner_text("astragal-board .unseen")
    page.locator(".source").first.click(force=True)
    wait_for_turn(page, 0)
    said = page.locator("#said")
    assert said.get_attribute("aria-live") == "polite"
    page.wait_for_function(
        "document.getElementById('said').textContent.match(/plays|played|rolled/)"
    )
    assert person.shown(name)["turn"] > 0
    for control in page.locator("button, a, select, input, [role=button]").all():
        label = control.evaluate(
            "e => e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || ''"
        )
        assert label.strip(), control.evaluate("e => e.outerHTML")


def test_nothing_is_loaded_from_elsewhere(browser: Any, address: str) -> None:
    someone = Person(browser, address)
    requested: list[str] = []
    someone.page.on("request", lambda request: requested.append(request.url))
    for path in ("#/", "#/analyse", "#/learn"):
        someone.page.goto(f"{address}{path}")
        someone.page.wait_for_selector("h1")
    assert len(requested) > 10
    assert all(url.startswith((address, "data:")) for url in requested)
    assert someone.faults == []
    someone.context.close()


def test_text_from_outside_stays_text(person: Person, tmp_path: Path) -> None:
    name = person.begin("tictactoe", "random", "random", seed=9)
    page = person.page
    page.wait_for_selector("text=How it went")
    (tmp_path / "game.jsonl").write_bytes(
        json.dumps(
            {
                **_record(person.address, name),
                "agents": ["<img src=x onerror=document.title='taken'>", "<b>bold</b>"],
            }
        ).encode()
    )
    page.goto(f"{person.address}#/")
    page.set_input_files("input[type=file]", tmp_path / "game.jsonl")
    page.wait_for_selector(".win-bar")
    assert page.title() != "taken"
    assert page.locator("main b").count() == 0


def _record(address: str, name: str) -> dict[str, Any]:
    record: dict[str, Any] = asked(address, f"games/{name}/record")
    return record
