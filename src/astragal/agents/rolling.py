"""An agent that plays its best plays out, many times, until it is clear which is best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions, Rolls
from astragal.games.luck import Luck
from astragal.search.lookahead import USUAL, Filter, value_plays
from astragal.search.rollout import Rollout
from astragal.search.rows import kept_of_groups


@dataclass(frozen=True)
class RollingAgent:
    """Takes the play that does best in roll-outs with the same dice for all."""

    rollout: Rollout
    only: Filter = USUAL
    """Which plays are rolled out, by a look at the values."""

    @property
    def game(self) -> Game:
        """The game of its values."""
        return self.rollout.game

    @property
    def name(self) -> str:
        """The spec that names it."""
        return self.rollout.name

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        pairs = zip(positions, rolls, strict=True)
        return np.array([self._best(position, int(roll)) for position, roll in pairs], np.int64)

    def _best(self, position: Positions, roll: int) -> int:
        found = self.game.afterstates_of(position, roll)
        scores = value_plays(found, 1, self.rollout.values, self.rollout.settings.aim).scores
        mask = kept_of_groups(scores, found.owner, 1, self.only.keep, self.only.margin)
        rows = np.flatnonzero(mask)
        if len(rows) == 1:
            return int(rows[0])
        chosen = Afterstates(*(np.ascontiguousarray(column[rows]) for column in found))  # type: ignore[arg-type]
        return int(rows[self.rollout.roll_out_plays(chosen).best])
