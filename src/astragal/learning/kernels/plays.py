"""What a net of one hidden layer thinks of all plays of a roll, while its weights may be changing.

Only what a play changes is added to the sums of the board before it. Boards and vectors are
addresses; the caller holds their arrays.
Letters for shapes: I inputs, the last of them always on; H hidden units; N afterstates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined, summing
from astragal.games.bits import address_of, copy_bytes, float_at, peek, put_float, word_at
from astragal.games.kernels import UNFINISHED, Buffer, new_buffer
from astragal.learning.kernels.changes import find_changed, find_differences
from astragal.learning.kernels.vectors import LANES, add_rows, rectified_total
from astragal.values.network import NetworkValues, sigmoid

SIGMOID, TANH, RELU = 0, 1, 2
ACTIVATIONS = {"sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}
CERTAIN = np.float32(1e9)  # the log odds of a game that is won
_1, _2, _FLOAT = np.uint64(1), np.uint64(2), np.uint64(4)
_ZERO, _HALF, _ONE, _TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)


class Net(NamedTuple):
    """One hidden layer, one output; what its traces still owe to a row of weights is noted.

    The weights of input i are really `weights[i] + pending[i] * trace[i]`, and its trace is really
    `decay[i] * trace[i]`: both are worked out when the row is next looked at.
    """

    activation: Any
    weights: NDArray[np.float32]  # [I, H], but a multiple of LANES long, with zeros beyond H
    out: NDArray[np.float32]  # [H + 1], the bias last, then zeros: as long as weights, and 1
    trace: NDArray[np.float32]  # [I, H], as long
    out_trace: NDArray[np.float32]  # [H + 1]
    pending: NDArray[np.float32]  # [I]
    decay: NDArray[np.float32]  # [I]


class NetAt(NamedTuple):
    """Where in memory a net is."""

    activation: Any
    inputs: Any
    units: Any
    length: Any
    weights: Any
    out: Any
    trace: Any
    out_trace: Any
    pending: Any
    decay: Any


class Scratch(NamedTuple):
    """Room to work in."""

    room: Buffer
    position: NDArray[np.int8]  # [W]
    turned: NDArray[np.int8]  # [W] the position, seen from the other side
    empty: NDArray[np.int8]  # [W]
    hidden: NDArray[np.float32]  # [H]
    own: NDArray[np.float32]  # [H] sums of the position
    other: NDArray[np.float32]  # [H] sums of the position, seen from the other side
    odds: NDArray[np.float32]  # [N]


class ScratchAt(NamedTuple):
    """Where in memory the scratch is."""

    boards: Any
    changed: Any
    outcome: Any
    turn_passes: Any
    odds: Any
    position: Any
    turned: Any
    empty: Any
    hidden: Any
    own: Any
    other: Any


def laid_out(net: NetworkValues) -> Net:
    """The net as the compiled loop has it, its biases as one more input that is always on."""
    first, last = net.layers
    inputs, units = first.weights.shape
    weights = np.zeros((inputs + 1, -(-units // LANES) * LANES), np.float32)
    weights[:-1, :units], weights[-1, :units] = first.weights, first.biases
    out = np.zeros(weights.shape[1] + 1, np.float32)
    out[:units], out[units] = last.weights[:, 0], last.biases[0]
    return Net(
        activation=ACTIVATIONS[net.activation],
        weights=weights,
        out=out,
        trace=np.zeros_like(weights),
        out_trace=np.zeros(units + 1, np.float32),
        pending=np.zeros(inputs + 1, np.float32),
        decay=np.zeros(inputs + 1, np.float32),
    )


@compiled
def new_scratch(rules: Any, hidden: int) -> Scratch:
    """Scratch for this game and so many hidden units; boards have room for a word behind them."""
    width, hidden = rules.start.size, -(-hidden // LANES) * LANES
    return Scratch(
        new_buffer(rules, rules.most_afterstates + 1),
        np.zeros(width + 8, np.int8)[:width],
        np.zeros(width + 8, np.int8)[:width],
        np.zeros(width + 8, np.int8)[:width],
        np.zeros(hidden, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(rules.most_afterstates + 1, np.float32),
    )


@inlined
def net_at(net: Any) -> NetAt:
    """Where the net is, as long as the caller holds it."""
    return NetAt(
        net.activation,
        np.uint64(net.weights.shape[0]),
        np.uint64(net.out_trace.size - 1),
        np.uint64(net.weights.shape[1]),
        address_of(net.weights),
        address_of(net.out),
        address_of(net.trace),
        address_of(net.out_trace),
        address_of(net.pending),
        address_of(net.decay),
    )


@inlined
def scratch_at(scratch: Any) -> ScratchAt:
    """Where the scratch is, as long as the caller holds it."""
    return ScratchAt(
        address_of(scratch.room.positions),
        address_of(scratch.room.changed),
        address_of(scratch.room.outcome),
        address_of(scratch.room.turn_passes),
        address_of(scratch.odds),
        address_of(scratch.position),
        address_of(scratch.turned),
        address_of(scratch.empty),
        address_of(scratch.hidden),
        address_of(scratch.own),
        address_of(scratch.other),
    )


@inlined
def row_at(net: Any, vectors: Any, i: Any) -> Any:
    """Where the vector [H] of an input begins."""
    return vectors + i * net.length * _FLOAT


@inlined
def add_scaled(target: Any, source: Any, amount: Any, count: Any) -> None:
    """Adds so many times one vector to another."""
    for k in range(count):
        put_float(target, k, float_at(target, k) + amount * float_at(source, k))


@inlined
def settle(net: Any, i: Any) -> None:
    """Brings the weights of an input up to date."""
    amount = float_at(net.pending, i)
    if amount != _ZERO:
        add_scaled(row_at(net, net.weights, i), row_at(net, net.trace, i), amount, net.length)
        put_float(net.pending, i, _ZERO)


@inlined
def sum_board(changes: Any, net: Any, board: Any, sums: Any, at: Any, stamp: Any) -> Any:
    """Works out the sums [H] of the first layer for a board; how many inputs are noted.

    Those inputs are on beside the ones that always are.
    """
    always = net.inputs - _1
    settle(net, always)
    copy_bytes(sums, row_at(net, net.weights, always), net.length * _FLOAT)
    _add_inputs(net, sums, changes.always, changes.always_amount, changes.always_count)
    return add_changes(changes, net, at.empty, board, sums, stamp)


@inlined
def add_changes(changes: Any, net: Any, before: Any, board: Any, sums: Any, stamp: Any) -> Any:
    """Adds what changes from one board to another to the sums [H] of the first.

    How many inputs are noted as changed.
    """
    count = find_differences(changes, before, board, stamp)
    _add_inputs(net, sums, changes.found, changes.found_amount, count)
    return count


@inlined
def _add_inputs(net: Any, sums: Any, inputs: Any, amounts: Any, count: Any) -> None:
    _settle_all(net, inputs, count)
    add_rows(sums, net.weights, net.length, inputs, amounts, count)


@inlined
def _settle_all(net: Any, inputs: Any, count: Any) -> None:
    for k in range(count):
        settle(net, word_at(inputs, k))


@inlined
def activate(activation: int, sums: Any, count: Any) -> None:
    """Turns sums [H] into the hidden units' values, in place."""
    if activation == SIGMOID:
        for unit in range(count):
            put_float(sums, unit, sigmoid(float_at(sums, unit)))
    elif activation == TANH:
        for unit in range(count):
            put_float(sums, unit, _TWO * sigmoid(_TWO * float_at(sums, unit)) - _ONE)
    else:
        for unit in range(count):
            value = float_at(sums, unit)
            # The larger of it and 0; unlike a comparison, compiled to no branch and no mask.
            put_float(sums, unit, _HALF * (value + abs(value)))


@summing
def output(net: Any, hidden: Any) -> Any:
    """The log odds of winning, from the hidden units' values [H]."""
    total = _ZERO
    for unit in range(net.units):
        total += float_at(hidden, unit) * float_at(net.out, unit)
    return total + float_at(net.out, net.units)


@inlined
def turn_board(board: Any, turned: Any, width: Any) -> None:
    """Writes the board as the other side sees it."""
    half = width // _2
    copy_bytes(turned, board + half, half)
    copy_bytes(turned + half, board, half)


@inlined
def prepare(changes: Any, net: Any, at: Any, stamp: Any) -> None:
    """Works out what all plays of the position share; its own sums are there already."""
    turn_board(at.position, at.turned, changes.width)
    sum_board(changes, net, at.turned, at.other, at, stamp)


@inlined
def value_plays(changes: Any, net: Any, count: Any, at: Any, stamp: Any) -> Any:
    """Writes the mover's log odds [N] of so many afterstates; which is the best.

    `prepare` has been called, and the afterstates have been written: by the caller, since to pass
    rules and scratch on would count the references to their arrays, a microsecond for every roll.
    The stamp is one that no earlier call had; the last one that was used comes back too.
    """
    best: Any = np.uint64(0)
    highest = -_TWO * CERTAIN
    for play in range(np.uint64(count)):
        outcome, passes = peek(at.outcome + play), peek(at.turn_passes + play) != 0
        if outcome != UNFINISHED:
            odds = CERTAIN * np.float32(np.sign(outcome))
        else:
            stamp += _1
            board = at.boards + play * changes.width
            # Without a branch, which would double all that follows.
            turned = np.uint64(passes)
            before = at.position + turned * (at.turned - at.position)
            sums = at.own + turned * (at.other - at.own)
            places = word_at(at.changed, play)
            odds = _value_play(changes, net, before, sums, board, places, at.hidden, stamp)
        odds = -odds if passes else odds
        put_float(at.odds, play, odds)
        if odds > highest:
            best, highest = play, odds
    return np.int64(best), stamp


@inlined
def value_board(changes: Any, net: Any, board: Any, at: Any, stamp: Any) -> Any:
    """The log odds of any board."""
    sum_board(changes, net, board, at.hidden, at, stamp)
    activate(net.activation, at.hidden, net.length)
    return output(net, at.hidden)


@inlined
def _value_play(
    changes: Any, net: Any, before: Any, sums: Any, board: Any, places: Any, hidden: Any, stamp: Any
) -> Any:
    """The log odds of a board that differs in some places from one whose sums are known."""
    count = find_changed(changes, before, board, places, stamp)
    if net.activation == RELU:
        return _rectified_output(changes, net, sums, count)
    copy_bytes(hidden, sums, net.length * _FLOAT)
    _add_inputs(net, hidden, changes.found, changes.found_amount, count)
    activate(net.activation, hidden, net.length)
    return output(net, hidden)


@inlined
def _rectified_output(changes: Any, net: Any, sums: Any, count: Any) -> Any:
    """The same, where hidden units are needed for nothing but the output."""
    _settle_all(net, changes.found, count)
    total = rectified_total(
        sums, net.weights, net.length, changes.found, changes.found_amount, count, net.out
    )
    return total + float_at(net.out, net.units)
