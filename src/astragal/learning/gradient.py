"""Gradient steps on batches of positions: any number of layers, Adam or plain.

With one output the target is the chance of winning, with several that of each outcome. The first
layer adds up the rows of the inputs that are on, few of many; the others are products of matrices,
for each phase of the game that the net tells apart.
Letters for shapes: B positions, H units of a layer, K outputs, S phases, 1 if none are told apart,
P weights and biases in all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions
from astragal.learning.kernels.batches import (
    adam,
    write_first_slopes,
    write_first_sums,
    write_inputs,
)
from astragal.learning.kernels.vectors import LANES
from astragal.learning.learner import State
from astragal.values.network import Activation, Floats, Layer, NetworkValues, as_sigmoids

Optimiser: TypeAlias = Literal["adam", "sgd"]
Rates: TypeAlias = Literal["even", "width"]

ADAMS_FLOOR = 1e-8  # as its authors have it
_FEW = 8  # inputs; a layer with more of them learns more slowly where rates go by width


class BatchTrainer:
    """A net that is changed in steps."""

    def __init__(
        self,
        net: NetworkValues,
        optimiser: Optimiser = "adam",
        rates: Rates = "even",
        floor: float = ADAMS_FLOOR,
    ) -> None:
        self._features, self._activation = net.features, net.activation
        self._has_phases, self._phases = net.has_phases, len(net.by_phase)
        self._optimiser: Optimiser = optimiser
        self._floor = floor
        self._units = net.layers[0].units
        layers = _padded(net.layers)
        self._weights = np.concatenate([part.ravel() for layer in layers for part in layer])
        self._slopes = np.zeros_like(self._weights)
        self._means, self._squares = np.zeros_like(self._weights), np.zeros_like(self._weights)
        self._average = self._weights.copy()
        self._steps = 0
        shapes = [part.shape for layer in layers for part in layer]
        self._layers = _cut(self._weights, shapes)
        self._memories = [_cut(memory, shapes) for memory in (self._means, self._squares)]
        self._average_layers = _cut(self._average, shapes)
        self._spans = _spans(self._layers)
        self._rates = [
            _share_of_rate(layer, is_first=number == 0) if rates == "width" else 1.0
            for number, layer in enumerate(self._layers)
        ]
        self._layer_slopes = _cut(self._slopes, shapes)
        self._room: _Room | None = None

    @property
    def net(self) -> NetworkValues:
        """The net as it is now."""
        return self._net_of(self._layers)

    @property
    def phases(self) -> int:
        """How many phases of the game have layers of their own; 1 if none have."""
        return self._phases

    @property
    def steps(self) -> int:
        """How many steps it has taken."""
        return self._steps

    @property
    def average(self) -> NetworkValues:
        """The net whose weights are the average that `blend` makes."""
        return self._net_of(self._average_layers)

    def blend(self, kept: float) -> None:
        """Of the average of the weights so much is kept, the rest comes from those of now."""
        self._average *= np.float32(kept)
        self._average += np.float32(1 - kept) * self._weights

    def _net_of(self, layers: Sequence[_Parts]) -> NetworkValues:
        parts = [[weights.copy(), biases.copy()] for weights, biases in layers]
        if len(parts) > 1:
            parts[0] = [part[..., : self._units].copy() for part in parts[0]]
            parts[1][0] = parts[1][0][:, : self._units].copy()
        if not self._has_phases:
            parts[1:] = [[part[0] for part in each] for each in parts[1:]]
        made = tuple(Layer(weights, biases) for weights, biases in parts)
        return NetworkValues(self._features, made, self._activation)

    def step(self, positions: Positions, targets: Floats, alpha: float) -> float:
        """One step towards the targets [B, K] of positions [B, W]; the loss before it."""
        # Products may also look at what lies beside the numbers, and find it to be none.
        with np.errstate(invalid="ignore"):
            loss = self.find_slopes(positions, targets)
        self._steps += 1
        for span, share in zip(self._spans, self._rates, strict=True):
            weights, slopes = self._weights[span], self._slopes[span]
            if self._optimiser == "adam":
                memory = self._means[span], self._squares[span]
                adam(weights, slopes, *memory, self._steps, alpha * share, self._floor)
            else:
                weights -= np.float32(alpha * share) * slopes
        return loss

    def find_slopes(self, positions: Positions, targets: Floats) -> float:
        """Works out the slopes of the loss, which is the mean cross-entropy; the loss itself."""
        room = self._room_for(len(positions))
        order, spans = self._forward(positions, room)
        targets = targets if order is None else targets[order]
        loss = _write_slopes(room.values[-1], targets, room.slopes[-1])
        for number in range(len(self._layers) - 1, 0, -1):
            for phase, span in enumerate(spans):
                self._find_phase_slopes(room, number, phase, span)
            _flatten(room.slopes[number - 1], room.values[number - 1], self._activation)
        found = self._layer_slopes[0]
        write_first_slopes(*room.inputs, room.slopes[0], found.weights)
        np.matmul(room.ones, room.slopes[0], out=found.biases)
        return loss

    def _find_phase_slopes(self, room: _Room, number: int, phase: int, span: slice) -> None:
        """Works out the slopes of a layer in one phase, and of what the layer before says there."""
        found, weights = self._layer_slopes[number], self._layers[number].weights[phase]
        if span.start == span.stop:
            found.weights[phase], found.biases[phase] = 0, 0
            return
        before, slopes = room.values[number - 1][span], room.slopes[number][span]
        earlier = room.slopes[number - 1][span]
        np.matmul(before.T, slopes, out=found.weights[phase])
        np.matmul(room.ones[span], slopes, out=found.biases[phase])
        if weights.shape[1] == 1:  # a product of matrices is slow at this
            np.multiply(slopes, weights.T, out=earlier)
        else:
            np.matmul(slopes, weights.T, out=earlier)

    def _forward(self, positions: Positions, room: _Room) -> _Sorted:
        """Writes what the units of every hidden layer say, and the sums of the last.

        Positions of a phase come together.
        """
        seen = self._features.seen(positions)
        order, spans = None, [slice(0, len(positions))]
        if self._has_phases:
            phases = self._features.phases(seen)
            order = np.argsort(phases, kind="stable")
            ends = np.cumsum(np.bincount(phases, minlength=self._phases)).tolist()
            spans = [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]
            seen = seen[order]
        write_inputs(self._features.reading, np.ascontiguousarray(seen), *room.inputs)
        first, *others = self._layers
        write_first_sums(first.weights, first.biases, *room.inputs, room.values[0])
        for number, layer in enumerate(others, 1):
            before, sums = room.values[number - 1 : number + 1]
            _activate(before, self._activation)
            for span, weights, biases in zip(spans, layer.weights, layer.biases, strict=True):
                np.matmul(before[span], weights, out=sums[span])
                sums[span] += biases
        return order, spans

    def _room_for(self, count: int) -> _Room:
        """Room for so many positions; new memory at every step would cost more than the sums do."""
        if self._room is None or len(self._room.ones) < count:
            units = [layer.biases.shape[-1] for layer in self._layers]
            self._room = _Room.of(count, self._features.most_active, units)
        return self._room.for_first(count)

    def wake(self, positions: Positions, luck: np.random.Generator) -> int:
        """Gives ReLU units that are silent in all these positions new weights; how many were.

        Such a unit is silent for ever otherwise: no slope leads out. What it says is unheard at
        first, so the net still says the same. The average of what it was gets the same weights:
        half of a unit and half of another would be neither. Phases that have less than half their
        share of the positions are left alone.
        """
        if self._activation != "relu":
            return 0
        room = self._room_for(len(positions))
        _, spans = self._forward(positions, room)
        first = _silent(room.values[0])
        woken = self._wake_units(0, None, slice(None), first[first < self._units], luck)
        for number in range(1, len(self._layers) - 1):
            for phase, span in enumerate(spans):
                if span.stop - span.start >= len(positions) / (2 * self._phases):
                    heard = room.values[number - 1][span].mean(axis=0)
                    silent = _silent(room.values[number][span])
                    woken += self._wake_units(number, heard, phase, silent, luck)
        return woken

    def _wake_units(
        self,
        number: int,
        heard: Floats | None,
        phase: int | slice,
        silent: NDArray[np.int64],
        luck: np.random.Generator,
    ) -> int:
        """Gives units of a layer new weights, given what it hears; of the first layer, nothing."""
        if len(self._layers) == 1:
            return 0
        inputs = self._layers[number].weights.shape[-2]
        new = np.empty((inputs, len(silent)), np.float32)
        for column in range(len(silent)):
            new[:, column] = _new_weights(inputs, heard, luck)
        kinds, nothing = (self._layers, self._average_layers, *self._memories), np.zeros_like(new)
        for layers, weights in zip(kinds, (new, new, nothing, nothing), strict=True):
            own = layers[0] if number == 0 else layers[number].of(phase)
            own.weights[:, silent] = weights
            own.biases[silent] = 0
            layers[number + 1].weights[phase, silent] = 0
        return len(silent)

    def state(self) -> State:
        """Weights and memory, as arrays by name."""
        return {
            "trainer weights": self._weights,
            "trainer average": self._average,
            "trainer means": self._means,
            "trainer squares": self._squares,
            "trainer steps": np.array([self._steps]),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        self._weights[:] = state["trainer weights"]
        self._average[:] = state["trainer average"]
        self._means[:] = state["trainer means"]
        self._squares[:] = state["trainer squares"]
        self._steps = int(state["trainer steps"][0])


class _Inputs(NamedTuple):
    """Those that are on."""

    which: NDArray[np.uint64]  # [B, A]
    amounts: Floats  # [B, A]
    counts: NDArray[np.int64]  # [B]

    def for_first(self, count: int) -> _Inputs:
        """Those of so many of the positions."""
        return _Inputs(self.which[:count], self.amounts[:count], self.counts[:count])


class _Room(NamedTuple):
    """Where a step is worked out."""

    inputs: _Inputs
    values: list[Floats]  # [layers][B, H] what units say, and at the end the last layer's sums
    slopes: list[Floats]  # [layers][B, H] of the loss, with respect to the sums of each layer
    ones: Floats  # [B]

    def for_first(self, count: int) -> _Room:
        """The same, for so many of the positions."""
        return _Room(
            self.inputs.for_first(count),
            [part[:count] for part in self.values],
            [part[:count] for part in self.slopes],
            self.ones[:count],
        )

    @staticmethod
    def of(count: int, active: int, units: Sequence[int]) -> _Room:
        """Room for so many positions, inputs that are on, and units in each layer."""
        shape = count, active
        return _Room(
            _Inputs(
                np.empty(shape, np.uint64), np.empty(shape, np.float32), np.empty(count, np.int64)
            ),
            [np.empty((count, size), np.float32) for size in units],
            [np.empty((count, size), np.float32) for size in units],
            np.ones(count, np.float32),
        )


class _Parts(NamedTuple):
    """A layer's weights and biases, or their slopes; but for the first, those of each phase."""

    weights: Floats  # [S, inputs, H]
    biases: Floats  # [S, H]

    def of(self, phase: int | slice) -> _Parts:
        """Those of one phase, as views."""
        return _Parts(self.weights[phase], self.biases[phase])


_Sorted: TypeAlias = tuple[NDArray[np.int64] | None, list[slice]]
"""How positions are sorted by phase, if they are, and where those of each phase then stand."""


def _padded(layers: Sequence[Layer]) -> list[_Parts]:
    """The layers, the first with as many units as compiled code wants: nobody hears the new."""
    parts = [_Parts(layer.weights, layer.biases) for layer in layers]
    if not layers[-1].has_phases:
        parts[1:] = [
            _Parts(part.weights[np.newaxis], part.biases[np.newaxis]) for part in parts[1:]
        ]
    more = -parts[0].biases.size % LANES
    wider = np.pad(parts[0].weights, [(0, 0), (0, more)])
    parts[0] = _Parts(wider, np.pad(parts[0].biases, (0, more)))
    if len(parts) > 1:
        deeper = np.pad(parts[1].weights, [(0, 0), (0, more), (0, 0)])
        parts[1] = parts[1]._replace(weights=deeper)
    return parts


def _spans(layers: Sequence[_Parts]) -> list[slice]:
    """Where each layer stands among all weights and biases [P]."""
    ends = np.cumsum([layer.weights.size + layer.biases.size for layer in layers]).tolist()
    return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


def _share_of_rate(layer: _Parts, is_first: bool) -> float:
    """How much of the rate a layer learns at, by how many inputs it listens to.

    Adam moves every weight by about as much, and what ReLU units say is never below zero, so the
    sum of a unit that hears hundreds of them would jump far at a step, and perhaps fall silent for
    ever. Of the first layer's inputs few are on.
    """
    return 1.0 if is_first else min(1.0, _FEW / layer.weights.shape[-2])


def _silent(values: Floats) -> NDArray[np.int64]:
    """The units that say nothing in any of the positions [B, H]."""
    return np.flatnonzero(values.max(axis=0) <= 0)


def _new_weights(inputs: int, heard: Floats | None, luck: np.random.Generator) -> Floats:
    """Weights [inputs] with which a unit speaks, given what it hears on average; None of inputs."""
    few = inputs if heard is not None else min(inputs, 30)  # of the first layer's, few are on
    weights = luck.normal(0, math.sqrt(2 / few), inputs).astype(np.float32)
    return weights if heard is None or weights @ heard > 0 else -weights


def _cut(numbers: Floats, shapes: Sequence[tuple[int, ...]]) -> list[_Parts]:
    """The layers that stand one after the other in numbers [P], as views."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    cuts = np.split(numbers, ends[:-1])
    views = [cut.reshape(shape) for cut, shape in zip(cuts, shapes, strict=True)]
    return [_Parts(*pair) for pair in zip(views[::2], views[1::2], strict=True)]


def _activate(sums: Floats, activation: Activation) -> None:
    """Turns sums [B, H] into what the units say, in place."""
    if activation == "relu":
        np.maximum(sums, 0, out=sums)
    elif activation == "tanh":
        np.tanh(sums, out=sums)
    else:
        as_sigmoids(sums)


def _flatten(slopes: Floats, values: Floats, activation: Activation) -> None:
    """Turns slopes [B, H] of what units say into those of their sums, in place."""
    if activation == "relu":
        slopes *= values > 0
    elif activation == "tanh":
        slopes *= 1 - values**2
    else:
        slopes *= values * (1 - values)


def _write_slopes(sums: Floats, targets: Floats, slopes: Floats) -> float:
    """Writes the slopes [B, K] of the mean cross-entropy with respect to the sums; the mean."""
    if sums.shape[1] == 1:
        losses = np.logaddexp(0, sums) - targets * sums
        np.subtract(as_sigmoids(sums), targets, out=slopes)
    else:
        sums -= sums.max(axis=1, keepdims=True)
        odds = np.exp(sums)
        total = odds.sum(axis=1, keepdims=True)
        losses = targets * (np.log(total) - sums)
        np.subtract(odds / total, targets, out=slopes)
    slopes /= len(sums)
    return float(losses.sum() / len(sums))
