"""Nets as they are before they have learned anything."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.learning.growing import SMALL_SPREAD, grown
from astragal.learning.settings import NetSettings, TrainSettings
from astragal.values.checkpoint import load_net
from astragal.values.feature_sets import features
from astragal.values.network import Layer, NetworkValues, net_of_phases
from astragal.values.signs import phases_of

_USUAL_FEATURES = {UrRules: "unary", BackgammonRules: "tesauro198"}
_LAST_SPREAD = 1e-4  # of the last layer, so that a fresh net says one half everywhere


def fresh_net(game: Game, settings: NetSettings, seed: int) -> NetworkValues:
    """A net with weights by lot and biases of zero."""
    chosen = features(game, features_of(game, settings))
    outputs = 1 if settings.outputs == "win" or len(game.outcomes) == 2 else len(game.outcomes)
    sizes = [chosen.size, *settings.hidden, outputs]
    luck = np.random.default_rng([seed, 2**32])
    layers = []
    for number, (before, after) in enumerate(itertools.pairwise(sizes)):
        is_last = number == len(sizes) - 2
        spread = _LAST_SPREAD if is_last else _fitting(settings, before, number)
        if not isinstance(settings.spread, str):
            spread = settings.spread
        weights = luck.normal(0, spread, (before, after)).astype(np.float32)
        layers.append(Layer(weights, np.zeros(after, np.float32)))
    net = NetworkValues(chosen, tuple(layers), settings.activation)
    return net if settings.phases == "one" else net_of_phases([net] * phases_of(game))


def features_of(game: Game, settings: NetSettings) -> str:
    """The name of the feature set."""
    if settings.features != "auto":
        return settings.features
    return _USUAL_FEATURES.get(type(game.rules), "lines")


def _fitting(settings: NetSettings, inputs: int, number: int) -> float:
    """A spread with which a layer's sums are neither lost nor all the same."""
    if number == 0 and settings.spread == "small":
        return SMALL_SPREAD
    gain = 2.0 if settings.activation == "relu" else 1.0
    # Of the first layer's inputs few are on, and their number does not grow with the set.
    return math.sqrt(gain / min(inputs, 30)) if number == 0 else math.sqrt(gain / inputs)


def first_net(game: Game, settings: TrainSettings) -> NetworkValues:
    """The net that a run begins with: one from a file, if the settings say so, grown if need be."""
    if not settings.start:
        return fresh_net(game, settings.net, settings.seed)
    net = load_net(Path(settings.start), game)
    asked = replace(settings.net, features=features_of(game, settings.net))
    if len(game.outcomes) == 2:
        asked = replace(asked, outputs="win")
    if _as_settings(net) == replace(asked, spread="auto"):
        return net
    try:
        return grown(net, asked, np.random.default_rng([settings.seed, 2**32]))
    except InputError as fault:
        raise InputError(
            f"start cannot be {quote(settings.start, shown=200)}: it is a net of "
            f"{_described(_as_settings(net))}, but the settings ask for {_described(asked)}. "
            f"{fault}"
        ) from fault


def peers_of(game: Game, settings: TrainSettings) -> list[NetworkValues]:
    """The nets whose words are the targets, if they are; InputError if one is none of the game."""
    return [load_net(Path(file), game) for file in settings.lookahead.peers]


def _as_settings(net: NetworkValues) -> NetSettings:
    """The settings that ask for a net like this."""
    return NetSettings(
        features=net.features.name,
        hidden=tuple(layer.units for layer in net.layers[:-1]),
        activation=net.activation,
        outputs="win" if net.outputs == 1 else "outcomes",
        phases="each" if net.has_phases else "one",
    )


def _described(settings: NetSettings) -> str:
    units = "-".join(map(str, settings.hidden))
    told = f"{settings.features}, {units} {settings.activation} units, outputs {settings.outputs}"
    return told if settings.phases == "one" else f"{told}, phases {settings.phases}"
