"""The first layer of a net for all plays of many positions, and then the best of them.

Letters for shapes: n positions, R rolls, N plays of all of them, H units, K outputs of the net.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, copy_bytes, float_at, peek, poke, put_word, word_at
from astragal.games.kernels import UNFINISHED, write_afterstates
from astragal.learning.kernels.changes import (
    changes_at,
    find_changed_rows,
    find_rows,
    find_sign_rows,
)
from astragal.learning.kernels.plays import (
    activate,
    net_at,
    prepare,
    scratch_at,
    sum_board,
    turn_board,
    value_plays,
)
from astragal.learning.kernels.vectors import add_rows
from astragal.values.network import sigmoid

_1, _FLOAT = np.uint64(1), np.uint64(4)
_NOTHING = np.float32(-np.inf)


class FirstLayer(NamedTuple):
    """What each row of the features adds to the first layer, a multiple of LANES long."""

    activation: int
    rows: NDArray[np.float32]  # [rows, H]
    empty: NDArray[np.float32]  # [H] the sums of an empty board
    phase_sign: int  # which sign tells the phase of the game, where nets have phases


class Scout(NamedTuple):
    """A small net that looks at all plays of a roll first."""

    changes: Any
    net: Any
    scratch: Any  # its boards are those of the large net's scratch
    highest: NDArray[np.float32]  # [plays to keep] room for the odds of the best of them
    margin: np.float32  # how far their odds may be behind those of the best


class _LayerAt(NamedTuple):
    """Where in memory a first layer is."""

    activation: Any
    length: Any
    rows: Any
    empty: Any
    phase_sign: Any


@inlined
def _layer_at(layer: Any) -> _LayerAt:
    return _LayerAt(
        layer.activation,
        np.uint64(layer.empty.size),
        address_of(layer.rows),
        address_of(layer.empty),
        np.uint64(layer.phase_sign),
    )


@compiled
def label_at_once(
    rules: Any,
    changes_held: Any,
    net_held: Any,
    scratch: Any,
    positions: Any,
    rolls: Any,
    chances: Any,
    targets: Any,
    plays: Any,
    by_roll: Any,
) -> None:
    """Writes the labels of positions [n, W] for their rolls [n, R], each of which has a chance [R].

    By a net of one hidden layer that tells wins alone.

    The same as what follows does for all nets, but a play's hidden units are used at once.
    """
    changes, net, at = changes_at(changes_held), net_at(net_held), scratch_at(scratch)
    stamp = np.uint64(0)
    changes_held.seen[:] = 0
    for n in range(len(targets)):
        copy_bytes(at.position, address_of(positions) + np.uint64(n) * changes.width, changes.width)
        sum_board(changes, net, at.position, at.own, at, stamp + _1)
        stamp += _1 + _1
        prepare(changes, net, at, stamp)
        expected = np.float32(0)
        for r in range(chances.size):
            count = write_afterstates(rules, scratch.position, rolls[n, r], scratch.room, 0)
            best, stamp = value_plays(changes, net, count, at, stamp)
            chance = sigmoid(float_at(at.odds, best))
            expected += chances[r] * chance
            plays[n, r], by_roll[n, r, 0] = best, chance
        targets[n, 0] = expected


@compiled
def spread_plays(
    rules: Any,
    changes_held: Any,
    layer_held: Any,
    scratch: Any,
    scout: Any,
    positions: Any,
    rolls: Any,
    begin: int,
    end: int,
    hidden: Any,
    boards: Any,
    outcome: Any,
    turn_passes: Any,
    number: Any,
    phase: Any,
    first: Any,
) -> Any:
    """Writes boards and first layer's values for the plays of positions from `begin` to `end`.

    They end earlier if there is no more room. Of each position the plays of its rolls [n, R], or of
    these the ones that a scout likes best, unless it is None. Where the next positions begin, and
    how many plays there are. Behind the last position there must be another row, which is not
    looked at.
    """
    changes, layer = changes_at(changes_held), _layer_at(layer_held)
    at, hidden_at, boards_at = scratch_at(scratch), address_of(hidden), address_of(boards)
    outcome_at, passes_at = address_of(outcome), address_of(turn_passes)
    number_at, phase_at = address_of(number), address_of(phase)
    most = rolls.shape[1] * rules.most_afterstates
    if scout is not None:
        scouting, small = changes_at(scout.changes), net_at(scout.net)
        seen, lot = scratch_at(scout.scratch), np.uint64(0)
        scout.changes.seen[:] = 0
    used, group, stamp, n = 0, 0, np.uint64(0), begin
    changes_held.seen[:] = 0
    while n < end and used + most <= outcome.size:
        copy_bytes(at.position, address_of(positions) + np.uint64(n) * changes.width, changes.width)
        turn_board(at.position, at.turned, changes.width)
        _sum_rows(changes, layer, at.empty, layer.empty, at.position, at.own, stamp + _1)
        _sum_rows(changes, layer, at.empty, layer.empty, at.turned, at.other, stamp + _1 + _1)
        stamp += _1 + _1
        if scout is not None:
            sum_board(scouting, small, seen.position, seen.own, seen, lot + _1)
            lot += _1 + _1
            prepare(scouting, small, seen, lot)
        for r in range(rolls.shape[1]):
            first[group] = used
            group += 1
            count = write_afterstates(rules, scratch.position, rolls[n, r], scratch.room, 0)
            lowest = _NOTHING
            if scout is not None:  # noqa: SIM102 (compiled or left out as a whole)
                if count > 1:
                    best, lot = value_plays(scouting, small, count, seen, lot)
                    lowest = float_at(seen.odds, np.uint64(best)) - scout.margin
                    if count > scout.highest.size:
                        lowest = max(lowest, _lowest_kept(seen.odds, count, scout.highest))
            for play in range(np.uint64(count)):
                if scout is not None:  # noqa: SIM102
                    if float_at(seen.odds, play) < lowest:
                        continue
                passes, slot = peek(at.turn_passes + play), np.uint64(used)
                poke(outcome_at + slot, peek(at.outcome + play))
                poke(passes_at + slot, passes)
                put_word(number_at, slot, play)
                stamp += _1
                board = at.boards + play * changes.width
                copy_bytes(boards_at + slot * changes.width, board, changes.width)
                before, sums = (at.turned, at.other) if passes else (at.position, at.own)
                row = hidden_at + slot * layer.length * _FLOAT
                copy_bytes(row, sums, layer.length * _FLOAT)
                places = word_at(at.changed, play)
                found = find_changed_rows(changes, before, board, places, stamp)
                found = find_sign_rows(rules, changes, board, found)
                poke(phase_at + slot, peek(changes.signs + layer.phase_sign))
                _add_found(changes, layer, row, found)
                activate(layer.activation, row, layer.length)
                used += 1
        n += 1
    first[group] = used
    return n, used


@inlined
def _lowest_kept(odds: Any, count: Any, highest: Any) -> Any:
    """The lowest of as many odds as there is room for, the highest of all."""
    highest[:] = _NOTHING
    for play in range(np.uint64(count)):
        value, place = float_at(odds, play), highest.size
        while place > 0 and value > highest[place - 1]:
            place -= 1
            if place + 1 < highest.size:
                highest[place + 1] = highest[place]
        if place < highest.size:
            highest[place] = value
    return highest[-1]


@inlined
def _sum_rows(
    changes: Any, layer: Any, before: Any, sums: Any, board: Any, target: Any, stamp: Any
) -> None:
    """Writes the sums of a board, given those of one that is almost the same."""
    copy_bytes(target, sums, layer.length * _FLOAT)
    _add_found(changes, layer, target, find_rows(changes, before, board, stamp))


@inlined
def _add_found(changes: Any, layer: Any, target: Any, count: Any) -> None:
    add_rows(target, layer.rows, layer.length, changes.found, changes.found_amount, count)


@compiled
def best_plays(
    outputs: Any,
    outcome: Any,
    turn_passes: Any,
    number: Any,
    first: Any,
    count: int,
    of_outcomes: Any,
    scores: Any,
    chances: Any,
) -> Any:
    """Targets [n, K], the best play of each roll [n, R], and what those lead to [n, R, K].

    A play is told by its `number` [N] among all of its roll.
    `outputs` [N, K] belong to whoever rolls next; `of_outcomes` [points, K] stands in for them
    where a game is over.
    """
    kinds, rolls = outputs.shape[1], chances.size
    lowest = -(len(of_outcomes) // 2)
    targets = np.zeros((count, kinds), np.float32)
    plays = np.empty((count, rolls), np.int64)
    by_roll = np.empty((count, rolls, kinds), np.float32)
    told = np.empty(kinds, np.float32)
    for n in range(count):
        for roll in range(rolls):
            begin, end = first[n * rolls + roll], first[n * rolls + roll + 1]
            highest = np.float32(-np.inf)
            for play in range(begin, end):
                for k in range(kinds):
                    told[k] = outputs[play, k]
                if outcome[play] != UNFINISHED:
                    for k in range(kinds):
                        told[k] = of_outcomes[outcome[play] - lowest, k]
                if turn_passes[play]:
                    _turn_round(told)
                score = np.float32(0)
                for k in range(kinds):
                    score += scores[k] * told[k]
                if score > highest:
                    highest = score
                    plays[n, roll] = number[play]
                    for k in range(kinds):
                        by_roll[n, roll, k] = told[k]
            for k in range(kinds):
                targets[n, k] += chances[roll] * by_roll[n, roll, k]
    return targets, plays, by_roll


@compiled
def _turn_round(told: Any) -> None:
    """One chance of winning, or those of all outcomes, seen from the other side."""
    kinds = told.size
    if kinds == 1:
        told[0] = np.float32(1) - told[0]
    for k in range(kinds // 2):
        told[k], told[kinds - 1 - k] = told[kinds - 1 - k], told[k]
