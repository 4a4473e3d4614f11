"""How people write the Royal Game of Ur: both rows of stones with whose turn it is, and squares."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from astragal.errors import InputError, quote
from astragal.games.game import Afterstates, Positions, Standing, move_among

_TURNS = "rb"
_FORM = re.compile(r"([0-9])([.o]{1,99})([0-9])/([0-9])([.o]{1,99})([0-9]) ([rb])")
_MIRROR = str.maketrans("13", "31")


def mirrored(path: tuple[str, ...]) -> tuple[str, ...]:
    """The same path for the other side of the board."""
    return tuple(square.translate(_MIRROR) for square in path)


@dataclass(frozen=True)
class UrNotation:
    """`RED/BLUE TURN`; a side is its stones waiting, its squares `.` or `o`, its stones home."""

    path: tuple[str, ...]
    """The squares that red walks, from the start to the finish."""
    rosettes: tuple[int, ...]
    """Squares, counted along the path from 1, that give another turn."""
    stones: int

    @property
    def paths(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The squares that red walks, and those that blue walks."""
        return self.path, mirrored(self.path)

    @property
    def example(self) -> str:
        """The start, as an example of the form."""
        row = f"{self.stones}{'.' * (len(self.path) - 2)}0"
        return f"{row}/{row} r"

    def parse_position(self, text: str) -> Standing:
        """The position that the text tells, with red as side 0."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise InputError(
                f"{quote(text)} is not a position: expected RED/BLUE TURN, each side a digit, "
                f"{len(self.path) - 2} squares '.' or 'o' and a digit, such as "
                f"{quote(self.example)}."
            )
        rows = [self._row(match.groups()[:3]), self._row(match.groups()[3:6])]
        self._check(text, rows)
        side = _TURNS.index(match[7])
        return Standing(np.array(rows[side] + rows[1 - side], np.int8), side)

    @staticmethod
    def _row(parts: tuple[str, ...]) -> list[int]:
        waiting, squares, home = parts
        return [int(waiting), *(int(square == "o") for square in squares), int(home)]

    def _check(self, text: str, rows: list[list[int]]) -> None:
        for name, row in zip(("red", "blue"), rows, strict=True):
            if len(row) != len(self.path):
                raise InputError(
                    f"{quote(text)} is not a position: {name} has {len(row) - 2} squares, "
                    f"expected {len(self.path) - 2}, such as in {quote(self.example)}."
                )
            if sum(row) != self.stones:
                raise InputError(
                    f"{quote(text)} is not a position: "
                    f"{name} has {sum(row)} stones, expected {self.stones}."
                )
        red, blue = (
            {path[i] for i in range(1, len(path) - 1) if row[i]}
            for path, row in zip(self.paths, rows, strict=True)
        )
        if red & blue:
            raise InputError(
                f"{quote(text)} is not a position: expected one stone at most on each square, "
                f"but both sides stand on {min(red & blue)}."
            )
        if rows[0][-1] == rows[1][-1] == self.stones:
            raise InputError(
                f"{quote(text)} is not a position: expected one winner at most, "
                "but both sides have all their stones home."
            )

    def format_position(self, position: Positions, side: int) -> str:
        """The text that `parse_position` reads."""
        halves = position.reshape(2, -1)
        red, blue = halves[side], halves[1 - side]
        return f"{self._format_row(red)}/{self._format_row(blue)} {_TURNS[side]}"

    @staticmethod
    def _format_row(row: Positions) -> str:
        # More stones than one on a square are told too, so that they can be refused.
        squares = "".join(".o"[stone] if stone < 2 else str(stone) for stone in row[1:-1])
        return f"{row[0]}{squares}{row[-1]}"

    def format_moves(
        self, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> list[str]:
        """The square that the moved stone leaves, or `pass`."""
        half = len(self.path)
        names = self.paths[side]
        moves = []
        for after, passes in zip(afterstates.positions, afterstates.turn_passes, strict=True):
            left = np.flatnonzero((after[half:] if passes else after[:half]) < position[:half])
            moves.append(names[left[0]] if left.size else "pass")
        return moves

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
