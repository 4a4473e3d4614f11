"""How `train` measures a net, and what it writes about a run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from astragal.agents.champions import champion_path
from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.arena.match import check_players, play_match
from astragal.arena.settings import MatchSettings
from astragal.files import write_text
from astragal.games.game import Game
from astragal.learning.card import model_card
from astragal.learning.run import LATEST, Mark, Run, told_if_it_fails
from astragal.learning.settings import TrainSettings
from astragal.learning.settings_file import format_settings
from astragal.show.training_page import training_page
from astragal.values.checkpoint import load_net


def opponents(game: Game, settings: TrainSettings) -> tuple[str, ...]:
    """The agents that a run is measured against."""
    if settings.assess.against:
        return settings.assess.against
    if len(game.rolls) == 1:
        return ("random",)  # without luck, two who do not guess play the same games for ever
    return ("champion",) if champion_path(game) else ("pips@1",)


def assessor(game: Game, settings: TrainSettings) -> Callable[[Path], list[dict[str, Any]]]:
    """A function that plays the net in a file against a run's opponents."""
    judge = _judge(game, settings.assess.judge)
    match = MatchSettings(settings.assess.games, settings.seed, aim="win", judge=judge)
    against = opponents(game, settings)
    check_players(game, against, match)

    def assess(path: Path) -> list[dict[str, Any]]:
        return [_assessed(game, path, opponent, match) for opponent in against]

    return assess


def _judge(game: Game, told: str) -> str | None:
    """Who takes the luck out: auto is the exact table, or the champion, where there is one."""
    if told == "auto":
        if can_be_perfect(game, "win"):
            return PERFECT
        return "champion" if champion_path(game) else None
    return None if told == "none" else told


def _assessed(game: Game, path: Path, against: str, match: MatchSettings) -> dict[str, Any]:
    result = play_match(game, (f"net:{path}", against), match)
    rate = result.adjusted_win_rate or result.win_rate
    return {
        "against": against,
        "games": result.games,
        "win_rate": rate.mean,
        "margin": rate.margin,
        "judge": match.judge,
        "lost_a_decision": result.lost_a_decision(0),
    }


def write_reports(run: Run, mark: Mark) -> None:
    """A model card and a page with curves, in the run's folder."""
    from astragal.cli.common import chosen_game

    net = load_net(run.folder / LATEST, chosen_game(run.settings.game))
    command = f"astragal train --settings {shlex.quote(str(run.folder / 'settings.toml'))}"
    title = f"{net.game.title}: learning by {run.settings.learner}"
    page = training_page(title, format_settings(run.settings), run.metrics(), command)
    with told_if_it_fails(run.folder):
        write_text(run.folder / "card.md", model_card(run, net, mark, command))
        write_text(run.folder / "report.html", page)
