"""Who can be played against or asked on the page: agents by name, nets of training runs by theirs.

A name from a request is looked up, never joined to a path; agents are kept once they are made.
"""

from __future__ import annotations

import importlib.util
import re
import threading
from dataclasses import replace
from typing import Any, NamedTuple

from astragal.agents.agent import Agent
from astragal.agents.champions import champion_path, usual_agent
from astragal.agents.levels import LEVELS, STRONGEST, level_spec
from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import parse_agent
from astragal.arena.judging import tells_gammons, values_of
from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.play.judges import FoundJudge, find_judge
from astragal.serve.runs import Runs
from astragal.values.checkpoint import load_net
from astragal.values.heuristics import heuristics_of
from astragal.values.values import Aim

MOST_PLIES = 2
"""Deeper questions are asked as jobs."""
_MOST_KEPT = 64
_SIMPLE = ("random", "onestep", "first", "greedy")


class Opponent(NamedTuple):
    """Somebody to play against."""

    agent: str
    name: str
    about: str


class Players:
    """Agents of all games."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._kept: dict[tuple[Any, ...], Agent] = {}
        self._judges: dict[str, tuple[FoundJudge, Agent]] = {}
        self._lock = threading.Lock()

    def opponents(self, game: Game) -> list[Opponent]:
        """Those whom people may want to play, the weakest first."""
        found = [Opponent("random", "Chance", "plays anything that is legal")]
        found += [
            Opponent(_agent_of(game, level), level.capitalize(), _ABOUT[level]) for level in LEVELS
        ]
        if champion_path(game) and isinstance(game.rules, BackgammonRules):
            found.append(Opponent("champion@2", "Champion, two plies", "looks further ahead"))
        if isinstance(game.rules, BackgammonRules) and game.rules.pieces == 15 and _has_gnubg():
            found.append(Opponent("gnubg@0", "GNU Backgammon", "its nets, without look-ahead"))
        if can_be_perfect(game, "points"):
            found.append(Opponent(PERFECT, "Perfect", "knows the exact value of every position"))
        return found

    def learners(self, game: Game) -> list[Opponent]:
        """The newest nets of training runs of the game."""
        views = [view for view in map(self._runs.find, self._runs.names()) if view is not None]
        return [
            Opponent(f"run:{view.name}", view.name, "the newest net of a training run")
            for view in views
            if view.game == game.name and self._runs.newest_net(view.name) is not None
        ]

    def find(self, game: Game, spec: str, aim: Aim = "points", most: int = MOST_PLIES) -> Agent:
        """The agent of this name, or InputError."""
        told = re.fullmatch(r"(.{1,80}?)(?:@([0-9]))?", spec)
        name, plies = (told[1], int(told[2] or 0)) if told else (spec, 0)
        if plies > most:
            raise InputError(f"{quote(spec)} looks too far ahead: expected @0 to @{most}.")
        if name.startswith("run:"):
            return self._run_agent(game, name.removeprefix("run:"), plies, aim)
        if name not in self._names(game):
            known = ", ".join((*self._names(game), "run:NAME"))
            raise InputError(f"{quote(spec)} is nobody here: expected one of {known}.")
        return self._once((game.name, spec, aim), lambda: parse_agent(game, spec, aim))

    def judge(self, game: Game) -> tuple[FoundJudge, Agent]:
        """Who judges the game where nobody is named, and by what."""
        is_exact = can_be_perfect(game, "points")
        key = f"{game.name} {is_exact}"
        found = self._judges.get(key)
        if found is None:
            told = find_judge(game, None, None)
            found = self._judges[key] = told, parse_agent(game, told.spec, told.aim)
        return found

    def chosen_judge(
        self, game: Game, spec: str | None, aim: Aim | None = None, most: int = MOST_PLIES
    ) -> tuple[FoundJudge, Agent]:
        """Who is named, or else whoever knows best, and what counts to them, or InputError."""
        if spec is None and aim is None:
            return self.judge(game)
        spec = spec or usual_agent(game, aim or "points")
        agent = self.find(game, spec, aim or "points", most)
        values_of(agent)  # says what is wrong with one that has none
        if aim is None and not tells_gammons(agent):
            return FoundJudge(spec, "win"), self.find(game, spec, "win", most)
        return FoundJudge(spec, aim or "points"), agent

    def spec_of(self, spec: str) -> str:
        """The spec by which another process finds the same agent."""
        told = re.fullmatch(r"run:(.*?)(@[0-9])?", spec)
        path = self._runs.newest_net(told[1]) if told else None
        return spec if told is None or path is None else f"net:{path}{told[2] or ''}"

    def _names(self, game: Game) -> tuple[str, ...]:
        names = (*_SIMPLE, *heuristics_of(game), *LEVELS, PERFECT)
        return (*names, "gnubg", "pubeval") if isinstance(game.rules, BackgammonRules) else names

    def _run_agent(self, game: Game, name: str, plies: int, aim: Aim) -> Agent:
        path = self._runs.newest_net(name)
        if path is None:
            raise InputError(f"{quote(name)} is no run with a net: expected the name of one.")
        try:
            changed = path.stat().st_mtime_ns
        except OSError as fault:
            raise InputError(f"The net of {quote(name)} is gone.") from fault
        net = f"run:{name}"
        return self._once(
            (game.name, net, plies, aim, changed),
            lambda: SearchingAgent(replace(load_net(path, game), name=net), plies, aim),
        )

    def _once(self, key: tuple[Any, ...], make: Any) -> Agent:
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= _MOST_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[key] = make()
            return self._kept[key]


def _has_gnubg() -> bool:
    return importlib.util.find_spec("gnubg_nn") is not None


def _agent_of(game: Game, level: str) -> str:
    return level_spec(game, level) if level == STRONGEST else level


_ABOUT = {
    "beginner": "knows the rules",
    "casual": "plays now and then",
    "steady": "seldom does anything foolish",
    "club": "has played for years",
    "expert": "errs little",
    "champion": "plays as well as it can",
}
