"""`astragal demo`: a net learns Ur from nothing, in about a minute, and meets the champion."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from astragal.cli.common import SeedOption, chosen_game

if TYPE_CHECKING:
    from astragal.arena.result import MatchResult
    from astragal.games.game import Game
    from astragal.learning.settings import TrainSettings

_GAMES = 60_000
_LAST_GAMES = 1_000
_USUAL_FOLDER = Path("runs/demo")  # made anew by every demo


def run(
    games: Annotated[int, typer.Option(min=1, help="How many games it learns from.")] = _GAMES,
    seed: SeedOption = 1,
    out: Annotated[Path, typer.Option(help="The run's folder.")] = _USUAL_FOLDER,
) -> None:
    from astragal.cli.train import run_training
    from astragal.learning.run import LATEST, SETTINGS, Run

    game = chosen_game("ur")
    console = Console(highlight=False)
    if out == _USUAL_FOLDER and (out / SETTINGS).exists():
        shutil.rmtree(out)
    console.print(f"{game.title}: a net that knows nothing plays {games:,} games against itself.")
    run_training(game, Run.create(out, _settings(games, seed or 0)))
    net = out / LATEST
    _print_match(console, _against_champion(game, net, min(_LAST_GAMES, games)))
    quoted = shlex.quote(str(net))
    console.print(f"How it learned, as a page: {out / 'report.html'}", soft_wrap=True)
    console.print("Play against it:", soft_wrap=True)
    console.print(f"  astragal play ur --against net:{quoted}", soft_wrap=True, markup=False)
    console.print("Or against somebody stronger:", soft_wrap=True)
    console.print("  astragal play ur --level champion", soft_wrap=True, markup=False)


def _settings(games: int, seed: int) -> TrainSettings:
    from astragal.learning.settings import AssessSettings, NetSettings, TdSettings, TrainSettings

    return TrainSettings(
        game="ur",
        learner="td",
        games=games,
        seed=seed,
        net=NetSettings(features="unary", hidden=(80,)),
        td=TdSettings(alpha=0.05, alpha_end=0.005, decay="cosine", lam=0.8),
        assess=AssessSettings(against=("champion",), games=min(100, games), every=games // 12 or 1),
    )


def _against_champion(game: Game, net: Path, games: int) -> MatchResult:
    from astragal.arena.match import play_match
    from astragal.arena.settings import MatchSettings

    settings = MatchSettings(games, seed=0, aim="win", judge="champion")
    return play_match(game, (f"net:{net}", "champion"), settings)


def _print_match(console: Console, result: MatchResult) -> None:
    rate = result.adjusted_win_rate
    assert rate is not None
    console.print(
        f"Against the champion it wins {rate.mean:.1%} ± {rate.margin:.1%} of games, "
        f"with the luck of the dice taken out ({result.games:,} games).",
        soft_wrap=True,
    )
