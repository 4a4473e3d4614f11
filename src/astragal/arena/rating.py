"""Elo ratings from a cross table: those under which the results were likeliest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.arena.estimates import NORMAL

_ELO = 400 / np.log(10)  # Elo points in a natural unit of strength
_MOST_ROUNDS = 100
_LONGEST_STEP = 2.0


class Ratings(NamedTuple):
    """Elo of each agent, on average 0, and the margins of the 95 % intervals."""

    elo: NDArray[np.float64]  # [A]
    margin: NDArray[np.float64]  # [A]


def rate(scores: NDArray[np.float64], games: NDArray[np.float64]) -> Ratings:
    """Ratings from what each agent scored against each other one, of so many games [A, A].

    A win scores 1, a draw a half (the model of Bradley and Terry). Where some agents never scored
    against the others, no rating would be high enough: then all who met are given one more draw.
    """
    if not _is_connected(scores > 0):
        scores, games = scores + (games > 0) / 2, games + (games > 0)
    strength = np.zeros(len(scores))
    for _ in range(_MOST_ROUNDS):
        expected = 1 / (1 + np.exp(strength[np.newaxis] - strength[:, np.newaxis]))
        slope = (scores - games * expected).sum(axis=1)
        step = np.linalg.pinv(_curvature(games, expected)) @ slope
        strength += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < 1e-12:
            break
    spread = np.linalg.pinv(_curvature(games, expected))
    return Ratings(_ELO * (strength - strength.mean()), _ELO * NORMAL * np.sqrt(np.diag(spread)))


def _curvature(games: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """How sharply the likelihood falls off around the strengths [A, A].

    Its pseudo-inverse has no part along a shift of all strengths, which no game can tell.
    """
    weight = games * expected * (1 - expected)
    curvature: NDArray[np.float64] = np.diag(weight.sum(axis=1)) - weight
    return curvature


def _is_connected(beats: NDArray[np.bool_]) -> bool:
    """Whether everyone has scored against someone who has... against everyone else."""
    reach = beats | np.eye(len(beats), dtype=np.bool_)
    for _ in range(len(beats)):
        reach = reach | ((reach.astype(np.int64) @ reach.astype(np.int64)) > 0)
    return bool(reach.all())
