"""Solves small games whose positions may come back: policy iteration over all of them.

By turns the best plays are chosen by what their afterstates are worth, and what positions are worth
is worked out for the plays chosen, until no other play gains anything. Both go through positions in
order of progress, those nearest the end first, so that most of what is needed is new. Positions of
one level take from each other what was known before, so it makes no difference how the work is
shared out among threads.

Letters for shapes: N unfinished positions, S numbers of the layout, R rolls, K outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game
from astragal.solving import iteration_kernels as kernels
from astragal.values.layout import Layout

Floats = NDArray[np.float64]
Tell = Callable[[float], None]  # how much is done, from 0 to 1

# Chances are off by some three times the last change in hypergammon.
_MARGIN = 20
_FINEST = 1e-13  # a change that is smaller is lost in rounding
# Before the next choice worth is worked out only roughly: to this share of the first change.
_ROUGHLY = 0.02
# Errors shrink and swing with factors in about this range around zero. A step beyond each sweep
# brings them down to 0.58 from 0.75 in hypergammon (Chebyshev's second-order iteration).
_RANGE = 0.7
_BEYOND = 2 / (1 + np.sqrt(1 - _RANGE**2))
_PATIENCE = 12  # sweeps without a smaller change, after which only plain ones follow
_PARTS = 4  # for each thread, since some take longer than others
_FEWEST = 256  # positions that are worth sharing out


class Solution(NamedTuple):
    """What came of it."""

    chances: Floats  # [S, K - 1] of all outcomes but the lowest, for the player about to roll
    positions: int  # N
    change: float  # of the last sweep at most
    sweeps: int


def solve_by_iteration(
    game: Game, layout: Layout, precision: float, threads: int, tell: Tell
) -> Solution:
    """The chances of all positions when both sides play for points, off by less than precision."""
    goal = max(precision / _MARGIN, _FINEST)
    with ThreadPoolExecutor(threads) as pool:
        solver = _Solver(game, layout, _Sharing(pool, threads))
        worth = solver.find_plays(goal, _part(tell, 0, 0.7))
        chances = solver.chances(worth, goal, _part(tell, 0.7, 1))
        return Solution(chances, solver.positions, solver.change, solver.sweeps)


def memory_for_iteration(game: Game, layout: Layout) -> int:
    """The bytes that it takes at most: plays and their leads, or plays and chances."""
    plays, columns = 4 * len(game.rolls), 8 * len(game.outcomes)
    return layout.size * (max(2 * plays, plays + columns + 48) + 32) + 2**28


def _part(tell: Tell, begin: float, end: float) -> Tell:
    return lambda done: tell(begin + (end - begin) * done)


def _split(whole: slice, parts: int) -> list[slice]:
    ends = np.linspace(whole.start, whole.stop, parts + 1).astype(np.int64).tolist()
    return list(map(slice, ends[:-1], ends[1:]))


def _checked(found: list[float]) -> list[float]:
    if np.isnan(found).any():
        raise ValueError("a play leads to a position that the layout does not know")
    return found


class _Sharing(NamedTuple):
    """Threads, and how work is shared out among them."""

    pool: ThreadPoolExecutor
    threads: int

    def each(self, work: Callable[[slice], Any], whole: slice) -> list[Any]:
        """What the work gives for each part of the whole, in order."""
        if self.threads == 1 or whole.stop - whole.start < _FEWEST:
            return [work(whole)]
        return list(self.pool.map(work, _split(whole, self.threads * _PARTS)))


class _Solver:
    """The positions in order, and the plays that have been chosen."""

    def __init__(self, game: Game, layout: Layout, sharing: _Sharing) -> None:
        self._game, self._layout, self._sharing = game, layout, sharing
        self._numbers, self._levels = self._in_order()
        self._new = np.empty(len(self._numbers))
        rolls, most = len(game.rolls), max(game.outcomes)
        self._chosen = np.full((len(self._numbers), rolls), kernels.UNKNOWN, np.int32)
        self._points = np.arange(-most, most + 1.0)
        self.positions, self.change, self.sweeps = len(self._numbers), 0.0, 0

    def _in_order(self) -> tuple[NDArray[np.int32], list[slice]]:
        """The numbers [N] of unfinished positions, nearest the end first, and their levels."""
        rules, layout, each = self._game.rules, self._layout, self._sharing.each
        whole = slice(0, layout.size)
        found = each(lambda part: kernels.goes_on(rules, layout, part.start, part.stop), whole)
        numbers = np.flatnonzero(np.concatenate(found)).astype(np.int32)
        whole = slice(0, len(numbers))
        found = each(lambda part: kernels.distances(rules, layout, numbers[part]), whole)
        left = -_direction(self._game) * np.concatenate(found)
        order = np.argsort(left, kind="stable")
        cuts = (np.flatnonzero(np.diff(left[order])) + 1).tolist()
        return numbers[order], list(map(slice, [0, *cuts], [*cuts, len(numbers)]))

    def find_plays(self, goal: float, tell: Tell) -> Floats:
        """Chooses the best plays; what positions [S] are worth with them, roughly."""
        worth = np.zeros(self._layout.size)
        lead = np.zeros(self._chosen.shape, np.float32)
        gain, drift, done = np.inf, 0.0, 0.0
        while gain > goal:
            # Nobody knows how often it takes: each time is told as a quarter of what is left.
            now, done = done, done + (1 - done) / 4
            gain, change = self._improve(worth, lead, drift, _part(tell, now, done))
            drift, first = 2 * change, 0.0
            while gain > goal and change > max(goal, _ROUGHLY * first):
                change = self._sweep(worth, self._points, -1)
                drift, first = drift + 2 * change, max(first, change)
        return worth

    def _improve(
        self, worth: Floats, lead: NDArray[np.float32], drift: float, tell: Tell
    ) -> tuple[float, float]:
        """What a play gained at most, and by how much a position's worth changed."""
        game, gain, change = self._game, 0.0, 0.0

        def work(part: slice) -> Any:
            return kernels.improve(
                game.rules, self._layout, game.chances, worth, self._numbers[part],
                self._chosen[part], lead[part], drift, self._new[part],
            )  # fmt: skip

        for level in self._levels:
            gain = max(gain, *_checked(self._sharing.each(work, level)))
            change = max(change, self._settle(worth, level))
            tell(level.stop / len(self._numbers))
        self.sweeps += 1
        return gain, change

    def _sweep(self, known: Floats, scores: Floats, sign: int) -> float:
        """Works out anew what the chosen plays score; by how much something changed at most."""
        odds, change = self._game.chances, 0.0

        def work(part: slice) -> None:
            kernels.evaluate(odds, scores, sign, known, self._chosen[part], self._new[part])

        for level in self._levels:
            self._sharing.each(work, level)
            change = max(change, self._settle(known, level))
        self.sweeps += 1
        return change

    def _settle(self, known: Floats, level: slice) -> float:
        """Takes over what is new of a level; by how much something changed at most."""

        def work(part: slice) -> Any:
            return kernels.settle(known, self._numbers[part], self._new[part])

        return max(self._sharing.each(work, level))

    def chances(self, worth: Floats, goal: float, tell: Tell) -> Floats:
        """The chances [S, K - 1] with the plays chosen, from about what positions are worth.

        The chance of one of two opposite outcomes is the same for both sides, and by how much one
        is likelier than the other turns its sign. The last of both follow from the others.
        """
        outcomes, points = self._game.outcomes, self._points
        chances = np.zeros((self._layout.size, len(outcomes) - 1))
        balance, rest = self._settled(points, -1, goal, worth), np.ones(len(self._numbers))
        wins = [outcome for outcome in reversed(outcomes) if outcome > 0]
        for done, win in enumerate(wins, 1):
            won, lost, is_last = points == win, points == -win, win == wins[-1]
            more = balance / win if is_last else self._settled(1.0 * won - lost, -1, goal)
            is_rest = is_last and 0 not in outcomes
            both = rest if is_rest else self._settled(1.0 * won + lost, 1, goal)
            balance, rest = balance - win * more, rest - both
            self._put(chances, win, (both + more) / 2)
            self._put(chances, -win, (both - more) / 2)
            tell(done / len(wins))
        if 0 in outcomes:
            self._put(chances, 0, rest)
        return chances

    def _put(self, chances: Floats, outcome: int, found: Floats) -> None:
        column = self._game.outcomes.index(outcome) - 1
        if column >= 0:
            chances[self._numbers, column] = np.clip(found, 0, 1)

    def _settled(
        self, scores: Floats, sign: int, goal: float, known: Floats | None = None
    ) -> Floats:
        """What positions [N] score; swept until it settles, from what is known [S] if anything."""
        known = np.zeros(self._layout.size) if known is None else known
        change, least, idle, weight, older = np.inf, np.inf, 0, _BEYOND, known.copy()
        while change > goal:
            before = known.copy()
            change = self._sweep(known, scores, sign)
            idle = 0 if change < least else idle + 1
            least, weight = min(least, change), 1.0 if idle == _PATIENCE else weight
            if change > goal:
                self._step_beyond(known, older, weight)
            older = before
        self.change = max(self.change, change)
        return known[self._numbers]

    def _step_beyond(self, known: Floats, older: Floats, weight: float) -> None:
        def work(part: slice) -> None:
            kernels.step_beyond(known[part], older[part], weight)

        self._sharing.each(work, slice(0, len(known)))


def _direction(game: Game) -> int:
    """1 if pieces move up their places, or are laid down, in the course of a game; else -1."""
    rolls = np.arange(len(game.rolls))
    after = game.afterstates(np.repeat(game.start[np.newaxis], len(rolls), axis=0), rolls)
    places = np.tile(np.arange(1, game.width // 2 + 1), 2)
    return 1 if (after.positions @ places).mean() > game.start @ places else -1
