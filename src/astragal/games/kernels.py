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
    changed: NDArray[np.uint64]  # [N] places, as bits, that may differ from the board before


INLINED = {"forceinline": True, "error_model": "numpy"}
_AFTERSTATES: dict[type, Callable[..., Any]] = {}
_OUTCOMES: dict[type, Callable[..., Any]] = {}


def afterstates_for(rules: type) -> Callable[[F], F]:
    """Registers how to write the afterstates of a position under rules of this type."""
    return registering(_AFTERSTATES, rules)


def outcome_for(rules: type) -> Callable[[F], F]:
    """Registers how to read the outcome of a position under rules of this type."""
    return registering(_OUTCOMES, rules)


def registering(registry: dict[type, Callable[..., Any]], key: type) -> Callable[[F], F]:
    """A decorator that puts a function into a registry, under a type of tuple."""

    def register(function: F) -> F:
        registry[key] = function
        return function

    return register


def write_afterstates(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> int:
    """Writes every distinct afterstate into the buffer from row `at` on; how many there are.

    What has changed is seen as the afterstate is, by whoever rolls next.
    There is always at least one: where nothing can be played, the pass.
    """
    raise TypeError("write_afterstates is called from compiled code only")


def read_outcome(rules: Any, position: Any) -> int:
    """The outcome for the player about to roll, or UNFINISHED."""
    raise TypeError("read_outcome is called from compiled code only")


@overload(write_afterstates, jit_options=INLINED)
def _write_afterstates_by_type(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> Any:
    return found_by_type(_AFTERSTATES, rules)


@overload(read_outcome, jit_options=INLINED)
def _read_outcome_by_type(rules: Any, position: Any) -> Any:
    return found_by_type(_OUTCOMES, rules)


def found_by_type(registry: dict[type, Callable[..., Any]], held: Any) -> Callable[..., Any] | None:
    """What is registered for the type of a tuple, as Numba sees it while it compiles."""
    return registry.get(held.instance_class) if isinstance(held, types.BaseNamedTuple) else None


@compiled
def new_buffer(rules: Any, rows: int) -> Buffer:
    """An empty buffer with this many rows."""
    return Buffer(
        np.empty((rows, rules.start.size), np.int8),
        np.empty(rows, np.bool_),
        np.empty(rows, np.int8),
        np.empty(rows, np.uint64),
    )


@compiled
def _enlarged(rules: Any, room: Buffer, used: int, rows: int) -> Buffer:
    larger = new_buffer(rules, rows)
    kept, width = np.uint64(used), np.uint64(rules.start.size)
    copy_bytes(address_of(larger.positions), address_of(room.positions), kept * width)
    copy_bytes(address_of(larger.turn_passes), address_of(room.turn_passes), kept)
    copy_bytes(address_of(larger.outcome), address_of(room.outcome), kept)
    copy_bytes(address_of(larger.changed), address_of(room.changed), kept * np.uint64(8))
    return larger


@compiled
def batch_afterstates(rules: Any, positions: Any, rolls: Any) -> Any:
    """All afterstates of positions [B, W] with rolls [B]: a buffer's arrays, and owner [N]."""
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
    return found.positions, found.turn_passes, found.outcome, found.changed, owner


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
def first_misfit(rules: Any, positions: Any) -> int:
    """The first of positions [B, W] with more pieces than a side has, or fewer than none; else -1.

    What the rules write depends on it: there is room for the plays of that many pieces.
    """
    half = positions.shape[1] // 2
    for row in range(len(positions)):
        for begin in (0, half):
            pieces = 0
            for place in range(begin, begin + half):
                if positions[row, place] < 0:
                    return row
                pieces += positions[row, place]
            if pieces > rules.pieces:
                return row
    return -1


@compiled
def draw_rolls(throws: Any, luck: Any, count: int) -> Any:
    """As many rolls as asked for, one after the other."""
    rolls = np.empty(count, np.int64)
    for i in range(count):
        rolls[i] = draw_roll(throws, luck)
    return rolls


@inlined
def take_row(position: Any, positions: Any, row: int) -> None:
    """Sets a position to a row of others; much faster here than an assignment of slices."""
    width = np.uint64(position.size)
    copy_bytes(address_of(position), address_of(positions) + np.uint64(row) * width, width)
