"""The numbering of a game's positions: each unfinished one has a number, and a number its position.

As with the rules, a numbering is a tuple of data, and generic kernels find its two functions by its
type while they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from astragal.compiling import compiled
from astragal.games.kernels import INLINED, found_by_type, registering

NOWHERE = -1  # the number of what is not a position that the layout knows

F = TypeVar("F", bound=Callable[..., Any])


class Layout(Protocol):
    """The field that every numbering has beside its own."""

    @property
    def size(self) -> int: ...  # numbers are from 0 to below this


_NUMBERS: dict[type, Callable[..., Any]] = {}
_POSITIONS: dict[type, Callable[..., Any]] = {}


def number_for(layout: type) -> Callable[[F], F]:
    """Registers how to number a position in layouts of this type."""
    return registering(_NUMBERS, layout)


def position_for(layout: type) -> Callable[[F], F]:
    """Registers how to write the position of a number in layouts of this type."""
    return registering(_POSITIONS, layout)


def number_of(layout: Any, position: Any) -> int:
    """The number of a position [W], or NOWHERE."""
    raise TypeError("number_of is called from compiled code only")


def write_position(layout: Any, number: Any, position: Any) -> None:
    """Writes the position [W] of a number that is in the layout."""
    raise TypeError("write_position is called from compiled code only")


@overload(number_of, jit_options=INLINED)
def _number_by_type(layout: Any, position: Any) -> Any:
    return found_by_type(_NUMBERS, layout)


@overload(write_position, jit_options=INLINED)
def _position_by_type(layout: Any, number: Any, position: Any) -> Any:
    return found_by_type(_POSITIONS, layout)


@compiled
def numbers_of(layout: Any, positions: Any) -> Any:
    """The numbers [N] of positions [N, W], NOWHERE for what the layout does not know."""
    numbers = np.empty(len(positions), np.int64)
    for row in range(len(positions)):
        numbers[row] = number_of(layout, positions[row])
    return numbers


@compiled
def positions_of(layout: Any, numbers: Any, width: int) -> Any:
    """The positions [N, W] of numbers [N] that are in the layout."""
    positions = np.empty((len(numbers), width), np.int8)
    for row in range(len(numbers)):
        write_position(layout, numbers[row], positions[row])
    return positions


def all_numbers(layout: Layout, step: int) -> list[NDArray[np.int64]]:
    """All numbers in order, so many at a time."""
    return [
        np.arange(begin, min(begin + step, layout.size)) for begin in range(0, layout.size, step)
    ]
