"""Who judges a person's play, and by what: whoever knows best, and tells as much as it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from astragal.agents.champions import usual_agent
from astragal.agents.specs import parse_agent
from astragal.arena.judging import tells_gammons, values_of
from astragal.solving.solve import SolveSettings, solve
from astragal.values.table import can_be_solved, has_table

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.values.values import Aim


class FoundJudge(NamedTuple):
    """An agent with values, and what counts to it."""

    spec: str
    aim: Aim


def find_judge(game: Game, spec: str | None, aim: Aim | None) -> FoundJudge:
    """The judge that is named, or the usual one, or InputError.

    One that tells no gammons judges by winning alone, if nothing else is asked for. A game without
    dice that can be solved is solved on the spot: that takes a second.
    """
    if spec is None and len(game.rolls) == 1 and can_be_solved(game) and not has_table(game):
        solve(game, SolveSettings(), lambda told, share: None)
    found = spec or usual_agent(game, aim or "points")
    agent = parse_agent(game, found, aim or "points")
    values_of(agent)  # says what is wrong with one that has none
    if aim is None:
        aim = "points" if tells_gammons(agent) else "win"
    return FoundJudge(found, aim)
