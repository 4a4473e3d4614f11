"""Work on many rows at once: each board valued once, the best of each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, peek, peek_word

_EMPTY = -1
_WORD = np.uint64(8)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def distinct_rows(rows: Any) -> Any:
    """Which rows [U] come first of their kind, and for each row [N] the number of its kind.

    The rows are int8 and lie in one piece.
    """
    count, width = len(rows), np.uint64(rows.shape[1])
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, _EMPTY, np.int64)
    firsts, kinds = np.empty(count, np.int64), np.empty(count, np.int64)
    used = 0
    for row in range(count):
        here = address_of(rows) + np.uint64(row) * width
        slot = np.int64(_hash(here, width) & np.uint64(size - 1))
        while table[slot] != _EMPTY:
            other = address_of(rows) + np.uint64(firsts[table[slot]]) * width
            if _are_equal(here, other, width):
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] == _EMPTY:
            table[slot] = used
            firsts[used] = row
            used += 1
        kinds[row] = table[slot]
    return firsts[:used].copy(), kinds


@inlined
def _hash(row: Any, width: Any) -> Any:
    digest, at = width, np.uint64(0)
    while at + _WORD <= width:
        digest = (digest ^ peek_word(row + at)) * _MIX
        digest ^= digest >> np.uint64(29)
        at += _WORD
    while at < width:
        digest = (digest ^ np.uint64(peek(row + at))) * _MIX
        digest ^= digest >> np.uint64(29)
        at += np.uint64(1)
    return digest


@inlined
def _are_equal(row: Any, other: Any, width: Any) -> bool:
    at = np.uint64(0)
    while at + _WORD <= width:
        if peek_word(row + at) != peek_word(other + at):
            return False
        at += _WORD
    while at < width:
        if peek(row + at) != peek(other + at):
            return False
        at += np.uint64(1)
    return True


@compiled
def best_of_groups(scores: Any, group: Any, groups: int) -> Any:
    """The index [G] of the first highest score in each group; `group` [N] rises, none is empty."""
    best = np.full(groups, _EMPTY, np.int64)
    for i in range(len(scores)):
        if best[group[i]] == _EMPTY or scores[i] > scores[best[group[i]]]:
            best[group[i]] = i
    return best


@compiled
def kept_of_groups(scores: Any, group: Any, groups: int, keep: int, margin: float) -> Any:
    """A mask [N] of the `keep` highest scores of each group that are within the margin of its best.

    `group` [N] rises. Of equal scores the earlier is kept.
    """
    mask = np.zeros(len(scores), np.bool_)
    begin = 0
    for current in range(groups):
        end = begin
        while end < len(group) and group[end] == current:
            end += 1
        highest = -np.inf
        for kept in range(min(keep, end - begin)):
            best = _EMPTY
            for i in range(begin, end):
                if not mask[i] and (best == _EMPTY or scores[i] > scores[best]):
                    best = i
            if kept == 0:
                highest = scores[best]
            elif scores[best] < highest - margin:
                break
            mask[best] = True
        begin = end
    return mask
