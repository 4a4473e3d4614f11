"""Game records: one line of JSON a game, with the dice and moves to play it again exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Literal, NamedTuple, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, printable, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Game, Rolls, Standing
from astragal.games.kernels import UNFINISHED

LONGEST_LINE = 4 * 1024 * 1024
MOST_DOUBLES = 64


class Record(msgspec.Struct):
    """One game."""

    game: str
    version: int
    """Of the rules; under others the same moves may mean another game."""
    agents: tuple[str, str]
    """The one that began first."""
    turns: list[tuple[str, str]]
    """Roll and move, as people write them."""
    outcome: int | None
    """In points, for the agent that began, the cube not counted; None while it goes on."""
    number: int = 0
    """Which game of its match it is, counted from 1; 0 for a game by itself."""
    seed: int | None = None
    """That of the match."""
    given_up: bool = False
    """Whether the loser resigned, or dropped a double, before the end was played."""
    cube: list[tuple[int, Literal["take", "drop"]]] = []
    """After so many turns the player about to roll doubled, and what the other did."""

    @property
    def stake(self) -> int:
        """What the points of the game are multiplied by."""
        return 1 << sum(answer == "take" for _, answer in self.cube)

    @property
    def place(self) -> str:
        """How messages name the game."""
        return f"Game {self.number}" if self.number else "The game"


class Moves(Sequence[str]):
    """The plays of a turn as people write them, each when it is asked for.

    To write all of them takes longer than to find them, and mostly one is wanted.
    """

    def __init__(self, game: Game, standing: Standing, roll: int, found: Afterstates) -> None:
        self._game, self._standing, self._roll, self._found = game, standing, roll, found
        self._written: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._found.owner)

    @overload
    def __getitem__(self, choice: int) -> str: ...
    @overload
    def __getitem__(self, choice: slice) -> list[str]: ...
    def __getitem__(self, choice: int | slice) -> str | list[str]:
        if isinstance(choice, slice):
            return [self[each] for each in range(len(self))[choice]]
        row = range(len(self))[choice]
        if row not in self._written:
            self._written[row] = self._write(row)
        return self._written[row]

    def _write(self, row: int) -> str:
        positions, owner, turn_passes, outcome = self._found
        one = slice(row, row + 1)
        chosen = Afterstates(positions[one], owner[one], turn_passes[one], outcome[one])
        (move,) = self._game.notation.format_moves(*self._standing, self._roll, chosen)
        return move


class Step(NamedTuple):
    """One turn of a game: what was rolled, all that could be played, and what was."""

    standing: Standing
    roll: int
    found: Afterstates
    moves: Sequence[str]
    """The plays as people write them."""
    choice: int

    @property
    def move(self) -> str:
        """What was played."""
        return self.moves[self.choice]

    @property
    def after(self) -> Standing:
        """Where it led."""
        passes = int(self.found.turn_passes[self.choice])
        return Standing(self.found.positions[self.choice], self.standing.side ^ passes)

    @property
    def points(self) -> int | None:
        """What the game then counts for side 0 if it is over."""
        outcome = int(self.found.outcome[self.choice])
        if outcome == UNFINISHED:
            return None
        return outcome if self.after.side == 0 else -outcome


def make_step(game: Game, standing: Standing, roll: int, move: str) -> Step:
    """The turn that a move as people write it makes, or InputError."""
    position, side = standing
    found = game.afterstates_of(position, roll)
    choice = game.notation.parse_move(move, position, side, roll, found)
    return Step(standing, roll, found, Moves(game, standing, roll, found), choice)


def choice_step(game: Game, standing: Standing, roll: int, choice: int) -> Step:
    """The turn that takes one of the afterstates, by its number."""
    found = game.afterstates_of(standing.position, roll)
    return Step(standing, roll, found, Moves(game, standing, roll, found), choice)


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


def replay(record: Record) -> Iterator[Step]:
    """The turns of the game again; InputError names the game and the turn that cannot be."""
    game = game_of(record)
    standing, points = Standing(game.start, 0), None
    for number, (roll, move) in enumerate(record.turns, 1):
        place = f"{record.place}, turn {number}"
        if points is not None:
            raise InputError(f"{place}: the game is over before {quote(move)}.")
        try:
            step = make_step(game, standing, game.parse_roll(roll), move)
        except InputError as fault:
            at = game.notation.format_position(*standing)
            raise InputError(f"{place}, with {quote(roll)} from {at}: {fault}") from fault
        yield step
        standing, points = step.after, step.points
    _check_end(record, points)


def _check_end(record: Record, points: int | None) -> None:
    """InputError if the game did not end as its record says."""
    if record.given_up and points is None and record.outcome:
        return
    if points != record.outcome or record.given_up:
        told = "is still going on" if points is None else f"ends with {points:+d}"
        said = "that it is not over" if record.outcome is None else f"{record.outcome:+d}"
        how = " by giving up" if record.given_up else ""
        raise InputError(f"{record.place} {told}: its record says {said}{how}.")


def game_of(record: Record) -> Game:
    """The game that was played, or InputError if its rules have changed or nobody knows it."""
    try:
        game = find_game(record.game)
    except InputError as fault:
        raise InputError(f"{record.place}: {fault}") from fault
    if record.version != game.version:
        raise InputError(
            f"{record.place} was played under version {record.version} of the rules of "
            f"{game.name}: expected version {game.version}."
        )
    _check_told(record, game)
    return game


def _check_told(record: Record, game: Game) -> None:
    """InputError if a record tells what no game of this kind can be."""
    if record.outcome is not None and record.outcome not in game.outcomes:
        known = ", ".join(map(str, game.outcomes))
        raise InputError(
            f"{record.place} cannot end with {quote(record.outcome)} points: expected {known}."
        )
    turns = [turn for turn, _ in record.cube]
    is_cube = isinstance(game.rules, BackgammonRules) and len(turns) <= MOST_DOUBLES
    if turns and not (is_cube and turns == sorted(turns) and 0 <= turns[0] <= turns[-1]):
        raise InputError(
            f"{record.place} has doubles that cannot be: expected up to {MOST_DOUBLES} in "
            "backgammon, each after so many turns."
        )
    if record.seed is not None and record.seed < 0:
        raise InputError(f"{record.place} has the seed {record.seed}: expected 0 or more.")


def format_records(records: Sequence[Record]) -> str:
    """The lines of a file of records."""
    return "".join(msgspec.json.encode(record).decode() + "\n" for record in records)


def read_records(file: IO[bytes], source: str) -> Iterator[Record]:
    """The records in a file, in order; InputError names the line that cannot be read."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
        yield _parse_record(line, f"Line {number} of {source}", number)


def _parse_record(line: bytes, place: str, number: int) -> Record:
    try:
        record = msgspec.json.decode(line, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise InputError(f"{place} is not a game record: {fault}.") from fault
    first, second = (printable(name) for name in record.agents)
    record.agents = first, second
    record.number = record.number or number
    return record
