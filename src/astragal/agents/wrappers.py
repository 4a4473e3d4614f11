"""Agents that make another weaker, or make it explore."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import Agent, first_of_each
from astragal.agents.searching import SearchingAgent
from astragal.agents.simple import RandomAgent
from astragal.games.game import Game, Positions, Rolls
from astragal.games.luck import Luck, draw_each_below
from astragal.values.values import score_for

_FINE = 2**53


def _uniform(luck: Luck, count: int) -> NDArray[np.float64]:
    return draw_each_below(luck, np.full(count, _FINE)) / _FINE


@dataclass(frozen=True)
class EpsilonAgent:
    """With probability epsilon takes any play, else what the other agent takes."""

    agent: Agent
    epsilon: float

    @property
    def game(self) -> Game:
        """The game of the agent within."""
        return self.agent.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        return f"epsilon:{self.epsilon:g}:{self.agent.name}"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        explores = _uniform(luck, len(positions)) < self.epsilon
        by_chance = RandomAgent(self.game).choose(positions, rolls, luck)
        return np.where(explores, by_chance, self.agent.choose(positions, rolls, luck))


@dataclass(frozen=True)
class TemperatureAgent:
    """Takes a play with a probability that falls off with what it gives away."""

    agent: SearchingAgent
    temperature: float
    """A play that gives away this much is taken e times more seldom than the best."""

    @property
    def game(self) -> Game:
        """The game of the agent within."""
        return self.agent.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        return f"temperature:{self.temperature:g}:{self.agent.name}"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        found = self.game.afterstates(positions, rolls)
        owner = found.owner
        scores = self.agent.chances_of(found) @ score_for(self.game, self.agent.aim)
        first = first_of_each(owner, len(positions))
        highest = np.maximum.reduceat(scores, first)
        weights = np.exp((scores - highest[owner]) / self.temperature)
        reached = np.cumsum(weights)
        before = reached[first] - weights[first]
        total = np.add.reduceat(weights, first)
        aimed_at = before + _uniform(luck, len(positions)) * total
        choice = np.searchsorted(reached, aimed_at, side="right") - first
        counts = np.bincount(owner, minlength=len(positions))
        # Sums are rounded, and must not reach into the plays of another position.
        within: NDArray[np.int64] = np.clip(choice, 0, counts - 1)
        return within
