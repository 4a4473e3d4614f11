"""What is said of a turn, on the page and in a notebook alike."""

from __future__ import annotations

from astragal.arena.analysis import JudgedTurn
from astragal.games.game import Game
from astragal.values.values import Aim

LEAST_TOLD = 0.0005
"""What is less than this is told as nothing."""


def remark(game: Game, turn: JudgedTurn, aim: Aim) -> str:
    """What a turn gave away, in a sentence."""
    if not turn.is_decision:
        return "Nothing could be played." if turn.move == "pass" else "It was the only play."
    if turn.lost < LEAST_TOLD:
        return f"{turn.move} was the best play."
    name = f", a {turn.error} move" if turn.error else ""
    return f"{turn.move} gave away {amount(game, turn.lost, aim)}{name}: {turn.best} was better."


def amount(game: Game, lost: float, aim: Aim) -> str:
    """What was given away, as people read it: of the chance to win, or of points."""
    is_chance = aim == "win" or max(game.outcomes) == 1
    return f"{lost / 2:.1%}" if is_chance else f"{lost:.3f} points"
