"""What a game's champion is measured by, beside what its forerunners had."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.agents.specs import parse_agent
from astragal.arena.estimates import Estimate
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.random_play import random_positions
from astragal.games.ur import UrRules
from astragal.values.values import Aim

Play = Callable[[tuple[str, str], MatchSettings], MatchResult]


@dataclass(frozen=True)
class Measure:
    """One match of the champion, with what is known of others; rates are of games won."""

    name: str
    first: str
    second: str
    games: int
    judge: str
    aim: Aim = "points"
    seed: float | None = None
    """What the document had that the game's learner came from."""
    best: float | None = None
    """The best that is known of anybody."""
    is_points: bool = False
    """Whether points a game are asked for, and not the share of games won."""


class Found(NamedTuple):
    """What came out of a measure."""

    measure: Measure
    amount: Estimate
    games: int
    seed: int


# The figures of others: TD-Ur's own net, measured against the exact table; game_of_ur's net of 1.13
# million weights, fitted to that table; the OCaml bot's document, without look-ahead and with it;
# alexstrehl/backgammon-ai-engine's own account of PureTD.
_UR = (
    Measure("against perfect play", "champion", PERFECT, 10_000, PERFECT, seed=0.438, best=0.4978),
    Measure("the same, one ply ahead", "champion@1", PERFECT, 2_000, PERFECT, seed=0.46),
)
_BACKGAMMON = (
    Measure(
        "1-point against gnubg@0",
        "champion", "gnubg@0", 10_000, "champion", "win", 0.426, 0.5184,
    ),
    Measure(
        "the same, one ply ahead",
        "champion@1", "gnubg@0", 2_000, "champion", "win", 0.447,
    ),
    Measure(
        "money, points a game, against gnubg@0",
        "champion", "gnubg@0", 10_000, "champion", best=0.035, is_points=True,
    ),
)  # fmt: skip
_TIC_TAC_TOE = (Measure("against perfect play", "champion", PERFECT, 2_000, PERFECT),)


def measures_of(game: Game) -> tuple[Measure, ...]:
    """What is measured of the game's champion, or InputError."""
    if isinstance(game.rules, BackgammonRules):
        return _BACKGAMMON
    if not can_be_perfect(game, "points"):
        raise InputError(
            f"The champion of {game.name} is measured against perfect play, whose table is not "
            f"there: expected `astragal solve {game.name}` to be run first."
        )
    return _UR if isinstance(game.rules, UrRules) else _TIC_TAC_TOE


def found_by(measure: Measure, seed: int, share: float, play: Play) -> Found:
    """What a measure gives with this share of its usual games."""
    games = max(20, round(measure.games * share))
    settings = MatchSettings(games, seed, measure.aim, judge=measure.judge)
    result = play((measure.first, measure.second), settings)
    amount = result.adjusted_points if measure.is_points else result.adjusted_win_rate
    if amount is None:
        amount = result.points_a_game if measure.is_points else result.win_rate
    return Found(measure, amount, result.games, seed)


def milliseconds_a_move(game: Game, spec: str, moves: int, aim: Aim = "points") -> float:
    """How long the agent thinks of a move, in positions of random play, once it is warm."""
    agent = parse_agent(game, spec, aim)
    luck = np.random.default_rng(1)
    positions = random_positions(game, moves + 1, luck)
    rolls = game.draw(luck, moves + 1)
    agent.choose(positions[:1], rolls[:1], luck)
    began = time.perf_counter()
    for number in range(1, moves + 1):
        agent.choose(positions[number : number + 1], rolls[number : number + 1], luck)
    return 1000 * (time.perf_counter() - began) / moves
