"""A game looked at afterwards: what every move gave away, and how lucky every roll was.

The names of errors and ratings, and where they begin, are those of GNU Backgammon 1.07 (its
command `show analysis`, and the chapter "Overall rating" of its manual).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import Agent, best_of_each, first_of_each
from astragal.agents.specs import parse_agent, searching_form
from astragal.arena.judging import Judge, quick_values_of, values_of
from astragal.arena.records import Record, Step, game_of, replay
from astragal.errors import InputError
from astragal.games.game import Game, Standing
from astragal.values.values import Aim, Chances, score_for, win_chance

ERRORS = (("very bad", 0.12), ("bad", 0.06), ("doubtful", 0.03))
"""What a move is called that gives away at least so much."""
LUCK = (("very lucky", 0.6), ("lucky", 0.3))
"""What a roll is called that gains at least so much; unlucky the other way round."""
RATINGS = (
    ("supernatural", 0.002),
    ("world class", 0.005),
    ("expert", 0.008),
    ("advanced", 0.012),
    ("intermediate", 0.018),
    ("casual player", 0.026),
    ("beginner", 0.035),
)
"""What a player is called who gives away less than so much a decision."""
LOWEST_RATING = "awful"


def error_name(lost: float) -> str | None:
    """What an error is called that gives away so much, if it is one."""
    return next((name for name, least in ERRORS if lost >= least), None)


class JudgedTurn(NamedTuple):
    """A turn in the eyes of the judge; everything belongs to whoever moved, if nothing else is
    said.
    """

    number: int
    """From 1."""
    standing: Standing
    roll: int
    move: str
    best: str
    plays: int
    lost: float
    """What the best play would have been worth more."""
    luck: float
    win: float
    """The chance that side 0 wins after it, a draw counted as half a win."""

    @property
    def is_decision(self) -> bool:
        """Whether there was anything to choose."""
        return self.plays > 1

    @property
    def error(self) -> str | None:
        """What such an error is called, if it is one."""
        return error_name(self.lost)

    @property
    def luck_name(self) -> str | None:
        """What such a roll is called, if it is out of the ordinary."""
        name = next((name for name, least in LUCK if abs(self.luck) >= least), None)
        return name.replace("lucky", "unlucky") if name and self.luck < 0 else name

    def as_dict(self, game: Game) -> dict[str, Any]:
        """For JSON."""
        return {
            "turn": self.number,
            "side": game.sides[self.standing.side],
            "position": game.notation.format_position(*self.standing),
            "roll": game.rolls[self.roll],
            "move": self.move,
            "best": self.best,
            "plays": self.plays,
            "lost": self.lost,
            "error": self.error,
            "luck": self.luck,
            "luck_name": self.luck_name,
            "win_of_first": self.win,
        }


@dataclass(frozen=True)
class Share:
    """One player's part in one game or in several."""

    name: str
    games: int = 0
    finished: int = 0
    """How many of them came to an end."""
    points: float = 0.0
    """As those went, in what the aim counts."""
    luck: float = 0.0
    """Its own in all games, less that of the others."""
    finished_luck: float = 0.0
    """The same in those that came to an end."""
    lost: float = 0.0
    decisions: int = 0
    errors: tuple[int, ...] = (0,) * len(ERRORS)
    """How many of each kind, in the order of ERRORS."""

    def __add__(self, other: Share) -> Share:
        return Share(
            self.name,
            self.games + other.games,
            self.finished + other.finished,
            self.points + other.points,
            self.luck + other.luck,
            self.finished_luck + other.finished_luck,
            self.lost + other.lost,
            self.decisions + other.decisions,
            tuple(a + b for a, b in zip(self.errors, other.errors, strict=True)),
        )

    @property
    def adjusted(self) -> float | None:
        """The points with the luck taken out, if any game came to an end."""
        return self.points - self.finished_luck if self.finished else None

    @property
    def lost_a_decision(self) -> float | None:
        """What a decision gave away on average, if there was any."""
        return self.lost / self.decisions if self.decisions else None

    @property
    def rating(self) -> str | None:
        """What a player of this error rate is called."""
        lost = self.lost_a_decision
        if lost is None:
            return None
        return next((name for name, below in RATINGS if lost < below), LOWEST_RATING)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        kinds = zip(ERRORS, self.errors, strict=True)
        return {
            "name": self.name,
            "games": self.games,
            "finished": self.finished,
            "points": self.points if self.finished else None,
            "luck": self.luck,
            "luck_adjusted_points": self.adjusted,
            "decisions": self.decisions,
            "lost": self.lost,
            "lost_a_decision": self.lost_a_decision,
            "rating": self.rating,
            "errors": {name: count for (name, _), count in kinds},
        }


@dataclass(frozen=True)
class Analysis:
    """A game, judged."""

    game: Game
    record: Record
    judge: str
    aim: Aim
    begin: float
    """The chance of side 0 to win before the first roll."""
    turns: Sequence[JudgedTurn]

    @property
    def points(self) -> float | None:
        """What the game counted for side 0, the cube left out; None if it did not end."""
        outcome = self.record.outcome
        if outcome is None:
            return None
        return float(outcome if self.aim == "points" else np.sign(outcome))

    def share(self, side: int) -> Share:
        """The part of one side."""
        sign = 1 if side == 0 else -1
        mine = [turn for turn in self.turns if turn.standing.side == side]
        luck = sum(turn.luck * (1 if turn.standing.side == side else -1) for turn in self.turns)
        return Share(
            name=self.record.agents[side],
            games=1,
            finished=int(self.points is not None),
            points=0.0 if self.points is None else sign * self.points,
            luck=luck,
            finished_luck=0.0 if self.points is None else luck,
            lost=sum(turn.lost for turn in mine),
            decisions=sum(turn.is_decision for turn in mine),
            errors=tuple(sum(turn.error == name for turn in mine) for name, _ in ERRORS),
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "game": self.game.name,
            "number": self.record.number,
            "agents": self.record.agents,
            "outcome": self.record.outcome,
            "given_up": self.record.given_up,
            "stake": self.record.stake,
            "judge": self.judge,
            "aim": self.aim,
            "win_of_first": self.begin,
            "turns": [turn.as_dict(self.game) for turn in self.turns],
            "players": [self.share(side).as_dict() for side in (0, 1)],
        }


class Task(NamedTuple):
    """What a process has to be told to analyse a game."""

    place: int
    record: Record
    judge: str
    aim: Aim


def analyse_task(task: Task) -> tuple[int, Analysis]:
    """The place of the game among others, and what the judge says of it."""
    return task.place, analyse(task.record, task.judge, task.aim)


def shares_of(analyses: Sequence[Analysis]) -> list[Share]:
    """The players' parts in all games, by name; whoever began the first game comes first.

    Of somebody who plays against itself, one share for each seat.
    """
    totals: dict[tuple[str, int], Share] = {}
    for analysis in analyses:
        first, second = analysis.record.agents
        for side, name in enumerate((first, second)):
            key = (name, side if first == second else 0)
            share = analysis.share(side)
            totals[key] = totals[key] + share if key in totals else share
    return list(totals.values())


def worst_turns(analyses: Sequence[Analysis], count: int) -> list[tuple[Analysis, JudgedTurn]]:
    """The turns that gave away most, the worst first, of those that gave away anything."""
    turns = [(analysis, turn) for analysis in analyses for turn in analysis.turns if turn.lost > 0]
    return sorted(turns, key=lambda pair: -pair[1].lost)[:count]


def analyse(record: Record, judge: str, aim: Aim = "points") -> Analysis:
    """What the judge says of every turn; InputError names a turn that cannot be."""
    game = game_of(record)
    steps = list(replay(record))
    agent = parse_agent(game, judge, aim)
    begin = win_before_the_first_roll(agent)
    turns = judged_turns(agent, steps, aim) if steps else []
    return Analysis(game, record, judge, aim, begin, turns)


def win_before_the_first_roll(agent: Agent) -> float:
    """The chance of who begins, whose first roll may have other chances than the rolls after it."""
    game = agent.game
    look = Judge(values_of(agent), "win").look(game.start[np.newaxis])
    return float((1 + look.by_roll[0] @ game.opening_chances) / 2)


def judged_turns(
    agent: Agent, steps: Sequence[Step], aim: Aim, first_turn: int = 1
) -> list[JudgedTurn]:
    """What the agent says of turns that follow one another, from a turn of this number on."""
    game = agent.game
    ranking = searching_form(agent, aim)
    if ranking is None:
        raise InputError(f"{agent.name} ranks no plays: expected a judge such as champion@1.")
    positions = np.stack([step.standing.position for step in steps])
    rolls = np.array([step.roll for step in steps])
    found = game.afterstates(positions, rolls)
    chances = ranking.chances_of(found)
    scores = chances @ score_for(game, aim)
    first = first_of_each(found.owner, len(steps))
    chosen = first + np.array([step.choice for step in steps])
    best = first + best_of_each(scores, found, len(steps))
    lost = np.maximum(0.0, scores[best] - scores[chosen])
    luck = _luck(Judge(quick_values_of(agent), aim), positions, rolls, first_turn)
    return [
        JudgedTurn(
            number=first_turn + i,
            standing=step.standing,
            roll=step.roll,
            move=step.move,
            # Of plays that are worth the same, the one that was played is as good as any.
            best=step.move if lost[i] == 0 else step.moves[int(best[i] - first[i])],
            plays=len(step.moves),
            lost=float(lost[i]),
            luck=float(luck[i]),
            win=_win_of_first(game, chances, chosen[i], step.standing.side),
        )
        for i, step in enumerate(steps)
    ]


def _luck(
    judge: Judge, positions: NDArray[np.int8], rolls: NDArray[np.int64], first_turn: int
) -> NDArray[np.float64]:
    """What each roll [T] gained; that of turn 1 is the roll that opens the game."""
    looked = judge.look(positions)
    luck = looked.luck(rolls, opening=False)
    if first_turn == 1:
        luck[:1] = looked.luck(rolls, opening=True)[:1]
    return luck


def _win_of_first(game: Game, chances: Chances, row: int, side: int) -> float:
    win = float(win_chance(game, chances[row : row + 1])[0])
    return win if side == 0 else 1 - win
