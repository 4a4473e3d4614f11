"""Perft: how many ways a game can go, a number that any two engines must agree on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from astragal.games import kernels
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED

_ROOTS = 500  # enough pieces of work for progress to be seen
_BUDGET = 10_000_000  # afterstates, a fraction of a second, after which an interruption is heard


def count_tree(
    game: Game,
    position: Positions,
    depth: int,
    progress: Callable[[float], None] = lambda share: None,
) -> NDArray[np.int64]:
    """Counts [depth, 3] of the tree below a position: afterstates, finished, turn kept.

    Every roll counts once at every ply, however likely it is; a finished game has no more plies.
    """
    counts = np.zeros((depth, 3), np.int64)
    roots, ply = position[np.newaxis], 0
    if game.outcome_of(position) is not None:
        return counts
    while ply < depth and 0 < len(roots) < _ROOTS:
        roots = _expand(game, roots, counts[ply])
        ply += 1
    for i, root in enumerate(roots if ply < depth else ()):
        counts[ply:] += _count_below(game, root, depth - ply)
        progress((i + 1) / len(roots))
    return counts


def _count_below(game: Game, root: Positions, depth: int) -> NDArray[np.int64]:
    walk = new_walk(game, root, depth)
    while kernels.walk_on(game.rules, walk, _BUDGET):
        pass
    return walk.counts


def new_walk(game: Game, root: Positions, depth: int) -> kernels.TreeWalk:
    """A walk that has not begun."""
    rows = game.rules.most_afterstates * depth
    here = np.zeros((depth, game.width), np.int8)
    here[0] = root
    return kernels.TreeWalk(
        counts=np.zeros((depth, 3), np.int64),
        here=here,
        rolls=np.zeros(depth, np.int64),
        remaining=np.zeros(depth, np.int64),
        ply=np.zeros(1, np.int64),
        room=kernels.Buffer(
            np.empty((rows, game.width), np.int8), np.empty(rows, np.bool_), np.empty(rows, np.int8)
        ),
    )


def _expand(game: Game, positions: Positions, counts: NDArray[np.int64]) -> Positions:
    """The unfinished afterstates of all rolls, counted into a row of three."""
    rolls = len(game.rolls)
    found = game.afterstates(
        np.repeat(positions, rolls, axis=0), np.tile(np.arange(rolls), len(positions))
    )
    is_over = found.outcome != UNFINISHED
    counts += len(found.owner), is_over.sum(), (~found.turn_passes).sum()
    unfinished: Positions = found.positions[~is_over]
    return unfinished
