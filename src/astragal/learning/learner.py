"""What a learner is: it plays a stretch of games, and knows more after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.values.network import NetworkValues

State: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Learned:
    """What came out of a stretch."""

    games: int
    turns: int
    loss: float
    """How far the net was from its targets: the root of the mean squared error."""
    beginner_wins: float
    """The share of games that were won by who began; a draw counts half."""
    positions: int = 0
    """How many positions were learned from."""


class Learner(Protocol):
    """One way of learning; all that it knows is in its state."""

    @property
    def net(self) -> NetworkValues:
        """The net as it is now."""
        ...

    def learn(self, number: int, first: int, games: int) -> Learned:
        """Plays stretch number so, which is `games` games from number `first` on, and learns."""
        ...

    def state(self) -> State:
        """All that it needs to go on."""
        ...

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        ...

    def close(self) -> None:
        """Lets go of whatever it has started."""
        ...


def luck_of(seed: int, number: int, *more: int) -> np.random.Generator:
    """The luck of a stretch, which is its own: so a run can go on from the end of any of them."""
    return np.random.default_rng([seed, number, *more])
