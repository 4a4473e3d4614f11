"""What every afterstate seen led to on average, as many of them as there is room for.

Letters for shapes: n afterstates remembered, N visits, W numbers in a position, K outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions
from astragal.learning.learner import State
from astragal.search.rows import distinct_rows

Floats = NDArray[np.float64]


class Averages:
    """The rows stand in the order of the last visit, so the ones to be forgotten stand first."""

    def __init__(self, capacity: int, width: int, outputs: int) -> None:
        self._capacity = capacity
        self.positions: Positions = np.zeros((0, width), np.int8)
        """[n, W] the afterstates, each seen by whoever rolls next."""
        self.means: Floats = np.zeros((0, outputs))
        """[n, K] what a net should say of them, on average, for whoever rolls next."""
        self.visits = np.zeros(0, np.int64)
        """[n] how often each was seen."""

    def __len__(self) -> int:
        return len(self.positions)

    def add(self, positions: Positions, targets: Floats) -> int:
        """Takes visits to positions [N, W] with targets [N, K] into the averages.

        How many of the rows, counted from the last, are of these visits.
        """
        known, rows = len(self), np.concatenate([self.positions, positions])
        firsts, kinds = distinct_rows(rows)
        more = np.bincount(kinds[known:], minlength=len(firsts))
        visits = _grown(self.visits, len(firsts)) + more
        means = _grown(self.means, len(firsts))
        changes = _sums(kinds[known:], targets, len(firsts)) - more[:, np.newaxis] * means
        means += changes / visits[:, np.newaxis]
        order = _by_last_visit(kinds, len(firsts))[-self._capacity :]
        self.positions, self.means, self.visits = rows[firsts[order]], means[order], visits[order]
        return min(int(np.count_nonzero(more)), self._capacity)

    def state(self) -> State:
        """All that is remembered, the afterstates in the order of their last visit."""
        return {
            "averages positions": self.positions,
            "averages means": self.means,
            "averages visits": self.visits,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Remembers that instead."""
        self.positions = state["averages positions"]
        self.means = state["averages means"]
        self.visits = state["averages visits"]


def _grown(column: NDArray[Any], count: int) -> NDArray[Any]:
    """A copy of the column [n, ...] with as many rows as said, the new ones zero."""
    grown = np.zeros((count, *column.shape[1:]), column.dtype)
    grown[: len(column)] = column
    return grown


def _sums(kinds: NDArray[np.int64], targets: Floats, count: int) -> Floats:
    """The sums [count, K] of the targets [N, K] of each kind [N], added up in their order."""
    columns = [np.bincount(kinds, column, count) for column in targets.T]
    return np.stack(columns, axis=1)


def _by_last_visit(kinds: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """All kinds, in the order in which each comes for the last time among kinds [N]."""
    last = np.zeros(count, np.int64)
    np.maximum.at(last, kinds, np.arange(len(kinds)))
    return np.argsort(last)
