"""One search's tree as it grows: by all plays of a position at a time, valued in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Positions
from astragal.games.kernels import UNFINISHED
from astragal.search.tree_nodes import NONE, Graph, Terms, Ways, back_up, descend
from astragal.values.values import Values, chances_by_rules

_WAYS_AT_ONCE = 8  # more would be faster, but chosen before what the others find is known
_LONGEST_WAY = 200  # plays, where they lead round in circles


class Tree:
    """What is known of a position, the root, and of what may follow."""

    def __init__(self, values: Values, terms: Terms, root: Positions) -> None:
        """Begins with the values' opinion of the root [W]."""
        game = values.game
        self._values = values
        self._terms = terms
        self._graph = _empty_graph(game.width, len(game.outcomes), len(game.rolls))
        self._tables = self._plays = 0
        self._numbers: dict[bytes, int] = {}
        self._ways = Ways(
            np.empty((_WAYS_AT_ONCE, _LONGEST_WAY), np.int64),
            np.empty(_WAYS_AT_ONCE, np.int64),
            np.empty(_WAYS_AT_ONCE, np.bool_),
        )
        self._add_nodes(root[np.newaxis], np.array([UNFINISHED], np.int8))

    @property
    def chances(self) -> NDArray[np.float64]:
        """The chances [K] of the player about to roll at the root."""
        return self._graph.chances[0].copy()

    @property
    def is_settled(self) -> bool:
        """Whether these are exact."""
        return bool(self._graph.is_settled[0])

    @property
    def size(self) -> int:
        """How many positions are known."""
        return len(self._numbers)

    def grow(self, most: int) -> int:
        """Adds plays in some places; how many positions were valued, at most as many as said.

        A place that shows no new position counts as one; 0 says that nothing more is allowed.
        """
        ways = descend(self._graph, self._terms, self._ways)
        opened = np.flatnonzero(self._ways.is_open[:ways])
        ends = self._ways.nodes[opened, self._ways.steps[opened] - 1]
        found = self._plays_of(ends)
        way = opened[found.owner // len(self._terms.odds)]
        keys = [position.tobytes() for position in found.positions]
        new = self._first_of_new(keys)
        valued = way[new[found.outcome[new] == UNFINISHED]]
        costs = np.cumsum(np.maximum(1, np.bincount(valued, minlength=ways)))
        fitting = int(np.searchsorted(costs, most, side="right"))
        if fitting == 0:
            return 0
        new = new[way[new] < fitting]
        self._add_nodes(found.positions[new], found.outcome[new])
        self._add_plays(ends[opened < fitting], found, keys)
        back_up(self._graph, self._terms, self._ways, fitting)
        return int(costs[fitting - 1])

    def _plays_of(self, nodes: NDArray[np.int64]) -> Afterstates:
        """All afterstates of some nodes with every roll."""
        rolls = len(self._terms.odds)
        positions = np.repeat(self._graph.positions[nodes], rolls, axis=0)
        return self._values.game.afterstates(positions, np.tile(np.arange(rolls), len(nodes)))

    def _first_of_new(self, keys: list[bytes]) -> NDArray[np.int64]:
        """Where those positions first come that are not known yet."""
        new: dict[bytes, int] = {}
        for i, key in enumerate(keys):
            if key not in self._numbers and key not in new:
                new[key] = i
        return np.array(list(new.values()), np.int64)

    def _add_nodes(self, positions: Positions, outcomes: NDArray[np.int8]) -> None:
        if not len(positions):
            return
        begin, end = self.size, self.size + len(positions)
        graph = self._graph = _with_room(self._graph, end, self._tables, self._plays)
        chances = chances_by_rules(self._values, positions, outcomes)
        graph.positions[begin:end] = positions
        graph.chances[begin:end] = chances
        graph.worth[begin:end] = chances @ self._terms.score
        graph.is_settled[begin:end] = outcomes != UNFINISHED
        graph.table[begin:end] = NONE
        for number, position in enumerate(positions, begin):
            self._numbers[position.tobytes()] = number

    def _add_plays(self, nodes: NDArray[np.int64], found: Afterstates, keys: list[bytes]) -> None:
        """Adds all plays of some nodes, which are the first of those found."""
        shape = len(nodes), len(self._terms.odds)
        bounds = np.searchsorted(found.owner, np.arange(shape[0] * shape[1] + 1))
        count = int(bounds[-1])
        begin, row = self._plays, self._tables
        self._plays, self._tables = begin + count, row + len(nodes)
        graph = self._graph = _with_room(self._graph, self.size, self._tables, self._plays)
        graph.child[begin : begin + count] = [self._numbers[key] for key in keys[:count]]
        graph.turn_passes[begin : begin + count] = found.turn_passes[:count]
        graph.taken[begin : begin + count] = 0
        rows = slice(row, row + len(nodes))
        graph.table[nodes] = np.arange(row, row + len(nodes))
        graph.first_play[rows] = begin + bounds[:-1].reshape(shape)
        graph.plays[rows] = np.diff(bounds).reshape(shape)
        graph.visits[rows], graph.is_roll_settled[rows] = 0, False


def _empty_graph(width: int, outcomes: int, rolls: int) -> Graph:
    """A graph without room for anything."""
    return Graph(
        positions=np.empty((0, width), np.int8),
        chances=np.empty((0, outcomes)),
        worth=np.empty(0),
        is_settled=np.empty(0, np.bool_),
        table=np.empty(0, np.int64),
        visits=np.empty((0, rolls), np.int64),
        first_play=np.empty((0, rolls), np.int64),
        plays=np.empty((0, rolls), np.int64),
        is_roll_settled=np.empty((0, rolls), np.bool_),
        child=np.empty(0, np.int64),
        turn_passes=np.empty(0, np.bool_),
        taken=np.empty(0, np.int64),
    )


def _with_room(graph: Graph, nodes: int, tables: int, plays: int) -> Graph:
    """The graph itself if it has room for so many of each, else a larger one with the same."""
    if min(len(graph.worth) - nodes, len(graph.visits) - tables, len(graph.child) - plays) >= 0:
        return graph
    fields: Sequence[NDArray[Any]] = graph
    rows = [nodes] * 5 + [tables] * 4 + [plays] * 3
    return Graph._make(_enlarged(field, count) for field, count in zip(fields, rows, strict=True))


def _enlarged(field: NDArray[Any], rows: int) -> NDArray[Any]:
    if len(field) >= rows:
        return field
    larger = np.zeros((2 * rows + 16, *field.shape[1:]), field.dtype)
    larger[: len(field)] = field
    return larger
