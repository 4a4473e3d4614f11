"""Nets in files: safetensors, with what they are for written inside; no pickle anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import numpy as np
import safetensors
import safetensors.numpy

from astragal.errors import InputError, quote
from astragal.files import write_bytes
from astragal.games.catalogue import find_game
from astragal.games.game import Game
from astragal.values.feature_sets import features
from astragal.values.features import Features
from astragal.values.network import Activation, Floats, Layer, NetworkValues
from astragal.values.signs import phases_of

FORMAT = "astragal net 1"
_NUMBERS = {np.dtype(np.float32), np.dtype(np.float16)}
_ACTIVATIONS: dict[str, Activation] = {"sigmoid": "sigmoid", "tanh": "tanh", "relu": "relu"}


def save_net(path: Path, net: NetworkValues, notes: Mapping[str, str] | None = None) -> None:
    """Writes the net with its description, and notes on how it came to be."""
    tensors = {}
    for number, layer in enumerate(net.layers):
        tensors[f"{number}.weights"] = np.ascontiguousarray(layer.weights)
        tensors[f"{number}.biases"] = np.ascontiguousarray(layer.biases)
    description = {
        "format": FORMAT,
        "game": net.game.name,
        "game version": str(net.game.version),
        "features": net.features.name,
        "features version": str(net.features.version),
        "activation": net.activation,
    }
    write_bytes(path, safetensors.numpy.save(tensors, metadata=description | _told(notes)))


def _told(notes: Mapping[str, str] | None) -> dict[str, str]:
    return {f"note: {key}": text for key, text in (notes or {}).items()}


def halve_net(source: Path, target: Path, notes: Mapping[str, str] | None = None) -> None:
    """Writes the net of a file with 16 bits a number instead of 32: as good, and half as large.

    Notes are added to those that it has.
    """
    tensors, description = _read(source)
    _check_format(source, description)
    halves = {name: tensor.astype(np.float16) for name, tensor in tensors.items()}
    write_bytes(target, safetensors.numpy.save(halves, metadata=description | _told(notes)))


def load_net(path: Path, game: Game) -> NetworkValues:
    """The net in a file, if it is whole and one for this game; otherwise InputError says why."""
    tensors, description = _read(path)
    _check_format(path, description)
    for key, expected in (("game", game.name), ("game version", str(game.version))):
        if description.get(key) != expected:
            _refuse(path, f"its {key} is {quote(description.get(key))}, expected {quote(expected)}")
    chosen = _known_features(path, game, description)
    activation = _ACTIVATIONS.get(description.get("activation", ""))
    if activation is None:
        told = quote(description.get("activation"))
        _refuse(path, f"its activation is {told}, expected one of {', '.join(_ACTIVATIONS)}")
    return NetworkValues(chosen, _layers(path, chosen, tensors), activation, name=f"net:{path}")


def describe_net(path: Path) -> dict[str, str]:
    """What the file says of its net: game, features, activation and notes; InputError if none."""
    _, description = _read(path)
    _check_format(path, description)
    try:
        find_game(description.get("game", ""))
    except InputError as fault:
        _refuse(path, str(fault).rstrip("."))
    return description


def _check_format(path: Path, description: Mapping[str, str]) -> None:
    if description.get("format") != FORMAT:
        _refuse(path, f"its format is {quote(description.get('format'))}, expected {quote(FORMAT)}")


def _read(path: Path) -> tuple[dict[str, Floats], dict[str, str]]:
    try:
        with safetensors.safe_open(path, "numpy") as file:
            names = file.keys()
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except FileNotFoundError:
        _refuse(path, "there is no such file, expected a .safetensors file")
    except OSError as fault:
        why = fault.strerror or "is it a folder?"
        _refuse(path, f"it cannot be read ({why}), expected a .safetensors file")
    except (safetensors.SafetensorError, ValueError) as fault:
        _refuse(path, f"it is damaged or no .safetensors file ({fault}), expected a whole one")


def _known_features(path: Path, game: Game, description: Mapping[str, str]) -> Features:
    try:
        chosen = features(game, description.get("features", ""))
    except InputError as fault:
        _refuse(path, str(fault).rstrip("."))
    version = description.get("features version")
    if version != str(chosen.version):
        _refuse(path, f"its features are version {quote(version)}, expected {chosen.version}")
    return chosen


def _layers(path: Path, chosen: Features, tensors: Mapping[str, Floats]) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    inputs = chosen.size
    for number in range((len(tensors) + 1) // 2):
        weights, biases = tensors.get(f"{number}.weights"), tensors.get(f"{number}.biases")
        if weights is None or biases is None:
            _refuse(path, f"layer {number} is not whole, expected its weights and its biases")
        if not _fits(chosen, weights, biases, inputs, is_first=number == 0):
            _refuse(path, f"layer {number} does not fit, expected {inputs} inputs")
        if not {weights.dtype, biases.dtype} <= _NUMBERS:
            _refuse(path, f"layer {number} is not of floats of 32 or 16 bits, expected those")
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            _refuse(path, f"layer {number} is not finite, expected numbers throughout")
        layers.append(Layer(weights.astype(np.float32), biases.astype(np.float32)))
        inputs = layers[-1].units
    if len({layer.has_phases for layer in layers[1:]}) > 1:
        _refuse(path, "only some of its layers have phases, expected all but the first, or none")
    outputs = (1, len(chosen.game.outcomes))
    if not layers or inputs not in outputs:
        _refuse(path, f"it has {inputs} outputs, expected {outputs[0]} or {outputs[1]}")
    return tuple(layers)


def _fits(
    chosen: Features, weights: Floats, biases: Floats, inputs: int, *, is_first: bool
) -> bool:
    """Whether a layer has so many inputs, for the game as a whole or for each of its phases."""
    phases = phases_of(chosen.game) if chosen.sign_groups and not is_first else 1
    shapes = [(), (phases,)] if phases > 1 else [()]
    return biases.ndim > 0 and any(
        biases.shape[:-1] == shape and weights.shape == (*shape, inputs, biases.shape[-1])
        for shape in shapes
    )


def _refuse(path: Path, why: str) -> NoReturn:
    raise InputError(f"{quote(path, shown=200)} cannot be used as a net: {why}.")
