"""Perft: how many ways a game can go, a number that any two engines must agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED, Buffer, new_buffer, write_afterstates

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
    while walk_on(game.rules, walk, _BUDGET):
        pass
    return walk.counts


def new_walk(game: Game, root: Positions, depth: int) -> TreeWalk:
    """A walk that has not begun."""
    rows = game.rules.most_afterstates * depth
    here = np.zeros((depth, game.width), np.int8)
    here[0] = root
    return TreeWalk(
        counts=np.zeros((depth, 3), np.int64),
        here=here,
        rolls=np.zeros(depth, np.int64),
        remaining=np.zeros(depth, np.int64),
        ply=np.zeros(1, np.int64),
        room=new_buffer(game.rules, rows),
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


class TreeWalk(NamedTuple):
    """A walk down all plays of all rolls, to `depth` plies, that can be left and gone on with."""

    counts: NDArray[np.int64]  # [depth, 3] afterstates, finished ones, ones that keep the turn
    here: NDArray[np.int8]  # [depth, W] the position at each ply
    rolls: NDArray[np.int64]  # [depth] the next roll to be tried at each ply
    remaining: NDArray[np.int64]  # [depth] afterstates at each ply still to be walked down
    ply: NDArray[np.int64]  # [1]
    room: Buffer


@compiled
def walk_on(rules: Any, walk: TreeWalk, budget: int) -> bool:
    """Goes on until about `budget` more afterstates are counted; whether any may be left.

    Every roll counts once at every ply, however likely it is; a finished game has no more plies.
    """
    most, depth, ply = rules.most_afterstates, len(walk.rolls), walk.ply[0]
    while ply >= 0 and budget > 0:
        if walk.remaining[ply] > 0:
            walk.remaining[ply] -= 1
            row = ply * most + walk.remaining[ply]
            if walk.room.outcome[row] == UNFINISHED:
                ply += 1
                walk.here[ply] = walk.room.positions[row]
                walk.rolls[ply] = 0
        elif walk.rolls[ply] == rules.roll_count:
            ply -= 1
        else:
            at = ply * most
            found = write_afterstates(rules, walk.here[ply], walk.rolls[ply], walk.room, at)
            walk.rolls[ply] += 1
            walk.remaining[ply] = found if ply + 1 < depth else 0
            budget -= found
            walk.counts[ply, 0] += found
            for row in range(at, at + found):
                walk.counts[ply, 1] += walk.room.outcome[row] != UNFINISHED
                walk.counts[ply, 2] += not walk.room.turn_passes[row]
    walk.ply[0] = ply
    return ply >= 0
