"""How many games a second a match takes between two players that cost next to nothing.

Two processes, both started before the clock runs. Exit code 1 if the bar is missed.
"""

from __future__ import annotations

import sys
import time

from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.games.catalogue import find_game
from astragal.workers import Crew

AGENT = "pips"
GAMES = 10_000
BAR = 2_000  # games a second
WORKERS = 2


def main() -> int:
    """Prints the figure and the bar."""
    game = find_game("backgammon")
    with Crew(WORKERS) as crew:
        play_match(game, (AGENT, AGENT), MatchSettings(games=100), crew=crew)
        began = time.perf_counter()
        result = play_match(game, (AGENT, AGENT), MatchSettings(games=GAMES, seed=1), crew=crew)
        rate = GAMES / (time.perf_counter() - began)
    turns = result.played.turns.mean()
    print(f"backgammon, {AGENT} against {AGENT}, {WORKERS} processes, {turns:.0f} turns a game:")
    print(
        f"{rate:,.0f} games a second, {rate * turns:,.0f} turns a second; the bar is {BAR:,} games"
    )
    return 0 if rate >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
