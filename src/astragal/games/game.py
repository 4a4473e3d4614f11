"""The waist: a game is data, two compiled functions found by the type of its rules, and a notation.

Letters for shapes: B games in step, N afterstates in all, W numbers in a position, R rolls.
A position is two halves, first the half of the player about to roll, each seen from its owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games import kernels
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import Luck

Positions: TypeAlias = NDArray[np.int8]  # [B, W], or [W] for one
Rolls: TypeAlias = NDArray[np.int64]  # [B]


class Afterstates(NamedTuple):
    """Where legal plays lead, each seen by whoever rolls next, to whom the outcome belongs too."""

    positions: Positions  # [N, W]
    owner: NDArray[np.int64]  # [N] which of the B games it belongs to, in rising order
    turn_passes: NDArray[np.bool_]  # [N]
    outcome: NDArray[np.int8]  # [N] points, or UNFINISHED


class Standing(NamedTuple):
    """A position and which of the two sides is about to roll: what a text form says."""

    position: Positions  # [W]
    side: int  # 0 for the side that began, else 1


class Notation(Protocol):
    """How people write positions and moves; only the edge needs it."""

    def parse_position(self, text: str) -> Standing:
        """The position, or InputError with a sentence that quotes the text."""
        ...

    def format_position(self, position: Positions, side: int) -> str:
        """The text that `parse_position` reads."""
        ...

    def format_moves(
        self, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> list[str]:
        """How people write the plays that lead from the position to each of its afterstates."""
        ...

    def parse_move(
        self, text: str, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> int:
        """Which of the afterstates a move leads to as people write it, or InputError."""
        ...

    def roll_told_with(self, text: str) -> str | None:
        """The roll that the text of a position tells with it, where there is such a form."""
        ...

    def other_forms(self, position: Positions, side: int) -> dict[str, str]:
        """The position in the other forms that people use, by the name of the form."""
        ...


class Rules(Protocol):
    """The fields that every game's tuple of rules has beside its own."""

    @property
    def start(self) -> Positions: ...  # [W]
    @property
    def throws(self) -> NDArray[np.int8]: ...  # [T] the roll that each equally likely throw gives
    @property
    def opening(self) -> NDArray[np.int8]: ...  # [T] the same for the first roll of a game
    @property
    def roll_count(self) -> int: ...
    @property
    def most_afterstates(self) -> int: ...  # no roll has more
    @property
    def pieces(self) -> int: ...  # the most that a side can have, on the board and off it


@dataclass(frozen=True, eq=False)
class Game:
    """One game under one rule set."""

    name: str
    """What the catalogue calls it, such as `ur:blitz`."""
    title: str
    """What people call it."""
    version: int
    """Changes whenever a rule or the layout of a position changes."""
    rules: Rules
    """What the compiled functions read."""
    sides: tuple[str, str]
    """The two players, the one who begins first."""
    rolls: tuple[str, ...]
    """How each roll is written."""
    outcomes: tuple[int, ...]
    """What a finished game can count, in points, rising."""
    notation: Notation

    @property
    def start(self) -> Positions:
        """The position [W] with which every game begins."""
        return self.rules.start.copy()

    @property
    def width(self) -> int:
        """W, how many numbers a position has."""
        return int(self.rules.start.size)

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The probability [R] of each roll."""
        return self._chances(self.rules.throws)

    @cached_property
    def opening_chances(self) -> NDArray[np.float64]:
        """The probability [R] of each roll when it is the first of a game."""
        return self._chances(self.rules.opening)

    def _chances(self, throws: NDArray[np.int8]) -> NDArray[np.float64]:
        return np.bincount(throws, minlength=len(self.rolls)) / throws.size

    def afterstates(self, positions: Positions, rolls: Rolls) -> Afterstates:
        """All afterstates of positions [B, W] that are not finished, with rolls [B]."""
        found, turn_passes, outcome, _, owner = kernels.batch_afterstates(
            self.rules, self._checked(positions), self._checked_rolls(rolls, len(positions))
        )
        return Afterstates(found, owner, turn_passes, outcome)

    def afterstates_of(self, position: Positions, roll: int) -> Afterstates:
        """All afterstates of one position [W] with one roll."""
        return self.afterstates(position[np.newaxis], np.array([roll]))

    def outcomes_of(self, positions: Positions) -> NDArray[np.int8]:
        """The outcomes [B] for the players about to roll, or UNFINISHED."""
        outcomes: NDArray[np.int8] = kernels.batch_outcomes(self.rules, self._checked(positions))
        return outcomes

    def outcome_of(self, position: Positions) -> int | None:
        """The outcome of one position [W] for the player about to roll, or None."""
        outcome = int(self.outcomes_of(position[np.newaxis])[0])
        return None if outcome == UNFINISHED else outcome

    def draw(self, luck: Luck, count: int, *, opening: bool = False) -> Rolls:
        """As many rolls [B] as asked for, each drawn with its probability."""
        throws = self.rules.opening if opening else self.rules.throws
        return kernels.draw_rolls(throws, luck, count)

    def parse_roll(self, text: str) -> int:
        """The index of the roll that people write so, two dice in either order."""
        for spelling in (text, text[::-1]):
            if spelling in self.rolls:
                return self.rolls.index(spelling)
        raise InputError(
            f"{quote(text)} is not a roll of {self.name}: expected one of {', '.join(self.rolls)}."
        )

    def _checked(self, positions: Positions) -> Any:
        if positions.ndim != 2 or positions.shape[1] != self.width or positions.dtype != np.int8:
            raise ValueError(
                f"positions of {self.name} are int8 of shape [B, {self.width}], "
                f"not {positions.dtype} of shape {list(positions.shape)}"
            )
        checked = np.ascontiguousarray(positions)
        misfit = kernels.first_misfit(self.rules, checked)
        if misfit >= 0:
            raise ValueError(
                f"position {misfit} is not one of {self.name}: a side has up to "
                f"{self.rules.pieces} pieces, but it is {checked[misfit].tolist()}"
            )
        return checked

    def _checked_rolls(self, rolls: Rolls, count: int) -> Rolls:
        checked = np.ascontiguousarray(rolls, np.int64)
        if checked.shape != (count,):
            raise ValueError(f"expected a roll for each of {count} positions, not {checked.shape}")
        if count and not (checked.min() >= 0 and checked.max() < len(self.rolls)):
            raise ValueError(f"rolls of {self.name} are from 0 to {len(self.rolls) - 1}")
        return checked


def move_among(moves: Sequence[str], text: str) -> int:
    """Which of the moves the text is, capitals and space apart, or InputError."""
    wanted = text.strip().lower()
    if wanted in moves:
        return list(moves).index(wanted)
    raise InputError(f"{quote(text)} is not a legal play: expected {' or '.join(moves)}.")


def other_view(positions: Positions) -> Positions:
    """The same boards [..., W] seen by the other player."""
    return np.roll(positions, positions.shape[-1] // 2, axis=-1)


def for_mover(points: NDArray[Any], turn_passes: NDArray[np.bool_]) -> NDArray[Any]:
    """Points [N] that belong to whoever rolls next, turned into points for whoever moved.

    What is UNFINISHED has no points, and is to be left out or looked at apart.
    """
    return np.where(turn_passes, -points, points)
