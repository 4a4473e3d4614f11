"""A net as an ONNX file: positions in, chances out, and what it sees of a position in between.

Letters for shapes: N positions, W numbers in a position, G groups of the features, P places in the
largest group, C counts of pieces, R rows of all groups, H units, K outcomes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import astragal
from astragal.errors import InputError
from astragal.files import write_bytes
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.tictactoe import TicTacToeRules
from astragal.games.ur import UrRules
from astragal.values.features import Reading
from astragal.values.network import NetworkValues
from astragal.values.onnx_signs import add_signs
from astragal.values.onnx_steps import Steps
from astragal.values.signs import phase_sign_of
from astragal.values.values import chances_of_winning

INPUT, OUTPUT = "positions", "chances"
_OPSET, _FORMAT = 17, 8  # of 2022: old enough for whatever runs such files today

_ACTIVATIONS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}

_HALVES = {
    UrRules: "stones waiting, stones on each square along their owner's path, stones home",
    BackgammonRules: "checkers borne off, checkers on the points 1 to 24 as their owner counts "
    "them, checkers on the bar",
    TicTacToeRules: "a 1 for each cell that is taken, row by row",
}


def write_onnx(path: Path, net: NetworkValues) -> None:
    """Writes a file that gives the same chances as the net, for programs that know nothing of us.

    Its input `positions` is int8 [N, W], its output `chances` float32 [N, K].
    """
    write_bytes(path, _model(net).SerializeToString())


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as fault:
        raise InputError(
            "No ONNX file can be written here: expected the package onnx, "
            "which `pip install 'astragal[onnx]'` brings."
        ) from fault
    return onnx


def _model(net: NetworkValues) -> Any:
    onnx = _onnx()
    game, steps = net.game, Steps(onnx)
    seen = _seen(net, steps)
    _add_chances(net, steps, _last_sums(net, steps, seen, _first_sums(net, steps, seen)))
    taken = onnx.helper.make_tensor_value_info(
        INPUT, onnx.TensorProto.INT8, ["N", game.width], _told_positions(game)
    )
    given = onnx.helper.make_tensor_value_info(
        OUTPUT, onnx.TensorProto.FLOAT, ["N", len(game.outcomes)], _told_chances(game)
    )
    graph = onnx.helper.make_graph(steps.nodes, "net", [taken], [given], steps.tables)
    model = onnx.helper.make_model(
        graph,
        opset_imports=[onnx.helper.make_opsetid("", _OPSET)],
        ir_version=_FORMAT,
        producer_name="astragal",
        producer_version=astragal.__version__,
    )
    onnx.helper.set_model_props(model, _description(net))
    return model


def _seen(net: NetworkValues, steps: Steps) -> str:
    """What is read of positions [N, W], with their signs if those are read."""
    seen = steps.add("Cast", INPUT, to=steps.int64)
    if net.features.sign_groups:
        seen = steps.add("Concat", seen, add_signs(net.game, steps, seen), axis=1)
    return seen


def _first_sums(net: NetworkValues, steps: Steps, seen: str) -> str:
    """The sums [N, H] of the first layer: of each group the row that its code names, added up."""
    rows, empty = net.first_rows
    row = _rows_of_groups(net.features.reading, steps, seen)
    found = steps.add("Gather", steps.table("rows", rows), row, axis=0)
    added = steps.add("ReduceSum", found, steps.table("groups_axis", np.array([1])), keepdims=0)
    return steps.add("Add", added, steps.table("empty_board", empty))


def _rows_of_groups(reading: Reading, steps: Steps, seen: str) -> str:
    """The row [N, G] that each group has: its first, and what the pieces on its places add."""
    place, code = _padded(reading)
    groups, places, counts = code.shape
    pieces = steps.add("Gather", seen, steps.table("places", place.ravel()), axis=1)
    begins = np.arange(groups * places) * counts
    entry = steps.add("Add", pieces, steps.table("begins_of_codes", begins))
    codes = steps.add("Gather", steps.table("codes", code.ravel()), entry, axis=0)
    shape = steps.table("groups_and_places", np.array([-1, groups, places]))
    by_group = steps.add("Reshape", codes, shape)
    total = steps.add("ReduceSum", by_group, steps.table("places_axis", np.array([2])), keepdims=0)
    return steps.add("Add", total, steps.table("first_rows", reading.first_row))


def _padded(reading: Reading) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places [G, P] of each group and their codes [G, P, C]; what is not there adds nothing."""
    lengths = np.diff(reading.begin)
    is_there = np.arange(lengths.max()) < lengths[:, np.newaxis]
    place = np.zeros(is_there.shape, np.int64)
    code = np.zeros((*is_there.shape, reading.code.shape[1]), np.int64)
    place[is_there], code[is_there] = reading.place, reading.code
    return place, code


def _last_sums(net: NetworkValues, steps: Steps, seen: str, sums: str) -> str:
    """The sums [N, K or 1] of the last layer, from those of the first.

    If there are phases, those of each are worked out, and that of the position's phase is taken.
    """
    found = [_sums_of_phase(each, steps, sums, phase) for phase, each in enumerate(net.by_phase)]
    if not net.has_phases:
        return found[0]
    sign = phase_sign_of(net.game)
    assert sign is not None
    phase = steps.add("Gather", seen, steps.integers(net.game.width + sign), axis=1)
    phases = steps.integers(*range(len(found)))
    is_this = steps.add("Cast", steps.add("Equal", phase, phases), to=steps.float32)
    apart = [steps.add("Unsqueeze", each, steps.integers(1)) for each in found]
    weighed = steps.add(
        "Mul",
        steps.add("Concat", *apart, axis=1),
        steps.add("Unsqueeze", is_this, steps.integers(2)),
    )
    return steps.add("ReduceSum", weighed, steps.integers(1), keepdims=0)


def _sums_of_phase(net: NetworkValues, steps: Steps, sums: str, phase: int) -> str:
    """The sums [N, K or 1] of the last layer of one phase."""
    for number, layer in enumerate(net.layers[1:], 1):
        active = steps.add(_ACTIVATIONS[net.activation], sums)
        weights = steps.table(f"weights_{number}_{phase}", layer.weights)
        biases = steps.table(f"biases_{number}_{phase}", layer.biases)
        sums = steps.add("Gemm", active, weights, biases)
    return sums


def _add_chances(net: NetworkValues, steps: Steps, sums: str) -> None:
    """Turns the sums of the last layer into chances [N, K]."""
    if net.outputs > 1:
        steps.add("Softmax", sums, axis=1, name=OUTPUT)
        return
    lost, won = chances_of_winning(net.game, np.array([0, 1])).astype(np.float32)
    share = steps.add("Mul", steps.add("Sigmoid", sums), steps.table("won_or_lost", won - lost))
    steps.add("Add", share, steps.table("lost", lost), name=OUTPUT)


def _told_positions(game: Game) -> str:
    """What the numbers of a position stand for, in a sentence."""
    half = _HALVES.get(type(game.rules), "the pieces on each place of their owner")
    return (
        f"int8 [N, {game.width}]: two halves of {game.width // 2} numbers, first that of the "
        f"player about to roll, each as its owner sees it: {half}."
    )


def _told_chances(game: Game) -> str:
    points = ", ".join(map(str, game.outcomes))
    return (
        f"float32 [N, {len(game.outcomes)}]: the probability that the game ends with {points} "
        "points for the player about to roll."
    )


def _description(net: NetworkValues) -> dict[str, str]:
    game = net.game
    return {
        "game": game.name,
        "game version": str(game.version),
        "features": net.features.name,
        "features version": str(net.features.version),
        "activation": net.activation,
        INPUT: _told_positions(game),
        OUTPUT: _told_chances(game),
        "outcomes": json.dumps(game.outcomes),
        "start": json.dumps(game.start.tolist()),
    }
