"""What an agent thinks, in the lines of UBGI: the best plays, the chances of a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.agents.agent import Agent
from astragal.agents.specs import searching_form
from astragal.arena.asking import evaluate, rank_plays
from astragal.arena.backgammon_steps import format_steps
from astragal.arena.judging import tells_gammons
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game, Standing
from astragal.games.luck import Luck
from astragal.values.values import Aim

SHOWN_PLAYS = 3
PASS = "pass"


def tell_best(agent: Agent, standing: Standing, roll: int, aim: Aim, luck: Luck) -> list[str]:
    """The line with the best play, after what the best few are worth to the mover."""
    if searching_form(agent, aim) is None:
        return [f"bestmove {_chosen(agent, standing, roll, luck)}"]
    plays = rank_plays(agent, standing, roll, aim)["plays"][:SHOWN_PLAYS]
    moves = [plain_move(agent.game, standing, roll, play["move"]) for play in plays]
    told = [
        f"info multipv {i} {_worth(play)} loss {play['loss']:.4f} pv {move}"
        for i, (play, move) in enumerate(zip(plays, moves, strict=True), 1)
    ]
    return [*told, f"bestmove {moves[0]}"]


def tell_worth(agent: Agent, standing: Standing) -> list[str]:
    """What the position is worth to the player about to roll; a gammon counts backgammons too."""
    answer = evaluate(agent, standing)
    chances = answer["outcomes"]
    if max(chances) < 2 or not tells_gammons(agent):
        return [f"eval {_worth(answer)}"]
    numbers = {
        "pgammon": chances[2] + chances[3],
        "pbg": chances[3],
        "plosegammon": chances[-2] + chances[-3],
        "plosebg": chances[-3],
    }
    told = " ".join(f"{name} {number:.4f}" for name, number in numbers.items())
    return [f"eval {_worth(answer)} {told}"]


def plain_move(game: Game, standing: Standing, roll: int, move: str) -> str:
    """A move as programs read it: in backgammon every step, and nothing else."""
    if not is_backgammon(game):
        return move
    position, side = standing
    found = game.afterstates_of(position, roll)
    after = found.positions[game.notation.parse_move(move, position, side, roll, found)]
    return format_steps(position, after, game.rolls[roll]) or PASS


def is_backgammon(game: Game) -> bool:
    """Whether it is played with the moves of backgammon."""
    return isinstance(game.rules, BackgammonRules)


def _chosen(agent: Agent, standing: Standing, roll: int, luck: Luck) -> str:
    """The play that an agent takes which cannot say why."""
    game, (position, side) = agent.game, standing
    chosen = agent.choose(position[np.newaxis], np.array([roll]), luck)[0]
    found = game.afterstates_of(position, roll)
    move = game.notation.format_moves(position, side, roll, found)[chosen]
    return plain_move(game, standing, roll, move)


def _worth(answer: dict[str, Any]) -> str:
    return f"eq {answer['points']:+.4f} pwin {answer['win']:.4f}"
