"""Better values than the net's own: the expectation over all rolls of what the best play leads to.

The first layer is worked out for what each play changes only; the other layers, of which there may
be any number, for many plays at once.
Letters for shapes: n positions, R rolls, N plays of all of them, H units, K outputs of the net.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, copy_bytes
from astragal.games.game import Positions
from astragal.games.kernels import write_afterstates
from astragal.learning.changes import changes_at, changes_of, find_rows
from astragal.learning.plays import ACTIVATIONS, activate, new_scratch, scratch_at, turn_board
from astragal.learning.vectors import LANES, add_rows
from astragal.values.network import NetworkValues
from astragal.values.values import Aim, score_for

_ROWS_AT_ONCE = 4096  # so that what is worked out stays in the processor's cache
_1, _FLOAT = np.uint64(1), np.uint64(4)

Targets = NDArray[np.float32]  # [n, K] as the net's outputs: of winning, or of every outcome


class Labels(NamedTuple):
    """What look-ahead says of positions, for the player about to roll."""

    targets: Targets
    plays: NDArray[np.int64]  # [n, R] the best play of each roll, by its number among the roll's
    by_roll: NDArray[np.float32]  # [n, R, K] what that leads to


@dataclass(frozen=True, eq=False)
class Labeller:
    """Looks one ply ahead with a net, playing for points or for wins alone."""

    net: NetworkValues
    aim: Aim = "points"

    @cached_property
    def _changes(self) -> Any:
        return changes_of(self.net.features)

    @cached_property
    def _first(self) -> Any:
        return first_layer_of(self.net)

    @cached_property
    def _scratch(self) -> Any:
        return new_scratch(self.net.game.rules, self.net.layers[0].biases.size)

    @cached_property
    def outcomes(self) -> NDArray[np.float32]:
        """What the net should say [points, K] of finished games, by points less the lowest."""
        return outcome_targets(self.net)

    def label(self, positions: Positions) -> Labels:
        """What the best plays of all rolls lead to, of unfinished positions [n, W]."""
        game = self.net.game
        most = len(game.rolls) * game.rules.most_afterstates
        room = _Room.of(self._first.empty.size, max(_ROWS_AT_ONCE, most) + most)
        parts, begin = [], 0
        held = np.zeros((len(positions) + 1, game.width), np.int8)
        held[:-1] = positions
        while begin < len(positions):
            end, part = self._label_some(held, begin, len(positions), room)
            parts.append(part)
            begin = end
        if not parts:
            return _no_labels(len(game.rolls), self.net.layers[-1].biases.size)
        return Labels(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _label_some(
        self, positions: Positions, begin: int, end: int, room: _Room
    ) -> tuple[int, Labels]:
        """The labels of as many positions as there is room for, and where the next ones begin."""
        rules = self.net.game.rules
        done, used = spread_plays(
            rules, self._changes, self._first, self._scratch, positions, begin, end, *room
        )
        outputs = self.net.outputs_of(room.hidden[:used, : self.net.layers[0].biases.size])
        labels = _best_plays(
            outputs,
            room.outcome,
            room.turn_passes,
            room.first,
            done - begin,
            self.outcomes,
            output_scores(self.net, self.aim),
            self.net.game.chances.astype(np.float32),
        )
        return done, Labels(*labels)


class FirstLayer(NamedTuple):
    """What each row of the features adds to the first layer, a multiple of LANES long."""

    activation: int
    rows: NDArray[np.float32]  # [rows, H]
    empty: NDArray[np.float32]  # [H] the sums of an empty board


class _LayerAt(NamedTuple):
    """Where in memory a first layer is."""

    activation: Any
    length: Any
    rows: Any
    empty: Any


@inlined
def _layer_at(layer: Any) -> _LayerAt:
    return _LayerAt(
        layer.activation,
        np.uint64(layer.empty.size),
        address_of(layer.rows),
        address_of(layer.empty),
    )


def first_layer_of(net: NetworkValues) -> FirstLayer:
    """The net's first layer as compiled code has it."""
    rows, empty = net.first_rows
    more = [(0, 0), (0, -empty.size % LANES)]
    return FirstLayer(
        activation=ACTIVATIONS[net.activation],
        rows=np.pad(rows, more),
        empty=np.pad(empty, more[1]),
    )


class _Room(NamedTuple):
    """Room for the plays of some positions."""

    hidden: NDArray[np.float32]  # [N, H] the first layer's values
    outcome: NDArray[np.int8]  # [N]
    turn_passes: NDArray[np.bool_]  # [N]
    first: NDArray[np.int64]  # [n * R + 1] the first play of each position and roll

    @staticmethod
    def of(length: int, rows: int) -> _Room:
        return _Room(
            np.empty((rows, length), np.float32),
            np.empty(rows, np.int8),
            np.empty(rows, np.bool_),
            np.empty(rows + 1, np.int64),
        )


def outcome_targets(net: NetworkValues) -> NDArray[np.float32]:
    """What the net should say [points, K] of finished games, by points less the lowest."""
    points = np.arange(net.game.outcomes[0], net.game.outcomes[-1] + 1)
    if net.layers[-1].biases.size == 1:
        return ((1 + np.sign(points)) / 2).astype(np.float32)[:, np.newaxis]
    return (points[:, np.newaxis] == np.array(net.game.outcomes)).astype(np.float32)


def output_scores(net: NetworkValues, aim: Aim) -> NDArray[np.float32]:
    """What each output [K] counts; the best play has the highest sum."""
    if net.layers[-1].biases.size == 1:
        return np.ones(1, np.float32)
    return score_for(net.game, aim).astype(np.float32)


def _no_labels(rolls: int, outputs: int) -> Labels:
    return Labels(
        np.empty((0, outputs), np.float32),
        np.empty((0, rolls), np.int64),
        np.empty((0, rolls, outputs), np.float32),
    )


@compiled
def spread_plays(
    rules: Any,
    changes_held: Any,
    layer_held: Any,
    scratch: Any,
    positions: Any,
    begin: int,
    end: int,
    hidden: Any,
    outcome: Any,
    turn_passes: Any,
    first: Any,
) -> Any:
    """Writes the first layer's values for all plays of positions from `begin` on, to `end` at most.

    Where the next positions begin, and how many plays there are. Behind the last position there
    must be another row, which is not looked at.
    """
    changes, layer = changes_at(changes_held), _layer_at(layer_held)
    at, hidden_at = scratch_at(scratch), address_of(hidden)
    most = rules.roll_count * rules.most_afterstates
    used, group, stamp, n = 0, 0, np.uint64(0), begin
    changes_held.seen[:] = 0
    while n < end and used + most <= outcome.size:
        copy_bytes(at.position, address_of(positions) + np.uint64(n) * changes.width, changes.width)
        turn_board(at.position, at.turned, changes.width)
        _sum_rows(changes, layer, at.empty, layer.empty, at.position, at.own, stamp + _1)
        _sum_rows(changes, layer, at.empty, layer.empty, at.turned, at.other, stamp + _1 + _1)
        stamp += _1 + _1
        for roll in range(rules.roll_count):
            first[group] = used
            group += 1
            for play in range(write_afterstates(rules, scratch.position, roll, scratch.room, 0)):
                passes = scratch.room.turn_passes[play]
                outcome[used], turn_passes[used] = scratch.room.outcome[play], passes
                stamp += _1
                board = at.boards + np.uint64(play) * changes.width
                before, sums = (at.turned, at.other) if passes else (at.position, at.own)
                row = hidden_at + np.uint64(used) * layer.length * _FLOAT
                _sum_rows(changes, layer, before, sums, board, row, stamp)
                activate(layer.activation, row, layer.length)
                used += 1
        n += 1
    first[group] = used
    return n, used


@inlined
def _sum_rows(
    changes: Any, layer: Any, before: Any, sums: Any, board: Any, target: Any, stamp: Any
) -> None:
    """Writes the sums of a board, given those of one that is almost the same."""
    copy_bytes(target, sums, layer.length * _FLOAT)
    count = find_rows(changes, before, board, stamp)
    add_rows(target, layer.rows, layer.length, changes.found, changes.found_amount, count)


@compiled
def _best_plays(
    outputs: Any,
    outcome: Any,
    turn_passes: Any,
    first: Any,
    count: int,
    of_outcomes: Any,
    scores: Any,
    chances: Any,
) -> Any:
    kinds, rolls = outputs.shape[1], chances.size
    lowest = -(len(of_outcomes) // 2)
    targets = np.zeros((count, kinds), np.float32)
    plays = np.empty((count, rolls), np.int64)
    by_roll = np.empty((count, rolls, kinds), np.float32)
    told = np.empty(kinds, np.float32)
    for n in range(count):
        for roll in range(rolls):
            begin, end = first[n * rolls + roll], first[n * rolls + roll + 1]
            highest = np.float32(-np.inf)
            for play in range(begin, end):
                for k in range(kinds):
                    told[k] = outputs[play, k]
                if outcome[play] != -128:
                    for k in range(kinds):
                        told[k] = of_outcomes[outcome[play] - lowest, k]
                if turn_passes[play]:
                    _turn_round(told)
                score = np.float32(0)
                for k in range(kinds):
                    score += scores[k] * told[k]
                if score > highest:
                    highest = score
                    plays[n, roll] = play - begin
                    for k in range(kinds):
                        by_roll[n, roll, k] = told[k]
            for k in range(kinds):
                targets[n, k] += chances[roll] * by_roll[n, roll, k]
    return targets, plays, by_roll


@compiled
def _turn_round(told: Any) -> None:
    """One chance of winning, or those of all outcomes, seen from the other side."""
    kinds = told.size
    if kinds == 1:
        told[0] = np.float32(1) - told[0]
    for k in range(kinds // 2):
        told[k], told[kinds - 1 - k] = told[kinds - 1 - k], told[k]
