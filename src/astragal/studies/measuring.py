"""How strong a net is: against opponents while it learns, and in the measures of a study."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from astragal.agents.champions import champion_path
from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.agents.specs import parse_agent
from astragal.arena.match import check_players, play_match
from astragal.arena.settings import MatchSettings
from astragal.games.game import Game
from astragal.learning.settings import TrainSettings
from astragal.studies.study import Measure
from astragal.values.values import Aim
from astragal.workers import Crew

NET = "net"
"""What stands for the net that is measured."""


def opponents(game: Game, settings: TrainSettings) -> tuple[str, ...]:
    """The agents that a run is measured against."""
    if settings.assess.against:
        return settings.assess.against
    if len(game.rolls) == 1:
        return ("random",)  # without luck, two who do not guess play the same games for ever
    return ("champion",) if champion_path(game) else ("pips@1",)


def assessor(
    game: Game, settings: TrainSettings, crew: Crew | None = None
) -> Callable[[Path], list[dict[str, Any]]]:
    """A function that plays the net in a file against a run's opponents.

    A net that learned one side alone is measured in the games in which it has that side.
    """
    judge = chosen_judge(game, settings.assess.judge, "win")
    match = MatchSettings(settings.assess.games, settings.seed, aim="win", judge=judge)
    against = opponents(game, settings)
    check_players(game, against, match)
    side = settings.mc.side if settings.learner == "mc" else "both"
    seat = {"first": 0, "second": 1}.get(side)

    def assess(path: Path) -> list[dict[str, Any]]:
        return [_assessed(game, path, opponent, match, seat, crew) for opponent in against]

    return assess


def chosen_judge(game: Game, told: str, aim: Aim) -> str | None:
    """Who takes the luck out: auto is the exact table, or the champion, where there is one."""
    if told == "auto":
        if can_be_perfect(game, aim):
            return PERFECT
        return "champion" if champion_path(game) else None
    return None if told == "none" else told


def _assessed(
    game: Game,
    path: Path,
    against: str,
    match: MatchSettings,
    seat: int | None,
    crew: Crew | None,
) -> dict[str, Any]:
    result = play_match(game, (f"net:{path}", against), match, crew=crew)
    if seat is not None:
        result = result.of_seat(seat)
    rate = result.adjusted_win_rate or result.win_rate
    return {
        "against": against,
        "games": result.games,
        "win_rate": rate.mean,
        "margin": rate.margin,
        "judge": match.judge,
        "lost_a_decision": result.lost_a_decision(0),
    }


def check_measure(game: Game, measure: Measure) -> None:
    """InputError if the match could not be played."""
    settings = _settings(game, measure, seed=0)
    for spec in (measure.first, measure.second):
        # A heuristic with values stands in for the net that there will be.
        parse_agent(game, re.sub(rf"(^|:){NET}(?=$|@)", r"\1pips", spec), measure.aim)
    check_players(game, (), settings)


def measured(game: Game, measure: Measure, net: Path, seed: int, crew: Crew) -> dict[str, Any]:
    """What came out of the match."""
    specs = tuple(
        re.sub(rf"(^|:){NET}(?=$|@)", rf"\1net:{net}", spec)
        for spec in (measure.first, measure.second)
    )
    result = play_match(game, (specs[0], specs[1]), _settings(game, measure, seed), crew=crew)
    rate = result.adjusted_win_rate or result.win_rate
    points = result.adjusted_points or result.points_a_game
    return {
        "win_rate": rate.mean,
        "margin": rate.margin,
        "points": points.mean,
        "points_margin": points.margin,
        "games": result.games,
        "judge": result.settings.judge,
        "lost_a_decision": result.lost_a_decision(0),
    }


def _settings(game: Game, measure: Measure, seed: int) -> MatchSettings:
    judge = chosen_judge(game, measure.judge, measure.aim)
    return MatchSettings(measure.games, seed, aim=measure.aim, judge=judge)
