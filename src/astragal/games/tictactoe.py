"""Tic-tac-toe: the smallest game through the same door, with one roll that is certain.

A half of a position has a 1 for each of the nine cells that its owner has taken, row by row.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.errors import InputError, quote
from astragal.games.game import Afterstates, Game, Positions, Standing, move_among
from astragal.games.kernels import UNFINISHED, afterstates_for, outcome_for

VERSION = 1
CELLS = 9
FULL = 2**CELLS - 1  # all cells, as bits
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToeRules(NamedTuple):
    """The rules, as the compiled functions read them."""

    start: NDArray[np.int8]
    throws: NDArray[np.int8]
    opening: NDArray[np.int8]
    roll_count: int
    most_afterstates: int
    pieces: int
    has_line: NDArray[np.bool_]  # [512] whether a set of cells, as bits, holds a line


def tictactoe() -> Game:
    """The game."""
    certain = np.zeros(1, np.int8)
    return Game(
        name="tictactoe",
        title="Tic-tac-toe",
        version=VERSION,
        rules=TicTacToeRules(
            start=np.zeros(2 * CELLS, np.int8),
            throws=certain,
            opening=certain,
            roll_count=1,
            most_afterstates=CELLS,
            pieces=CELLS,
            has_line=_has_line(),
        ),
        sides=("x", "o"),
        rolls=("-",),
        outcomes=(-1, 0, 1),
        notation=TicTacToeNotation(),
    )


def _has_line() -> NDArray[np.bool_]:
    lines = np.array([sum(1 << cell for cell in line) for line in LINES])
    sets = np.arange(FULL + 1)[:, np.newaxis]
    return np.any(sets & lines == lines, axis=1)


@outcome_for(TicTacToeRules)
def _outcome(rules: Any, position: Any) -> int:
    mine, theirs = _cells(position, 0), _cells(position, CELLS)
    if rules.has_line[mine]:
        return 1
    if rules.has_line[theirs]:
        return -1
    return 0 if mine + theirs == FULL else UNFINISHED


@inlined
def _cells(position: Any, half: int) -> int:
    """The cells of a half as bits."""
    cells = 0
    for cell in range(CELLS):
        cells |= position[half + cell] << cell
    return cells


@afterstates_for(TicTacToeRules)
def _afterstates(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> int:
    mine, theirs = _cells(position, 0), _cells(position, CELLS)
    row = at
    for cell in range(CELLS):
        if (mine | theirs) >> cell & 1:
            continue
        for i in range(CELLS):
            room.positions[row, i] = position[CELLS + i]
            room.positions[row, CELLS + i] = position[i]
        room.positions[row, CELLS + cell] = 1
        room.changed[row] = np.uint64(1) << np.uint64(CELLS + cell)
        room.turn_passes[row] = True
        after = mine | 1 << cell
        is_draw = after + theirs == FULL
        room.outcome[row] = -1 if rules.has_line[after] else 0 if is_draw else UNFINISHED
        row += 1
    return row - at


class TicTacToeNotation:
    """Nine of `x`, `o` and `.`, row by row; x moves first. A move is the cell, 0 to 8."""

    def parse_position(self, text: str) -> Standing:
        """The position that the text tells, with x as side 0."""
        if re.fullmatch("[xo.]{9}", text) is None:
            raise InputError(
                f"{quote(text)} is not a position: "
                "expected nine of 'x', 'o' and '.', such as 'x...o....'."
            )
        taken = text.count("x"), text.count("o")
        if not 0 <= taken[0] - taken[1] <= 1:
            raise InputError(
                f"{quote(text)} is not a position: {taken[0]} x and {taken[1]} o, "
                "expected as many x as o, or one more."
            )
        side = taken[0] - taken[1]
        mine, theirs = ("xo", "ox")[side]
        marks = [[cell == mark for cell in text] for mark in (mine, theirs)]
        position = np.array(marks, np.int8)
        self._check(text, position)
        return Standing(position.ravel(), side)

    def _check(self, text: str, position: Positions) -> None:
        mine = [line for line in LINES if position[0, list(line)].all()]
        if mine:
            raise InputError(
                f"{quote(text)} is not a position: expected no line of the player whose turn it "
                f"is, but the cells {', '.join(map(str, mine[0]))} are one."
            )

    def format_position(self, position: Positions, side: int) -> str:
        """The text that `parse_position` reads."""
        mine, theirs = ("xo", "ox")[side]
        cells = zip(position[:CELLS], position[CELLS:], strict=True)
        return "".join(mine if own else theirs if other else "." for own, other in cells)

    def format_moves(
        self, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> list[str]:
        """The cell that was taken."""
        taken = afterstates.positions[:, CELLS:] > position[:CELLS]
        return [str(cell) for cell in taken.argmax(axis=1)]

    def parse_move(
        self, text: str, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> int:
        """Which of the afterstates a move leads to."""
        return move_among(self.format_moves(position, side, roll, afterstates), text)

    def roll_told_with(self, text: str) -> str | None:
        """None: the text does not tell a roll."""
        return None

    def other_forms(self, position: Positions, side: int) -> dict[str, str]:
        """None: there is one form only."""
        return {}
