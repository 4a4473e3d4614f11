"""`astragal play`: a game in the terminal, against an agent, a person, or between two agents."""

from __future__ import annotations

import os
import secrets
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from astragal.cli.common import (
    GameName,
    MaybeAimOption,
    RulesOption,
    SeedOption,
    StonesOption,
    check_folder_of,
    chosen_game,
    make_folder,
    say,
)
from astragal.cli.lines import ask_line
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.play.dialogue import Dialogue
    from astragal.play.session import Session
    from astragal.values.values import Aim

_USUAL_LEVEL = "club"
_WATCHING_SECONDS = 1.0


def run(
    game_name: GameName,
    against: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Who you play: an agent, or human.")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL", help="Or how strong: beginner, casual, steady, club, expert, champion."
        ),
    ] = None,
    me: Annotated[
        str, typer.Option(metavar="AGENT", help="Who plays your side; an agent, to watch.")
    ] = "human",
    side: Annotated[
        str | None, typer.Option(metavar="SIDE", help="Which side is yours; else you begin.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the game is kept.")
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with the game in this file.")
    ] = None,
    goes_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the last game that was left.")
    ] = False,
    delay: Annotated[
        float | None,
        typer.Option(min=0, max=3600, help="Seconds after each move of an agent."),
    ] = None,
    seed: SeedOption = None,
    aim: MaybeAimOption = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
) -> None:
    from astragal.background import run_apart
    from astragal.play.session import HUMAN

    game = chosen_game(game_name, rules, stones)
    _check_save(save)
    told_seed = seed
    seed = secrets.randbelow(2**32) if seed is None else seed
    if load is not None or goes_on:
        _check_alone(against, level, side, load, goes_on, me != HUMAN or told_seed is not None)
        path = load or _last_left(game)
        session = _loaded(game, path, seed)
        keep: Path | None = save or path
    else:
        session = _new_session(game, (me, against or ""), level, side, seed)
        keep = save or (_usual_file(game) if HUMAN in session.players else None)
    dialogue = _dialogue(session, keep, delay, aim)
    try:
        run_apart(lambda: _play(dialogue))
    except KeyboardInterrupt:
        print()
        _tell_kept(dialogue)
        raise typer.Exit(130) from None
    _tell_kept(dialogue)


def _check_alone(
    against: str | None,
    level: str | None,
    side: str | None,
    load: Path | None,
    goes_on: bool,
    has_more: bool,
) -> None:
    if load is not None and goes_on:
        raise InputError("--load and --continue were both given: expected one of them.")
    if against or level or side or has_more:
        raise InputError(
            "A kept game tells who plays it: expected no --against, --level, --me, --side or "
            "--seed with it."
        )


def _check_save(path: Path | None) -> None:
    """InputError if a game could not be kept there."""
    if path is None:
        return
    check_folder_of(path)
    if path.exists():
        raise InputError(f"{quote(path, 200)} is there already: expected the name of a new file.")
    if path.suffix.lower() == ".mat":
        raise InputError(
            f"{quote(path, 200)} cannot keep a game: expected a .jsonl file. In the game, "
            "`save NAME.mat` writes a copy."
        )


def _new_session(
    game: Game, players: tuple[str, str], level: str | None, side: str | None, seed: int
) -> Session:
    from astragal.agents.levels import STRONGEST, level_spec
    from astragal.play.session import Session

    me, against = players
    if against and level:
        raise InputError("--against and --level were both given: expected one of them.")
    level = level or _USUAL_LEVEL
    spec = level_spec(game, level)  # says what is wrong with the name of a level
    against = against or (spec if level == STRONGEST else level)
    if side is not None and side not in game.sides:
        raise InputError(f"{quote(side)} is not a side: expected {' or '.join(game.sides)}.")
    is_second = side == game.sides[1]
    return Session(game, (against, me) if is_second else (me, against), seed)


def _dialogue(
    session: Session, keep: Path | None, delay: float | None, aim: Aim | None
) -> Dialogue:
    from astragal.play.dialogue import Dialogue
    from astragal.play.judges import find_judge

    judge = find_judge(session.game, None, aim)
    dialogue = Dialogue(
        session,
        Console(highlight=False),
        ask_line,
        judge=judge.spec,
        aim=judge.aim,
        keep=keep,
        delay=delay or 0.0,
    )
    if delay is None and not dialogue.people and sys.stdout.isatty():
        dialogue.delay = _WATCHING_SECONDS
    return dialogue


def _play(dialogue: Dialogue) -> None:
    session = dialogue.session
    sides = session.game.sides
    seats = [f"{name} is {player}" for name, player in zip(sides, session.players, strict=True)]
    print(f"{session.game.title}: {', '.join(seats)}.", end="")
    print(" Type help for what can be answered." if dialogue.people else "")
    dialogue.run()


def _folder() -> Path:
    from astragal.values.table_file import data_folder

    return data_folder() / "games"


def _usual_file(game: Game) -> Path:
    """A file of its own for every game, so that none is written over."""
    name = f"{game.name.replace(':', '-')}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    make_folder(_folder())
    return _folder() / f"{name}.jsonl"


def _last_left(game: Game) -> Path:
    """The file of the last game that did not end, or InputError."""
    from astragal.arena.reading import read_games
    from astragal.arena.records import replay

    for path in sorted(_folder().glob("*.jsonl"), key=lambda path: -path.stat().st_mtime):
        try:
            record = next(iter(read_games(path)), None)
            if record is None or record.game != game.name or record.outcome is not None:
                continue
            for _ in replay(record):
                pass
        except InputError as fault:
            say(f"{path} is passed over: {fault}")
            continue
        return path
    raise InputError(f"No game of {game.name} was left: expected one in {_folder()}.")


def _loaded(game: Game, path: Path, seed: int) -> Session:
    from astragal.play.dialogue import load_session

    session = load_session(path, game.name, seed)
    if session.is_over:
        raise InputError(f"The game in {path} is over: `astragal analyse {path}` looks at it.")
    return session


def _tell_kept(dialogue: Dialogue) -> None:
    """Where the game is, and what can be done with it."""
    session, keep = dialogue.session, dialogue.keep
    if keep is None or not (session.steps or session.is_over):
        return
    if session.is_over:
        print(f"\nEvery turn again: astragal analyse {keep}")
    else:
        print(f"\nThe game is kept: astragal play {session.game.name} --load {keep}")
