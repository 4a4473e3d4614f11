"""What a sweep over Ur's positions works with: two layers, and the moves under given rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.ur import UrRules
from astragal.values.ur_tables import UrTables

BARRED, AGAIN = 1, 2  # marks of squares


class Layer(NamedTuple):
    """The positions with `home` of the mover's stones home; the other layer says the rest."""

    home: int
    new: NDArray[np.float64]  # [positions] values of this sweep
    old: NDArray[np.float64]  # [positions] values of the sweep before
    blocks: NDArray[np.int64]  # [C] where the block of a code begins in them
    beyond: NDArray[np.float64]  # values after the mover has brought a stone home, for the other
    beyond_blocks: NDArray[np.int64]  # [C]


class Moves(NamedTuple):
    """The rules and the numbering, as a sweep needs them; R rolls, P the most near plays of one."""

    pieces: int
    squares: int
    near: int
    steps: NDArray[np.int64]  # [R]
    chances: NDArray[np.float64]  # [R]
    marks: NDArray[np.int64]  # [L + 2] BARRED and AGAIN, by square
    capture_rolls_again: bool
    near_plays: NDArray[np.int64]  # [2, 2^near, R, 1 + P], see `_near_plays`
    own: NDArray[np.int64]  # the rest as in UrTables
    other: NDArray[np.int64]
    met: NDArray[np.int64]
    far: NDArray[np.int64]
    rank: NDArray[np.int64]
    masks: NDArray[np.int64]
    width: NDArray[np.int64]


def moves_of(rules: UrRules, tables: UrTables, chances: NDArray[np.float64]) -> Moves:
    """What a sweep needs under these rules."""
    return Moves(
        pieces=tables.pieces,
        squares=tables.squares,
        near=tables.near,
        steps=rules.steps.astype(np.int64),
        chances=chances,
        marks=rules.barred * BARRED + rules.rosette * AGAIN,
        capture_rolls_again=rules.capture_rolls_again,
        near_plays=_near_plays(rules, tables),
        own=tables.own,
        other=tables.other,
        met=tables.met,
        far=tables.far,
        rank=tables.rank,
        masks=tables.masks,
        width=tables.width,
    )


def _near_plays(rules: UrRules, tables: UrTables) -> NDArray[np.int64]:
    """The plays that begin and end among waiting and near stones, without leaving the block.

    By whether stones wait, rank and roll: how many there are, and for each twice the rank
    afterwards, and one more if the mover rolls again.
    """
    masks, rolls = len(tables.masks), rules.roll_count
    plays = np.zeros((2, masks, rolls, tables.near + 2), np.int64)
    for waits, rank, roll in np.ndindex(2, masks, rolls):
        mask, step = int(tables.masks[rank]), int(rules.steps[roll])
        found = plays[waits, rank, roll]
        for source in range(tables.near + 1 - step) if step else ():
            left = 1 << source >> 1  # nothing for a stone that waits
            target = 1 << (source + step - 1)
            if (mask & left if source else waits) and not mask & target:
                found[0] += 1
                after = tables.rank[mask ^ left | target]
                found[found[0]] = 2 * after + rules.rosette[source + step]
    return plays
