"""Where luck comes from: a NumPy generator, or a script that says beforehand what will happen.

Both are passed in, never global, and both work inside compiled code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from astragal.compiling import compiled


class ScriptedLuck(NamedTuple):
    """Luck that is known beforehand: each draw takes the next number of the script."""

    script: NDArray[np.int64]
    cursor: NDArray[np.int64]  # [1], how many numbers have been taken


Luck: TypeAlias = np.random.Generator | ScriptedLuck


def scripted(numbers: Iterable[int]) -> ScriptedLuck:
    """Luck that gives these numbers in this order, each the index of a throw or of a choice."""
    return ScriptedLuck(np.fromiter(numbers, np.int64), np.zeros(1, np.int64))


def draw_below(luck: Any, count: Any) -> int:
    """A whole number from 0 to count - 1, each as likely as the others."""
    return _draw_below(luck, count)


def draw_each_below(luck: Luck, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of these counts [N] a whole number below it, one after the other."""
    drawn: NDArray[np.int64] = _draw_each_below(luck, counts)
    return drawn


@compiled
def _draw_each_below(luck: Any, counts: Any) -> Any:
    drawn = np.empty(counts.size, np.int64)
    for i in range(counts.size):
        drawn[i] = draw_below(luck, counts[i])
    return drawn


@compiled
def _draw_below(luck: Any, count: int) -> int:
    return draw_below(luck, count)


def _from_generator(luck: Any, count: Any) -> Any:
    # Off from even by less than 1e-13 for any count here, and much faster than luck.integers.
    return np.int64(luck.random() * count)


def _from_script(luck: Any, count: Any) -> Any:
    taken = luck.cursor[0]
    if taken >= luck.script.size:
        raise IndexError("the scripted luck has run out")
    number = luck.script[taken]
    if number < 0 or number >= count:
        raise ValueError("the scripted luck holds a number that cannot be drawn here")
    luck.cursor[0] = taken + 1
    return number


@overload(draw_below)
def _draw_below_by_type(luck: Any, count: Any) -> Any:
    if isinstance(luck, types.NumPyRandomGeneratorType):
        return _from_generator
    if isinstance(luck, types.BaseNamedTuple) and luck.instance_class is ScriptedLuck:
        return _from_script
    return None
