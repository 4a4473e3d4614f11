"""Players that need no idea of what a position is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import best_of_each, first_of_each
from astragal.games.game import Game, Positions, Rolls, for_mover
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import Luck, draw_each_below
from astragal.values.heuristics import heuristic
from astragal.values.values import win_chance


@dataclass(frozen=True)
class RandomAgent:
    """Takes any play, each as likely as the others."""

    game: Game
    name: str = "random"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        owner = self.game.afterstates(positions, rolls).owner
        counts = np.bincount(owner, minlength=len(positions))
        return draw_each_below(luck, counts)


@dataclass(frozen=True)
class FirstAgent:
    """Takes the first play that the rules list; in Ur, the stone farthest from home."""

    game: Game
    name: str = "first"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]: always 0."""
        return np.zeros(len(positions), np.int64)


@dataclass(frozen=True)
class OneStepAgent:
    """Takes a win if there is one, the largest, and else any play."""

    game: Game
    name: str = "onestep"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        found = self.game.afterstates(positions, rolls)
        points = for_mover(found.outcome.astype(np.int64), found.turn_passes)
        points[(found.outcome == UNFINISHED) | (points < 0)] = 0
        best = best_of_each(points, found, len(positions))
        wins = points[first_of_each(found.owner, len(positions)) + best] > 0
        return np.where(wins, best, RandomAgent(self.game).choose(positions, rolls, luck))


@dataclass(frozen=True)
class GreedyAgent:
    """Takes what gains most at once: a capture, another turn, progress."""

    game: Game
    name: str = "greedy"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        found = self.game.afterstates(positions, rolls)
        chances = heuristic(self.game, "pips").chances(found.positions)
        ahead = 2 * win_chance(self.game, chances) - 1
        points = for_mover(ahead, found.turn_passes) + 0.1 * ~found.turn_passes
        wins = for_mover(found.outcome.astype(np.int64), found.turn_passes)
        points = np.where(found.outcome == UNFINISHED, points, 10.0 * wins)
        return best_of_each(points, found, len(positions))
