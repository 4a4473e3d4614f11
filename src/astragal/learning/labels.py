"""Better values than the net's own: what the best plays lead to, over all rolls or for one.

The first layer is worked out for what each play changes only; the other layers, of which there may
be any number, for many plays at once. With one hidden layer a play is worked out to the end.
Letters for shapes: n positions, R rolls, N plays of all of them, H units, K outputs of the net.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions, Rolls
from astragal.games.kernels import UNFINISHED
from astragal.learning.kernels.changes import changes_of
from astragal.learning.kernels.labels import (
    FirstLayer,
    Scout,
    best_plays,
    label_at_once,
    spread_plays,
)
from astragal.learning.kernels.plays import ACTIVATIONS, laid_out, new_scratch
from astragal.learning.kernels.vectors import LANES
from astragal.values.network import NetworkValues
from astragal.values.signs import phase_sign_of
from astragal.values.values import Aim, score_for

_ROWS_AT_ONCE = 4096  # so that what is worked out stays in the processor's cache

Targets = NDArray[np.float32]  # [n, K] as the net's outputs: of winning, or of every outcome


class Labels(NamedTuple):
    """What look-ahead says of positions, for the player about to roll."""

    targets: Targets  # the expectation over the rolls
    plays: NDArray[np.int64]  # [n, R] the best play of each roll, by its number among the roll's
    by_roll: NDArray[np.float32]  # [n, R, K] what that leads to
    seen: Positions  # [S, W] unfinished boards that the net looked at; none if it is done at once
    told: Targets  # [S, K] what it says of them to whoever rolls next

    def luck(self, rolls: Rolls) -> Targets:
        """How much better what each roll [n] leads to is than what rolls lead to on average."""
        luck: Targets = self.by_roll[np.arange(len(rolls)), rolls] - self.targets
        return luck


@dataclass(frozen=True, eq=False)
class Labeller:
    """Looks one ply ahead with a net, playing for points or for wins alone.

    Where a scout is given, a net of one hidden layer with one output that reads no signs, only the
    `kept` plays of each roll that it likes best are looked at by the net itself, and of these only
    those whose log odds it finds within a `margin` of the best.
    """

    net: NetworkValues
    aim: Aim = "points"
    scout: NetworkValues | None = None
    kept: int = 1
    margin: float = np.inf
    tells_seen: bool = False
    """Whether it is to tell what it has seen, even of a net that could be done at once."""

    @cached_property
    def _changes(self) -> Any:
        return changes_of(self.net.features, has_pairs=is_shallow(self.net))

    @cached_property
    def _first(self) -> Any:
        return first_layer_of(self.net)

    @cached_property
    def _scratch(self) -> Any:
        return new_scratch(self.net.game.rules, self.net.layers[0].units)

    @cached_property
    def _scout(self) -> Any:
        """The scout as compiled code has it, which sees the same boards, or None."""
        if self.scout is None:
            return None
        own, shared = (
            new_scratch(self.net.game.rules, self.scout.layers[0].units),
            {
                name: getattr(self._scratch, name)
                for name in ("room", "position", "turned", "empty")
            },
        )
        changes = changes_of(self.scout.features, has_pairs=True)
        highest = np.empty(self.kept, np.float32)
        return Scout(
            changes,
            laid_out(self.scout),
            own._replace(**shared),
            highest,
            np.float32(self.margin),
        )

    @cached_property
    def outcomes(self) -> NDArray[np.float32]:
        """What the net should say [points, K] of finished games, by points less the lowest."""
        return outcome_targets(self.net)

    def label(self, positions: Positions, rolls: Rolls | None = None) -> Labels:
        """What the best plays of unfinished positions [n, W] lead to, for all rolls or one [n]."""
        game = self.net.game
        chances = np.ones(1) if rolls is not None else game.chances
        given = np.arange(len(chances)) if rolls is None else rolls[:, np.newaxis]
        asked = _Asked(
            np.ascontiguousarray(np.concatenate([positions, positions[:1]])),
            np.ascontiguousarray(np.broadcast_to(given, (len(positions), len(chances))), np.int64),
            chances.astype(np.float32),
        )
        if is_shallow(self.net) and self.scout is None and not self.tells_seen:
            return self._label_at_once(asked)
        most = len(chances) * game.rules.most_afterstates
        room = _Room.of(self._first.empty.size, game.width, max(_ROWS_AT_ONCE, most) + most)
        parts, begin = [], 0
        while begin < len(positions):
            begin, part = self._label_some(asked, begin, room)
            parts.append(part)
        if not parts:
            return _no_labels(len(chances), self.net)
        return Labels(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _label_at_once(self, asked: _Asked) -> Labels:
        count, rolls = asked.rolls.shape
        labels = Labels(
            np.empty((count, 1), np.float32),
            np.empty((count, rolls), np.int64),
            np.empty((count, rolls, 1), np.float32),
            *_nothing_seen(self.net),
        )
        rules, net = self.net.game.rules, laid_out(self.net)
        label_at_once(rules, self._changes, net, self._scratch, *asked, *labels[:3])
        return labels

    def _label_some(self, asked: _Asked, begin: int, room: _Room) -> tuple[int, Labels]:
        """Where the next positions begin, and the labels of as many as there was room for."""
        rules, net = self.net.game.rules, (self._changes, self._first, self._scratch)
        count = len(asked.rolls)
        done, used = spread_plays(
            rules, *net, self._scout, asked.positions, asked.rolls, begin, count, *room
        )
        hidden = room.hidden[:used, : self.net.layers[0].units]
        outputs = self.net.outputs_of(hidden, room.phase[:used])
        targets, plays, by_roll = best_plays(
            outputs,
            room.outcome,
            room.turn_passes,
            room.number,
            room.first,
            done - begin,
            self.outcomes,
            output_scores(self.net, self.aim),
            asked.chances,
        )
        is_open = room.outcome[:used] == UNFINISHED
        seen = room.boards[:used][is_open]
        return done, Labels(targets, plays, by_roll, seen, outputs[is_open])


class _Asked(NamedTuple):
    """What labels are wanted for."""

    positions: Positions  # [n + 1, W] the last is there to be read beyond
    rolls: NDArray[np.int64]  # [n, R]
    chances: NDArray[np.float32]  # [R] of each of them


def is_shallow(net: NetworkValues) -> bool:
    """Whether a net has one hidden layer, one output, and reads no signs."""
    has_one_output = len(net.layers) == 2 and net.outputs == 1
    return has_one_output and not net.features.sign_groups


def first_layer_of(net: NetworkValues) -> FirstLayer:
    """The net's first layer as compiled code has it."""
    rows, empty = net.first_rows
    more = [(0, 0), (0, -empty.size % LANES)]
    return FirstLayer(
        activation=ACTIVATIONS[net.activation],
        rows=np.pad(rows, more),
        empty=np.pad(empty, more[1]),
        phase_sign=phase_sign_of(net.game) or 0,
    )


class _Room(NamedTuple):
    """Room for the plays of some positions."""

    hidden: NDArray[np.float32]  # [N, H] the first layer's values
    boards: Positions  # [N, W]
    outcome: NDArray[np.int8]  # [N]
    turn_passes: NDArray[np.bool_]  # [N]
    number: NDArray[np.int64]  # [N] which of all plays of its roll each is
    phase: NDArray[np.int8]  # [N] of the game, where signs are read and tell it
    first: NDArray[np.int64]  # [n * R + 1] the first play of each position and roll

    @staticmethod
    def of(length: int, width: int, rows: int) -> _Room:
        return _Room(
            np.empty((rows, length), np.float32),
            np.empty((rows, width), np.int8),
            np.empty(rows, np.int8),
            np.empty(rows, np.bool_),
            np.empty(rows, np.int64),
            np.empty(rows, np.int8),
            np.empty(rows + 1, np.int64),
        )


def outcome_targets(net: NetworkValues) -> NDArray[np.float32]:
    """What the net should say [points, K] of finished games, by points less the lowest."""
    points = np.arange(net.game.outcomes[0], net.game.outcomes[-1] + 1)
    if net.outputs == 1:
        return ((1 + np.sign(points)) / 2).astype(np.float32)[:, np.newaxis]
    return (points[:, np.newaxis] == np.array(net.game.outcomes)).astype(np.float32)


def aim_of(net: NetworkValues) -> Aim:
    """What a net learns to play for."""
    return "win" if net.outputs == 1 else "points"


def output_scores(net: NetworkValues, aim: Aim) -> NDArray[np.float32]:
    """What each output [K] counts; the best play has the highest sum."""
    if net.outputs == 1:
        return np.ones(1, np.float32)
    return score_for(net.game, aim).astype(np.float32)


def _no_labels(rolls: int, net: NetworkValues) -> Labels:
    return Labels(
        np.empty((0, net.outputs), np.float32),
        np.empty((0, rolls), np.int64),
        np.empty((0, rolls, net.outputs), np.float32),
        *_nothing_seen(net),
    )


def _nothing_seen(net: NetworkValues) -> tuple[Positions, Targets]:
    return np.empty((0, net.game.width), np.int8), np.empty((0, net.outputs), np.float32)
