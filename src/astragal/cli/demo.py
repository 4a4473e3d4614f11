"""`astragal demo`: one whole game of Ur between two simple players, and how fast the rules run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from astragal.cli.common import SeedOption, chosen_game

if TYPE_CHECKING:
    from astragal.games.game import Game

_SPEED_GAMES = 20_000


def run(
    seed: SeedOption = 7,
    delay: Annotated[float, typer.Option(min=0, max=60, help="Seconds between moves.")] = 0.0,
) -> None:
    game = chosen_game("ur")
    console = Console(highlight=False)
    _play(game, console, seed, delay)
    _tell_speed(console)


def _play(game: Game, console: Console, seed: int | None, delay: float) -> None:
    import numpy as np

    from astragal.agents.playing import play_game
    from astragal.agents.simple import FirstAgent, RandomAgent
    from astragal.show.scene import Scene

    luck = np.random.default_rng(seed)
    players = RandomAgent(game), FirstAgent(game)
    names = [f"{game.sides[i]} ({players[i].name})" for i in range(2)]
    console.print(f"{game.title}: {names[0]} against {names[1]}\n")
    for number, turn in enumerate(play_game(game, players, luck), 1):
        console.print(f"{number}. {names[turn.side]} rolls {game.rolls[turn.roll]}: {turn.move}")
        console.print(Scene(game, *turn.after).text())
        console.print()
        time.sleep(delay)


def _tell_speed(console: Console) -> None:
    from astragal.cli.random import Tally

    console.print("How fast the rules run here, on one core:")
    for name in ("ur", "backgammon", "tictactoe"):
        game = chosen_game(name)
        tally = Tally(game)
        tally.play(_SPEED_GAMES, seed=0)
        console.print(
            f"  {game.title}: {tally.games / tally.seconds:,.0f} random games a second, "
            f"{tally.moves / tally.seconds:,.0f} moves a second"
        )
