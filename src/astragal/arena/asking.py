"""What agents answer when asked about a position, as people and other programs read it."""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.agents.agent import Agent
from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import searching_form
from astragal.arena.judging import values_of
from astragal.errors import InputError, quote
from astragal.games.game import Game, Standing
from astragal.games.kernels import UNFINISHED
from astragal.games.plays import legal_plays
from astragal.search.rollout import Rollout, as_probabilities
from astragal.values.values import Aim, Chances, chances_by_rules, score_for


def evaluate(agent: Agent, standing: Standing) -> dict[str, Any]:
    """What the position is worth to the player about to roll; of roll-outs, the error as well."""
    game, values = agent.game, values_of(agent)
    positions = standing.position[np.newaxis]
    over = game.outcomes_of(positions)
    error = {}
    if isinstance(values, Rollout) and over[0] == UNFINISHED:
        told = values.roll_out(positions)
        (chances,) = as_probabilities(told.chances)
        error = {"error": float(told.error[0])}
    else:
        (chances,) = chances_by_rules(values, positions, over)
    outcomes = {
        points: float(chance) for points, chance in zip(game.outcomes, chances, strict=True)
    }
    position = game.notation.format_position(*standing)
    return {"position": position, **_worth(game, chances), "outcomes": outcomes, **error}


def rank_plays(agent: Agent, standing: Standing, roll: int, aim: Aim) -> dict[str, Any]:
    """The plays, best first, with what each is worth to the mover and what it gives away."""
    game, ranking = agent.game, _ranking(agent, aim)
    plays = legal_plays(game, standing, roll)
    ranked = ranking.rank(standing.position, roll)
    scores = ranked.chances @ score_for(game, aim)
    losses = scores[0] - scores
    answers = [
        {
            "move": plays[i].move,
            "position": plays[i].position,
            **_worth(game, chances),
            "loss": float(loss),
        }
        for i, chances, loss in zip(ranked.order, ranked.chances, losses, strict=True)
    ]
    position = game.notation.format_position(*standing)
    return {"position": position, "roll": game.rolls[roll], "plays": answers}


def rank_rolls(agent: Agent, standing: Standing, aim: Aim) -> list[dict[str, Any]]:
    """For every roll its best play, and what that is worth to the mover."""
    game, ranking = agent.game, _ranking(agent, aim)
    rows = []
    for roll, (name, chance) in enumerate(zip(game.rolls, game.chances.tolist(), strict=True)):
        ranked = ranking.rank(standing.position, roll)
        best = legal_plays(game, standing, roll)[int(ranked.order[0])]
        worth = _worth(game, ranked.chances[0])
        rows.append({"roll": name, "chance": chance, "move": best.move, **worth})
    return rows


def _worth(game: Game, chances: Chances) -> dict[str, float]:
    points = np.array(game.outcomes)
    return {"win": float(chances[points > 0].sum()), "points": float(chances @ points)}


def _ranking(agent: Agent, aim: Aim) -> SearchingAgent:
    ranking = searching_form(agent, aim)
    if ranking is not None:
        return ranking
    raise InputError(f"{quote(agent.name)} ranks no plays: expected an agent such as pips@1.")
