"""Solves the Royal Game of Ur: the exact winning chance of every position.

Stones that are home stay there, so positions fall into layers by how many are home on each side.
The layers (a, b) and (b, a) lead to each other, and beyond to layers with a stone more home, which
are solved first: from both sides near home back to the start. A layer begins with a guess from the
layers beyond it, and is swept until its values no longer change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.solving.ur_moves import Layer, moves_of
from astragal.solving.ur_sweep import WON, guess, relax, sweep
from astragal.values.ur_tables import UrTables

R = TypeVar("R")
Floats = NDArray[np.float64]
Pair = tuple[int, int]  # of numbers of stones that are home, the smaller first

# A layer's errors shrink to some 0.75 of themselves with a plain sweep, so they may be four times
# as large as the last change; and they add up along a game, which passes through as many layers as
# there are stones. A change this much smaller than the precision leaves room for both.
_MARGIN = 60
# The errors of plain sweeps shrink and swing with factors in about this range around zero, which
# a step beyond each sweep brings down to some 0.55 (Chebyshev's second-order iteration). It pays
# once the plays have settled. With 0.6 or 0.75 it takes some 10 % more sweeps.
_RANGE = 0.68
_PLAIN_SWEEPS = 4
_GROUND = 300 * 2**20  # bytes of memory without any values
_FEWEST_BLOCKS = 16  # that are worth sharing out among threads


class Solved(NamedTuple):
    """What came of one pair of layers."""

    chances: list[Floats]  # of winning, in the layers of `layers_of`
    change: float  # of the last sweep, at most


Beyond = Callable[[Pair], Floats]  # the winning chances of a layer that is solved
Tell = Callable[[float], None]  # how much of the pair is done, from 0 to 1


def pairs_in_order(stones: int) -> list[Pair]:
    """All pairs of layers, such that what lies beyond a pair comes before it."""
    pairs = [(a, b) for a in range(stones) for b in range(a, stones)]
    return sorted(pairs, key=lambda pair: -sum(pair))


def layers_of(pair: Pair) -> list[Pair]:
    """The one or two layers of a pair."""
    return [pair] if pair[0] == pair[1] else [pair, pair[::-1]]


def layer_slice(tables: UrTables, layer: Pair) -> slice:
    """The numbers of the positions with so many stones of the mover, and of the other, home."""
    number = layer[0] * tables.pieces + layer[1]
    return slice(int(tables.begins[number]), int(tables.begins[number + 1]))


def _size(tables: UrTables, layer: Pair) -> int:
    rows = layer_slice(tables, layer)
    return rows.stop - rows.start


def memory_needed(tables: UrTables) -> int:
    """The bytes that the largest pair takes: three numbers a position, and the layers beyond."""
    sizes = {
        pair: sum(_size(tables, layer) for layer in layers_of(pair))
        for pair in pairs_in_order(tables.pieces)
    }
    return 8 * 6 * max(sizes.values()) + _GROUND


@dataclass
class UrSolver:
    """Solves pairs of layers, one after the other."""

    game: Game
    tables: UrTables
    threads: int

    def __post_init__(self) -> None:
        rules = self.game.rules
        assert isinstance(rules, UrRules)
        tables = self.tables
        self._moves = moves_of(rules, tables, self.game.chances)
        self._pool = ThreadPoolExecutor(self.threads)
        squares = np.arange(tables.squares)
        masks = np.arange(2**tables.squares)[:, np.newaxis]
        progress = ((masks >> squares & 1) * (squares + 1)).sum(axis=1)
        level = progress[tables.by_place].sum(axis=1)
        order = np.argsort(-level, kind="stable")
        self._blocks, self._levels = tables.by_place[order], level[order]

    def solve(self, pair: Pair, beyond: Beyond, precision: float, tell: Tell) -> Solved:
        """The values of a pair, given the winning chances of layers beyond it."""
        levels = self._levels_of(pair)
        first, second = self._layers(pair, beyond)
        self._share(lambda part: guess(self._moves, first, second, part), np.concatenate(levels))
        goal, change, began, sweeps = precision / _MARGIN, 1.0, 0.0, 0
        older = {layer.home: np.empty_like(layer.new) for layer in (first, second)}
        while change > goal:
            change = self._sweep(first, second, levels)
            sweeps += 1
            began = began or change
            tell(min(1.0, np.log(began / max(change, goal)) / np.log(max(began / goal, 1.1))))
            if change > goal:
                first = self._stepped(first, older, sweeps)
                second = first if pair[0] == pair[1] else self._stepped(second, older, sweeps)
        solved = [first] if first is second else [first, second]
        return Solved([layer.new + WON for layer in solved], change)

    def _levels_of(self, pair: Pair) -> list[NDArray[np.int64]]:
        """The pair's blocks [B, 2], in groups none of which leads to another of its group."""
        stones, far = self.tables.pieces, self.tables.far[self._blocks]
        fits = (far[:, 0] <= stones - pair[0]) & (far[:, 1] <= stones - pair[1])
        if pair[0] == pair[1]:  # a block and its mirror image are worked at together
            fits &= self._blocks[:, 0] >= self._blocks[:, 1]
        cuts = np.flatnonzero(np.diff(self._levels[fits])) + 1
        return np.split(self._blocks[fits], cuts)

    def _layers(self, pair: Pair, beyond: Beyond) -> tuple[Layer, Layer]:
        first = self._layer(*pair, beyond)
        return first, first if pair[0] == pair[1] else self._layer(*pair[::-1], beyond)

    def _layer(self, mine: int, theirs: int, beyond: Beyond) -> Layer:
        size = _size(self.tables, (mine, theirs))
        is_last = mine + 1 == self.tables.pieces
        return Layer(
            home=mine,
            new=np.empty(size),
            old=np.empty(size),
            blocks=self._begins(mine, theirs),
            beyond=np.empty(0) if is_last else beyond((theirs, mine + 1)) - WON,
            beyond_blocks=np.empty(0, np.int64) if is_last else self._begins(theirs, mine + 1),
        )

    def _begins(self, mine: int, theirs: int) -> NDArray[np.int64]:
        """Where each block begins in a layer, by the code of its far stones."""
        tables, stones = self.tables, self.tables.pieces
        far = tables.far[tables.by_place]
        blocks = tables.by_place[(far[:, 0] <= stones - mine) & (far[:, 1] <= stones - theirs)]
        i, j = tables.far[blocks].T
        codes = tables.own[blocks[:, 0]] + tables.other[blocks[:, 1]]
        sizes = tables.width[stones - mine - i] * tables.width[stones - theirs - j]
        begins = np.zeros(len(tables.place), np.int64)
        begins[codes] = tables.offset[mine, theirs, i, j] + tables.place[codes] * sizes
        begins[codes] -= layer_slice(tables, (mine, theirs)).start
        return begins

    def _sweep(self, first: Layer, second: Layer, levels: Sequence[NDArray[np.int64]]) -> float:
        changes = (
            change
            for level in levels
            for change in self._share(lambda part: sweep(self._moves, first, second, part), level)
        )
        return max(changes)

    def _share(self, work: Callable[[NDArray[np.int64]], R], blocks: NDArray[np.int64]) -> list[R]:
        """What the work gives for parts of the blocks, done at the same time."""
        if len(blocks) < _FEWEST_BLOCKS:
            return [work(blocks)]
        return list(self._pool.map(work, np.array_split(blocks, self.threads)))

    def _stepped(self, layer: Layer, older: dict[int, Floats], sweeps: int) -> Layer:
        """The layer ready for the next sweep."""
        before, older[layer.home] = older[layer.home], layer.old
        if sweeps <= _PLAIN_SWEEPS:
            return layer._replace(new=before, old=layer.new)
        first_step = sweeps == _PLAIN_SWEEPS + 1
        weight = 1 / (1 - _RANGE**2 / 2) if first_step else 2 / (1 + np.sqrt(1 - _RANGE**2))
        ends = np.linspace(0, len(before), self.threads + 1).astype(np.int64)
        parts = [slice(*ends[i : i + 2]) for i in range(self.threads)]
        list(self._pool.map(lambda part: relax(layer.new[part], before[part], weight), parts))
        return layer._replace(old=before)
