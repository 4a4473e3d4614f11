"""A plain solver: all positions that a game can come to, and value iteration over all of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions
from astragal.games.kernels import UNFINISHED


class WholeGame(NamedTuple):
    """Every unfinished position that can come up, and its expected points."""

    positions: Positions  # [N, W]
    points: NDArray[np.float64]  # [N]


def solve_plainly(game: Game, sweeps: int) -> WholeGame:
    """Expected points under perfect play, after so many sweeps of value iteration."""
    positions = _all_positions(game)
    found = _afterstates(game, positions)
    going_on = found.outcome == UNFINISHED
    leads_to = np.zeros(len(going_on), np.int64)
    leads_to[going_on] = np.searchsorted(_keys(positions), _keys(found.positions[going_on]))
    begins = np.searchsorted(found.owner, np.arange(len(positions) * len(game.rolls)))
    points = np.zeros(len(positions))
    for _ in range(sweeps):
        after = np.where(going_on, points[leads_to], found.outcome)
        after = np.where(found.turn_passes, -after, after)
        best = np.maximum.reduceat(after, begins).reshape(len(positions), -1)
        points = best @ game.chances
    return WholeGame(positions, points)


def _afterstates(game: Game, positions: Positions) -> Afterstates:
    """Those of every position with every roll."""
    rolls = len(game.rolls)
    return game.afterstates(
        np.repeat(positions, rolls, axis=0), np.tile(np.arange(rolls), len(positions))
    )


def _all_positions(game: Game) -> Positions:
    """Every unfinished position that can come up, in the order of `_keys`."""
    known = new = game.start[np.newaxis]
    while len(new):
        found = _afterstates(game, new)
        reached = _distinct(found.positions[found.outcome == UNFINISHED])
        new = reached[~np.isin(_keys(reached), _keys(known))]
        known = _distinct(np.concatenate([known, new]))
    return known


def _distinct(positions: Positions) -> Positions:
    _, firsts = np.unique(_keys(positions), return_index=True)
    return positions[firsts]


def _keys(positions: Positions) -> NDArray[np.void]:
    """Each position as one thing that can be compared."""
    return np.ascontiguousarray(positions).view(f"S{positions.shape[1]}").ravel()
