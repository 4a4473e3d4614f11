"""Gradient steps on batches of positions: any number of layers, Adam or plain.

With one output the target is the chance of winning, with several that of each outcome. The first
layer adds up the rows of the inputs that are on, few of many; the others are products of matrices.
Letters for shapes: B positions, H units of a layer, K outputs, P weights and biases in all.
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

_FEW = 8  # inputs; a layer with more of them learns more slowly where rates go by width


class BatchTrainer:
    """A net that is changed in steps."""

    def __init__(
        self, net: NetworkValues, optimiser: Optimiser = "adam", rates: Rates = "even"
    ) -> None:
        self._features, self._activation = net.features, net.activation
        self._optimiser: Optimiser = optimiser
        self._units = net.layers[0].biases.size
        layers = _padded(net.layers)
        self._weights = np.concatenate([part.ravel() for layer in layers for part in layer])
        self._slopes = np.zeros_like(self._weights)
        self._means, self._squares = np.zeros_like(self._weights), np.zeros_like(self._weights)
        self._average = self._weights.copy()
        self._steps = 0
        self._shapes = shapes = [part.shape for layer in layers for part in layer]
        self._layers = _cut(self._weights, shapes)
        self._memories = [_cut(memory, shapes) for memory in (self._means, self._squares)]
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
    def average(self) -> NetworkValues:
        """The net whose weights are the average that `blend` makes."""
        return self._net_of(_cut(self._average, self._shapes))

    def blend(self, kept: float) -> None:
        """Of the average of the weights so much is kept, the rest comes from those of now."""
        self._average *= np.float32(kept)
        self._average += np.float32(1 - kept) * self._weights

    def _net_of(self, layers: Sequence[_Parts]) -> NetworkValues:
        parts = [[weights.copy(), biases.copy()] for weights, biases in layers]
        if len(parts) > 1:
            parts[0] = [part[..., : self._units].copy() for part in parts[0]]
            parts[1][0] = parts[1][0][: self._units].copy()
        made = tuple(Layer(weights, biases) for weights, biases in parts)
        return NetworkValues(self._features, made, self._activation)

    def step(self, positions: Positions, targets: Floats, alpha: float) -> float:
        """One step towards the targets [B, K] of positions [B, W]; the loss before it."""
        loss = self.find_slopes(positions, targets)
        self._steps += 1
        for span, share in zip(self._spans, self._rates, strict=True):
            weights, slopes = self._weights[span], self._slopes[span]
            if self._optimiser == "adam":
                memory = self._means[span], self._squares[span]
                adam(weights, slopes, *memory, self._steps, alpha * share)
            else:
                weights -= np.float32(alpha * share) * slopes
        return loss

    def find_slopes(self, positions: Positions, targets: Floats) -> float:
        """Works out the slopes of the loss, which is the mean cross-entropy; the loss itself."""
        room = self._room_for(len(positions))
        self._forward(positions, room)
        loss = _write_slopes(room.values[-1], targets, room.slopes[-1])
        for number in range(len(self._layers) - 1, 0, -1):
            before, earlier, slopes = room.values[number - 1], *room.slopes[number - 1 : number + 1]
            found, weights = self._layer_slopes[number], self._layers[number].weights
            np.matmul(before.T, slopes, out=found.weights)
            np.matmul(room.ones, slopes, out=found.biases)
            if weights.shape[1] == 1:  # a product of matrices is slow at this
                np.multiply(slopes, weights.T, out=earlier)
            else:
                np.matmul(slopes, weights.T, out=earlier)
            _flatten(earlier, before, self._activation)
        found = self._layer_slopes[0]
        write_first_slopes(*room.inputs, room.slopes[0], found.weights)
        np.matmul(room.ones, room.slopes[0], out=found.biases)
        return loss

    def _forward(self, positions: Positions, room: _Room) -> None:
        """Writes what the units of every hidden layer say, and the sums of the last."""
        seen = np.ascontiguousarray(self._features.seen(positions))
        write_inputs(self._features.reading, seen, *room.inputs)
        first, *others = self._layers
        write_first_sums(first.weights, first.biases, *room.inputs, room.values[0])
        for number, layer in enumerate(others, 1):
            _activate(room.values[number - 1], self._activation)
            np.matmul(room.values[number - 1], layer.weights, out=room.values[number])
            room.values[number] += layer.biases

    def _room_for(self, count: int) -> _Room:
        """Room for so many positions; new memory at every step would cost more than the sums do."""
        if self._room is None or len(self._room.ones) < count:
            units = [layer.biases.size for layer in self._layers]
            self._room = _Room.of(count, self._features.most_active, units)
        return self._room.for_first(count)

    def wake(self, positions: Positions, luck: np.random.Generator) -> int:
        """Gives ReLU units that are silent in all these positions new weights; how many were.

        Such a unit is silent for ever otherwise: no slope leads out. What it says is unheard at
        first, so the net still says the same.
        """
        if self._activation != "relu":
            return 0
        room, woken = self._room_for(len(positions)), 0
        self._forward(positions, room)
        for number, values in enumerate(room.values[:-1]):
            silent = np.flatnonzero(values.max(axis=0) <= 0)
            silent = silent[silent < self._units] if number == 0 else silent
            heard = room.values[number - 1].mean(axis=0) if number > 0 else None
            for layers in (self._layers, *self._memories):
                layers[number].weights[:, silent] = 0
                layers[number].biases[silent] = 0
                layers[number + 1].weights[silent] = 0
            weights = self._layers[number].weights
            for unit in silent:
                weights[:, unit] = _new_weights(len(weights), heard, luck)
            woken += len(silent)
        return woken

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
    """A layer's weights and biases, or their slopes."""

    weights: Floats
    biases: Floats


def _padded(layers: Sequence[Layer]) -> list[_Parts]:
    """The layers, the first with as many units as compiled code wants: nobody hears the new."""
    parts = [_Parts(layer.weights, layer.biases) for layer in layers]
    more = -parts[0].biases.size % LANES
    wider = np.pad(parts[0].weights, [(0, 0), (0, more)])
    parts[0] = _Parts(wider, np.pad(parts[0].biases, (0, more)))
    if len(parts) > 1:
        parts[1] = parts[1]._replace(weights=np.pad(parts[1].weights, [(0, more), (0, 0)]))
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
    return 1.0 if is_first else min(1.0, _FEW / layer.weights.shape[0])


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
