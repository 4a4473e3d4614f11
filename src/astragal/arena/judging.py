"""How lucky a roll was, and what a choice gave away, in the eyes of a value function.

The luck of a roll is what its best play is worth, less the mean over all rolls of what theirs are.
Its own mean over all rolls is zero, so a result with the luck taken out is off by nothing on
average, however poor the judge; the better the judge, the less is left to chance. With exact values
nothing is left: what remains is what the choices gave away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import Agent
from astragal.agents.gnubg import GnubgValues
from astragal.agents.specs import searching_form
from astragal.errors import InputError, quote
from astragal.games.game import Afterstates, Game, Positions, Rolls, for_mover
from astragal.search.lookahead import Lookahead
from astragal.search.rollout import Rollout
from astragal.search.rows import distinct_rows
from astragal.search.tree import TreeSearch
from astragal.values.values import Aim, Values, chances_by_rules, score_for


def values_of(agent: Agent) -> Values:
    """What the agent thinks of positions, or InputError where it thinks nothing of them."""
    valued = searching_form(agent, "points")
    if valued is not None:
        return valued.deep_values
    raise InputError(
        f"{quote(agent.name)} has no values: expected an agent such as pips or pips@1."
    )


def quick_values_of(agent: Agent) -> Values:
    """What the agent thinks of positions at first sight, for questions by the hundred."""
    valued = searching_form(agent, "points")
    values = values_of(agent) if valued is None else valued.values
    if isinstance(values, Rollout | TreeSearch):
        return values.values
    return replace(values, plies=0) if isinstance(values, GnubgValues) else values


def tells_gammons(agent: Agent) -> bool:
    """Whether the agent says how games are won, where one win can count more than another."""
    game = agent.game
    if max(game.outcomes) == 1 or searching_form(agent, "points") is None:
        return True
    (chances,) = quick_values_of(agent).chances(game.start[np.newaxis])
    return bool(chances[np.abs(game.outcomes) > 1].any())


class Judgement(NamedTuple):
    """What the best play of every roll is worth to the player who rolls."""

    game: Game
    by_roll: NDArray[np.float64]  # [B, R] in what the aim counts

    def luck_by_roll(self, *, opening: bool) -> NDArray[np.float64]:
        """What each roll would gain its roller [B, R]."""
        often = self.game.opening_chances if opening else self.game.chances
        luck: NDArray[np.float64] = self.by_roll - (self.by_roll @ often)[:, np.newaxis]
        return luck

    def luck(self, rolls: Rolls, *, opening: bool) -> NDArray[np.float64]:
        """What each of the rolls [B] gained its roller [B]."""
        luck: NDArray[np.float64] = self.luck_by_roll(opening=opening)[np.arange(len(rolls)), rolls]
        return luck

    def best(self, rolls: Rolls) -> NDArray[np.float64]:
        """What the best play of each of the rolls [B] is worth [B]."""
        best: NDArray[np.float64] = self.by_roll[np.arange(len(rolls)), rolls]
        return best


@dataclass(frozen=True)
class Judge:
    """Tells luck and mistakes by these values."""

    values: Values
    aim: Aim = "points"

    def look(self, positions: Positions) -> Judgement:
        """What every roll is worth in each of the positions [B, W]."""
        game = self.values.game
        firsts, kinds = distinct_rows(positions)
        chances = Lookahead(self.values, self.aim).chances_by_roll(positions[firsts])
        worth = (chances @ score_for(game, self.aim)).reshape(len(firsts), -1)
        return Judgement(game, worth[kinds])

    def worth(self, found: Afterstates, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """What some of the afterstates [P] are worth to whoever moved [P]."""
        chances = chances_by_rules(self.values, found.positions[rows], found.outcome[rows])
        worth = chances @ score_for(self.values.game, self.aim)
        result: NDArray[np.float64] = for_mover(worth, found.turn_passes[rows])
        return result
