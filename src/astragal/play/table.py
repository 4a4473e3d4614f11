"""A game on the table: who sits at it, what can be seen there, and what a judge says of it.

What is shown is data without any drawing in it: a page and a notebook draw it alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from astragal.agents.agent import Agent
from astragal.arena.analysis import Analysis, JudgedTurn, judged_turns, win_before_the_first_roll
from astragal.arena.asking import rank_plays
from astragal.arena.records import Step
from astragal.errors import InputError
from astragal.games.game import Game, Standing
from astragal.play.choices import choices_of
from astragal.play.judges import FoundJudge
from astragal.play.remarks import remark
from astragal.play.session import HUMAN, Session
from astragal.show.scene import Scene

Halves = list[list[int]]


class ShownTurn(msgspec.Struct):
    """A turn that has been played."""

    side: int
    """Who played it: 0 for the side that began."""
    roll: str
    move: str
    position: str
    """Before the roll, in the game's text form."""
    before: Halves
    after: Halves
    """What stands on each place after it, side 0's half first."""


class ShownGame(msgspec.Struct):
    """All that a player sees of a game."""

    game: str
    title: str
    sides: tuple[str, str]
    players: tuple[str, str]
    """`human`, or the agent that plays the side."""
    turn: int
    """How many turns have been played."""
    side: int
    """Who is to move."""
    roll: str | None
    """None once the game is over."""
    position: str
    halves: Halves
    choices: dict[str, Any] | None
    """For a person to move: the plays as a graph of single steps."""
    status: str
    points: int | None
    """What the game counts for side 0 if it is over."""
    given_up: bool
    can_undo: bool
    turns: list[ShownTurn]
    """From the turn on that was asked for."""
    first_turn: int
    """The number of the first of them, counted from 0."""


def halves_of(standing: Standing) -> Halves:
    """What stands on each place, side 0's half first."""
    position, side = standing
    halves: Halves = position.reshape(2, -1).tolist()
    return halves[::-1] if side else halves


class Table:
    """A session with its players and its judge; a seat without an agent is a person's."""

    def __init__(
        self,
        session: Session,
        find_agent: Callable[[Game, str], Agent],
        judge: Callable[[Game], tuple[FoundJudge, Agent]],
    ) -> None:
        self.session = session
        self._find_agent, self._find_judge = find_agent, judge
        self._judged: list[tuple[Step, JudgedTurn]] = []
        self._begin: float | None = None
        self._choices: tuple[Step | None, dict[str, Any]] | None = None

    @property
    def people(self) -> list[int]:
        """The sides that people play."""
        return [side for side, name in enumerate(self.session.players) if name == HUMAN]

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.session.is_over and self.session.side in self.people

    def show(self, since: int = 0) -> ShownGame:
        """What there is to see, with the turns from this one on."""
        session = self.session
        game, standing = session.game, session.standing
        first = min(max(since, 0), len(session.steps))
        is_given_up = session.is_over and game.outcome_of(standing.position) is None
        return ShownGame(
            game=game.name,
            title=game.title,
            sides=game.sides,
            players=session.players,
            turn=len(session.steps),
            side=standing.side,
            roll=None if session.is_over else game.rolls[session.roll],
            position=game.notation.format_position(*standing),
            halves=halves_of(standing),
            choices=self._persons_choices() if self.is_persons_turn else None,
            status=self._status(),
            points=session.points,
            given_up=is_given_up,
            can_undo=is_given_up or any(self._is_choice(step) for step in session.steps),
            turns=[self._shown(step) for step in session.steps[first:]],
            first_turn=first,
        )

    def _persons_choices(self) -> dict[str, Any]:
        """The plays of this turn, found once: to write them takes longer than all else."""
        session = self.session
        last = session.steps[-1] if session.steps else None
        if self._choices is None or self._choices[0] is not last:
            self._choices = last, choices_of(session.game, session.standing, session.roll)
        return self._choices[1]

    def _is_choice(self, step: Step) -> bool:
        return step.standing.side in self.people and len(step.moves) > 1

    def _shown(self, step: Step) -> ShownTurn:
        game = self.session.game
        return ShownTurn(
            side=step.standing.side,
            roll=game.rolls[step.roll],
            move=step.move,
            position=game.notation.format_position(*step.standing),
            before=halves_of(step.standing),
            after=halves_of(step.after),
        )

    def _status(self) -> str:
        session = self.session
        points = session.points
        if points is None or session.game.outcome_of(session.standing.position) is not None:
            roll = None if session.is_over else session.roll
            return Scene(session.game, *session.standing, roll=roll).status
        loser, winner = (session.game.sides[side] for side in (int(points > 0), int(points < 0)))
        return f"{loser} gave up, {winner} won"

    def play(self, move: str) -> None:
        """Plays a person's move as people write it, or InputError."""
        self._check_going_on()
        if not self.is_persons_turn:
            name = self.session.game.sides[self.session.side]
            raise InputError(f"It is the turn of {name}, which no person plays.")
        moves = [play["move"] for play in self._persons_choices()["plays"]]
        if moves.count(move) == 1:
            self.session.take(moves.index(move))
        else:
            self.session.play(move)

    def answer(self) -> None:
        """Plays the turns of agents until a person is to move or the game is over."""
        while self.people and not (self.session.is_over or self.is_persons_turn):
            self.advance()

    def advance(self) -> None:
        """Plays one turn of an agent, or InputError."""
        session = self.session
        self._check_going_on()
        if self.is_persons_turn:
            raise InputError("It is a person's turn: expected a move.")
        agent = self._find_agent(session.game, session.players[session.side])
        position, rolls = session.standing.position[np.newaxis], np.array([session.roll])
        choice = int(agent.choose(position, rolls, session.players_luck)[0])
        session.take(choice)

    def undo(self) -> None:
        """Takes the last choice of a person back, or InputError."""
        if not self.session.undo(self.people):
            raise InputError("There is no choice of a person to take back.")

    def resign(self, points: int) -> None:
        """Ends the game as lost for the person whose turn it is, or InputError."""
        self._check_going_on()
        if not self.is_persons_turn:
            raise InputError("Only a person can resign, and at their own turn.")
        self.session.resign(self.session.side, points)

    def _check_going_on(self) -> None:
        if self.session.is_over:
            raise InputError("The game is over: expected one that goes on.")

    def hint(self) -> dict[str, Any]:
        """The plays of this turn, the best first, and who says so."""
        self._check_going_on()
        session = self.session
        judge, agent = self._find_judge(session.game)
        ranked = rank_plays(agent, session.standing, session.roll, judge.aim)
        return ranked | {"judge": judge.spec, "aim": judge.aim}

    def analysis(self) -> Analysis:
        """What the judge says of all turns so far."""
        session = self.session
        judge, agent = self._find_judge(session.game)
        if self._begin is None:
            self._begin = win_before_the_first_roll(agent)
        self._judge(agent, judge, session.steps)
        turns = [turn for _, turn in self._judged]
        return Analysis(session.game, session.record(), judge.spec, judge.aim, self._begin, turns)

    def judgement(self) -> dict[str, Any]:
        """The same for JSON, with a remark on every turn."""
        analysis = self.analysis()
        told = analysis.as_dict()
        for shown, turn in zip(told["turns"], analysis.turns, strict=True):
            shown["remark"] = remark(analysis.game, turn, analysis.aim)
        return told

    def _judge(self, agent: Agent, judge: FoundJudge, steps: Sequence[Step]) -> None:
        """Judges the turns that have been played since the last time."""
        known = 0
        while known < min(len(steps), len(self._judged)) and self._judged[known][0] is steps[known]:
            known += 1
        del self._judged[known:]
        new = list(steps[known:])
        if new:
            turns = judged_turns(agent, new, judge.aim, known + 1)
            self._judged += zip(new, turns, strict=True)
