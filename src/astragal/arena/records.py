"""Game records: one line of JSON a game, with the dice and moves to play it again exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from astragal.agents.playing import Turn
from astragal.errors import InputError, quote
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Rolls, Standing
from astragal.games.kernels import UNFINISHED

LONGEST_LINE = 4 * 1024 * 1024


class Record(msgspec.Struct):
    """One finished game."""

    game: str
    version: int
    """Of the rules; under others the same moves may mean another game."""
    agents: tuple[str, str]
    """The one that began first."""
    turns: list[tuple[str, str]]
    """Roll and move, as people write them."""
    outcome: int
    """In points, for the agent that began."""
    number: int = 0
    """Which game of its match it is, counted from 1; 0 for a game by itself."""
    seed: int | None = None
    """That of the match."""


def written_turns(game: Game, rolls: Rolls, choices: NDArray[np.int64]) -> list[tuple[str, str]]:
    """Roll and move of every turn [T] of a game, each choice an index among its afterstates."""
    position, side = game.start, 0
    turns = []
    for roll, choice in zip(rolls.tolist(), choices.tolist(), strict=True):
        found = game.afterstates_of(position, roll)
        moves = game.notation.format_moves(position, side, roll, found)
        turns.append((game.rolls[roll], moves[choice]))
        position, side = found.positions[choice], side ^ int(found.turn_passes[choice])
    return turns


def replay(record: Record) -> Iterator[Turn]:
    """The turns of the game again; InputError names the game and the turn that cannot be."""
    game = find_game(record.game)
    if record.version != game.version:
        raise InputError(
            f"Game {record.number} was played under version {record.version} of the rules of "
            f"{game.name}: expected version {game.version}."
        )
    standing, points = Standing(game.start, 0), None
    for number, (roll, move) in enumerate(record.turns, 1):
        place = f"Game {record.number}, turn {number}"
        if points is not None:
            raise InputError(f"{place}: the game is over before {quote(move)}.")
        turn, points = _played(game, standing, roll, move, place)
        yield turn
        standing = turn.after
    if points != record.outcome:
        told = "is still going on" if points is None else f"ends with {points:+d}"
        raise InputError(f"Game {record.number} {told}: its record says {record.outcome:+d}.")


def _played(
    game: Game, standing: Standing, roll_text: str, move: str, place: str
) -> tuple[Turn, int | None]:
    """The turn, and the points of who began if it ends the game."""
    position, side = standing
    try:
        roll = game.parse_roll(roll_text)
    except InputError as fault:
        raise InputError(f"{place}: {fault}") from fault
    found = game.afterstates_of(position, roll)
    moves = game.notation.format_moves(position, side, roll, found)
    if move not in moves:
        raise InputError(
            f"{place}: {quote(move)} is not a play of {quote(roll_text)} from "
            f"{game.notation.format_position(position, side)}: expected one such as {moves[0]}."
        )
    i = moves.index(move)
    after = Standing(found.positions[i], side ^ int(found.turn_passes[i]))
    outcome = int(found.outcome[i])
    points = None if outcome == UNFINISHED else outcome if after.side == 0 else -outcome
    return Turn(side, roll, move, after), points


def format_records(records: Sequence[Record]) -> str:
    """The lines of a file of records."""
    return "".join(msgspec.json.encode(record).decode() + "\n" for record in records)


def read_records(path: Path) -> Iterator[Record]:
    """The records in the file, in order; InputError names the line that cannot be read."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                yield _parse_record(line, f"Line {number} of {path}")
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror}.") from fault


def _parse_record(line: bytes, place: str) -> Record:
    try:
        return msgspec.json.decode(line, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise InputError(f"{place} is not a game record: {fault}.") from fault
