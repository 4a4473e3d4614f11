"""The parts of a gradient step that are made for it: the sparse first layer, and Adam.

Letters for shapes: B positions, A inputs that are on, H units of the first layer, P weights in all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import compiled
from astragal.games.bits import address_of
from astragal.learning.kernels.plays import add_scaled
from astragal.learning.kernels.vectors import add_rows
from astragal.values.features import row_of

_FLOAT, _WORD = np.uint64(4), np.uint64(8)
_ONE = np.float32(1)


@compiled
def write_inputs(reading: Any, seen: Any, which: Any, amounts: Any, counts: Any) -> None:
    """Writes which inputs [B, A] are on, given what is seen, what they are, and how many [B]."""
    for n in range(len(seen)):
        used = 0
        for group in range(reading.first_row.size):
            row = row_of(reading, group, seen[n])
            for i in range(reading.row_begin[row], reading.row_begin[row + 1]):
                which[n, used], amounts[n, used] = reading.input[i], reading.amount[i]
                used += 1
        counts[n] = used


@compiled
def write_first_sums(
    weights: Any, biases: Any, which: Any, amounts: Any, counts: Any, sums: Any
) -> None:
    """Writes the sums [B, H] of the first layer, H being a multiple of LANES."""
    length, most = np.uint64(sums.shape[1]), np.uint64(which.shape[1])
    for n in range(len(sums)):
        sums[n] = biases
        row = np.uint64(n)
        add_rows(
            address_of(sums) + row * length * _FLOAT,
            address_of(weights),
            length,
            address_of(which) + row * most * _WORD,
            address_of(amounts) + row * most * _FLOAT,
            np.uint64(counts[n]),
        )


@compiled
def write_first_slopes(which: Any, amounts: Any, counts: Any, slopes: Any, found: Any) -> None:
    """Writes the slopes [I, H] of the first layer's weights, given those of its sums [B, H]."""
    length = np.uint64(slopes.shape[1])
    found[:] = 0
    for n in range(len(slopes)):
        source = address_of(slopes) + np.uint64(n) * length * _FLOAT
        for k in range(counts[n]):
            target = address_of(found) + which[n, k] * length * _FLOAT
            add_scaled(target, source, amounts[n, k], length)


@compiled
def adam(
    weights: Any,
    slopes: Any,
    means: Any,
    squares: Any,
    number: int,
    alpha: float,
    floor: float,
) -> None:
    """The weights [P] after a step of Adam, its number counted from 1; with its usual constants.

    But for the floor, its epsilon: what is added to the size of slopes that a step is divided by.
    """
    keep, keep_square = np.float32(0.9), np.float32(0.999)
    rate = np.float32(alpha / (1 - 0.9**number))
    scale = np.float32(1 / (1 - 0.999**number))
    least = np.float32(floor)
    for i in range(weights.size):
        slope = slopes[i]
        mean = keep * means[i] + (_ONE - keep) * slope
        square = keep_square * squares[i] + (_ONE - keep_square) * slope * slope
        means[i], squares[i] = mean, square
        weights[i] -= rate * mean / (np.sqrt(square * scale) + least)
