"""Positions to measure with: those that random play meets."""

from __future__ import annotations

import numpy as np

from astragal.games.game import Game, Positions, Rolls
from astragal.games.kernels import UNFINISHED


def some_positions(game: Game, games: int, turns: int, seed: int) -> tuple[Positions, Rolls]:
    """The positions of games after so many turns, with rolls; a finished game begins anew."""
    luck = np.random.default_rng(seed)
    positions = np.repeat(game.start[np.newaxis], games, axis=0)
    for _ in range(turns):
        found = game.afterstates(positions, game.draw(luck, games))
        counts = np.bincount(found.owner)
        choice = np.cumsum(counts) - counts + luck.integers(counts)
        is_over = found.outcome[choice, np.newaxis] != UNFINISHED
        positions = np.where(is_over, game.start, found.positions[choice])
    return positions, game.draw(luck, games)
