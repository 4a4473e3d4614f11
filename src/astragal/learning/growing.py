"""A larger net that begins with what a smaller one knows: at first both give the same values.

New units are heard by nobody yet, and a new layer hands on what it is given; learning does the
rest. So a net is trained while it is small and quick, and grows when it learns no more.

A net that told all outcomes and is to tell wins alone keeps all but its last layer, and says only
about the same.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.learning.settings import NetSettings
from astragal.values.feature_sets import features
from astragal.values.features import Features
from astragal.values.network import Floats, Layer, NetworkValues, net_of_phases
from astragal.values.signs import phases_of

SMALL_SPREAD = 0.01
"""Of the first layer's weights, if inputs are to mean next to nothing at first."""
_USUAL_SHARES = {3: (0.72, 0.265, 0.015), 1: (1.0,)}
"""How wins are divided among one, two and three points in backgammon between good players."""


def grown(net: NetworkValues, settings: NetSettings, luck: np.random.Generator) -> NetworkValues:
    """The net with the features, hidden layers and outputs of the settings, or InputError.

    Features can become more, layers wider, ReLU nets deeper, and a net that tells wins alone may
    come to tell every outcome, or the other way round; each phase of the game may get layers of its
    own; all at once if wished.
    """
    if settings.phases == "one" and net.has_phases:
        raise InputError("A net with layers for each phase cannot become one without.")
    if settings.phases == "each":
        asked = replace(settings, phases="one")
        # With the same luck for each, they share a first layer as before.
        nets = [grown(each, asked, deepcopy(luck)) for each in net.by_phase]
        return net_of_phases(nets if net.has_phases else nets * phases_of(net.game))
    before = [layer.units for layer in net.layers[:-1]]
    _check(net, before, settings)
    is_same = settings.features in ("auto", net.features.name)
    seen = net.features if is_same else features(net.game, settings.features)
    layers = [_seeing(net, seen), *net.layers[1:]]
    for units in settings.hidden[len(before) :]:
        layers = _deepened(layers, units, luck)
    for number, units in enumerate(settings.hidden[: len(before)]):
        is_small = number == 0 and settings.spread == "small"
        layers = _widened(layers, number, units, luck, SMALL_SPREAD if is_small else None)
    if settings.outputs == "outcomes" and net.outputs == 1:
        layers[-1] = _telling_outcomes(layers[-1], net)
    if settings.outputs == "win" and net.outputs > 1:
        layers[-1] = _telling_wins(layers[-1], net)
    return NetworkValues(seen, tuple(layers), net.activation)


def _seeing(net: NetworkValues, seen: Features) -> Layer:
    """The first layer with all inputs of a set that begins with its own; the others count nothing.

    InputError if the set begins otherwise.
    """
    if not seen.begins_with(net.features):
        raise InputError(
            f"A net that sees {net.features.name} cannot come to see {seen.name}: expected a set "
            "that begins with what it sees."
        )
    first = net.layers[0]
    unheard = np.zeros((seen.size - net.features.size, first.units), np.float32)
    return Layer(np.vstack([first.weights, unheard]), first.biases)


def _check(net: NetworkValues, before: list[int], settings: NetSettings) -> None:
    """InputError if the net cannot become what the settings ask for."""
    told, asked = "-".join(map(str, before)), "-".join(map(str, settings.hidden))
    pairs = zip(before, settings.hidden, strict=False)
    if len(settings.hidden) < len(before) or any(more < units for units, more in pairs):
        raise InputError(
            f"A net of {told} hidden units cannot become one of {asked}: it is larger."
        )
    if settings.activation != net.activation:
        raise InputError(f"A {net.activation} net cannot become a {settings.activation} net.")
    if len(settings.hidden) > len(before) and net.activation != "relu":
        raise InputError(
            f"A net of {told} {net.activation} units cannot get more layers: expected relu, which "
            "can hand on what it is given."
        )


def _widened(
    layers: list[Layer],
    number: int,
    units: int,
    luck: np.random.Generator,
    spread: float | None = None,
) -> list[Layer]:
    """The layers with as many units in one of them; nobody hears the new ones yet.

    Their weights have the spread, or one that suits the layer.
    """
    layer, following = layers[number], layers[number + 1]
    more = units - layer.units
    inputs = layer.weights.shape[0]
    # Of the first layer's inputs few are on, whatever their number.
    heard = min(inputs, 30) if number == 0 else inputs
    spread = math.sqrt(1 / heard) if spread is None else spread
    new = luck.normal(0, spread, (inputs, more)).astype(np.float32)
    wider = Layer(np.hstack([layer.weights, new]), _padded(layer.biases, more))
    unheard = np.zeros((more, following.units), np.float32)
    after = Layer(np.vstack([following.weights, unheard]), following.biases)
    return [*layers[:number], wider, after, *layers[number + 2 :]]


def _deepened(layers: list[Layer], units: int, luck: np.random.Generator) -> list[Layer]:
    """The layers with one more before the last, which hands on what it is given."""
    given = layers[-1].weights.shape[0]
    if units < given:
        raise InputError(
            f"A layer of {units} units cannot follow one of {given}: expected as many or more, to "
            "hand on what it is given."
        )
    handing_on = Layer(np.eye(given, dtype=np.float32), np.zeros(given, np.float32))
    deeper = [*layers[:-1], handing_on, layers[-1]]
    return _widened(deeper, len(deeper) - 2, units, luck)


def _telling_outcomes(last: Layer, net: NetworkValues) -> Layer:
    """The last layer with an output for each outcome, whose wins together are what they were."""
    points, shares = _usual_outcomes(net)
    wins = (points > 0).astype(np.float32)
    return Layer(last.weights * wins, np.log(shares) + last.biases[0] * wins)


def _telling_wins(last: Layer, net: NetworkValues) -> Layer:
    """The last layer with one output: how much the usual win has above the usual loss."""
    points, shares = _usual_outcomes(net)
    above = (np.sign(points) * shares).astype(np.float32)[:, np.newaxis]
    return Layer(last.weights @ above, last.biases @ above)


def _usual_outcomes(net: NetworkValues) -> tuple[NDArray[np.int64], Floats]:
    """What each outcome counts, and its share of all that are won, or lost, as it is."""
    points: NDArray[np.int64] = np.array(net.game.outcomes)
    if (points == 0).any():
        raise InputError(
            f"Nets of {net.game.name} cannot change between wins and all outcomes: there are draws."
        )
    shares = np.array(_USUAL_SHARES[int(points.max())], np.float32)
    return points, shares[np.abs(points) - 1]


def _padded(biases: Floats, more: int) -> Floats:
    return np.concatenate([biases, np.zeros(more, np.float32)])
