"""Whether one board can come after another: what the other side did must be a legal play."""

from __future__ import annotations

import numpy as np

from astragal.engine.fibs_board import FibsBoard
from astragal.errors import InputError, quote
from astragal.games.game import Game, Positions, Rolls


class Course:
    """The games on one connection, of which only our own turns are seen."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._opening_rolls = np.flatnonzero(game.opening_chances)
        self.forget()

    def forget(self) -> None:
        """Takes any board that comes next, as at the beginning."""
        self._is_known = False
        self._asked: FibsBoard | None = None
        self._to_roll: Positions | None = None  # where we said that we roll
        self._left: Positions | None = None  # where the other side is to roll

    def check(self, board: FibsBoard) -> None:
        """InputError if the board cannot follow; then the next one is taken as it comes."""
        if self._is_known and not self._can_follow(board):
            self.forget()
            position = self._game.notation.format_position(board.position, 0)
            raise InputError(
                f"{quote(position)} cannot come next: expected a legal play since the last board, "
                "or a new game. Sent again, it is taken as it is."
            )
        self._is_known, self._asked = True, board

    def rolls(self, board: FibsBoard) -> None:
        """Notes that the roll of this board is to be thrown."""
        self._to_roll, self._left = board.position, None

    def leaves(self, position: Positions | None) -> None:
        """Notes where the other side rolls next, or None at the end of a game."""
        is_over = position is None or self._game.outcome_of(position) is not None
        self._to_roll, self._left = None, None if is_over else position

    def _can_follow(self, board: FibsBoard) -> bool:
        if self._is_asked_again(board):
            return True
        if board.is_doubled:
            return _is_same(board.position, self._left)
        if _is_same(board.position, self._to_roll):
            return True
        return self._begins(board) or self._is_reached(board.position)

    def _is_asked_again(self, board: FibsBoard) -> bool:
        asked = self._asked
        return (
            asked is not None
            and asked[1:] == board[1:]
            and _is_same(board.position, asked.position)
        )

    def _begins(self, board: FibsBoard) -> bool:
        """Whether it is the first or the second roll of a game."""
        start, opening_rolls = self._game.start, self._opening_rolls
        if _is_same(board.position, start):
            return board.roll is not None and self._game.parse_roll(board.roll) in opening_rolls
        return self._is_among(board.position, start, opening_rolls)

    def _is_reached(self, position: Positions) -> bool:
        if self._left is None:
            return False
        return self._is_among(position, self._left, np.arange(len(self._game.rolls)))

    def _is_among(self, position: Positions, before: Positions, rolls: Rolls) -> bool:
        """Whether a legal play of one of the rolls leads from one position to the other."""
        found = self._game.afterstates(np.repeat(before[np.newaxis], len(rolls), axis=0), rolls)
        return bool((found.positions == position).all(axis=1).any())


def _is_same(position: Positions, other: Positions | None) -> bool:
    return other is not None and bool((position == other).all())
