"""What a value function is: the chances of each outcome, for the player about to roll.

Letters for shapes: N positions, W numbers in a position, K outcomes of the game.
One convention, one function that turns it round: seen from the other side, the list of outcomes is
reversed. What is best depends on what counts, points or winning alone: that is a score [K].
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED

Chances: TypeAlias = NDArray[np.float64]  # [N, K] the probability of each outcome, rising in points
Score: TypeAlias = NDArray[np.float64]  # [K] what each outcome counts
Aim: TypeAlias = Literal["points", "win"]


class Values(Protocol):
    """Something that says what positions are worth."""

    @property
    def game(self) -> Game:
        """The game whose positions it knows."""
        ...

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] of unfinished positions [N, W] for the player about to roll."""
        ...


def score_for(game: Game, aim: Aim) -> Score:
    """What each outcome counts: its points, or 1 for any win, 0 for a draw and -1 for any loss."""
    points = np.array(game.outcomes, np.float64)
    return points if aim == "points" else np.sign(points)


def certain(game: Game, outcomes: NDArray[np.int8]) -> Chances:
    """The chances [N, K] of finished games with these outcomes [N]."""
    return (outcomes[:, np.newaxis] == np.array(game.outcomes)).astype(np.float64)


def chances_by_rules(values: Values, positions: Positions, outcomes: NDArray[np.int8]) -> Chances:
    """Chances [N, K]: a finished position takes the rules' outcome, never anyone's opinion."""
    chances = certain(values.game, outcomes)
    going_on = outcomes == UNFINISHED
    if going_on.all():
        return values.chances(positions)
    if going_on.any():
        chances[going_on] = values.chances(positions[going_on])
    return chances


def chances_for_mover(chances: Chances, turn_passes: NDArray[np.bool_]) -> Chances:
    """Chances [N, K] that belong to whoever rolls next, turned into those of whoever moved."""
    return np.where(turn_passes[:, np.newaxis], chances[:, ::-1], chances)


def chances_of_winning(game: Game, win: NDArray[Any]) -> Chances:
    """Chances [N, K] from those of winning [N], where every win counts 1 and every loss -1."""
    chances = np.zeros((len(win), len(game.outcomes)))
    chances[:, game.outcomes.index(1)] = win
    chances[:, game.outcomes.index(-1)] = 1 - win
    return chances


def chances_with_wins(game: Game, chances: Chances, wins: NDArray[Any]) -> Chances:
    """Chances [N, K] in which wins make up so much [N], a draw half, and losses the rest.

    How wins are divided among their points stays, likewise losses; so do draws, where they can.
    """
    points = np.array(game.outcomes)
    draws = np.minimum(chances[:, points == 0].sum(axis=1), 2 * np.minimum(wins, 1 - wins))
    result = chances.copy()
    for mine, amount in ((points > 0, wins - draws / 2), (points < 0, 1 - wins - draws / 2)):
        result[:, mine] *= (amount / np.maximum(chances[:, mine].sum(axis=1), 1e-9))[:, np.newaxis]
    result[:, points == 0] = draws[:, np.newaxis]
    return result


def win_chance(game: Game, chances: Chances) -> NDArray[np.float64]:
    """The probability [N] of winning, a draw counted as half a win."""
    result: NDArray[np.float64] = (1 + chances @ score_for(game, "win")) / 2
    return result
