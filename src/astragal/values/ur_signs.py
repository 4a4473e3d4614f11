"""The signs of a position of Ur: for each roll what it can capture, and which rosettes it reaches.

Each comes twice, for the player about to roll and for the other as if it were to roll.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import inlined
from astragal.games.bits import address_of, highest_bit, lowest_bit, peek, poke
from astragal.games.ur import UrRules
from astragal.values.sign_registry import Sign, signs_for

ROLLS = 4  # of different lengths, in all rule sets; a roll of nothing aside
_LONGEST = 16  # squares of the longest path
_ROSETTES = 4  # at most, on a path

CAPTURES, REACHED, OTHER = 0, ROLLS, 2 * ROLLS
"""Where the signs of the player about to roll begin, and then those of the other."""

_TWICE = (
    *[Sign(f"the farthest square on which a roll of {i} captures", _LONGEST) for i in range(1, 5)],
    *[Sign(f"the rosettes that a roll of {i} reaches", (1 << _ROSETTES) - 1) for i in range(1, 5)],
)

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
_ROLLS, _OTHER = np.uint64(ROLLS), np.uint64(OTHER)


@signs_for(UrRules, _TWICE * 2)
def _write_signs(rules: Any, board: Any, signs: Any) -> None:
    half = np.uint64(rules.rosette.size)
    _write_side(rules, board, board + half, half, signs)
    _write_side(rules, board + half, board, half, signs + _OTHER)


@inlined
def _write_side(rules: Any, half: Any, other: Any, length: Any, signs: Any) -> None:
    """Writes the signs of one side; sets of squares are bits in a word, along its own path."""
    meets, is_rosette = address_of(rules.meets), address_of(rules.rosette)
    is_barred = address_of(rules.barred)
    mine, theirs, rosettes, barred = np.uint64(peek(half) != 0), _0, _0, _0
    for square in range(_1, length - _1):
        met = np.uint64(peek(meets + square))
        taken = np.uint64((met != _0) & (peek(other + met) != 0))
        mine |= np.uint64(peek(half + square) != 0) << square
        theirs |= taken << square
        rosettes |= np.uint64(peek(is_rosette + square) != 0) << square
        barred |= (taken & np.uint64(peek(is_barred + square) != 0)) << square
    squares = (_1 << (length - _1)) - _2
    for step in range(_1, _ROLLS + _1):
        targets = mine << step & squares & ~mine & ~barred
        captured, reached, left, bit = targets & theirs, _0, rosettes, _0
        while left:
            reached |= (targets >> lowest_bit(left) & _1) << bit
            left &= left - _1
            bit += _1
        poke(signs + step - _1, highest_bit(captured) if captured else _0)
        poke(signs + _ROLLS + step - _1, reached)
