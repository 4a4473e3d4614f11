"""The compiled side of the waist: what each game supplies, and what follows from it for all games.

A game supplies two functions for the type of its rules, and generic kernels find them by that type
while they are compiled. So a kernel is written once, runs as fast as if written for one game, and
is found in the cache by the next process.

Letters for shapes: B games in step, N afterstates in all, W numbers in a position, T throws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, copy_bytes
from astragal.games.luck import draw_below

UNFINISHED = -128  # the outcome of a game that is still going on

F = TypeVar("F", bound=Callable[..., Any])


class Buffer(NamedTuple):
    """Room for afterstates; an outcome, like a value, belongs to whoever rolls next."""

    positions: NDArray[np.int8]  # [N, W]
    turn_passes: NDArray[np.bool_]  # [N]
    outcome: NDArray[np.int8]  # [N]


_INLINED = {"forceinline": True, "error_model": "numpy"}
_AFTERSTATES: dict[type, Callable[..., Any]] = {}
_OUTCOMES: dict[type, Callable[..., Any]] = {}


def afterstates_for(rules: type) -> Callable[[F], F]:
    """Registers how to write the afterstates of a position under rules of this type."""
    return _registering(_AFTERSTATES, rules)


def outcome_for(rules: type) -> Callable[[F], F]:
    """Registers how to read the outcome of a position under rules of this type."""
    return _registering(_OUTCOMES, rules)


def _registering(registry: dict[type, Callable[..., Any]], rules: type) -> Callable[[F], F]:
    def register(function: F) -> F:
        registry[rules] = function
        return function

    return register


def write_afterstates(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> int:
    """Writes every distinct afterstate into the buffer from row `at` on; how many there are.

    There is always at least one: where nothing can be played, the pass.
    """
    raise TypeError("write_afterstates is called from compiled code only")


def read_outcome(rules: Any, position: Any) -> int:
    """The outcome for the player about to roll, or UNFINISHED."""
    raise TypeError("read_outcome is called from compiled code only")


@overload(write_afterstates, jit_options=_INLINED)
def _write_afterstates_by_type(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> Any:
    return _found(_AFTERSTATES, rules)


@overload(read_outcome, jit_options=_INLINED)
def _read_outcome_by_type(rules: Any, position: Any) -> Any:
    return _found(_OUTCOMES, rules)


def _found(registry: dict[type, Callable[..., Any]], rules: Any) -> Callable[..., Any] | None:
    return registry.get(rules.instance_class) if isinstance(rules, types.BaseNamedTuple) else None


@compiled
def new_buffer(rules: Any, rows: int) -> Buffer:
    """An empty buffer with this many rows."""
    return Buffer(
        np.empty((rows, rules.start.size), np.int8),
        np.empty(rows, np.bool_),
        np.empty(rows, np.int8),
    )


@compiled
def _enlarged(rules: Any, room: Buffer, used: int, rows: int) -> Buffer:
    larger = new_buffer(rules, rows)
    kept, width = np.uint64(used), np.uint64(rules.start.size)
    copy_bytes(address_of(larger.positions), address_of(room.positions), kept * width)
    copy_bytes(address_of(larger.turn_passes), address_of(room.turn_passes), kept)
    copy_bytes(address_of(larger.outcome), address_of(room.outcome), kept)
    return larger


@compiled
def batch_afterstates(rules: Any, positions: Any, rolls: Any) -> Any:
    """All afterstates of positions [B, W] with rolls [B]: the arrays of a buffer, and owner [N]."""
    most = rules.most_afterstates
    room = new_buffer(rules, most + 16 * rolls.size)
    first = np.empty(rolls.size + 1, np.int64)
    used = 0
    for game in range(rolls.size):
        first[game] = used
        if used + most > room.outcome.size:
            room = _enlarged(rules, room, used, 2 * room.outcome.size)
        used += write_afterstates(rules, positions[game], rolls[game], room, used)
    first[rolls.size] = used
    owner = np.empty(used, np.int64)
    for game in range(rolls.size):
        owner[first[game] : first[game + 1]] = game
    # Copied, so that what the caller keeps is no larger than what was found.
    found = _enlarged(rules, room, used, used)
    return found.positions, found.turn_passes, found.outcome, owner


@compiled
def batch_outcomes(rules: Any, positions: Any) -> Any:
    """The outcomes [B] of positions [B, W], each for the player about to roll, or UNFINISHED."""
    outcomes = np.empty(positions.shape[0], np.int8)
    for game in range(positions.shape[0]):
        outcomes[game] = read_outcome(rules, positions[game])
    return outcomes


@inlined
def draw_roll(throws: Any, luck: Any) -> int:
    """The index of a roll, drawn from the list of equally likely throws."""
    return throws[draw_below(luck, throws.size)]


@compiled
def draw_rolls(throws: Any, luck: Any, count: int) -> Any:
    """As many rolls as asked for, one after the other."""
    rolls = np.empty(count, np.int64)
    for i in range(count):
        rolls[i] = draw_roll(throws, luck)
    return rolls


@compiled
def random_games(rules: Any, games: int, luck: Any) -> Any:
    """Plays whole games in which every play is as likely as the others.

    Of each game: turns, passes included; moves, without them; the outcome for who began.
    """
    room = new_buffer(rules, rules.most_afterstates)
    turns, moves = np.zeros(games, np.int32), np.zeros(games, np.int32)
    outcomes = np.zeros(games, np.int8)
    position = np.empty_like(rules.start)
    for game in range(games):
        turns[game], moves[game], outcomes[game] = _random_game(rules, luck, position, room)
    return turns, moves, outcomes


@inlined
def _random_game(rules: Any, luck: Any, position: Any, room: Buffer) -> Any:
    copy_bytes(address_of(position), address_of(rules.start), np.uint64(position.size))
    roll = draw_roll(rules.opening, luck)
    turns, moves, beginner_moves = 0, 0, True
    while True:
        count = write_afterstates(rules, position, roll, room, 0)
        choice = draw_below(luck, count)
        turns += 1
        moves += not _is_pass(position, room.positions, count)
        beginner_moves ^= room.turn_passes[choice]
        outcome = room.outcome[choice]
        if outcome != UNFINISHED:
            return turns, moves, outcome if beginner_moves else -outcome
        take_row(position, room.positions, choice)
        roll = draw_roll(rules.throws, luck)


@inlined
def take_row(position: Any, positions: Any, row: int) -> None:
    """Sets a position to a row of others; much faster here than an assignment of slices."""
    width = np.uint64(position.size)
    copy_bytes(address_of(position), address_of(positions) + np.uint64(row) * width, width)


@inlined
def _is_pass(before: Any, after: Any, count: int) -> bool:
    """Whether the only afterstate is the same board seen from the other side."""
    if count > 1:
        return False
    half = before.size // 2
    for i in range(half):
        if before[i] != after[0, half + i] or before[half + i] != after[0, i]:
            return False
    return True


class TreeWalk(NamedTuple):
    """A walk down all plays of all rolls, to `depth` plies, that can be left and gone on with."""

    counts: NDArray[np.int64]  # [depth, 3] afterstates, finished ones, ones that keep the turn
    here: NDArray[np.int8]  # [depth, W] the position at each ply
    rolls: NDArray[np.int64]  # [depth] the next roll to be tried at each ply
    remaining: NDArray[np.int64]  # [depth] afterstates at each ply still to be walked down
    ply: NDArray[np.int64]  # [1]
    room: Buffer


@compiled
def walk_on(rules: Any, walk: TreeWalk, budget: int) -> bool:
    """Goes on until about `budget` more afterstates are counted; whether any may be left.

    Every roll counts once at every ply, however likely it is; a finished game has no more plies.
    """
    most, depth, ply = rules.most_afterstates, len(walk.rolls), walk.ply[0]
    while ply >= 0 and budget > 0:
        if walk.remaining[ply] > 0:
            walk.remaining[ply] -= 1
            row = ply * most + walk.remaining[ply]
            if walk.room.outcome[row] == UNFINISHED:
                ply += 1
                walk.here[ply] = walk.room.positions[row]
                walk.rolls[ply] = 0
        elif walk.rolls[ply] == rules.roll_count:
            ply -= 1
        else:
            at = ply * most
            found = write_afterstates(rules, walk.here[ply], walk.rolls[ply], walk.room, at)
            walk.rolls[ply] += 1
            walk.remaining[ply] = found if ply + 1 < depth else 0
            budget -= found
            walk.counts[ply, 0] += found
            for row in range(at, at + found):
                walk.counts[ply, 1] += walk.room.outcome[row] != UNFINISHED
                walk.counts[ply, 2] += not walk.room.turn_passes[row]
    walk.ply[0] = ply
    return ply >= 0
