"""What the judge says of a game, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astragal.arena.analysis import Analysis, JudgedTurn
from astragal.games.game import Game
from astragal.play.table import Table
from astragal.values.values import Aim

_LEAST = 0.0005  # what is less than this is told as nothing
_MOST_PLAYS = 8


def insight_of(table: Table, hint: Sequence[dict[str, str]] = ()) -> dict[str, Any]:
    """The chances of both sides, a remark on a person's last turn, and a hint if there is one."""
    analysis = table.analysis()
    win = analysis.turns[-1].win if analysis.turns else analysis.begin
    return {
        "judge": analysis.judge,
        "wins": [win, 1 - win],
        "remark": _last_remark(analysis, table.people),
        "hint": list(hint),
    }


def remark(game: Game, turn: JudgedTurn, aim: Aim) -> str:
    """What a turn gave away, in a sentence."""
    if not turn.is_decision:
        return "Nothing could be played." if turn.move == "pass" else "It was the only play."
    if turn.lost < _LEAST:
        return f"{turn.move} was the best play."
    name = f", a {turn.error} move" if turn.error else ""
    return f"{turn.move} gave away {amount(game, turn.lost, aim)}{name}: {turn.best} was better."


def amount(game: Game, lost: float, aim: Aim) -> str:
    """What was given away, as people read it: of the chance to win, or of points."""
    is_chance = aim == "win" or max(game.outcomes) == 1
    return f"{lost / 2:.1%}" if is_chance else f"{lost:.3f} points"


def _last_remark(analysis: Analysis, people: Sequence[int]) -> str:
    mine = [turn for turn in analysis.turns if turn.standing.side in people]
    return remark(analysis.game, mine[-1], analysis.aim) if mine else ""


def _chance(game: Game, worth: dict[str, Any]) -> float:
    """The chance to win, a draw counted as half a win."""
    return float((1 + worth["points"]) / 2 if max(game.outcomes) == 1 else worth["win"])


def best_plays(table: Table) -> list[dict[str, str]]:
    """The best plays of this turn, each with its chance to win and what it gives away."""
    ranked, game = table.hint(), table.session.game
    return [
        {
            "move": play["move"],
            "wins": f"{_chance(game, play):.1%}",
            "lost": "" if play["loss"] < _LEAST else amount(game, play["loss"], ranked["aim"]),
        }
        for play in ranked["plays"][:_MOST_PLAYS]
    ]
