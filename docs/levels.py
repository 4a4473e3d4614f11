"""Fills in the tables of `levels.md`: in every game all levels play each other.

    python docs/levels.py

takes a quarter of an hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from astragal import find_game
from astragal.agents.levels import LEVELS, level_spec
from astragal.arena.settings import MatchSettings
from astragal.arena.tournament import play_tournament
from astragal.files import write_text

PAGE = Path(__file__).parent / "levels.md"
SEED = 1
# The champion of backgammon looks ahead for a third of a second a game.
GAMES = {"ur": 1_000, "backgammon": 300, "tictactoe": 1_000, "ur:blitz": 400, "hypergammon": 400}


def main() -> None:
    """Writes the tables into the page, each between the marks of its game."""
    page = PAGE.read_text()
    for name, games in GAMES.items():
        text = "\n".join(_table(name, games))
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        page, count = re.subn(f"{begin}.*?{end}", f"{begin}\n{text}\n{end}", page, flags=re.DOTALL)
        assert count == 1, f"{PAGE.name} has no place for {name}"
        write_text(PAGE, page)


def _table(name: str, games: int) -> Iterator[str]:
    game = find_game(name)
    specs = tuple(level_spec(game, level) for level in LEVELS)
    result = play_tournament(game, specs, MatchSettings(games, SEED))
    scores, played = result.tables
    shares = scores / np.maximum(played, 1)
    yield f"| level | agent | Elo | beats the level below | {' | '.join(LEVELS)} |"
    yield "| --- " * (4 + len(LEVELS)) + "|"
    for i in reversed(range(len(LEVELS))):
        below = f"{shares[i, i - 1]:.0%}" if i else ""
        row = [f"{shares[i, j]:.0%}" if i != j else "" for j in range(len(LEVELS))]
        elo = f"{result.ratings.elo[i]:+.0f} ± {result.ratings.margin[i]:.0f}"
        yield f"| {LEVELS[i]} | `{specs[i]}` | {elo} | {below} | {' | '.join(row)} |"
    yield ""
    yield f"{len(result.matches)} matches of {games:,} games, seed {SEED}."


if __name__ == "__main__":
    main()
