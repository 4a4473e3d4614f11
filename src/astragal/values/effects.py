"""What one piece on each place does to a net: a linear look, for people.

Letters for shapes: N positions, W places, I inputs, H units of the first layer, K outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions
from astragal.values.network import NetworkValues

Numbers: TypeAlias = NDArray[np.float64]

_MOST_POSITIONS = 400  # looked at for each place
_SMALLEST = 1e-9  # the least chance of either side, so that odds stay finite


@dataclass(frozen=True, eq=False)
class Effects:
    """What a piece does to each unit, and what each unit does to the log odds of winning."""

    weights: Numbers
    """[W, H] what one piece on a place adds to the sum of each unit; NaN where none was seen."""
    slopes: Numbers
    """[H] by how much the log odds rise for each 1 that is added to the sum of a unit."""

    @property
    def by_unit(self) -> Numbers:
        """[W, H] what one piece on a place adds to the log odds through each unit."""
        return self.weights * self.slopes

    @cached_property
    def total(self) -> Numbers:
        """[W] what one piece on a place adds to the log odds of winning."""
        return self.by_unit.sum(axis=1)


def piece_effects(net: NetworkValues, positions: Positions) -> Effects:
    """The effects of one piece in positions [N, W], on average over them.

    The weights are exact: among the positions with a piece on the place, what the first layer makes
    of one piece there less what it makes of none, all else as it is. Only positions that have one
    are asked, since on a shared square a piece cannot stand with one of the other side. The slopes
    are the derivatives of the log odds, averaged over all positions; so for a net without hidden
    layers and with one output, the total is just the difference of the log odds.
    """
    weights = [_weights(net, positions, place) for place in range(positions.shape[1])]
    return Effects(np.stack(weights), _slopes(net, positions).mean(axis=0))


def _weights(net: NetworkValues, positions: Positions, place: int) -> Numbers:
    """What one piece on the place adds to the sums [H] of the first layer."""
    having = positions[positions[:, place] > 0]
    having = having[:: max(len(having) // _MOST_POSITIONS, 1)].copy()
    if not len(having):
        return np.full(net.layers[0].units, np.nan)
    means = []
    for count in (0, 1):
        having[:, place] = count
        means.append(net.features.dense(having).mean(axis=0, dtype=np.float64))
    result: Numbers = (means[1] - means[0]) @ net.layers[0].weights.astype(np.float64)
    return result


def _slopes(net: NetworkValues, positions: Positions) -> Numbers:
    """The derivatives [N, H] of the log odds by the sums of the first layer."""
    inputs = net.features.dense(positions)
    if not net.has_phases:
        return _slopes_of_inputs(net, inputs)
    phases = net.features.phases(net.features.seen(positions))
    slopes = np.empty((len(inputs), net.layers[0].units))
    for phase, each in enumerate(net.by_phase):
        rows = phases == phase
        slopes[rows] = _slopes_of_inputs(each, inputs[rows])
    return slopes


def _slopes_of_inputs(net: NetworkValues, inputs: NDArray[np.float32]) -> Numbers:
    """The same for inputs [N, I], of a net without phases."""
    sums = [_sums(net, 0, inputs.astype(np.float64))]
    for number in range(1, len(net.layers)):
        sums.append(_sums(net, number, _activated(net, sums[-1])))
    slopes = _slopes_of_outputs(net, sums.pop())
    for layer, before in zip(net.layers[:0:-1], sums[::-1], strict=True):
        slopes = slopes @ layer.weights.T * _slopes_of_activation(net, before)
    return slopes


def _sums(net: NetworkValues, number: int, values: Numbers) -> Numbers:
    layer = net.layers[number]
    return values @ layer.weights + layer.biases


def _activated(net: NetworkValues, sums: Numbers) -> Numbers:
    if net.activation == "relu":
        return np.maximum(sums, 0)
    return np.tanh(sums) if net.activation == "tanh" else (1 + np.tanh(sums / 2)) / 2


def _slopes_of_activation(net: NetworkValues, sums: Numbers) -> Numbers:
    if net.activation == "relu":
        return (sums > 0).astype(np.float64)
    values = _activated(net, sums)
    return 1 - values**2 if net.activation == "tanh" else values * (1 - values)


def _slopes_of_outputs(net: NetworkValues, sums: Numbers) -> Numbers:
    """The derivatives [N, K] of the log odds by the sums of the outputs, a draw as half a win."""
    if sums.shape[1] == 1:
        return np.ones_like(sums)
    powers = np.exp(sums - sums.max(axis=1, keepdims=True))
    chances = powers / powers.sum(axis=1, keepdims=True)
    counts = (1 + np.sign(net.game.outcomes)) / 2
    win = np.clip(chances @ counts, _SMALLEST, 1 - _SMALLEST)[:, np.newaxis]
    result: Numbers = chances * (counts - win) / (win * (1 - win))
    return result
