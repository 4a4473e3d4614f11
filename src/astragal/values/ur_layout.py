"""Ur's positions by number, as compiled code finds them (see values/ur_tables.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.games.bits import address_of, count_bits, peek, peek_word, poke, word_at
from astragal.games.ur import UrRules
from astragal.values.layout import NOWHERE, number_for, position_for
from astragal.values.ur_tables import ur_tables


class UrLayout(NamedTuple):
    """The tables in one piece, since Numba counts the references to every array of a tuple.

    With all of them as arrays to find a number took 260 ns, most of it for that.
    """

    size: int
    pieces: int
    squares: int
    near: int
    class_count: int
    flat: NDArray[np.int64]  # the tables, one after the other, from these places on
    other: int
    far: int
    met: int
    rank: int
    masks: int
    width: int
    place: int
    offset: int
    classes: int
    class_begins: int
    by_place: int
    first: int


def ur_layout(rules: UrRules) -> UrLayout:
    """The numbering of all unfinished positions under these rules."""
    tables = ur_tables(rules)
    names = ("own", *UrLayout._fields[6:])
    parts = [getattr(tables, name).ravel() for name in names]
    places = np.cumsum([0, *map(len, parts)]).tolist()
    return UrLayout(
        tables.size,
        tables.pieces,
        tables.squares,
        tables.near,
        len(tables.classes),
        np.concatenate(parts),
        *places[1 : len(names)],
    )


@inlined
def _entry(flat: Any, at: Any) -> Any:
    return np.int64(word_at(flat, at))


_LOW_BITS = np.uint64(0x0101010101010101)
_GATHER = np.uint64(0x0102040810204080)
_WORD = np.uint64(8)
_1 = np.uint64(1)


@inlined
def _stones(layout: Any, half: Any) -> Any:
    """The mask of a side's stones on the path, NOWHERE if they are not as they can be."""
    squares = np.uint64(layout.squares)
    front, rear = peek_word(half + _1), peek_word(half + squares + _1 - _WORD)
    if (front | rear) & ~_LOW_BITS:
        return np.int64(NOWHERE)
    mask = front * _GATHER >> np.uint64(56) | (rear * _GATHER >> np.uint64(56)) << squares - _WORD
    waiting, home = np.int64(peek(half)), np.int64(peek(half + squares + _1))
    is_whole = waiting + home + np.int64(count_bits(mask)) == layout.pieces
    is_whole &= waiting >= 0 and 0 <= home < layout.pieces
    return np.int64(mask) if is_whole else np.int64(NOWHERE)


@number_for(UrLayout)
def _number(layout: Any, position: Any) -> int:
    half = np.uint64(layout.squares + 2)
    first = address_of(position)
    second = first + half
    mine, theirs = _stones(layout, first), _stones(layout, second)
    if mine == NOWHERE or theirs == NOWHERE:
        return NOWHERE
    flat = address_of(layout.flat)
    if _entry(flat, layout.met + mine) & theirs:
        return NOWHERE
    home, other_home = np.int64(peek(second - _1)), np.int64(peek(second + half - _1))
    i, j = _entry(flat, layout.far + mine), _entry(flat, layout.far + theirs)
    near, stones = (1 << layout.near) - 1, layout.pieces
    width = _entry(flat, layout.width + stones - home - i)
    height = _entry(flat, layout.width + stones - other_home - j)
    code = _entry(flat, mine) + _entry(flat, layout.other + theirs)
    row = _entry(flat, layout.place + code) * height
    row += _entry(flat, layout.rank + (theirs & near))
    kind = _kind(layout, home, other_home, i, j)
    begin = _entry(flat, layout.offset + kind)
    return begin + row * width + _entry(flat, layout.rank + (mine & near))


@inlined
def _kind(layout: Any, home: Any, other_home: Any, i: Any, j: Any) -> Any:
    """Where a class stands in `offset`."""
    return ((home * layout.pieces + other_home) * (layout.pieces + 1) + i) * (layout.pieces + 1) + j


@position_for(UrLayout)
def _position(layout: Any, number: Any, position: Any) -> None:
    flat, stones = address_of(layout.flat), layout.pieces
    kind = layout.classes + 4 * _class_of(layout, flat, number)
    home, other_home = _entry(flat, kind), _entry(flat, kind + 1)
    i, j = _entry(flat, kind + 2), _entry(flat, kind + 3)
    left = number - _entry(flat, layout.offset + _kind(layout, home, other_home, i, j))
    width = _entry(flat, layout.width + stones - home - i)
    height = _entry(flat, layout.width + stones - other_home - j)
    mine, left = left % width, left // width
    theirs, place = left % height, left // height
    pair = layout.by_place + 2 * (_entry(flat, layout.first + i * (stones + 1) + j) + place)
    first = address_of(position)
    mask = _entry(flat, pair) | _entry(flat, layout.masks + mine)
    _write_half(layout, mask, home, first)
    mask = _entry(flat, pair + 1) | _entry(flat, layout.masks + theirs)
    _write_half(layout, mask, other_home, first + np.uint64(layout.squares + 2))


@inlined
def _class_of(layout: Any, flat: Any, number: Any) -> Any:
    """The last class that begins at the number or before it."""
    low, high = 0, layout.class_count
    while high - low > 1:
        middle = (low + high) // 2
        if _entry(flat, layout.class_begins + middle) <= number:
            low = middle
        else:
            high = middle
    return low


@inlined
def _write_half(layout: Any, mask: Any, home: Any, half: Any) -> None:
    waiting = layout.pieces - home
    for square in range(layout.squares):
        held = mask >> square & 1
        poke(half + np.uint64(1 + square), held)
        waiting -= held
    poke(half, waiting)
    poke(half + np.uint64(layout.squares + 1), home)
