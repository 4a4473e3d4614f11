"""`astragal replay`: steps through a game record, drawn."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from astragal.cli.common import JsonOption, get_ready, print_json
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.arena.records import Record, Step
    from astragal.games.game import Game


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, .jsonl or .mat.")],
    number: Annotated[int, typer.Option("--game", min=1, help="Which game of the file.")] = 1,
    begin: Annotated[int, typer.Option("--turn", min=1, help="The turn to begin with.")] = 1,
    delay: Annotated[
        float | None,
        typer.Option(min=0, max=3600, help="Seconds for each turn; else Enter shows the next."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all games to this file instead, .mat or .jsonl."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    get_ready()
    from astragal.arena.records import game_of, replay

    if save is not None:
        _save(file, save)
        return

    record = _record(file, number)
    game = game_of(record)
    if begin > max(1, len(record.turns)):
        raise InputError(f"The game has {len(record.turns)} turns: expected --turn up to that.")
    console = Console(highlight=False)
    for turn, step in enumerate(replay(record), 1):
        if turn < begin:
            continue
        if as_json:
            print_json(_told(game, turn, step))
            continue
        _draw(console, record, game, turn, step)
        if not _goes_on(turn, len(record.turns), delay):
            return
    if not as_json:
        _draw_end(console, record, game)


def _save(file: Path, save: Path) -> None:
    from astragal.arena.reading import read_games
    from astragal.arena.writing import write_games

    records = list(read_games(file))
    write_games(save, records)
    print(f"{save}: {len(records)} game{'s' if len(records) > 1 else ''}")


def _record(file: Path, number: int) -> Record:
    from astragal.arena.reading import read_games

    for place, record in enumerate(read_games(file), 1):
        if place == number:
            return record
    raise InputError(f"{file} has no game {number}: expected a smaller number.")


def _draw(console: Console, record: Record, game: Game, turn: int, step: Step) -> None:
    from astragal.play.analysis_text import places_of
    from astragal.show.scene import Scene

    player = record.agents[step.standing.side]
    caption = f"Turn {turn} of {len(record.turns)}: {player} plays {step.move}."
    marks = places_of(step.move)
    scene = Scene(game, *step.standing, roll=step.roll, marks=marks, caption=caption)
    console.print(scene.text(), soft_wrap=True)
    console.print()


def _draw_end(console: Console, record: Record, game: Game) -> None:
    from astragal.arena.records import replay
    from astragal.games.game import Standing
    from astragal.show.scene import Scene

    standing = Standing(game.start, 0)
    for step in replay(record):
        standing = step.after
    told = ""
    if record.outcome is None:
        told = "The record ends here; the game is not over."
    elif record.given_up:
        told = f"{record.agents[record.outcome > 0]} gives up."
    console.print(Scene(game, *standing, caption=told).text(), soft_wrap=True)


def _goes_on(turn: int, turns: int, delay: float | None) -> bool:
    """Waits before the next turn; whether it is wanted. Where nobody watches, nobody waits."""
    if delay is not None:
        time.sleep(delay)
        return True
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    print(f"{turn} of {turns}; Enter goes on, q leaves> ", end="", flush=True)
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() not in ("q", "quit")


def _told(game: Game, turn: int, step: Step) -> dict[str, Any]:
    return {
        "turn": turn,
        "side": game.sides[step.standing.side],
        "position": game.notation.format_position(*step.standing),
        "roll": game.rolls[step.roll],
        "move": step.move,
        "leads_to": game.notation.format_position(*step.after),
    }
