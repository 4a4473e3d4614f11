"""A net as plain data, to be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from astragal.games.game import Game
from astragal.learning.learner import State
from astragal.values.feature_sets import features
from astragal.values.network import Activation, Layer, NetworkValues


@dataclass(frozen=True, eq=False)
class PackedNet:
    """What a net is made of, but for the game."""

    features: str
    activation: Activation
    layers: tuple[Layer, ...]

    def unpacked(self, game: Game) -> NetworkValues:
        """The net, for the same game."""
        return NetworkValues(features(game, self.features), self.layers, self.activation)


def layers_state(net: PackedNet, name: str) -> State:
    """The net's layers as arrays, whose names begin with this one."""
    state: State = {}
    for i, layer in enumerate(net.layers):
        state |= {f"{name} {i} weights": layer.weights, f"{name} {i} biases": layer.biases}
    return state


def with_layers(net: PackedNet, state: Mapping[str, NDArray[Any]], name: str) -> PackedNet:
    """The net with the layers of such a state."""
    layers = tuple(
        Layer(state[f"{name} {i} weights"], state[f"{name} {i} biases"])
        for i in range(len(net.layers))
    )
    return replace(net, layers=layers)


def packed(net: NetworkValues) -> PackedNet:
    """The net without its game."""
    return PackedNet(net.features.name, net.activation, net.layers)
