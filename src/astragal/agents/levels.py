"""Difficulty by name, the same names in every game: the strongest player, made to err.

At a temperature a play is taken the more seldom the more it gives away, so a weaker level makes
small mistakes often and large ones seldom, as people do. The temperatures were set so that each
level wins about two games in three against the one below it: docs/levels.md has the tournament.
"""

from __future__ import annotations

from astragal.agents.champions import champion_path
from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.tictactoe import TicTacToeRules

STRONGEST = "champion"
LEVELS = ("beginner", "casual", "steady", "club", "expert", STRONGEST)
"""The weakest first."""

_USUAL = (0.16, 0.09, 0.055, 0.035, 0.02)
_TEMPERATURES = {
    BackgammonRules: (0.3, 0.16, 0.1, 0.065, 0.04),
    TicTacToeRules: (4.0, 1.5, 0.8, 0.45, 0.25),
}


def level_spec(game: Game, level: str) -> str:
    """The agent that plays a level."""
    if level not in LEVELS:
        raise InputError(f"{quote(level)} is not a level: expected {', '.join(LEVELS)}.")
    has_champion = champion_path(game) is not None
    if level == STRONGEST:
        return "champion@1" if has_champion else "pips@1"
    temperatures = _TEMPERATURES.get(type(game.rules), _USUAL)
    temperature = temperatures[LEVELS.index(level)]
    return f"temperature:{temperature:g}:{'champion' if has_champion else 'pips@1'}"
