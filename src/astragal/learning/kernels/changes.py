"""How the inputs change from one board to another that is almost the same.

The plays of a roll lead to boards that differ in a few places, so a net's first sums are worked out
for one board, and for each play only what changes is added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import (
    address_of,
    float_at,
    lowest_bit,
    peek,
    peek_word,
    put_float,
    put_word,
    word_at,
)
from astragal.values.features import Features, Reading
from astragal.values.signs import signs_of, write_signs

Words = NDArray[np.uint64]


class Changes(NamedTuple):
    """For each group, and each two of its rows, the inputs that differ.

    Groups that read signs change with every play, and are no part of this but for `code_at`.
    Letters for shapes: W places, G groups, S places of groups, C counts, R rows, A inputs that the
    rows turn on, P pairs of rows, D differences in all.
    """

    place: Words  # [S]
    code: Words  # [S, C]
    begin: Words  # [G + 1] where the places of each group begin
    readers_begin: Words  # [W + 1] where the groups that read each place begin
    readers: Words  # [S]
    first_row: Words  # [G]
    rows: Words  # [G] how many rows it has
    first_pair: Words  # [G] the pair of the group's first row with itself
    pair_begin: Words  # [P + 1] where the differences of each pair begin
    pair_input: Words  # [D]
    pair_amount: NDArray[np.float32]  # [D]
    alone: Words  # [W] for a place with a group of its own, the group's number plus 1; else 0
    always: Words  # the inputs that an empty board turns on
    always_amount: NDArray[np.float32]
    sign_groups: int  # how many groups, the last, read signs
    signs: NDArray[np.int8]  # those of a board, as they are found
    seen: Words  # [G] when the group was last found to differ
    found: Words  # the inputs that differ, as they are found
    found_amount: NDArray[np.float32]


class ChangesAt(NamedTuple):
    """Where in memory the changes are: compiled code counts references to arrays, not to these."""

    groups: Any
    counts: Any
    width: Any
    place: Any
    code: Any
    begin: Any
    readers_begin: Any
    readers: Any
    first_row: Any
    rows: Any
    first_pair: Any
    pair_begin: Any
    pair_input: Any
    pair_amount: Any
    alone: Any
    always: Any
    always_amount: Any
    always_count: Any
    sign_groups: Any
    signs: Any
    seen: Any
    found: Any
    found_amount: Any


def changes_of(features: Features, has_pairs: bool = True) -> Changes:
    """The changes between any two boards; without pairs for those who have whole rows at hand."""
    if has_pairs and features.sign_groups:
        raise ValueError(f"{features.name} reads signs, which change with every play")
    reading = features.reading
    readers: list[list[int]] = [[] for _ in range(features.game.width)]
    for number, group in enumerate(features.groups):
        for place in group.places:
            if place < features.game.width:
                readers[place].append(number)
    rows = np.array([len(group.inputs) for group in features.groups])
    pairs = np.concatenate([[0], np.cumsum(rows * rows * has_pairs)])
    begin, inputs, amounts = _differences(reading, rows * has_pairs, int(pairs[-1]))
    (on,) = features.dense(np.zeros((1, features.game.width), np.int8))
    always = np.flatnonzero(on)
    return Changes(
        place=_words(reading.place),
        code=_words(reading.code),
        begin=_words(reading.begin),
        readers_begin=_words(np.cumsum([0] + [len(numbers) for numbers in readers])),
        readers=_words(np.array([number for numbers in readers for number in numbers])),
        first_row=_words(reading.first_row),
        rows=_words(rows),
        first_pair=_words(pairs[:-1]),
        pair_begin=_words(begin),
        pair_input=_words(inputs),
        pair_amount=amounts,
        alone=_words(_alone(readers, features)),
        always=_words(always),
        always_amount=on[always],
        sign_groups=features.sign_groups,
        signs=np.zeros(len(signs_of(features.game)) + 1, np.int8),
        seen=np.zeros(len(rows), np.uint64),
        found=np.zeros(2 * features.size + 2, np.uint64),
        found_amount=np.zeros(2 * features.size + 2, np.float32),
    )


def _alone(readers: list[list[int]], features: Features) -> NDArray[Any]:
    alone = np.zeros(len(readers), np.int64)
    for place, numbers in enumerate(readers):
        if len(numbers) == 1 and len(features.groups[numbers[0]].places) == 1:
            alone[place] = numbers[0] + 1
    return alone


def _words(numbers: NDArray[Any]) -> Words:
    return np.ascontiguousarray(numbers, np.uint64)


@compiled
def _differences(reading: Reading, rows: Any, pairs: int) -> Any:
    begin = np.zeros(pairs + 1, np.int64)
    inputs, amounts = np.empty(16, np.int64), np.empty(16, np.float32)
    used, pair = 0, 0
    for group in range(rows.size):
        first = reading.first_row[group]
        for old in range(first, first + rows[group]):
            for new in range(first, first + rows[group]):
                most = reading.row_begin[old + 1] - reading.row_begin[old]
                most += reading.row_begin[new + 1] - reading.row_begin[new]
                if used + most > inputs.size:
                    inputs = np.concatenate((inputs, np.empty(inputs.size + most, np.int64)))
                    amounts = np.concatenate((amounts, np.empty(amounts.size + most, np.float32)))
                used = _difference(reading, old, new, inputs, amounts, used)
                pair += 1
                begin[pair] = used
    return begin, inputs[:used].copy(), amounts[:used].copy()


@inlined
def _difference(reading: Any, old: int, new: int, inputs: Any, amounts: Any, used: int) -> int:
    """Writes the inputs of the new row less those of the old; both list them in rising order."""
    i, j = reading.row_begin[old], reading.row_begin[new]
    old_end, new_end = reading.row_begin[old + 1], reading.row_begin[new + 1]
    while i < old_end or j < new_end:
        is_old = i < old_end and (j >= new_end or reading.input[i] <= reading.input[j])
        is_new = j < new_end and (i >= old_end or reading.input[j] <= reading.input[i])
        amount = np.float32(0)
        which = reading.input[i] if is_old else reading.input[j]
        if is_old:
            amount -= reading.amount[i]
            i += 1
        if is_new:
            amount += reading.amount[j]
            j += 1
        if amount != 0:
            inputs[used], amounts[used] = which, amount
            used += 1
    return used


@inlined
def changes_at(changes: Any) -> ChangesAt:
    """Where the changes are, as long as the caller holds them."""
    return ChangesAt(
        np.uint64(changes.rows.size),
        np.uint64(changes.code.shape[1]),
        np.uint64(changes.readers_begin.size - 1),
        address_of(changes.place),
        address_of(changes.code),
        address_of(changes.begin),
        address_of(changes.readers_begin),
        address_of(changes.readers),
        address_of(changes.first_row),
        address_of(changes.rows),
        address_of(changes.first_pair),
        address_of(changes.pair_begin),
        address_of(changes.pair_input),
        address_of(changes.pair_amount),
        address_of(changes.alone),
        address_of(changes.always),
        address_of(changes.always_amount),
        np.uint64(changes.always.size),
        np.uint64(changes.sign_groups),
        address_of(changes.signs),
        address_of(changes.seen),
        address_of(changes.found),
        address_of(changes.found_amount),
    )


_ONE = np.float32(1)
_0, _1, _WORD, _BYTE = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(255)


@inlined
def code_at(changes: Any, group: Any, board: Any) -> Any:
    """The code that the group has on a board."""
    code = _0
    for slot in range(word_at(changes.begin, group), word_at(changes.begin, group + _1)):
        count = np.uint64(peek(board + word_at(changes.place, slot)))
        code += word_at(changes.code, slot * changes.counts + count)
    return code


@inlined
def find_differences(changes: Any, board: Any, other: Any, stamp: Any) -> Any:
    """Notes the inputs that change from one board to another; how many there are.

    The stamp is a number that no earlier call had. Boards are read eight places at a time, so the
    last may reach beyond them: there must be something there.
    """
    return _walk(changes, board, other, stamp, _note_inputs)


@inlined
def find_changed(changes: Any, board: Any, other: Any, places: Any, stamp: Any) -> Any:
    """The same as `find_differences`, where the places are known that may differ, as bits."""
    return _visit(changes, board, other, places, stamp, _note_inputs)


@inlined
def find_rows(changes: Any, board: Any, other: Any, stamp: Any) -> Any:
    """Notes the rows that another board has, and takes off those that it has no more.

    The same as `find_differences`, for those who have whole rows at hand. A row of code 0 is not
    noted: it is that of an empty board, and counts nothing.
    """
    return _walk(changes, board, other, stamp, _note_rows)


@inlined
def find_changed_rows(changes: Any, board: Any, other: Any, places: Any, stamp: Any) -> Any:
    """The same as `find_rows`, where the places are known that may differ, as bits."""
    return _visit(changes, board, other, places, stamp, _note_rows)


@inlined
def find_sign_rows(rules: Any, changes: Any, board: Any, count: Any) -> Any:
    """Notes the rows of what the signs of a board tell, behind those noted; how many there are."""
    if changes.sign_groups:
        write_signs(rules, board, changes.signs)
        for group in range(changes.groups - changes.sign_groups, changes.groups):
            code = code_at(changes, group, changes.signs - changes.width)
            count = _note_rows(changes, group, _0, code, count)
    return count


@inlined
def _walk(changes: Any, board: Any, other: Any, stamp: Any, note: Any) -> Any:
    count, at = _0, _0
    while at < changes.width:
        difference = peek_word(board + at) ^ peek_word(other + at)
        if at + _WORD > changes.width:
            difference &= (_1 << ((changes.width - at) * _WORD)) - _1
        while difference:
            byte = lowest_bit(difference) // _WORD
            difference &= ~(_BYTE << (byte * _WORD))
            count = _note_place(changes, at + byte, board, other, stamp, count, note)
        at += _WORD
    return count


@inlined
def _visit(changes: Any, board: Any, other: Any, places: Any, stamp: Any, note: Any) -> Any:
    count = _0
    while places:
        place = lowest_bit(places)
        places &= places - _1
        count = _note_place(changes, place, board, other, stamp, count, note)
    return count


@inlined
def _note_place(
    changes: Any, place: Any, board: Any, other: Any, stamp: Any, count: Any, note: Any
) -> Any:
    alone = word_at(changes.alone, place)
    if alone:
        old, new = np.uint64(peek(board + place)), np.uint64(peek(other + place))
        return note(changes, alone - _1, old, new, count)
    return _note_readers(changes, place, board, other, stamp, count, note)


@inlined
def _note_readers(
    changes: Any, place: Any, board: Any, other: Any, stamp: Any, count: Any, note: Any
) -> Any:
    begin = word_at(changes.readers_begin, place)
    for i in range(begin, word_at(changes.readers_begin, place + _1)):
        group = word_at(changes.readers, i)
        if word_at(changes.seen, group) != stamp:
            put_word(changes.seen, group, stamp)
            old, new = code_at(changes, group, board), code_at(changes, group, other)
            count = note(changes, group, old, new, count)
    return count


@inlined
def _note_inputs(changes: Any, group: Any, old: Any, new: Any, count: Any) -> Any:
    pair = word_at(changes.first_pair, group) + old * word_at(changes.rows, group) + new
    for k in range(word_at(changes.pair_begin, pair), word_at(changes.pair_begin, pair + _1)):
        put_word(changes.found, count, word_at(changes.pair_input, k))
        put_float(changes.found_amount, count, float_at(changes.pair_amount, k))
        count += _1
    return count


@inlined
def _note_rows(changes: Any, group: Any, old: Any, new: Any, count: Any) -> Any:
    first = word_at(changes.first_row, group)
    put_word(changes.found, count, first + new)
    put_float(changes.found_amount, count, _ONE)
    count += _1 if new else _0
    put_word(changes.found, count, first + old)
    put_float(changes.found_amount, count, -_ONE)
    return count + (_1 if old else _0)
