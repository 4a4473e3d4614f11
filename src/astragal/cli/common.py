"""What several commands share: their options, how a game is found, how answers are printed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from rich.table import Table

from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.agents.agent import Agent
    from astragal.games.game import Game, Standing
    from astragal.values.values import Aim

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Such as ur, ur:blitz, backgammon.")]
PositionText = Annotated[
    str, typer.Argument(metavar="POSITION", help="The position, or - to read JSON Lines.")
]
RollText = Annotated[str | None, typer.Argument(metavar="ROLL", help="The roll, such as 3 or 61.")]
RulesOption = Annotated[str | None, typer.Option(help="A rule set of the game, such as blitz.")]
StonesOption = Annotated[int | None, typer.Option(help="Stones a side, where that can be chosen.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        metavar="JUDGE",
        help="Take out the luck as this agent's values see it, or none to leave it in; "
        "without it the exact table, where there is one.",
    ),
]
SeedOption = Annotated[int | None, typer.Option(help="The same seed gives the same luck.", min=0)]
AimOption = Annotated[
    Literal["points", "win"], typer.Option(help="What counts: points, or winning alone.")
]
MaybeAimOption = Annotated[
    Literal["points", "win"] | None,
    typer.Option(
        help="What counts: points, or winning alone; else points, if the judge tells gammons."
    ),
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="AGENT", help="Who is asked, such as pips@1.")
]
WorkersOption = Annotated[
    int | None, typer.Option(help="How many processes play; without it, as many as are worth it.")
]

ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="The Dask scheduler whose workers do it, host:8786."),
]


def get_ready() -> None:
    """What every command that computes does first: compiling will be announced."""
    from astragal.compiling import announce

    announce(_say_compiling)


def chosen_game(name: str, rules: str | None = None, stones: int | None = None) -> Game:
    """The game that the arguments name; whatever has to be compiled for it is announced."""
    get_ready()
    from astragal.games.catalogue import find_game

    options = [option for option in (rules, stones) if option is not None]
    return find_game(":".join([name, *map(str, options)]))


def chosen_agent(game: Game, spec: str | None, aim: Aim) -> Agent:
    """The agent that the spec names, or the usual one, playing for this aim."""
    from astragal.agents.champions import usual_agent
    from astragal.agents.specs import parse_agent

    return parse_agent(game, spec or usual_agent(game, aim), aim)


def chosen_judge(game: Game, told: str | None, aim: Aim) -> str | None:
    """Who says how lucky rolls were: whoever is told, or the exact table where there is one."""
    from astragal.agents.perfect import PERFECT, can_be_perfect

    if told is None:
        return PERFECT if can_be_perfect(game, aim) else None
    return None if told == "none" else told


def check_folder_of(path: Path | None) -> None:
    """InputError if the file could not be written when the work is done."""
    if path is not None and (path.is_dir() or not os.access(path.parent, os.W_OK)):
        raise InputError(f"{path} cannot be written: expected a file in a folder that can be.")


def make_folder(path: Path) -> None:
    """The folder, made if it is not there; InputError if nothing could be written to it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(
            f"{quote(path, shown=200)} cannot be made ({fault.strerror}): expected the name of a "
            "folder that can be written to."
        ) from fault


def chosen_standing(game: Game, position: str | None) -> Standing:
    """The position that the text tells, or the start where there is none."""
    from astragal.games.game import Standing

    return Standing(game.start, 0) if position is None else game.notation.parse_position(position)


def chosen_roll(game: Game, roll: str | None, position: str = "") -> int:
    """The index of the roll that is given, or told with the position, or the only one there is."""
    roll = game.notation.roll_told_with(position) if roll is None else roll
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


def print_table(title: str, table: Table) -> None:
    """Prints a table under a title that is never broken to the table's width."""
    console = Console(highlight=False)
    console.print(title, style="bold", markup=False, soft_wrap=True)
    console.print(table)


def tell_of_gammons(agent: Agent) -> None:
    """Says so where an agent knows of wins alone, and its points leave gammons out."""
    from astragal.arena.judging import tells_gammons

    if not tells_gammons(agent):
        print(f"{agent.name} tells no gammons: points are those of games that count 1.")


def print_json(answer: Any) -> None:
    """Prints one line of JSON, and sends it off at once."""
    print(msgspec.json.encode(answer).decode(), flush=True)
