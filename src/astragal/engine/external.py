"""A player for GNU Backgammon: each line is a board, the answer what is done with it.

GNU Backgammon calls it an external player, and sends boards only. The other questions are those
that it answers itself where it is the external player of another program.
"""

from __future__ import annotations

import re

import numpy as np

import astragal
from astragal.agents.agent import Agent
from astragal.agents.specs import searching_form
from astragal.arena.asking import evaluate
from astragal.arena.backgammon_steps import format_steps
from astragal.engine.course import Course
from astragal.engine.fibs_board import FibsBoard, parse_fibs_board
from astragal.errors import InputError, quote
from astragal.games.game import Positions, Standing
from astragal.games.luck import Luck

GAME = "backgammon"
WORST_TAKE = -0.5
"""Points, cubeless, at which to play on with the cube turned costs as much as to drop."""

# There may be spaces in the names of the players.
_QUESTION = re.compile("(?:fibsboard +)?(board:.*?)(?: +resignation +([1-3]))?", re.IGNORECASE)
_EVALUATION = re.compile("evaluation +fibsboard +(board:.*?)(?: +cubeless)?", re.IGNORECASE)
_EXPECTED = (
    "expected board:..., fibsboard board:... [resignation 1 to 3], "
    "evaluation fibsboard board:... [cubeless], version or exit"
)


class ExternalPlayer:
    """Plays on one connection."""

    def __init__(self, agent: Agent, luck: Luck) -> None:
        self._agent, self._luck = agent, luck
        self._course = Course(agent.game)

    def answer(self, line: str) -> str | None:
        """The answer to a line, without its end, or None at the end; InputError if there is none.

        An empty answer says that nothing can be moved.
        """
        if line in ("exit", "quit"):
            return None
        if line == "version":
            return f"astragal {astragal.__version__}"
        if told := _EVALUATION.fullmatch(line):
            return self._evaluation(parse_fibs_board(told[1]))
        told = _QUESTION.fullmatch(line)
        if told is None:
            raise InputError(f"{quote(line)} is not a question: {_EXPECTED}.")
        board = parse_fibs_board(told[1])
        if told[2]:
            return "accept" if int(told[2]) >= -self._points(board.position) else "reject"
        # Only boards that come by themselves are turns of one game after another.
        course = Course(self._agent.game) if line.lower().startswith("fibsboard") else self._course
        return self._action(board, course)

    def _action(self, board: FibsBoard, course: Course) -> str:
        course.check(board)
        if board.is_doubled:
            return self._take_or_drop(board, course)
        if board.roll is None:
            course.rolls(board)
            return "roll"
        after = self._choose(board.position, board.roll)
        course.leaves(after)
        return format_steps(board.position, after, board.roll)

    def _take_or_drop(self, board: FibsBoard, course: Course) -> str:
        """Takes where that costs no more than to drop, in a money game without further doubles."""
        if board.drop_ends_match or -self._points(board.position) >= WORST_TAKE:
            return "take"
        course.leaves(None)
        return "drop"

    def _choose(self, position: Positions, roll: str) -> Positions:
        """The afterstate [52] of its choice."""
        game = self._agent.game
        number = game.parse_roll(roll)
        chosen = self._agent.choose(position[np.newaxis], np.array([number]), self._luck)
        after: Positions = game.afterstates_of(position, number).positions[chosen[0]]
        return after

    def _points(self, position: Positions) -> float:
        """Cubeless points for the side about to roll; even, to an agent that has no values."""
        if searching_form(self._agent, "points") is None:
            return 0.0
        return float(evaluate(self._agent, Standing(position, 0))["points"])

    def _evaluation(self, board: FibsBoard) -> str:
        """Chances of a win, gammon, backgammon, lost gammon and lost backgammon, then points."""
        told = evaluate(self._agent, Standing(board.position, 0))
        chances = told["outcomes"]
        gammon, lost_gammon = chances[2] + chances[3], chances[-2] + chances[-3]
        numbers = told["win"], gammon, chances[3], lost_gammon, chances[-3], told["points"]
        return " ".join(f"{number:.6f}" for number in numbers)
