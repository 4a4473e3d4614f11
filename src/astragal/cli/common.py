"""What several commands share: their options, how a game is found, how answers are printed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.games.game import Game, Standing

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Such as ur, ur:blitz, backgammon.")]
RulesOption = Annotated[str | None, typer.Option(help="A rule set of the game, such as blitz.")]
StonesOption = Annotated[int | None, typer.Option(help="Stones a side, where that can be chosen.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
SeedOption = Annotated[int | None, typer.Option(help="The same seed gives the same luck.", min=0)]


def chosen_game(name: str, rules: str | None = None, stones: int | None = None) -> Game:
    """The game that the arguments name; whatever has to be compiled for it is announced."""
    from astragal.compiling import announce
    from astragal.games.catalogue import find_game

    announce(_say_compiling)
    options = [option for option in (rules, stones) if option is not None]
    return find_game(":".join([name, *map(str, options)]))


def chosen_standing(game: Game, position: str | None) -> Standing:
    """The position that the text tells, or the start where there is none."""
    from astragal.games.game import Standing

    return Standing(game.start, 0) if position is None else game.notation.parse_position(position)


def chosen_roll(game: Game, roll: str | None) -> int:
    """The index of the roll; a game that has only one needs none to be told."""
    if roll is not None:
        return game.parse_roll(roll)
    if len(game.rolls) == 1:
        return 0
    raise InputError(f"No roll was given: expected one of {', '.join(game.rolls)}.")


def say(sentence: str) -> None:
    """Tells the person something that is not part of the answer."""
    print(f"astragal: {sentence}", file=sys.stderr, flush=True)


def _say_compiling(work: str) -> None:
    say(f"compiling {work}, once on this machine; it takes some seconds...")


def progress_bar(what: str) -> Progress:
    """A bar on standard error, seen in a terminal only, for work that is counted in shares of 1."""
    console = Console(stderr=True)
    return Progress(
        TextColumn(what),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def print_json(answer: Any) -> None:
    """Prints one line of JSON, and sends it off at once."""
    print(msgspec.json.encode(answer).decode(), flush=True)
