"""Monte Carlo tree search with chance nodes: the positions that matter are looked at more deeply.

Rolls count with their known probabilities, and each with its best play so far; a position is as
deep as the search found it worth. With a large budget this becomes exact.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.game import Game, Positions
from astragal.search.tree_growth import Tree
from astragal.search.tree_nodes import Terms
from astragal.values.values import Aim, Chances, Values, score_for


@dataclass(frozen=True)
class TreeSettings:
    """How much is looked at for each position, and where; exactly one budget is given."""

    evaluations: int | None = None
    """Positions that the values are asked about; a way that finds none counts as one."""
    seconds: float | None = None
    aim: Aim = "points"
    curiosity: float = 0.1
    """How much worse, in what the aim counts, a play may seem and yet be tried now and then."""

    def __post_init__(self) -> None:
        if (self.evaluations is None) == (self.seconds is None):
            raise InputError("A tree search has one budget: expected evaluations or seconds.")
        if (self.evaluations or self.seconds or 0) <= 0:
            raise InputError("A tree search with no budget finds nothing: expected more than 0.")


class TreeResult(NamedTuple):
    """What a search found."""

    chances: NDArray[np.float64]  # [K] for the player about to roll
    evaluations: int
    """How much of the budget was used."""
    positions: int
    """How many different ones it met."""
    is_settled: bool
    """Whether the result is exact."""


@dataclass(frozen=True)
class TreeSearch:
    """Values by a search from each position, with the values within at its leaves."""

    values: Values
    settings: TreeSettings

    @property
    def game(self) -> Game:
        """The game of the values within."""
        return self.values.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        seconds = self.settings.seconds
        budget = f"{seconds:g}s" if seconds else f"{self.settings.evaluations}"
        return f"tree:{budget}:{self.values.name}"

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] of unfinished positions for the player about to roll."""
        found = [self.search(position).chances for position in positions]
        return np.array(found).reshape(len(found), len(self.game.outcomes))

    def search(self, position: Positions) -> TreeResult:
        """What a search from one unfinished position [W] finds."""
        settings = self.settings
        most = settings.evaluations or sys.maxsize
        deadline = time.perf_counter() + (settings.seconds or np.inf)
        tree = Tree(self.values, self._terms, position)
        used = cost = 1
        while cost and not tree.is_settled and time.perf_counter() < deadline:
            cost = tree.grow(most - used)
            used += cost
        return TreeResult(tree.chances, used, tree.size, tree.is_settled)

    @property
    def _terms(self) -> Terms:
        score = score_for(self.game, self.settings.aim)
        return Terms(self.game.chances, score, self.settings.curiosity)
