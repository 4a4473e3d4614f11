"""One sweep over two layers of Ur's positions, (a, b) and (b, a), which lead to each other.

A value is the chance of winning less one half, so seen from the other side it is its negative.
Every play that captures nothing takes a stone forward, so there is an order in which the values
that a position needs have been found before it, but for captures: these take the values of the
sweep before. That is why a sweep's result does not depend on how the work is shared out.

Positions are worked at in blocks (see values/ur_tables.py), both of a block's layers together,
since a turn without a play leads to the same board in the other layer. `m` and `t` are the ranks of
the near stones of a mover and of the other side. Arrays are addresses here (see games/bits.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, double_at, lowest_bit, put_double, word_at
from astragal.solving.ur_moves import AGAIN, BARRED
from astragal.values.layout import NOWHERE

WON = 0.5
_NOTHING = -1.0  # below every value: no play so far
_1 = np.uint64(1)
_2 = np.uint64(2)
_BYTES = 8  # of every number here


class _Side(NamedTuple):
    """A layer, by addresses."""

    home: int
    new: int
    old: int
    blocks: int
    beyond: int
    beyond_blocks: int


class _Ground(NamedTuple):
    """The moves, by addresses."""

    pieces: int
    squares: int
    near: int
    rolls: int
    room: int  # how many near masks there are
    steps: int
    chances: int
    marks: int
    capture_rolls_again: bool
    near_plays: int
    own: int
    other: int
    met: int
    far: int
    rank: int
    masks: int
    width: int


@inlined
def _side(layer: Any) -> _Side:
    return _Side(
        layer.home,
        address_of(layer.new),
        address_of(layer.old),
        address_of(layer.blocks),
        address_of(layer.beyond),
        address_of(layer.beyond_blocks),
    )


@inlined
def _ground(moves: Any) -> _Ground:
    return _Ground(
        moves.pieces,
        moves.squares,
        moves.near,
        moves.steps.size,
        moves.masks.size,
        address_of(moves.steps),
        address_of(moves.chances),
        address_of(moves.marks),
        moves.capture_rolls_again,
        address_of(moves.near_plays),
        address_of(moves.own),
        address_of(moves.other),
        address_of(moves.met),
        address_of(moves.far),
        address_of(moves.rank),
        address_of(moves.masks),
        address_of(moves.width),
    )


@inlined
def _whole(address: Any, index: Any) -> Any:
    return np.int64(word_at(address, index))


@inlined
def _beside(address: Any, numbers: Any) -> Any:
    return address + np.uint64(_BYTES * numbers)


@inlined
def _keep_higher(address: Any, index: Any, value: Any) -> None:
    known = double_at(address, index)
    put_double(address, index, value if value > known else known)


@compiled
def sweep(moves: Any, first: Any, second: Any, blocks: Any) -> float:
    """Finds new values of these blocks [B, 2] in order; by how much a value changed at most."""
    ground, one, two = _ground(moves), _side(first), _side(second)
    size = ground.rolls * ground.room * ground.room
    bench = np.empty(2 * size + ground.room)  # best plays that leave the block, and a row
    best = address_of(bench)
    other_best = _beside(best, size)
    row = _beside(other_best, size)
    change = 0.0
    for block in range(len(blocks)):
        mine, theirs = blocks[block, 0], blocks[block, 1]
        width, height = _span(ground, one.home, mine), _span(ground, two.home, theirs)
        _play_far(ground, one, two, mine, theirs, width, height, best)
        _play_far(ground, two, one, theirs, mine, height, width, other_best)
        here = _whole(one.blocks, _code(ground, mine, theirs))
        there = _whole(two.blocks, _code(ground, theirs, mine))
        waiting = _span(ground, one.home + 1, mine)
        other_waiting = _span(ground, two.home + 1, theirs)
        for m in range(width - 1, -1, -1):
            passing = _mean_of_row(
                ground, m, np.int64(m < waiting), width, height, best,
                _beside(one.new, here), _beside(two.new, there), row,
            )  # fmt: skip
            for t in range(height - 1, -1, -1):
                other, other_passing = _mean_of_one(
                    ground, t, np.int64(t < other_waiting), m, width, height, other_best,
                    _beside(one.new, here), _beside(two.new, there),
                )  # fmt: skip
                value = (double_at(row, t) - passing * other) / (1.0 - passing * other_passing)
                other -= other_passing * value
                i, j = here + t * width + m, there + m * height + t
                change = max(change, abs(value - double_at(one.old, i)))
                change = max(change, abs(other - double_at(two.old, j)))
                put_double(one.new, i, value)
                put_double(two.new, j, other)
    return change


@inlined
def _code(ground: Any, mine: Any, theirs: Any) -> Any:
    return _whole(ground.own, mine) + _whole(ground.other, theirs)


@inlined
def _span(ground: Any, home: Any, mask: Any) -> Any:
    """How many near masks can stand beside these far stones; with one more home, one waiting."""
    left = ground.pieces - home - _whole(ground.far, mask)
    return _whole(ground.width, left) if left >= 0 else 0


@inlined
def _play_far(
    ground: Any, mover: Any, other: Any, mine: Any, theirs: Any, width: Any, height: Any, best: Any
) -> None:
    """Writes the best of the plays that end on a far square or home: [R, width, height]."""
    near = np.uint64(ground.near)
    taken = np.uint64(mine) << _1  # bit i is square i
    stands = taken | (_2 << near) - _2
    for roll in range(ground.rolls):
        here = _beside(best, roll * ground.room * ground.room)
        for m in range(width):
            for t in range(height):
                put_double(here, m * ground.room + t, _NOTHING)
        step = word_at(ground.steps, roll)
        # Neither to a near square, nor to one's own, nor beyond home.
        sources = stands & ~((_2 << near - step) - _1) & ~(taken >> step)
        sources &= (_1 << (np.uint64(ground.squares + 2) - step)) - _1
        while step and sources:
            source = np.int64(lowest_bit(sources))
            sources &= sources - _1
            _play_from(
                ground, mover, other, mine, theirs, width, height, source,
                source + np.int64(step), here,
            )  # fmt: skip


@inlined
def _play_from(
    ground: Any, mover: Any, other: Any, mine: Any, theirs: Any, width: Any, height: Any,
    source: Any, target: Any, best: Any,
) -> None:  # fmt: skip
    """Takes into account one play of a stone, for all near stones that may stand beside it."""
    left = 1 << (source - 1) if source <= ground.near else 0
    after = mine if left else mine ^ (1 << (source - 1))
    if target == ground.squares + 1:
        if mover.home + 1 == ground.pieces:
            _win(ground, width, height, left, best)
        else:
            begin = _whole(mover.beyond_blocks, _code(ground, theirs, after))
            _take_rows(ground, width, height, left, best, _beside(mover.beyond, begin), height)
        return
    mark = _whole(ground.marks, target)
    hit = _whole(ground.met, 1 << (target - 1)) & theirs
    if hit and mark & BARRED:
        return
    after |= 1 << (target - 1)
    others = theirs ^ hit
    if mark & AGAIN or (hit and ground.capture_rolls_again):
        begin = _whole(mover.blocks, _code(ground, after, others))
        values = _beside(mover.old if hit else mover.new, begin)
        stride = _span(ground, mover.home, after)
        _take_columns(ground, width, height, left, best, values, stride)
    else:
        begin = _whole(other.blocks, _code(ground, others, after))
        values = _beside(other.old if hit else other.new, begin)
        stride = _span(ground, other.home, others)
        _take_rows(ground, width, height, left, best, values, stride)


@inlined
def _rank_after(ground: Any, m: Any, left: Any) -> Any:
    """The rank once a stone has left a near square, NOWHERE if none stood there."""
    if left == 0:
        return m
    mask = _whole(ground.masks, m)
    return _whole(ground.rank, mask ^ left) if mask & left else NOWHERE


@inlined
def _win(ground: Any, width: Any, height: Any, left: Any, best: Any) -> None:
    for m in range(width):
        if _rank_after(ground, m, left) != NOWHERE:
            for t in range(height):
                put_double(best, m * ground.room + t, WON)


@inlined
def _take_rows(
    ground: Any, width: Any, height: Any, left: Any, best: Any, values: Any, stride: Any
) -> None:
    """The play leads to the other side's turn, whose near stones lie side by side."""
    for m in range(width):
        rank = _rank_after(ground, m, left)
        if rank != NOWHERE:
            row, found = _beside(best, m * ground.room), _beside(values, rank * stride)
            for t in range(height):
                _keep_higher(row, t, -double_at(found, t))


@inlined
def _take_columns(
    ground: Any, width: Any, height: Any, left: Any, best: Any, values: Any, stride: Any
) -> None:
    """The play leads to another turn of the mover: the other's near stones are a row apart."""
    for m in range(width):
        rank = _rank_after(ground, m, left)
        if rank != NOWHERE:
            row = _beside(best, m * ground.room)
            for t in range(height):
                _keep_higher(row, t, double_at(values, rank + t * stride))


@inlined
def _mean_of_row(
    ground: Any, m: Any, waits: Any, width: Any, height: Any, best: Any, here: Any, there: Any,
    mean: Any,
) -> float:  # fmt: skip
    """Writes the mean over rolls of what the first layer's mover plays; the chance to pass."""
    for t in range(height):
        put_double(mean, t, 0.0)
    passing = 0.0
    for roll in range(ground.rolls):
        row = _beside(best, (roll * ground.room + m) * ground.room)
        plays = _beside(ground.near_plays, _plays_at(ground, waits, m, roll))
        for k in range(1, _whole(plays, np.int64(0)) + 1):
            play = _whole(plays, k)
            if play & 1:
                for t in range(height):
                    _keep_higher(row, t, double_at(here, t * width + (play >> 1)))
            else:
                for t in range(height):
                    _keep_higher(row, t, -double_at(there, (play >> 1) * height + t))
        chance = double_at(ground.chances, roll)
        if double_at(row, np.int64(0)) == _NOTHING:
            passing += chance
        else:
            for t in range(height):
                put_double(mean, t, double_at(mean, t) + chance * double_at(row, t))
    return passing


@inlined
def _plays_at(ground: Any, waits: Any, rank: Any, roll: Any) -> Any:
    return ((waits * ground.room + rank) * ground.rolls + roll) * (ground.near + 2)


@inlined
def _mean_of_one(
    ground: Any, t: Any, waits: Any, m: Any, width: Any, height: Any, best: Any, here: Any,
    there: Any,
) -> Any:  # fmt: skip
    """The mean over rolls of what the other layer's mover plays, and the chance to pass."""
    mean, passing = 0.0, 0.0
    for roll in range(ground.rolls):
        value = double_at(best, (roll * ground.room + t) * ground.room + m)
        plays = _beside(ground.near_plays, _plays_at(ground, waits, t, roll))
        for k in range(1, _whole(plays, np.int64(0)) + 1):
            play = _whole(plays, k)
            if play & 1:
                found = double_at(there, m * height + (play >> 1))
            else:
                found = -double_at(here, (play >> 1) * width + m)
            value = found if found > value else value
        chance = double_at(ground.chances, roll)
        if value == _NOTHING:
            passing += chance
        else:
            mean += chance * value
    return mean, passing


@compiled
def guess(moves: Any, first: Any, second: Any, blocks: Any) -> None:
    """Puts the mean of what both layers beyond say of nearly the same stones into these blocks."""
    ground, one, two = _ground(moves), _side(first), _side(second)
    for block in range(len(blocks)):
        mine, theirs = blocks[block, 0], blocks[block, 1]
        width, height = _span(ground, one.home, mine), _span(ground, two.home, theirs)
        here = _whole(one.blocks, _code(ground, mine, theirs))
        there = _whole(two.blocks, _code(ground, theirs, mine))
        for m in range(width):
            for t in range(height):
                value = _beyond(ground, one, two, mine, theirs, m, t)
                value = (value - _beyond(ground, two, one, theirs, mine, t, m)) / 2
                put_double(one.old, here + t * width + m, value)
                put_double(two.old, there + m * height + t, -value)


@inlined
def _beyond(ground: Any, mover: Any, other: Any, mine: Any, theirs: Any, m: Any, t: Any) -> float:
    """What the mover has if a waiting stone of his, or else the foremost, is home already."""
    if mover.home + 1 == ground.pieces:
        return WON
    after, rank = mine, m
    if m >= _span(ground, mover.home + 1, mine):
        foremost = 0
        for square in range(ground.squares):
            if (mine | _whole(ground.masks, m)) >> square & 1:
                foremost = 1 << square
        after = mine & ~foremost
        if mine == after:
            rank = _whole(ground.rank, _whole(ground.masks, m) ^ foremost)
    begin = _whole(mover.beyond_blocks, _code(ground, theirs, after))
    height = _span(ground, other.home, theirs)
    return -double_at(mover.beyond, begin + rank * height + t)


@compiled
def relax(new: Any, before: Any, weight: float) -> None:
    """Takes `before` a step beyond the new values, as seen from itself, within what can be."""
    for i in range(len(new)):
        value = before[i] + weight * (new[i] - before[i])
        before[i] = min(max(value, -WON), WON)
