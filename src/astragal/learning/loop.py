"""The loop: play and learn, log, measure, save; from top to bottom, the same for every learner."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from astragal.background import run_apart
from astragal.games.game import Game
from astragal.learning.fresh import first_net, peers_of
from astragal.learning.learner import Learned, Learner
from astragal.learning.lookahead import LookaheadLearner
from astragal.learning.mc import McLearner
from astragal.learning.run import Mark, Run, check_health
from astragal.learning.settings import TrainSettings
from astragal.learning.td import TdLearner

# Measures the net in a file: a line for each opponent, with its win rate and margin.
Assess = Callable[[Path], list[dict[str, Any]]]

_LOGS = 200  # lines in the metrics of a whole run
_ASSESSMENTS = 20
_SAVE_SECONDS = 5.0
_USUAL_STRETCH = {"td": 500, "mc": 100, "lookahead": 512}


@dataclass(frozen=True)
class News:
    """How a run is going, for whoever watches."""

    mark: Mark
    learned: Learned
    games_per_second: float
    assessments: list[dict[str, Any]]


def check_start(game: Game, settings: TrainSettings) -> None:
    """InputError if a run could not even begin: a net to begin or to learn from that is none."""
    first_net(game, settings)
    peers_of(game, settings)


def new_learner(game: Game, settings: TrainSettings, executor: Executor | None = None) -> Learner:
    """The learner that the settings ask for, before its first game."""
    net = first_net(game, settings)
    if settings.learner == "td":
        return TdLearner(game, settings, net)
    if settings.learner == "mc":
        return McLearner(game, settings, net)
    return LookaheadLearner(game, settings, net, executor)


def train(
    game: Game,
    run: Run,
    assess: Assess,
    tell: Callable[[News], None] = lambda news: None,
    is_enough: Callable[[], bool] = lambda: False,
    executor: Executor | None = None,
) -> Mark:
    """Trains until all games are played, from the last checkpoint on if there is one.

    It stops earlier when it is told to, with a checkpoint. An executor plays where ours would.
    """
    with run.alone():
        return _train(game, run, assess, tell, is_enough, executor)


def _train(
    game: Game,
    run: Run,
    assess: Assess,
    tell: Callable[[News], None],
    is_enough: Callable[[], bool],
    executor: Executor | None,
) -> Mark:
    settings = run.settings
    learner = new_learner(game, run.with_own_nets(), executor)
    mark, saved = Mark(), run.load()
    if saved is not None:
        mark, state = saved
        learner.restore(state)
    tally, assessments = _Tally(), _last_assessments(run)
    try:
        while mark.games < settings.games:
            began = time.perf_counter()
            games = min(stretch_of(settings), settings.games - mark.games)
            learned = run_apart(partial(learner.learn, mark.stretch, mark.games, games))
            seconds = time.perf_counter() - began
            before, mark = mark, _after(mark, games, seconds)
            tally.add(learned, seconds)
            tell(News(mark, learned, games / seconds, assessments))
            is_assessed = _is_due(settings, before, mark, _assess_every(settings))
            if not (is_assessed or _is_due(settings, before, mark, _log_every(settings))):
                continue
            check_health(learner.net, run.folder, mark.games)
            if is_assessed:
                assessments = _assessed(run, mark, learner, assess)
                run.log(tally.line(mark) | {"assessments": assessments})
            else:
                run.log(tally.line(mark))
            tally = _Tally()
            stops = is_enough()
            if stops or run.seconds_since_save() > _SAVE_SECONDS or mark.games >= settings.games:
                run.save(mark, learner.state(), learner.net)
            if stops:
                break
    finally:
        learner.close()
    return mark


def stretch_of(settings: TrainSettings) -> int:
    """How many games are played between two looks at the clock."""
    return settings.stretch or _USUAL_STRETCH[settings.learner]


def assessments_in(settings: TrainSettings) -> int:
    """How often a run is measured."""
    return -(-settings.games // max(_assess_every(settings), stretch_of(settings)))


def _log_every(settings: TrainSettings) -> int:
    return max(1, settings.games // _LOGS)


def _assess_every(settings: TrainSettings) -> int:
    return settings.assess.every or max(1, settings.games // _ASSESSMENTS)


def _is_due(settings: TrainSettings, before: Mark, now: Mark, every: int) -> bool:
    """Whether a multiple of so many games has been reached, or the end."""
    return before.games // every < now.games // every or now.games >= settings.games


def _after(mark: Mark, games: int, seconds: float) -> Mark:
    return Mark(mark.stretch + 1, mark.games + games, mark.seconds + seconds)


def _last_assessments(run: Run) -> list[dict[str, Any]]:
    found = [line["assessments"] for line in run.metrics() if "assessments" in line]
    return found[-1] if found else []


def _assessed(run: Run, mark: Mark, learner: Learner, assess: Assess) -> list[dict[str, Any]]:
    """What the net of now is worth; if it is the best so far, it is kept as such."""
    earlier = [line["assessments"] for line in run.metrics() if "assessments" in line]
    path = run.save_snapshot(mark, learner.net)
    found = assess(path)
    if found and all(_strength(found) >= _strength(each) for each in earlier):
        run.save_best(mark, learner.net)
    return found


def _strength(assessments: list[dict[str, Any]]) -> float:
    return sum(float(each["win_rate"]) for each in assessments)


class _Tally:
    """What the stretches since the last line of the metrics add up to."""

    def __init__(self) -> None:
        self._games, self._turns, self._positions = 0, 0, 0
        self._squares, self._wins, self._seconds = 0.0, 0.0, 0.0

    def add(self, learned: Learned, seconds: float) -> None:
        self._games += learned.games
        self._turns += learned.turns
        self._positions += learned.positions
        self._squares += learned.loss**2 * learned.games
        self._wins += learned.beginner_wins * learned.games
        self._seconds += seconds

    def line(self, mark: Mark) -> dict[str, Any]:
        return {
            "games": mark.games,
            "seconds": round(mark.seconds, 3),
            "loss": (self._squares / self._games) ** 0.5,
            "turns_a_game": self._turns / self._games,
            "beginner_wins": self._wins / self._games,
            "positions": self._positions,
            "games_per_second": round(self._games / self._seconds, 1),
        }
