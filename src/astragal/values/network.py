"""Nets as value functions: a sparse first layer, then dense ones, then chances of outcomes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import bits_of_float, float_of_bits
from astragal.games.game import Game, Positions
from astragal.values.features import Features, row_of
from astragal.values.values import Chances, chances_of_winning

Activation: TypeAlias = Literal["sigmoid", "tanh", "relu"]
Floats: TypeAlias = NDArray[np.float32]

_PARTS = ("weights", "biases")
_ROWS_AT_ONCE = 2048  # so that a layer's values stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights [inputs, units] and biases [units], or those of each phase of the game [P, ...]."""

    weights: Floats
    biases: Floats

    @property
    def units(self) -> int:
        """How many units it has."""
        return self.biases.shape[-1]

    @property
    def has_phases(self) -> bool:
        """Whether each phase of the game has a layer of its own."""
        return self.biases.ndim == 2

    def of(self, phase: int) -> Layer:
        """The layer of a phase."""
        return Layer(self.weights[phase], self.biases[phase]) if self.has_phases else self


@dataclass(frozen=True, eq=False)
class NetworkValues:
    """The chances that a net gives: of winning alone if it has one output, else of each outcome.

    Each phase of the game may have layers of its own behind the first, which all share.
    """

    features: Features
    layers: tuple[Layer, ...]
    activation: Activation = "sigmoid"
    name: str = "net"

    @property
    def game(self) -> Game:
        """The game of its features."""
        return self.features.game

    @property
    def outputs(self) -> int:
        """How many outputs it has."""
        return self.layers[-1].units

    @property
    def has_phases(self) -> bool:
        """Whether phases of the game have layers of their own."""
        return self.layers[-1].has_phases

    @cached_property
    def by_phase(self) -> tuple[NetworkValues, ...]:
        """The net of each phase; of itself alone, if there are none."""
        if not self.has_phases:
            return (self,)
        phases = range(len(self.layers[-1].biases))
        return tuple(
            replace(self, layers=tuple(layer.of(phase) for layer in self.layers))
            for phase in phases
        )

    @cached_property
    def first_rows(self) -> tuple[Floats, Floats]:
        """What each row of the features adds to an empty board [R, H], and what that gives [H]."""
        first, reading = self.layers[0], self.features.reading
        rows = self.features.rows(first.weights)
        begins = reading.first_row
        empty: Floats = first.biases + rows[begins].sum(axis=0)
        lengths = np.diff(begins, append=len(rows))
        return rows - np.repeat(rows[begins], lengths, axis=0), empty

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] for the player about to roll."""
        parts = [
            self._outputs(np.ascontiguousarray(positions[begin : begin + _ROWS_AT_ONCE]))
            for begin in range(0, len(positions), _ROWS_AT_ONCE)
        ]
        outputs = np.concatenate(parts or [np.empty((0, self.outputs), np.float32)])
        if outputs.shape[1] == 1:
            return chances_of_winning(self.game, outputs[:, 0])
        return outputs.astype(np.float64)

    def _outputs(self, positions: Positions) -> Floats:
        """The net's outputs [N, K or 1], as probabilities."""
        is_squashed = self.activation == "sigmoid" and len(self.layers) > 1
        seen = self.features.seen(positions)
        sums: Floats = first_layer(self.features.reading, *self.first_rows, seen, is_squashed)
        if len(self.layers) == 1:
            return _as_probabilities(sums)
        hidden = sums if is_squashed else _activated(sums, self.activation)
        return self.outputs_of(hidden, self.features.phases(seen) if self.has_phases else None)

    def outputs_of(self, hidden: Floats, phases: Positions | None = None) -> Floats:
        """The net's outputs [N, K or 1] for the values [N, H] of its first hidden layer.

        If it has phases, that of each position [N] is told.
        """
        if self.has_phases:
            assert phases is not None
            outputs = np.empty((len(hidden), self.outputs), np.float32)
            for phase, net in enumerate(self.by_phase):
                rows = np.flatnonzero(phases == phase)
                if rows.size:
                    outputs[rows] = net.outputs_of(hidden[rows])
            return outputs
        sums = hidden
        for number, layer in enumerate(self.layers[1:]):
            if number > 0:
                sums = _activated(sums, self.activation)
            # Products may also look at what lies beside the numbers, and find it to be none.
            with np.errstate(invalid="ignore"):
                sums = sums @ layer.weights + layer.biases
        return _as_probabilities(sums)


def net_of_phases(nets: Sequence[NetworkValues]) -> NetworkValues:
    """One net for all phases of a game, given that of each; they have the same first layer."""
    first, *others = zip(*(net.layers for net in nets), strict=True)
    layers = [
        Layer(*(np.stack([getattr(layer, part) for layer in each]) for part in _PARTS))
        for each in others
    ]
    return replace(nets[0], layers=(first[0], *layers))


@compiled
def first_layer(reading: Any, rows: Any, empty: Any, seen: Any, is_squashed: bool) -> Any:
    """The sums [N, H] of the first layer for what is seen of N positions, or their sigmoids."""
    sums = np.empty((len(seen), empty.size), np.float32)
    for n in range(len(seen)):
        for unit in range(empty.size):
            sums[n, unit] = empty[unit]
        for group in range(reading.first_row.size):
            row = row_of(reading, group, seen[n])
            if row != reading.first_row[group]:
                for unit in range(empty.size):
                    sums[n, unit] += rows[row, unit]
        if is_squashed:
            for unit in range(empty.size):
                sums[n, unit] = sigmoid(sums[n, unit])
    return sums


_LOG2_E = np.float32(1.44269504)
_ROUNDER = np.float32(1.5 * 2**23)  # added to a float32, it leaves no room for a fraction
_ROUNDER_BITS = np.int32(np.float32(1.5 * 2**23).view(np.int32))
_FARTHEST = np.float32(120)
_POWERS = tuple(np.float32(math.log(2) ** i / math.factorial(i)) for i in range(7))


@inlined
def sigmoid(number: Any) -> Any:
    """1 / (1 + exp(-number)) of a float32, off by at most 2e-7.

    Made of what every processor does with eight numbers at once, unlike the library's exp: two to
    a whole number is bits put in place, two to what is left a polynomial.
    """
    power = min(max(-number * _LOG2_E, -_FARTHEST), _FARTHEST)
    rounded = power + _ROUNDER
    left = power - (rounded - _ROUNDER)
    polynomial = _POWERS[6]
    polynomial = polynomial * left + _POWERS[5]
    polynomial = polynomial * left + _POWERS[4]
    polynomial = polynomial * left + _POWERS[3]
    polynomial = polynomial * left + _POWERS[2]
    polynomial = polynomial * left + _POWERS[1]
    polynomial = polynomial * left + _POWERS[0]
    whole = bits_of_float(rounded) - _ROUNDER_BITS
    scale = float_of_bits(np.int32((whole + np.int32(127)) << np.int32(23)))
    return _POWERS[0] / (_POWERS[0] + polynomial * scale)


def _as_probabilities(sums: Floats) -> Floats:
    return as_sigmoids(sums) if sums.shape[1] == 1 else _softmax(sums)


def _activated(sums: Floats, activation: Activation) -> Floats:
    if activation == "sigmoid":
        return as_sigmoids(sums)
    result: Floats = np.tanh(sums) if activation == "tanh" else np.maximum(sums, 0)
    return result


def as_sigmoids(sums: Floats) -> Floats:
    """The sigmoids of sums, in their place."""
    # In place: the sums are not used again, and new memory costs as much as the arithmetic.
    np.negative(sums, out=sums)
    with np.errstate(over="ignore"):  # infinite, and so a chance of 0, as it should be
        np.exp(sums, out=sums)
    sums += 1
    np.reciprocal(sums, out=sums)
    return sums


def _softmax(sums: Floats) -> Floats:
    sums -= sums.max(axis=1, keepdims=True)
    np.exp(sums, out=sums)
    sums /= sums.sum(axis=1, keepdims=True)
    return sums


def random_layers(sizes: list[int], luck: np.random.Generator, spread: float) -> tuple[Layer, ...]:
    """Layers of these sizes with normal weights of this spread, and biases of zero."""
    return tuple(
        Layer(
            luck.normal(0, spread, (before, after)).astype(np.float32),
            np.zeros(after, np.float32),
        )
        for before, after in itertools.pairwise(sizes)
    )
