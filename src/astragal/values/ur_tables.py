"""The numbering of Ur's positions, without gaps: 137,870,097 of them under Finkel's rules.

A side's stones on the path are a mask, bit i for square i + 1. The squares before the first that
both sides walk are *near*, all others *far*. Positions that differ in near stones lie together:

- a **layer** has all positions with as many of the mover's, and of the other's, stones home;
- a **class** of it all with as many far stones of each;
- a **block** of that all with the same far stones: the other's near masks in rows, and in each row
  the mover's. Near masks are ranked by their number of stones, so those with at most so many come
  first, and a mask has the same rank in every block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.ur import UrRules
from astragal.values.layout import NOWHERE


class UrTables(NamedTuple):
    """What numbers a position; S stones a side, L squares, C ways to lay far stones."""

    pieces: int
    squares: int
    near: int  # how many squares are near
    own: NDArray[np.int64]  # [2^L] what a mask of the mover adds to the code of the far stones
    other: NDArray[np.int64]  # [2^L] what a mask of the other adds
    far: NDArray[np.int64]  # [2^L] how many far stones a mask has
    met: NDArray[np.int64]  # [2^L] the squares of a mask as the other side counts them, if shared
    rank: NDArray[np.int64]  # [2^near]
    masks: NDArray[np.int64]  # [2^near] by rank
    width: NDArray[np.int64]  # [S + 1] how many near masks have at most so many stones
    place: NDArray[np.int64]  # [C] of a code within its class
    offset: NDArray[np.int64]  # [S, S, S + 1, S + 1] where the class of a layer begins
    begins: NDArray[np.int64]  # [S * S + 1] where each layer begins, and the end
    classes: NDArray[np.int64]  # [E, 4] layer and far stones of each class that is not empty
    class_begins: NDArray[np.int64]  # [E] where they begin
    by_place: NDArray[np.int64]  # [D, 2] masks of far stones, class by class
    first: NDArray[np.int64]  # [S + 1, S + 1] where a class begins there

    @property
    def size(self) -> int:
        """How many positions there are."""
        return int(self.begins[-1])


def ur_tables(rules: UrRules) -> UrTables:
    """The tables that number all unfinished positions under these rules."""
    stones, squares = rules.pieces, rules.start.size // 2 - 2
    near = int(np.flatnonzero(rules.meets)[0]) - 1
    if rules.steps.max() > near:
        raise ValueError("a stone that enters must come to a near square")
    masks = np.arange(2**squares)
    own, other = _codes(rules, masks)
    far = _stones_of(masks >> near, squares)
    ranked = np.array(sorted(range(2**near), key=lambda mask: (mask.bit_count(), mask)))
    width = np.array([_at_most(ranked, count) for count in range(stones + 1)])
    far_masks = np.flatnonzero((masks % 2**near == 0) & (far <= stones))
    met = _met(rules, masks)
    pairs = np.concatenate([_pairs_with(m, far_masks, met) for m in far_masks.tolist()])
    place, by_place, first, class_sizes = _classes(pairs, own, other, far, stones)
    offset, begins = _offsets(class_sizes, width, stones)
    classes = np.argwhere(_is_filled(class_sizes, stones))
    return UrTables(
        pieces=stones,
        squares=squares,
        near=near,
        own=own,
        other=other,
        far=far,
        met=met,
        rank=np.argsort(ranked),
        masks=ranked,
        width=width,
        place=place,
        offset=offset,
        begins=begins,
        classes=classes,
        class_begins=offset[tuple(classes.T)],
        by_place=by_place,
        first=first,
    )


def _stones_of(masks: NDArray[np.int64], squares: int) -> NDArray[np.int64]:
    return np.sum([masks >> square & 1 for square in range(squares)], axis=0)


def _at_most(masks: NDArray[np.int64], count: int) -> int:
    return sum(int(mask).bit_count() <= count for mask in masks)


def _met(rules: UrRules, masks: NDArray[np.int64]) -> NDArray[np.int64]:
    met = np.zeros_like(masks)
    for square in np.flatnonzero(rules.meets):
        met |= (masks >> (square - 1) & 1) << (int(rules.meets[square]) - 1)
    return met


def _pairs_with(mask: int, masks: NDArray[np.int64], met: NDArray[np.int64]) -> NDArray[np.int64]:
    """The mask beside each of the others' that stands on none of its squares."""
    others = masks[met[mask] & masks == 0]
    return np.stack([np.full(len(others), mask), others], axis=1)


def _codes(rules: UrRules, masks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number in mixed base: three for a shared square, two for a far one of either side."""
    own, other = np.zeros((2, len(masks)), np.int64)
    shared = np.flatnonzero(rules.meets)
    weight = 1
    for square in shared.tolist():
        own += (masks >> (square - 1) & 1) * weight
        met = int(rules.meets[square])
        other += (masks >> (met - 1) & 1) * 2 * weight
        weight *= 3
    alone = [
        square for square in range(int(shared[0]), len(rules.meets) - 1) if not rules.meets[square]
    ]
    for codes in (own, other):
        for square in alone:
            codes += (masks >> (square - 1) & 1) * weight
            weight *= 2
    return own, other


def _classes(
    pairs: NDArray[np.int64],
    own: NDArray[np.int64],
    other: NDArray[np.int64],
    far: NDArray[np.int64],
    stones: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Place [C] of each code within its class; pairs class by class; where each begins; sizes."""
    kinds = far[pairs[:, 0]] * (stones + 1) + far[pairs[:, 1]]
    codes = own[pairs[:, 0]] + other[pairs[:, 1]]
    order = np.lexsort((codes, kinds))
    sizes = np.bincount(kinds, minlength=(stones + 1) ** 2)
    first = np.cumsum(sizes) - sizes
    place = np.full(codes.max() + 1, NOWHERE, np.int64)
    place[codes[order]] = np.arange(len(pairs)) - first[kinds[order]]
    shape = (stones + 1, stones + 1)
    return place, pairs[order], first.reshape(shape), sizes.reshape(shape)


def _offsets(
    class_sizes: NDArray[np.int64], width: NDArray[np.int64], stones: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offset = np.zeros((stones, stones, stones + 1, stones + 1), np.int64)
    begins = np.zeros(stones * stones + 1, np.int64)
    at = 0
    for mine, theirs in np.ndindex(stones, stones):
        for i, j in np.ndindex(stones + 1 - mine, stones + 1 - theirs):
            offset[mine, theirs, i, j] = at
            size = class_sizes[i, j] * width[stones - mine - i] * width[stones - theirs - j]
            at += int(size)
        begins[mine * stones + theirs + 1] = at
    return offset, begins


def _is_filled(class_sizes: NDArray[np.int64], stones: int) -> NDArray[np.bool_]:
    """Which classes of which layers have a position [S, S, S + 1, S + 1]."""
    mine, theirs, i, j = np.ogrid[:stones, :stones, : stones + 1, : stones + 1]
    return (i <= stones - mine) & (j <= stones - theirs) & (class_sizes[i, j] > 0)
