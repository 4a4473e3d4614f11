"""Agents by name: `NAME[:ARGUMENT][@PLY]`, as people and files write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from astragal.agents.agent import Agent
from astragal.agents.champions import champion, champion_path
from astragal.agents.levels import LEVELS, STRONGEST, level_spec
from astragal.agents.perfect import PERFECT, perfect_agent
from astragal.agents.rolling import RollingAgent
from astragal.agents.searching import SearchingAgent
from astragal.agents.simple import FirstAgent, GreedyAgent, OneStepAgent, RandomAgent
from astragal.agents.wrappers import EpsilonAgent, TemperatureAgent
from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.search.playout import RolloutSettings
from astragal.search.rollout import Rollout
from astragal.search.tree import TreeSearch, TreeSettings
from astragal.values.bearoff import knowing_bearoff
from astragal.values.checkpoint import load_net
from astragal.values.heuristics import heuristic, heuristics_of
from astragal.values.table import can_be_solved
from astragal.values.values import Aim

MOST_PLIES = 3
GNUBG_PLIES = 2
MOST_WRAPPERS = 12

_SIMPLE: dict[str, Callable[[Game], Agent]] = {
    "random": RandomAgent,
    "onestep": OneStepAgent,
    "first": FirstAgent,
    "greedy": GreedyAgent,
}


def parse_agent(game: Game, spec: str, aim: Aim = "points") -> Agent:
    """The agent of this name, playing for this aim."""
    if spec.count(":") > MOST_WRAPPERS:
        raise InputError(f"{quote(spec)} is not an agent: expected at most {MOST_WRAPPERS} colons.")
    if spec in LEVELS and spec != STRONGEST:  # which names a net too
        return parse_agent(game, level_spec(game, spec), aim)
    name, _, rest = spec.partition(":")
    if rest and name in ("epsilon", "temperature", "own"):
        return _wrapped(game, spec, name, rest, aim)
    if rest and name in ("rollout", "tree"):
        return _searching(game, spec, name, rest, aim)
    if spec in _SIMPLE:
        return _SIMPLE[spec](game)
    if spec == PERFECT and can_be_solved(game):
        return perfect_agent(game, aim)
    told = re.fullmatch("(.*)@([0-9])", spec)
    name, plies = (told[1], int(told[2])) if told else (spec, 0)
    if name.startswith("net:") and plies <= MOST_PLIES:
        net = load_net(Path(name.removeprefix("net:")), game)
        return SearchingAgent(knowing_bearoff(net), plies, aim)
    if name == "champion" and plies <= MOST_PLIES:
        return SearchingAgent(knowing_bearoff(champion(game, aim)), plies, aim)
    if name in heuristics_of(game) and plies <= MOST_PLIES:
        return SearchingAgent(heuristic(game, name), plies, aim)
    if _has_gnubg(game):
        from astragal.agents.gnubg import GnubgAgent, PubevalAgent

        if name == "gnubg" and plies <= GNUBG_PLIES:
            return GnubgAgent(game, plies, aim)
        if spec == "pubeval":
            return PubevalAgent(game)
    known = ", ".join(known_agents(game))
    raise InputError(f"{quote(spec)} is not an agent for {game.name}: expected one of {known}.")


def _has_gnubg(game: Game) -> bool:
    return isinstance(game.rules, BackgammonRules) and game.rules.pieces == 15


def _wrapped(game: Game, spec: str, name: str, rest: str, aim: Aim) -> Agent:
    if name == "own":
        valued = searching_form(parse_agent(game, rest, aim), aim)
        if valued is None:
            raise InputError(f"{quote(spec)} cannot be: expected an agent with values after own:.")
        return replace(valued, own_view=True)
    number, _, inner_spec = rest.partition(":")
    amount = _parse_number(spec, number)
    inner = parse_agent(game, inner_spec, aim)
    if name == "epsilon":
        if amount > 1:
            raise InputError(f"{quote(spec)} cannot be: expected an epsilon from 0 to 1.")
        return EpsilonAgent(inner, amount)
    valued = searching_form(inner, aim)
    if valued is None or amount == 0:
        raise InputError(
            f"{quote(spec)} cannot be: expected temperature:NUMBER:AGENT with a number above 0 "
            "and an agent that has values."
        )
    return TemperatureAgent(valued, amount)


def searching_form(agent: Agent, aim: Aim) -> SearchingAgent | None:
    """An agent that has values as one that chooses by them; None for any other."""
    if isinstance(agent, SearchingAgent):
        return agent
    if isinstance(agent, RollingAgent):
        return SearchingAgent(agent.rollout, 0, aim)
    from astragal.agents.gnubg import GnubgAgent

    return SearchingAgent(agent.values, 0, aim) if isinstance(agent, GnubgAgent) else None


def _searching(game: Game, spec: str, name: str, rest: str, aim: Aim) -> Agent:
    budget, _, inner_spec = rest.partition(":")
    inner = searching_form(parse_agent(game, inner_spec, aim), aim)
    if inner is None or inner.own_view:
        raise InputError(
            f"{quote(spec)} cannot be: expected {name}:NUMBER:AGENT with an agent that has values."
        )
    if name == "tree":
        settings = _parse_tree_budget(spec, budget, aim)
        return SearchingAgent(TreeSearch(inner.deep_values, settings), aim=aim)
    games = _parse_whole(spec, budget, "36")
    return RollingAgent(Rollout(inner.values, RolloutSettings(games, plies=inner.plies, aim=aim)))


def _parse_tree_budget(spec: str, text: str, aim: Aim) -> TreeSettings:
    if re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,2})?s", text):
        return TreeSettings(seconds=float(text[:-1]), aim=aim)
    return TreeSettings(_parse_whole(spec, text, "1000 evaluations or 0.5s"), aim=aim)


def _parse_whole(spec: str, text: str, example: str) -> int:
    if re.fullmatch("[1-9][0-9]{0,8}", text) is None:
        raise InputError(
            f"{quote(spec)} is not an agent: {quote(text)} is not a number above 0, "
            f"expected {example}."
        )
    return int(text)


def _parse_number(spec: str, text: str) -> float:
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", text) is None:
        raise InputError(
            f"{quote(spec)} is not an agent: {quote(text)} is not a number, expected one like 0.1."
        )
    return float(text)


def known_agents(game: Game) -> list[str]:
    """The forms of all specs that the game has."""
    names = [*heuristics_of(game), *(["champion"] if champion_path(game) else [])]
    valued = [f"{name}[@0 to @{MOST_PLIES}]" for name in names]
    if _has_gnubg(game):
        valued += ["gnubg@0", "gnubg@1", "gnubg@2", "pubeval"]
    if can_be_solved(game):
        valued.append(PERFECT)
    valued.append(f"net:FILE[@0 to @{MOST_PLIES}]")
    wrappers = ["epsilon:NUMBER:AGENT", "temperature:NUMBER:AGENT", "own:AGENT"]
    wrappers += ["rollout:GAMES:AGENT", "tree:EVALUATIONS:AGENT", "tree:0.5s:AGENT"]
    levels = [level for level in LEVELS if level != STRONGEST]
    return [*_SIMPLE, *valued, *levels, *wrappers]
