"""Perfect play: whoever knows the exact value of every position takes the best."""

from __future__ import annotations

from astragal.agents.searching import SearchingAgent
from astragal.errors import InputError
from astragal.games.game import Game
from astragal.values.table import exact_values, has_table
from astragal.values.values import Aim

PERFECT = "perfect"


def can_be_perfect(game: Game, aim: Aim) -> bool:
    """Whether there is a table of the game's exact values for this aim."""
    return has_table(game) and _fits(game, aim)


def perfect_agent(game: Game, aim: Aim) -> SearchingAgent:
    """The agent; InputError says how to have it where its table is not there."""
    if not _fits(game, aim):
        raise InputError(
            f"{PERFECT} plays {game.name} for points, since its table is made for that: "
            "expected --aim points."
        )
    return SearchingAgent(exact_values(game), aim=aim)


def _fits(game: Game, aim: Aim) -> bool:
    """Tables are made for points; that is for winning too where every win counts the same."""
    return aim == "points" or max(game.outcomes) == 1
