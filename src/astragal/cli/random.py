"""`astragal random`: whole games at random, what came out, and how fast."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    RulesOption,
    SeedOption,
    StonesOption,
    chosen_game,
    print_json,
    print_table,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from astragal.games.game import Game

_CHUNK_SECONDS = 0.1


def run(
    game_name: GameName,
    games: Annotated[int, typer.Option(min=1, max=10**12, help="How many games.")] = 10_000,
    seed: SeedOption = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    from astragal.background import run_apart

    game = chosen_game(game_name, rules, stones)
    seed = secrets.randbelow(2**32) if seed is None else seed
    tally = Tally(game)
    with progress_bar("playing") as bar:
        task = bar.add_task("", total=games)
        try:
            run_apart(
                lambda: tally.play(games, seed, lambda done: bar.update(task, completed=done))
            )
        except KeyboardInterrupt:
            if not tally.games:
                raise
            say(f"interrupted after {tally.games:,} of {games:,} games.")
    report = {"game": game.name, "seed": seed, **tally.report()}
    if as_json:
        print_json(report)
    else:
        print_table(f"{game.title}, at random", _table(game, report))


class Tally:
    """What came out of random games so far, in memory that does not grow with them."""

    def __init__(self, game: Game) -> None:
        import numpy as np

        self._game = game
        self._lengths: NDArray[np.int64] = np.zeros(0, np.int64)  # games by number of turns
        self._outcomes = dict.fromkeys(game.outcomes, 0)
        self.moves = 0
        self.seconds = 0.0

    @property
    def games(self) -> int:
        """How many have been played."""
        return sum(self._outcomes.values())

    def play(
        self, games: int, seed: int, progress: Callable[[int], None] = lambda done: None
    ) -> None:
        """Plays so many games, in pieces of a fraction of a second."""
        import numpy as np

        from astragal.games.random_play import random_games

        random_games(self._game.rules, 1, np.random.default_rng(0))  # compiled, untimed
        luck = np.random.default_rng(seed)
        chunk = 1
        while self.games < games:
            began = time.perf_counter()
            played = random_games(self._game.rules, min(chunk, games - self.games), luck)
            seconds = time.perf_counter() - began
            self._add(played, seconds)
            progress(self.games)
            if seconds < _CHUNK_SECONDS:
                chunk *= 2

    def _add(
        self, played: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]], seconds: float
    ) -> None:
        import numpy as np

        turns, moves, outcomes = played
        lengths = np.bincount(turns, minlength=len(self._lengths))
        lengths[: len(self._lengths)] += self._lengths
        self._lengths = lengths
        self.moves += int(moves.sum())
        self.seconds += seconds
        for points in self._outcomes:
            self._outcomes[points] += int((outcomes == points).sum())

    def report(self) -> dict[str, Any]:
        """The figures, with names."""
        import numpy as np

        turns = np.arange(len(self._lengths))
        games = self.games
        seen = np.flatnonzero(self._lengths)
        total = int(turns @ self._lengths)
        return {
            "games": games,
            "moves": self.moves,
            "turns": total,
            "turns_a_game": {
                "mean": total / games,
                "shortest": int(seen[0]),
                "median": int(np.searchsorted(np.cumsum(self._lengths), games / 2)),
                "longest": int(seen[-1]),
            },
            "outcomes": {f"{points:+d}": count for points, count in self._outcomes.items()},
            "seconds": self.seconds,
            "games_per_second": games / self.seconds,
            "moves_per_second": self.moves / self.seconds,
        }


def _table(game: Game, report: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    lengths = report["turns_a_game"]
    table.add_row("games", f"{report['games']:,}, seed {report['seed']}")
    table.add_row("moves", f"{report['moves']:,}, passes not counted")
    table.add_row(
        "turns a game",
        f"{lengths['mean']:.1f} on average, {lengths['median']} the median, "
        f"{lengths['shortest']:,} to {lengths['longest']:,}",
    )
    for points, count in report["outcomes"].items():
        table.add_row(f"{game.sides[0]} {points}", f"{count:,} ({count / report['games']:.2%})")
    table.add_row("games a second", f"{report['games_per_second']:,.0f}")
    table.add_row("moves a second", f"{report['moves_per_second']:,.0f}")
    return table
