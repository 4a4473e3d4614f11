"""Roll-outs: what positions and plays are worth, from many games played on from them.

Letters for shapes: N positions or plays, G games from each, K outcomes of the game.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.search.playout import Playouts, RolloutSettings
from astragal.values.values import Chances, Values, certain, chances_for_mover, score_for

_COPIES_AT_ONCE = 20_000  # games from all positions, so that their rolls do not fill the memory

Scores = NDArray[np.float64]


class RolloutResult(NamedTuple):
    """What the games say of each position, for the player about to roll, or of each play."""

    chances: Chances  # [N, K] means, which may lie a little outside 0 to 1 with luck taken out
    error: NDArray[np.float64]  # [N] the standard error of the score that the aim counts
    games: NDArray[np.int64]  # [N] how many there were


class RolledOutPlays(NamedTuple):
    """Which play is best, and how clearly."""

    best: int
    result: RolloutResult
    """Of each play, for the mover."""
    behind: NDArray[np.float64]  # [N] how much more the best one scores, in the games of both
    behind_error: NDArray[np.float64]  # [N] its standard error, small since they share their dice


@dataclass(frozen=True)
class Rollout:
    """Values by playing on; the player within plays both sides."""

    values: Values
    settings: RolloutSettings = field(default_factory=RolloutSettings)

    @property
    def game(self) -> Game:
        """The game of the values that it plays with."""
        return self.values.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        player = f"{self.values.name}@{self.settings.plies}".removesuffix("@0")
        return f"rollout:{self.settings.games}:{player}"

    @cached_property
    def playouts(self) -> Playouts:
        """The games that it plays."""
        return Playouts(self.values, self.settings)

    def chances(self, positions: Positions) -> Chances:
        """The mean chances [N, K] of unfinished positions for the player about to roll."""
        return as_probabilities(self.roll_out(positions).chances)

    def roll_out(self, positions: Positions) -> RolloutResult:
        """What the games from unfinished positions [N, W] say, with the same dice for all."""
        at_once = max(1, _COPIES_AT_ONCE // self.settings.games)
        parts = [
            self._roll_out_some(positions[begin : begin + at_once])
            for begin in range(0, max(1, len(positions)), at_once)
        ]
        return RolloutResult(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _roll_out_some(self, positions: Positions) -> RolloutResult:
        most, target = self.settings.games, self.settings.target_error
        told = self._room(len(positions))
        games, active = np.zeros(len(positions), np.int64), np.arange(len(positions))
        step = self.settings.batch if target > 0 else most
        for begin in range(0, most, step):
            end = min(begin + step, most)
            told[active, begin:end] = self.playouts.play_out(positions[active], begin, end)
            games[active] = end
            active = active[standard_error(self._scores(told[active, :end])) > target]
        return self._summed_up(told, games)

    def roll_out_plays(self, found: Afterstates) -> RolledOutPlays:
        """Which of some afterstates of one position and roll is best for the mover.

        All meet the same dice; one that is clearly behind gets no more games, and none gets more
        when one alone is left.
        """
        told = self._room(len(found.owner))
        told[:] = chances_for_mover(certain(self.game, found.outcome), found.turn_passes)[:, None]
        games, active = np.zeros(len(told), np.int64), np.arange(len(told))
        for begin in range(0, self.settings.games, self.settings.batch):
            end = min(begin + self.settings.batch, self.settings.games)
            self._play_out_plays(found, active, told[:, begin:end], begin)
            games[active] = end
            active = self._still_in_question(self._scores(told[:, :end]), active)
            if len(active) == 1:
                break
        return self._ranked(told, games, active)

    def _play_out_plays(
        self, found: Afterstates, active: NDArray[np.int64], told: Chances, begin: int
    ) -> None:
        rows = active[found.outcome[active] == UNFINISHED]
        count = told.shape[1]
        played = self.playouts.play_out(found.positions[rows], begin, begin + count)
        passes = np.repeat(found.turn_passes[rows], count)
        turned = chances_for_mover(played.reshape(len(passes), played.shape[2]), passes)
        told[rows] = turned.reshape(played.shape)

    def _still_in_question(self, scores: Scores, active: NDArray[np.int64]) -> NDArray[np.int64]:
        """The plays that are not clearly behind the best of those active."""
        best = active[np.argmax(scores[active].mean(axis=1))]
        ahead = scores[best] - scores[active]
        errors = standard_error(ahead)
        in_doubt = np.multiply(
            self.settings.clear, errors, out=np.zeros_like(errors), where=errors > 0
        )
        return active[ahead.mean(axis=1) <= in_doubt]

    def _ranked(
        self, told: Chances, games: NDArray[np.int64], active: NDArray[np.int64]
    ) -> RolledOutPlays:
        result, scores = self._summed_up(told, games), self._scores(told)
        means = result.chances[active] @ score_for(self.game, self.settings.aim)
        best = int(active[np.argmax(means)])
        ahead = [scores[best, :count] - scores[i, :count] for i, count in enumerate(games)]
        behind = np.array([row.mean() for row in ahead])
        errors = np.array([standard_error(row) for row in ahead])
        return RolledOutPlays(best, result, behind, errors)

    def _room(self, count: int) -> Chances:
        return np.zeros((count, self.settings.games, len(self.game.outcomes)))

    def _scores(self, told: Chances) -> Scores:
        scores: Scores = told @ score_for(self.game, self.settings.aim)
        return scores

    def _summed_up(self, told: Chances, games: NDArray[np.int64]) -> RolloutResult:
        """The result of the first so many games [N] among those told [N, G, K]."""
        chances, error = np.empty((len(told), told.shape[2])), np.empty(len(told))
        for i, count in enumerate(games):
            chances[i] = told[i, :count].mean(axis=0)
            error[i] = standard_error(self._scores(told[i, :count]))
        return RolloutResult(chances, error, games)


def as_probabilities(means: Chances) -> Chances:
    """Means [N, K] with the luck taken out, which may lie a little outside of 0 to 1, put right."""
    inside = np.clip(means, 0, None)
    probabilities: Chances = inside / inside.sum(axis=1, keepdims=True)
    return probabilities


def standard_error(scores: Scores) -> NDArray[np.float64]:
    """The standard error [...] of the mean of scores [..., G]; of a single one nothing is known."""
    games = scores.shape[-1]
    if games == 1:
        return np.full(scores.shape[:-1], np.inf)
    error: NDArray[np.float64] = scores.std(axis=-1, ddof=1) / np.sqrt(games)
    return error
