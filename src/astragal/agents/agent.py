"""What an agent is: it chooses."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions, Rolls
from astragal.games.luck import Luck
from astragal.search.rows import best_of_groups


class Agent(Protocol):
    """Something that chooses among the afterstates of positions and rolls."""

    @property
    def game(self) -> Game:
        """The game that it plays."""
        ...

    @property
    def name(self) -> str:
        """The spec that names it."""
        ...

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """For unfinished positions [B, W] with rolls [B], which of its own afterstates each takes.

        An index [B] that counts the afterstates of each position from 0, in the rules' order.
        """
        ...


def best_of_each(
    scores: NDArray[Any],
    found: Afterstates,
    count: int,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The choice [B] of the highest scores among afterstates, or among those rows of them."""
    rows = np.arange(len(found.owner)) if rows is None else rows
    best = rows[best_of_groups(scores, found.owner[rows], count)]
    choice: NDArray[np.int64] = best - first_of_each(found.owner, count)
    return choice


def first_of_each(owner: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where the afterstates of each of so many positions begin [B]."""
    return np.searchsorted(owner, np.arange(count))
