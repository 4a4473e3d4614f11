"""What a net has learned, as numbers for each place of the board and as a picture."""

from __future__ import annotations

import numpy as np

from astragal.games.random_play import random_positions
from astragal.show.net_picture import Unit, net_svg
from astragal.values.effects import Effects, piece_effects
from astragal.values.network import NetworkValues

POSITIONS = 2000  # of random play, with a fixed seed, over which effects are averaged


def effects_of(net: NetworkValues) -> Effects:
    """What one piece on each place does to the net, over positions that are always the same."""
    return piece_effects(net, random_positions(net.game, POSITIONS, np.random.default_rng(0)))


def sizes_of(net: NetworkValues) -> list[int]:
    """The inputs, the units of each hidden layer and the outputs."""
    return [net.features.size, *(layer.units for layer in net.layers)]


def weightiest_units(net: NetworkValues, effects: Effects, count: int) -> list[Unit]:
    """The hidden units through which pieces change most, if there are any."""
    if len(net.layers) == 1:
        return []
    by_unit = effects.by_unit
    order = np.argsort(-np.nansum(by_unit**2, axis=0), kind="stable")[:count]
    return [Unit(int(unit), by_unit[:, unit]) for unit in order]


def picture_of(net: NetworkValues, effects: Effects, count: int) -> str:
    """The picture as one SVG element, with so many of the hidden units at most."""
    title = f"{net.game.title}: {net.features.name}, {'-'.join(map(str, sizes_of(net)))}"
    units = weightiest_units(net, effects, count)
    return net_svg(net.game, title, effects.total, units, effects.slopes.size)
