"""Backgammon once both sides have all checkers home: values from tables, exact with few checkers.

With few checkers on each side there is a table of all positions, which says the exact chance of
winning; nobody can lose a gammon any more. With more, each side is looked at alone: how many rolls
it takes to bear all off, and the first. Nobody is in the other's way, so the chances of the game
follow, but for what a player would do otherwise when far behind or ahead.

Letters for shapes: N positions, H halves, T rolls until all are off, F until the first is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.backgammon_places import HALF, OFF
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.values.halves_layout import first_of_counts, ways_to_lay
from astragal.values.layout import NOWHERE, number_for, position_for
from astragal.values.table_file import Table, open_table, table_path
from astragal.values.values import Chances, Values, chances_of_winning

CHECKERS = 15
FEW = 8  # checkers a side at most in the table of both sides
HOME = 6  # points
ALL_OFF, FIRST_OFF = 20, 8  # rolls that are told apart; later ones count as the last
TWO_SIDED, ONE_SIDED = "bearoff-two-sided", "bearoff-one-sided"


class BearoffLayout(NamedTuple):
    """Numbers positions with few checkers: the rank of the mover's half, then of the other's."""

    size: int
    few: int  # how many halves have few checkers; they come first
    halves: int  # H, with all numbers of checkers
    # In one piece: [6, 16] the ways to lay so many checkers on the points below this one,
    # [17] where halves with so many checkers begin, then the end.
    flat: NDArray[np.int64]


def bearoff_layout() -> BearoffLayout:
    """The numbering of positions with all checkers home and few of them on each side."""
    ways = ways_to_lay(HOME, CHECKERS, CHECKERS)
    first = first_of_counts(ways, 0)
    few = int(first[FEW + 1])
    return BearoffLayout(few**2, few, int(first[-1]), np.concatenate([ways[:-1].ravel(), first]))


_ROW = CHECKERS + 1  # of the ways
_FIRST = HOME * _ROW  # where the second table begins


@inlined
def _rank(flat: Any, position: Any, begin: Any) -> Any:
    """The rank of a half with all checkers home, or NOWHERE."""
    rank, checkers = 0, 0
    for point in range(HOME):
        held = position[begin + 1 + point]
        if held < 0 or checkers + held > CHECKERS:
            return NOWHERE
        for _ in range(held):
            checkers += 1
            rank += flat[point * _ROW + checkers]
    if checkers + position[begin + OFF] != CHECKERS:
        return NOWHERE
    return rank + flat[_FIRST + checkers]


@inlined
def _lay(flat: Any, rank: Any, position: Any, begin: Any) -> None:
    left = CHECKERS
    while flat[_FIRST + left] > rank:
        left -= 1
    rank -= flat[_FIRST + left]
    position[begin : begin + HALF] = 0
    position[begin + OFF] = CHECKERS - left
    for point in range(HOME - 1, -1, -1):
        while left and rank >= flat[point * _ROW + left]:
            rank -= flat[point * _ROW + left]
            left -= 1
            position[begin + 1 + point] += 1


@number_for(BearoffLayout)
def _number(layout: Any, position: Any) -> int:
    rank, other = _rank(layout.flat, position, 0), _rank(layout.flat, position, HALF)
    if not (0 < rank < layout.few and 0 < other < layout.few):
        return NOWHERE
    return rank * layout.few + other


@position_for(BearoffLayout)
def _position(layout: Any, number: Any, position: Any) -> None:
    _lay(layout.flat, number // layout.few, position, 0)
    _lay(layout.flat, number % layout.few, position, HALF)


@compiled
def home_ranks(layout: Any, positions: Any) -> Any:
    """The ranks [N, 2] of both halves of positions, NOWHERE for one that is not all home."""
    ranks = np.empty((len(positions), 2), np.int64)
    for row in range(len(positions)):
        for half in range(2):
            ranks[row, half] = _rank(layout.flat, positions[row], half * HALF)
    return ranks


@compiled
def home_halves(layout: Any) -> Any:
    """All halves [H, 26] with all checkers home, by rank; the first has none left."""
    halves = np.empty((layout.halves, HALF), np.int8)
    for rank in range(layout.halves):
        _lay(layout.flat, rank, halves[rank], 0)
    return halves


@dataclass(frozen=True)
class Bearoff:
    """The two tables."""

    layout: BearoffLayout
    two_sided: Table
    one_sided: Table

    def win(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """The exact chances [N] of winning with halves of these ranks [N, 2], both few."""
        return self.two_sided.chances(ranks[:, 0] * self.layout.few + ranks[:, 1])[:, 0]

    def race(self, ranks: NDArray[np.int64]) -> Chances:
        """The chances [N, 6] with halves of these ranks [N, 2], each playing for itself."""
        mine, theirs = (self.one_sided.chances(ranks[:, side]) for side in range(2))
        return race_chances(mine, theirs)


def race_chances(mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> Chances:
    """The chances [N, 6] of two sides whose rolls to bear off [N, T + F] are known.

    Whoever is about to roll wins if he needs no more rolls, and a gammon if the other has not borne
    off any in one roll less; the other wins if he needs fewer, and a gammon in as many.
    """
    times, other_times = mine[:, :ALL_OFF], theirs[:, :ALL_OFF]
    win = np.sum(times * _at_least(other_times), axis=1)
    gammon = np.sum(times[:, :FIRST_OFF] * _at_least(theirs[:, ALL_OFF:]), axis=1)
    later = _at_least(mine[:, ALL_OFF:])[:, 1:]
    lost_gammon = np.sum(other_times[:, : FIRST_OFF - 1] * later, axis=1)
    nothing = np.zeros_like(win)
    columns = [nothing, lost_gammon, 1 - win - lost_gammon, win - gammon, gammon, nothing]
    return np.clip(np.stack(columns, axis=1), 0, 1)


def _at_least(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chances [N, T] that it takes at least so many rolls."""
    return np.cumsum(times[:, ::-1], axis=1)[:, ::-1]


def is_backgammon(game: Game) -> bool:
    """Whether the tables fit the game: fifteen checkers a side, whatever it begins with."""
    return isinstance(game.rules, BackgammonRules) and game.rules.pieces == CHECKERS


def bearoff_of(game: Game) -> Bearoff | None:
    """The tables for a game that ends as backgammon does; None where they are not there."""
    backgammon, layout = find_game("backgammon"), bearoff_layout()
    two_sided, one_sided = (table_path(backgammon, name) for name in (TWO_SIDED, ONE_SIDED))
    if not (is_backgammon(game) and two_sided.exists() and one_sided.exists()):
        return None
    columns = ALL_OFF + FIRST_OFF
    return Bearoff(
        layout,
        open_table(two_sided, backgammon, TWO_SIDED, layout.size, 1),
        open_table(one_sided, backgammon, ONE_SIDED, layout.halves, columns),
    )


@dataclass(frozen=True)
class BearoffValues:
    """Values that know better once all checkers are home."""

    inner: Values
    bearoff: Bearoff

    @property
    def game(self) -> Game:
        """The game whose positions it knows."""
        return self.inner.game

    @property
    def name(self) -> str:
        """What people call the inner values."""
        return self.inner.name

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, 6]: exact with few checkers, else by rolls, else the inner ones'."""
        tables, positions = self.bearoff, np.ascontiguousarray(positions)
        ranks: NDArray[np.int64] = home_ranks(tables.layout, positions)
        is_home = ranks.min(axis=1) > 0
        is_few = is_home & (ranks.max(axis=1) < tables.layout.few)
        chances = np.empty((len(positions), len(self.game.outcomes)))
        chances[is_few] = chances_of_winning(self.game, tables.win(ranks[is_few]))
        chances[is_home & ~is_few] = tables.race(ranks[is_home & ~is_few])
        if not is_home.all():
            chances[~is_home] = self.inner.chances(positions[~is_home])
        return chances


def knowing_bearoff(values: Values) -> Values:
    """The values, with the tables for the end where the game has them and they are there."""
    bearoff = bearoff_of(values.game) if is_backgammon(values.game) else None
    return values if bearoff is None else BearoffValues(values, bearoff)
