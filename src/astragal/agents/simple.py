"""Players that need no idea of what a position is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game, Positions, Rolls
from astragal.games.luck import Luck, draw_below


@dataclass(frozen=True)
class RandomAgent:
    """Takes any play, each as likely as the others."""

    game: Game
    name: str = "random"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        owner = self.game.afterstates(positions, rolls).owner
        counts = np.bincount(owner, minlength=len(positions))
        return np.array([draw_below(luck, int(count)) for count in counts], np.int64)


@dataclass(frozen=True)
class FirstAgent:
    """Takes the first play that the rules list; in Ur, the stone farthest from home."""

    game: Game
    name: str = "first"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]: always 0."""
        return np.zeros(len(positions), np.int64)
