"""What a net should have said: targets worked out from what came later, as pure functions.

Letters for shapes: T turns of G games in step, K outputs of the net. With one output the numbers
are chances of winning, with several those of every outcome.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def turned_round(chances: NDArray[Any]) -> NDArray[Any]:
    """Chances [..., K] seen from the other side."""
    return 1 - chances if chances.shape[-1] == 1 else chances[..., ::-1]


def turned_error(errors: NDArray[Any]) -> NDArray[Any]:
    """Differences of chances [..., K] seen from the other side."""
    return -errors if errors.shape[-1] == 1 else errors[..., ::-1]


def lambda_targets(
    expected: Floats,
    values: Floats,
    turn_passes: NDArray[np.bool_],
    goes_on: NDArray[np.bool_],
    lam: float,
) -> Floats:
    """Targets [T, G, K], each for the player about to roll at its turn.

    `expected` [T, G, K] is what look-ahead says, `values` [T, G, K] what the net itself said, and
    `turn_passes` [T, G] whether the other player is next. The recursion, back from the end, is

        target(t) = expected(t) + lambda * (target(t + 1) - values(t + 1)),

    where the difference is seen from the player at turn t, and counts only if the game `goes_on`
    [T, G] with a play that was not drawn by lot. With lambda 0 it is look-ahead alone; the error
    that is handed back is an expected one, so even with lambda 1 there is little luck in it.
    """
    targets = np.empty_like(expected)
    carried = np.zeros_like(expected[0])
    for turn in reversed(range(len(expected))):
        seen = np.where(turn_passes[turn][:, np.newaxis], turned_error(carried), carried)
        targets[turn] = expected[turn] + lam * np.where(goes_on[turn][:, np.newaxis], seen, 0)
        carried = targets[turn] - values[turn]
    return as_chances(targets)


def as_chances(targets: Floats) -> Floats:
    """Targets [..., K] brought back into the bounds of probabilities."""
    bounded = np.clip(targets, 0, 1)
    if bounded.shape[-1] == 1:
        return bounded
    total = bounded.sum(axis=-1, keepdims=True)
    result: Floats = bounded / np.maximum(total, np.float32(1e-9))
    return result


def returns(points: NDArray[Any], later: NDArray[Any], gamma: float) -> NDArray[np.float64]:
    """Discounted returns [N]: points [N] for the player, `later` [N] own moves before the end."""
    result: NDArray[np.float64] = points * gamma ** later.astype(np.float64)
    return result
