"""Online TD(lambda), compiled: plays whole games and changes the weights after every move.

The value is always that of the side which began, whoever is about to roll: so neither the trace
nor the error depends on whose turn it is, and the sign of a gradient says it once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, copy_bytes, float_at, peek, put_float, word_at
from astragal.games.kernels import UNFINISHED, draw_roll, take_row, write_afterstates
from astragal.games.luck import draw_below
from astragal.learning.kernels.changes import changes_at
from astragal.learning.kernels.plays import (
    RELU,
    SIGMOID,
    NetAt,
    activate,
    net_at,
    output,
    prepare,
    row_at,
    scratch_at,
    settle,
    sum_board,
    turn_board,
    value_board,
    value_plays,
)
from astragal.values.network import sigmoid

_1, _2, _FLOAT = np.uint64(1), np.uint64(2), np.uint64(4)
_ONE, _HALF, _ZERO = np.float32(1), np.float32(0.5), np.float32(0)
_FINE = 1 << 30
ITSELF = -1  # the rival of a game against itself


class Plan(NamedTuple):
    """How each of G games is played and learned from."""

    alpha: NDArray[np.float32]  # [G] how far the weights go
    epsilon: NDArray[np.float64]  # [G] how often a play is drawn by lot
    opening: NDArray[np.int64]  # [G] so many turns are drawn by lot before learning begins
    rival: NDArray[np.int64]  # [G] which earlier self has the other side, or ITSELF
    lam: np.float32
    plies: int  # how far ahead plays are looked at: 0 or 1
    own_view: bool  # whether plays are chosen as if the mover rolled next
    chances: NDArray[np.float32]  # [R] of each roll


class Pool(NamedTuple):
    """Earlier selves."""

    weights: NDArray[np.float32]  # [P, I, H]
    out: NDArray[np.float32]  # [P, H + 1]
    pending: NDArray[np.float32]  # [I] zeros: they owe nothing


class Told(NamedTuple):
    """What came out of a stretch of games."""

    turns: int
    beginner_wins: float
    """A draw counts half."""
    squares: float
    """The sum of squared errors."""


@compiled
def td_games(
    rules: Any,
    changes_held: Any,
    net_held: Any,
    pool: Any,
    scratch: Any,
    deeper: Any,
    plan: Any,
    luck: Any,
) -> Any:
    """Plays the games that are planned, learning at every move."""
    turns, wins, squares, stamp = 0, 0.0, 0.0, np.uint64(0)
    changes, net = changes_at(changes_held), net_at(net_held)
    changes_held.seen[:] = 0
    for game in range(plan.alpha.size):
        played, result, square, stamp = _td_game(
            rules, changes, net, pool, scratch, deeper, plan, game, luck, stamp
        )
        turns, wins, squares = turns + played, wins + result, squares + square
    return Told(turns, wins, squares)


@inlined
def _td_game(
    rules: Any,
    changes: Any,
    net: Any,
    pool: Any,
    scratch: Any,
    deeper: Any,
    plan: Any,
    game: int,
    luck: Any,
    stamp: Any,
) -> Any:
    at = scratch_at(scratch)
    rival = net if plan.rival[game] == ITSELF else _rival_at(net, pool, plan.rival[game])
    alpha, epsilon = plan.alpha[game], plan.epsilon[game]
    rival_begins = game % 2 == 0
    beginner_rolls = _open(rules, scratch, at, changes.width, plan.opening[game], luck)
    opened = plan.opening[game] > 0
    roll = draw_roll(rules.throws, luck) if opened else draw_roll(rules.opening, luck)
    turns, squares = 0, 0.0
    while True:
        noted = sum_board(changes, net, at.position, at.own, at, stamp + _1)
        value = _follow(changes, net, at, plan.lam, beginner_rolls, noted)
        is_rival = plan.rival[game] != ITSELF and beginner_rolls == rival_begins
        player = rival if is_rival else net
        if is_rival:
            sum_board(changes, player, at.position, at.own, at, stamp + _2)
        stamp += _2 + _1
        prepare(changes, player, at, stamp)
        count = write_afterstates(rules, scratch.position, roll, scratch.room, 0)
        choice, stamp = value_plays(changes, player, count, at, stamp)
        if plan.plies > 0 and count > 1:
            choice, stamp = _look_ahead(
                rules, changes, player, plan.chances, count, scratch, deeper, stamp
            )
        elif plan.own_view and count > 1:
            choice, stamp = _best_to_own(changes, player, count, scratch, deeper, stamp)
        if epsilon > 0 and draw_below(luck, _FINE) < epsilon * _FINE:
            choice = draw_below(luck, count)
        turns += 1
        row = np.uint64(choice)
        outcome, passes = peek(at.outcome + row), peek(at.turn_passes + row) != 0
        board, odds = at.boards + row * changes.width, float_at(at.odds, row)
        if is_rival and outcome == UNFINISHED:
            stamp += _1
            odds = value_board(changes, net, board, at, stamp)
            odds = -odds if passes else odds
        next_value = sigmoid(odds)
        if not beginner_rolls:
            next_value = _ONE - next_value
        beginner_rolls ^= passes
        if outcome != UNFINISHED:
            points = outcome if beginner_rolls else -outcome
            next_value = _HALF + _HALF * np.float32(np.sign(points))
        error = next_value - value
        squares += error * error
        _learn(net, alpha * error)
        if outcome != UNFINISHED:
            _forget_traces(net)
            return turns, next_value, squares, stamp
        copy_bytes(at.position, board, changes.width)
        roll = draw_roll(rules.throws, luck)


@inlined
def _rival_at(net: Any, pool: Any, rival: Any) -> NetAt:
    """An earlier self: a net without traces."""
    number, owed = np.uint64(rival), address_of(pool.pending)
    weights = address_of(pool.weights) + number * net.inputs * net.length * _FLOAT
    out = address_of(pool.out) + number * (net.length + _1) * _FLOAT
    return NetAt(
        net.activation, net.inputs, net.units, net.length, weights, out, owed, owed, owed, owed
    )


@inlined
def _open(rules: Any, scratch: Any, at: Any, width: Any, opening: int, luck: Any) -> bool:
    """Sets up a position so many turns into a game by lot; whether the beginner rolls next.

    Where a turn would end the game, the position before it is taken.
    """
    copy_bytes(at.position, address_of(rules.start), width)
    beginner_rolls = True
    for turn in range(opening):
        throws = rules.opening if turn == 0 else rules.throws
        roll = draw_roll(throws, luck)
        count = write_afterstates(rules, scratch.position, roll, scratch.room, 0)
        choice = draw_below(luck, count)
        if scratch.room.outcome[choice] != UNFINISHED:
            break
        beginner_rolls ^= scratch.room.turn_passes[choice]
        take_row(scratch.position, scratch.room.positions, choice)
    return beginner_rolls


@inlined
def _look_ahead(
    rules: Any,
    changes: Any,
    net: Any,
    chances: Any,
    count: int,
    scratch: Any,
    deeper: Any,
    stamp: Any,
) -> Any:
    """The play that is best with one ply of look-ahead, and the last stamp that was used."""
    best, highest = 0, -_ONE
    for play in range(count):
        expected = sigmoid(scratch.odds[play])
        if scratch.room.outcome[play] == UNFINISHED:
            take_row(deeper.position, scratch.room.positions, play)
            expected, stamp = expectation(rules, changes, net, chances, deeper, stamp)
            if scratch.room.turn_passes[play]:
                expected = _ONE - expected
        if expected > highest:
            best, highest = play, expected
    return best, stamp


@compiled
def _best_to_own(changes: Any, net: Any, count: int, scratch: Any, deeper: Any, stamp: Any) -> Any:
    """The play that would be best if the mover rolled next, and the last stamp that was used.

    What each is worth as things are has been written already.
    """
    at, turned = scratch_at(scratch), scratch_at(deeper).position
    best, highest = 0, -_ONE
    for play in range(count):
        odds = scratch.odds[play]
        if scratch.room.outcome[play] == UNFINISHED and scratch.room.turn_passes[play]:
            stamp += _1
            turn_board(at.boards + np.uint64(play) * changes.width, turned, changes.width)
            odds = value_board(changes, net, turned, at, stamp)
        if sigmoid(odds) > highest:
            best, highest = play, sigmoid(odds)
    return best, stamp


@compiled
def expectation(rules: Any, changes: Any, net: Any, chances: Any, scratch: Any, stamp: Any) -> Any:
    """The chance of winning of who rolls in the scratch's position, by all rolls and best replies.

    With it, the last stamp that was used. Not inlined, which would compile the plays twice.
    """
    at, expected = scratch_at(scratch), _ZERO
    stamp += _2
    sum_board(changes, net, at.position, at.own, at, stamp - _1)
    prepare(changes, net, at, stamp)
    for roll in range(rules.roll_count):
        count = write_afterstates(rules, scratch.position, roll, scratch.room, 0)
        best, stamp = value_plays(changes, net, count, at, stamp)
        expected += chances[roll] * sigmoid(float_at(at.odds, best))
    return expected, stamp


@inlined
def _follow(changes: Any, net: Any, at: Any, lam: Any, beginner_rolls: bool, noted: Any) -> Any:
    """The beginner's chance of winning; its gradient goes into the decayed traces."""
    copy_bytes(at.hidden, at.own, net.length * _FLOAT)
    activate(net.activation, at.hidden, net.length)
    value = sigmoid(output(net, at.hidden))
    slope = value * (_ONE - value)
    if not beginner_rolls:
        slope, value = -slope, _ONE - value
    _add_slopes(net.out_trace, at.hidden, lam, slope, net.units)
    put_float(net.out_trace, net.units, lam * float_at(net.out_trace, net.units) + slope)
    _to_slopes(net, at.hidden, slope)
    for i in range(net.inputs):
        put_float(net.decay, i, lam * float_at(net.decay, i))
    for k in range(noted):
        amount = float_at(changes.found_amount, k)
        _add_to_trace(net, word_at(changes.found, k), amount, at.hidden)
    for k in range(changes.always_count):
        amount = float_at(changes.always_amount, k)
        _add_to_trace(net, word_at(changes.always, k), amount, at.hidden)
    _add_to_trace(net, net.inputs - _1, _ONE, at.hidden)
    return value


@inlined
def _to_slopes(net: Any, hidden: Any, slope: Any) -> None:
    """Turns the hidden units' values [H] into how the value changes with their sums."""
    for unit in range(net.units):
        value, weight = float_at(hidden, unit), slope * float_at(net.out, unit)
        if net.activation == SIGMOID:
            weight *= value * (_ONE - value)
        elif net.activation == RELU:
            weight *= np.float32(value > _ZERO)
        else:
            weight *= _ONE - value * value
        put_float(hidden, unit, weight)


@inlined
def _add_slopes(trace: Any, slopes: Any, decay: Any, amount: Any, count: Any) -> None:
    for k in range(count):
        put_float(trace, k, decay * float_at(trace, k) + amount * float_at(slopes, k))


@inlined
def _add_to_trace(net: Any, i: Any, amount: Any, slopes: Any) -> None:
    """Nothing is pending here: the sums of the same position were just worked out."""
    _add_slopes(row_at(net, net.trace, i), slopes, float_at(net.decay, i), amount, net.units)
    put_float(net.decay, i, _ONE)


@inlined
def _learn(net: Any, step: Any) -> None:
    for i in range(net.inputs):
        put_float(net.pending, i, float_at(net.pending, i) + step * float_at(net.decay, i))
    for unit in range(net.units + _1):
        put_float(net.out, unit, float_at(net.out, unit) + step * float_at(net.out_trace, unit))


@inlined
def _forget_traces(net: Any) -> None:
    for i in range(net.inputs):
        settle(net, i)
        put_float(net.decay, i, _ZERO)
    for unit in range(net.units + _1):
        put_float(net.out_trace, unit, _ZERO)
