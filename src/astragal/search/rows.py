"""Work on many rows at once: each board valued once, the best of each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import compiled, inlined

_EMPTY = -1
_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def distinct_rows(rows: Any) -> Any:
    """Which rows [U] come first of their kind, and for each row [N] the number of its kind."""
    count = len(rows)
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, _EMPTY, np.int64)
    firsts, kinds = np.empty(count, np.int64), np.empty(count, np.int64)
    used = 0
    for row in range(count):
        slot = np.int64(_hash(rows, row) & np.uint64(size - 1))
        while table[slot] != _EMPTY and not _are_equal(rows, firsts[table[slot]], row):
            slot = (slot + 1) & (size - 1)
        if table[slot] == _EMPTY:
            table[slot] = used
            firsts[used] = row
            used += 1
        kinds[row] = table[slot]
    return firsts[:used].copy(), kinds


@inlined
def _hash(rows: Any, row: int) -> Any:
    digest = np.uint64(0)
    for i in range(rows.shape[1]):
        digest = (digest ^ np.uint64(rows[row, i])) * _MIX
        digest ^= digest >> np.uint64(29)
    return digest


@inlined
def _are_equal(rows: Any, first: int, second: int) -> bool:
    for i in range(rows.shape[1]):
        if rows[first, i] != rows[second, i]:
            return False
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
