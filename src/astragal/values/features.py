"""What a net sees of a position: what stands on some places gives a code, a code turns on inputs.

What is told of a position as a whole stands behind its places, and is read as they are
(values/signs.py).
Places that are read together are a group; one place alone is the usual case, and several together
are a pattern. A net's first layer is then one row of a table for each group, however many inputs
that row stands for, and a set with thousands of inputs costs no more than one with dozens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.game import Game, Positions
from astragal.values.signs import phase_sign_of, with_signs


class Group(NamedTuple):
    """Places that are read together."""

    places: tuple[int, ...]
    """Numbers from the width of a position on are its signs; a group reads either or."""
    codes: Sequence[Sequence[int]]
    """[places][count] what each number of pieces adds to the code; 0 for none of them."""
    inputs: NDArray[np.float32]
    """[codes, inputs] what each code sets the group's own inputs to."""


class Reading(NamedTuple):
    """The groups as compiled code reads them.

    Letters for shapes: G groups, S places of groups, C counts, R rows (codes of all groups), A
    inputs that the rows turn on.
    """

    begin: NDArray[np.int64]  # [G + 1] where the places of each group begin
    place: NDArray[np.int64]  # [S]
    code: NDArray[np.int64]  # [S, C]
    first_row: NDArray[np.int64]  # [G] the row of code 0, which an empty board has
    row_begin: NDArray[np.int64]  # [R + 1] where the inputs of each row begin
    input: NDArray[np.int64]  # [A]
    amount: NDArray[np.float32]  # [A]


@dataclass(frozen=True, eq=False)
class Features:
    """A named and numbered set of inputs."""

    name: str
    version: int
    """Changes whenever an input changes its meaning."""
    game: Game
    groups: tuple[Group, ...]

    def begins_with(self, other: Features) -> bool:
        """Whether the first inputs are all those of the other set, in their order."""
        pairs = zip(self.groups, other.groups, strict=False)
        return len(self.groups) >= len(other.groups) and all(
            mine.places == theirs.places
            and [*map(list, mine.codes)] == [*map(list, theirs.codes)]
            and np.array_equal(mine.inputs, theirs.inputs)
            for mine, theirs in pairs
        )

    @cached_property
    def sign_groups(self) -> int:
        """How many groups read signs; they come last."""
        return sum(group.places[0] >= self.game.width for group in self.groups)

    def seen(self, positions: Positions) -> Positions:
        """What is read of positions [N, W]: they themselves, with signs if those are read."""
        return with_signs(self.game, positions) if self.sign_groups else positions

    def phases(self, seen: Positions) -> Positions:
        """The phase of the game [N] in each position, given what is seen of them."""
        sign = phase_sign_of(self.game)
        assert sign is not None
        assert self.sign_groups
        phases: Positions = seen[:, self.game.width + sign]
        return phases

    @cached_property
    def size(self) -> int:
        """How many inputs there are."""
        return sum(group.inputs.shape[1] for group in self.groups)

    @cached_property
    def most_active(self) -> int:
        """How many inputs can be on at once, at most."""
        return sum(int((group.inputs != 0).sum(axis=1).max()) for group in self.groups)

    @cached_property
    def reading(self) -> Reading:
        """The groups as compiled code reads them."""
        lengths, inputs, amounts, begin_input = [], [], [], 0
        for group in self.groups:
            codes, which = np.nonzero(group.inputs)
            lengths.append((group.inputs != 0).sum(axis=1))
            inputs.append(begin_input + which)
            amounts.append(group.inputs[codes, which])
            begin_input += group.inputs.shape[1]
        return Reading(
            begin=_begins([len(group.places) for group in self.groups]),
            place=np.array([place for group in self.groups for place in group.places]),
            code=_even([codes for group in self.groups for codes in group.codes]),
            first_row=_begins([len(group.inputs) for group in self.groups])[:-1].copy(),
            row_begin=_begins(np.concatenate(lengths)),
            input=np.concatenate(inputs),
            amount=np.concatenate(amounts),
        )

    def dense(self, positions: Positions) -> NDArray[np.float32]:
        """The inputs [N, inputs] of positions [N, W]."""
        inputs = np.zeros((len(positions), self.size), np.float32)
        _write_dense(self.reading, np.ascontiguousarray(self.seen(positions)), inputs)
        return inputs

    def rows(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """What each row [R] adds to the first layer [R, H], given its weights [inputs, H]."""
        rows: NDArray[np.float32] = _rows(self.reading, weights)
        return rows


def _even(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Rows of different lengths as one array, with zeros behind the shorter ones."""
    even = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for target, row in zip(even, rows, strict=True):
        target[: len(row)] = row
    return even


def _begins(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


@inlined
def row_of(reading: Any, group: int, position: Any) -> int:
    """The row that the group has in what is seen of a position."""
    row = reading.first_row[group]
    for slot in range(reading.begin[group], reading.begin[group + 1]):
        row += reading.code[slot, position[reading.place[slot]]]
    return row


@compiled
def _write_dense(reading: Any, seen: Any, inputs: Any) -> None:
    for n in range(len(seen)):
        for group in range(reading.first_row.size):
            row = row_of(reading, group, seen[n])
            for i in range(reading.row_begin[row], reading.row_begin[row + 1]):
                inputs[n, reading.input[i]] = reading.amount[i]


@compiled
def _rows(reading: Any, weights: Any) -> Any:
    rows = np.zeros((reading.row_begin.size - 1, weights.shape[1]), np.float32)
    for row in range(len(rows)):
        for i in range(reading.row_begin[row], reading.row_begin[row + 1]):
            for unit in range(weights.shape[1]):
                rows[row, unit] += reading.amount[i] * weights[reading.input[i], unit]
    return rows
