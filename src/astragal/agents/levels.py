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
_OF_CHAMPIONS: dict[type, tuple[float, ...]] = {
    BackgammonRules: (0.3, 0.16, 0.1, 0.065, 0.04),
    TicTacToeRules: (4.0, 1.5, 0.8, 0.45, 0.25),
}
_USUAL_HEURISTIC = (0.3, 0.14, 0.07, 0.035, 0.015)
_OF_HEURISTICS: dict[type, tuple[float, ...]] = {BackgammonRules: (0.8, 0.35, 0.16, 0.08, 0.035)}


def level_spec(game: Game, level: str) -> str:
    """The agent that plays a level."""
    if level not in LEVELS:
        raise InputError(f"{quote(level)} is not a level: expected {', '.join(LEVELS)}.")
    kind, number = type(game.rules), LEVELS.index(level)
    if champion_path(game) is None:
        temperatures = _OF_HEURISTICS.get(kind, _USUAL_HEURISTIC)
        return "pips@1" if level == STRONGEST else f"temperature:{temperatures[number]:g}:pips@1"
    temperatures = _OF_CHAMPIONS.get(kind, _USUAL)
    return "champion@1" if level == STRONGEST else f"temperature:{temperatures[number]:g}:champion"
