"""How a rate falls as games go by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.learning.settings import Decay


def scheduled(
    decay: Decay, begin: float, end: float, games: NDArray[Any], total: int
) -> NDArray[np.float64]:
    """The rate [G] in each of these games, by number, of so many in all."""
    share = games / max(total, 1)
    if decay == "none":
        return np.full(len(games), begin, np.float64)
    if decay == "linear":
        rates = begin + (end - begin) * share
    elif decay == "cosine":
        rates = end + (begin - end) * (1 + np.cos(np.pi * share)) / 2
    else:
        rates = begin * (end / begin) ** share if begin > 0 else np.zeros(len(games))
    return np.asarray(rates, np.float64)
