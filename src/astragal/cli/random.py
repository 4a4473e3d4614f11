"""`astragal random`: whole games at random, what came out, and how fast."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    RulesOption,
    SeedOption,
    StonesOption,
    chosen_game,
    print_json,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from astragal.games.game import Game

    Tally = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]

_CHUNK_SECONDS = 0.1


def run(
    game_name: GameName,
    games: Annotated[int, typer.Option(min=1, max=10**9, help="How many games.")] = 10_000,
    seed: SeedOption = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    seed = secrets.randbelow(2**32) if seed is None else seed
    tallies, seconds = play_at_random(game, games, seed)
    report = _report(game, tallies, seconds, seed)
    if as_json:
        print_json(report)
    else:
        Console(highlight=False).print(_table(game, report))


def play_at_random(game: Game, games: int, seed: int) -> tuple[list[Tally], float]:
    """Turns, moves and outcomes of the games, fewer if interrupted, and the seconds it took."""
    import numpy as np

    from astragal.background import run_apart
    from astragal.games import kernels

    luck = np.random.default_rng(seed)
    kernels.random_games(game.rules, 1, np.random.default_rng(0))  # compiled before the clock runs
    tallies: list[Tally] = []
    began = time.perf_counter()
    with progress_bar("playing") as bar:
        task = bar.add_task("", total=games)

        def play() -> None:
            played, chunk = 0, 1
            while played < games:
                chunk_began = time.perf_counter()
                tallies.append(kernels.random_games(game.rules, min(chunk, games - played), luck))
                played += len(tallies[-1][0])
                bar.update(task, completed=played)
                if time.perf_counter() - chunk_began < _CHUNK_SECONDS:
                    chunk *= 2

        try:
            run_apart(play)
        except KeyboardInterrupt:
            if not tallies:
                raise
            played = sum(len(turns) for turns, _, _ in tallies)
            say(f"interrupted after {played:,} of {games:,} games.")
    return tallies.copy(), time.perf_counter() - began


def _report(game: Game, tallies: list[Tally], seconds: float, seed: int) -> dict[str, Any]:
    import numpy as np

    turns, moves, outcomes = (np.concatenate(column) for column in zip(*tallies, strict=True))
    counted = {points: int((outcomes == points).sum()) for points in game.outcomes}
    return {
        "game": game.name,
        "seed": seed,
        "games": len(turns),
        "moves": int(moves.sum()),
        "turns": int(turns.sum()),
        "turns_a_game": {
            "mean": float(turns.mean()),
            "shortest": int(turns.min()),
            "median": float(np.median(turns)),
            "longest": int(turns.max()),
        },
        "outcomes": {f"{points:+d}": count for points, count in counted.items()},
        "seconds": seconds,
        "games_per_second": len(turns) / seconds,
        "moves_per_second": int(moves.sum()) / seconds,
    }


def _table(game: Game, report: dict[str, Any]) -> Table:
    table = Table(title=f"{game.title}, at random", box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    lengths = report["turns_a_game"]
    table.add_row("games", f"{report['games']:,}, seed {report['seed']}")
    table.add_row("moves", f"{report['moves']:,}, passes not counted")
    table.add_row(
        "turns a game",
        f"{lengths['mean']:.1f} on average, {lengths['median']:.0f} the median, "
        f"{lengths['shortest']:,} to {lengths['longest']:,}",
    )
    for points, count in report["outcomes"].items():
        share = count / report["games"]
        table.add_row(f"{game.sides[0]} {points}", f"{count:,} ({share:.2%})")
    table.add_row("games a second", f"{report['games_per_second']:,.0f}")
    table.add_row("moves a second", f"{report['moves_per_second']:,.0f}")
    return table
