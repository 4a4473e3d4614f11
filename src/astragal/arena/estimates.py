"""Means with their 95 % intervals, from games that come in pairs with the same dice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# How many standard errors hold 95 % with 1, 2, 3... pairs more than one (Student's t).
_FEW = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
NORMAL = 1.959964


class Estimate(NamedTuple):
    """A mean, and how far from it the truth may be; NaN where there is nothing to tell it from."""

    mean: float
    margin: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the interval is null where it is not known."""
        low, high = self.mean - self.margin, self.mean + self.margin
        return {"mean": self.mean, "interval": None if np.isnan(self.margin) else [low, high]}

    def __str__(self) -> str:
        """With as many digits as one game in ten thousand is worth."""
        margin = "not known" if np.isnan(self.margin) else f"{self.margin:.4f}"
        return f"{self.mean:+.4f} ± {margin}"

    def percent(self) -> str:
        """A share as people read it."""
        margin = "not known" if np.isnan(self.margin) else f"{self.margin:.2%}"
        return f"{self.mean:.2%} ± {margin}"


def estimate(
    amounts: NDArray[Any], pairs: NDArray[np.int64], unseen: float | None = None
) -> Estimate:
    """The mean of the amounts [G] of games, which belong to pairs [G].

    Two games with the same dice tell less than two, or more, since luck evens out between them:
    so what varies is taken from pair to pair. Where nearly all games end alike, what has not been
    seen yet counts too: the interval is that of the games and of one pair more, whose games end
    `unseen` away from the mean.
    """
    mean = float(amounts.mean())
    _, kind = np.unique(pairs, return_inverse=True)
    apart = np.bincount(kind, weights=amounts - mean)
    if unseen is not None and len(apart) > 1:
        apart = np.append(apart, 2 * unseen)
    freedom = len(apart) - 1
    if freedom == 0:
        return Estimate(mean, float("nan"))
    error = np.sqrt((apart**2).sum() * len(apart) / freedom) / len(amounts)
    return Estimate(mean, float(_standard_errors(freedom) * error))


def _standard_errors(freedom: int) -> float:
    """Student's quantile; beyond the table, the first terms of its series."""
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    z = NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
