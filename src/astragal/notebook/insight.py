"""What the judge says of a game, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astragal.arena.analysis import Analysis
from astragal.games.game import Game
from astragal.play.remarks import LEAST_TOLD, amount, remark
from astragal.play.table import Table

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
            "lost": "" if play["loss"] < LEAST_TOLD else amount(game, play["loss"], ranked["aim"]),
        }
        for play in ranked["plays"][:_MOST_PLAYS]
    ]
