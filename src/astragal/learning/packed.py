"""A net as plain data, to be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass

from astragal.games.game import Game
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


def packed(net: NetworkValues) -> PackedNet:
    """The net without its game."""
    return PackedNet(net.features.name, net.activation, net.layers)
