"""An agent that takes the play which its values like best, with as many plies as wished."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import best_of_each
from astragal.games.game import Afterstates, Game, Positions, Rolls, other_view
from astragal.games.luck import Luck
from astragal.search.lookahead import (
    REPLIES,
    USUAL,
    Filter,
    look_ahead,
    value_plays,
)
from astragal.values.values import Aim, Chances, Values, chances_by_rules, score_for


class RankedPlays(NamedTuple):
    """The plays of one position and roll, best first."""

    order: NDArray[np.int64]  # [N] indices into the afterstates
    chances: Chances  # [N, K] for the mover, in that order


@dataclass(frozen=True)
class SearchingAgent:
    """Values, plies and what counts make a player."""

    values: Values
    plies: int = 0
    aim: Aim = "points"
    only: Filter = USUAL
    """Which of its own plays are looked at ahead; with one ply, so many, however far behind."""
    replies: Filter = REPLIES
    """Which of the plays that follow are looked at with two plies or more."""
    own_view: bool = False
    """Looks at each afterstate as if the mover rolled next, and takes the highest; the usual way
    is to take what is lowest for the player who does roll next."""

    @property
    def game(self) -> Game:
        """The game of its values."""
        return self.values.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        spec = f"{self.values.name}@{self.plies}" if self.plies else self.values.name
        return f"own:{spec}" if self.own_view else spec

    @cached_property
    def deep_values(self) -> Values:
        """Its values with all its plies."""
        return look_ahead(self.values, self.plies, self.aim, self.replies)

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        found = self.game.afterstates(positions, rolls)
        if self.own_view or self.plies == 0:
            scores = self.chances_of(found) @ score_for(self.game, self.aim)
            return best_of_each(scores, found, len(positions))
        only = self.only if self.plies > 1 else self.only._replace(margin=np.inf)
        plays = value_plays(found, len(positions), self.deep_values, self.aim, self.values, only)
        return best_of_each(plays.scores, found, len(positions), plays.rows)

    def chances_of(self, found: Afterstates) -> Chances:
        """What it thinks of all afterstates [N, K] at full depth, for the mover."""
        if self.own_view:
            mine = other_view(found.positions)
            seen = np.where(found.turn_passes[:, np.newaxis], mine, found.positions)
            return chances_by_rules(self.deep_values, seen, self.game.outcomes_of(seen))
        plays = value_plays(found, len(found.owner), self.deep_values, self.aim)
        return plays.chances(plays.rows)

    def rank(self, position: Positions, roll: int) -> RankedPlays:
        """All plays of a position [W] and roll at full depth, best first."""
        chances = self.chances_of(self.game.afterstates_of(position, roll))
        order = np.argsort(-(chances @ score_for(self.game, self.aim)), kind="stable")
        return RankedPlays(order, chances[order])
