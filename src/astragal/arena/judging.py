"""How lucky a roll was, in the eyes of a value function.

The luck of a roll is what its best play is worth, less the mean over all rolls of what theirs are.
Its own mean over all rolls is zero, so a result with the luck taken out is off by nothing on
average, however poor the judge; the better the judge, the less is left to chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import Agent
from astragal.agents.specs import searching_form
from astragal.errors import InputError, quote
from astragal.games.game import Positions, Rolls
from astragal.search.lookahead import Lookahead
from astragal.search.rows import distinct_rows
from astragal.values.values import Aim, Values, score_for


def values_of(agent: Agent) -> Values:
    """What the agent thinks of positions, or InputError where it thinks nothing of them."""
    valued = searching_form(agent, "points")
    if valued is not None:
        return valued.deep_values
    raise InputError(
        f"{quote(agent.name)} has no values: expected an agent such as pips or pips@1."
    )


@dataclass(frozen=True)
class Judge:
    """Tells luck by these values."""

    values: Values
    aim: Aim = "points"

    def luck(self, positions: Positions, rolls: Rolls, *, opening: bool) -> NDArray[np.float64]:
        """What each of the rolls [B] gained its roller, in what the aim counts [B]."""
        firsts, kinds = distinct_rows(positions)
        by_roll = self.luck_by_roll(positions[firsts], opening=opening)
        luck: NDArray[np.float64] = by_roll[kinds, rolls]
        return luck

    def luck_by_roll(self, positions: Positions, *, opening: bool) -> NDArray[np.float64]:
        """The luck of every roll in each of the positions, for the player who rolls [B, R]."""
        game = self.values.game
        chances = Lookahead(self.values, self.aim).chances_by_roll(positions)
        worth = (chances @ score_for(game, self.aim)).reshape(len(positions), -1)
        often = game.opening_chances if opening else game.chances
        luck: NDArray[np.float64] = worth - (worth @ often)[:, np.newaxis]
        return luck
