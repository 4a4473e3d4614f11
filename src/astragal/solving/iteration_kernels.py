"""The inner loops of policy iteration: what the best plays are, and what chosen ones lead to.

Worth is expected points, kept by the number of a position, for the player about to roll. A play is
one whole number: twice the number of its afterstate, and one more if the turn passes; or, where the
game is over, the mover's points less FINISHED, which is below zero.

Letters for shapes: N positions that are worked at, S numbers of the layout, R rolls, K outcomes.
What is read at random is an address in the innermost loops (see games/bits.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, double_at, peek
from astragal.games.kernels import UNFINISHED, new_buffer, read_outcome, write_afterstates
from astragal.values.layout import NOWHERE, number_of, write_position

FINISHED = 128
UNKNOWN = -(2**31)  # no play has been chosen yet: worse than any
# A play that is better by less is no better: sums in another order differ by as much.
_ROUNDING = 1e-13
# Leads are kept in four bytes, so after each step they are taken to be this much smaller.
_CAREFUL = np.float32(1 - 1e-6)


@compiled
def goes_on(rules: Any, layout: Any, begin: int, end: int) -> Any:
    """Whether each number from `begin` to below `end` is that of an unfinished position."""
    found = np.empty(end - begin, np.bool_)
    position = np.empty(rules.start.size, np.int8)
    for i in range(end - begin):
        write_position(layout, begin + i, position)
        is_there = number_of(layout, position) == begin + i
        found[i] = is_there and read_outcome(rules, position) == UNFINISHED
    return found


@compiled
def distances(rules: Any, layout: Any, numbers: Any) -> Any:
    """How far along their places the pieces of both sides are together, for each number [N]."""
    found = np.zeros(len(numbers), np.int16)
    position = np.empty(rules.start.size, np.int8)
    half = len(position) // 2
    for i in range(len(numbers)):
        write_position(layout, numbers[i], position)
        for place in range(half):
            found[i] += (place + 1) * (position[place] + position[half + place])
    return found


@compiled
def improve(
    rules: Any, layout: Any, odds: Any, worth: Any, numbers: Any, chosen: Any, lead: Any,
    drift: float, new: Any,
) -> float:  # fmt: skip
    """Chooses the best play of each position [N] and roll; what a play gained at most.

    What the positions are worth then is left in `new` [N]. The lead of a chosen play [N, R] is by
    how much it is better than any other. `drift` is how far two plays may have moved against each
    other since the last time: where a lead is larger, the plays are not looked at again.
    NaN if one leads to a position that the layout does not know.
    """
    room = new_buffer(rules, rules.most_afterstates * len(odds))
    plays = np.empty(len(room.outcome), np.int64)
    ends = np.empty(len(odds), np.int64)
    position = np.empty(rules.start.size, np.int8)
    most = 0.0
    for i in range(len(numbers)):
        write_position(layout, numbers[i], position)
        count = _write_doubtful(rules, position, lead[i], drift, room, ends)
        if not _list_plays(layout, room, count, plays):
            return np.nan
        gain, new[i] = _choose(odds, address_of(worth), plays, ends, lead[i], chosen[i])
        most = max(most, gain)
    return most


@inlined
def _write_doubtful(rules: Any, position: Any, lead: Any, drift: Any, room: Any, ends: Any) -> int:
    """Writes where the plays lead of all rolls whose best play may be another by now.

    Those of a roll end before `ends` [R]; how many there are in all.
    """
    count = 0
    for roll in range(len(ends)):
        lead[roll] = lead[roll] * _CAREFUL - drift
        if lead[roll] <= 0:
            count += write_afterstates(rules, position, roll, room, count)
        ends[roll] = count
    return count


@inlined
def _choose(odds: Any, worths: Any, plays: Any, ends: Any, lead: Any, chosen: Any) -> Any:
    """Chooses the best of the plays of each roll, if there are any; what was gained, the worth."""
    most, mean, begin = 0.0, 0.0, 0
    for roll in range(len(odds)):
        value = value_of(worths, chosen[roll])
        if begin < ends[roll]:
            best, second, play = _best(worths, plays, begin, ends[roll])
            lead[roll], begin = best - second, ends[roll]
            if best > value + _ROUNDING:
                most, value, chosen[roll] = max(most, best - value), best, play
        mean += odds[roll] * value
    return most, mean


@inlined
def _list_plays(layout: Any, room: Any, count: Any, plays: Any) -> bool:
    """Lists the plays that lead to what is in the room; whether the layout knows all of it.

    They are listed first and valued later, so that the processor can fetch many values at a time.
    """
    passing, outcomes = address_of(room.turn_passes), address_of(room.outcome)
    for row in range(count):
        passes, outcome = peek(passing + np.uint64(row)), peek(outcomes + np.uint64(row))
        if outcome == UNFINISHED:
            number = number_of(layout, room.positions[row])
            if number == NOWHERE:
                return False
            plays[row] = 2 * number + passes
        else:
            plays[row] = (-outcome if passes else outcome) - FINISHED
    return True


@inlined
def _best(worths: Any, plays: Any, begin: Any, end: Any) -> Any:
    """The values of the best of these plays and of the next that is another, and the best."""
    best, second, chosen = -np.inf, -np.inf, plays[begin]
    for row in range(begin, end):
        value = value_of(worths, plays[row])
        if value > best:
            best, second, chosen = value, best, plays[row]
        elif value > second and plays[row] != chosen:
            second = value
    return best, second, chosen


@inlined
def value_of(worths: Any, play: Any) -> float:
    """What a play is worth to the mover."""
    if play < 0:
        return np.float64(play + FINISHED)
    value = double_at(worths, np.int64(play >> 1))
    return -value if play & 1 else value


@compiled
def evaluate(odds: Any, scores: Any, sign: float, known: Any, chosen: Any, new: Any) -> None:
    """What positions score if the chosen plays [N, R] are made, left in `new` [N].

    Finished games score by points, from the lowest on; `sign` turns a score [S] to the other side.
    """
    scored, middle = address_of(known), len(scores) // 2
    for i in range(len(chosen)):
        mean = 0.0
        for roll in range(len(odds)):
            play = chosen[i, roll]
            if play < 0:
                mean += odds[roll] * scores[play + FINISHED + middle]
            elif play & 1:
                mean += odds[roll] * sign * double_at(scored, np.int64(play >> 1))
            else:
                mean += odds[roll] * double_at(scored, np.int64(play >> 1))
        new[i] = mean


@compiled
def settle(known: Any, numbers: Any, new: Any) -> float:
    """Takes over what was found for these numbers [N]; by how much something changed at most."""
    change = 0.0
    for i in range(len(numbers)):
        change = max(change, abs(new[i] - known[numbers[i]]))
        known[numbers[i]] = new[i]
    return change


@compiled
def step_beyond(known: Any, older: Any, weight: float) -> None:
    """Takes what is known [S] further away from what was known two sweeps ago."""
    for i in range(len(known)):
        known[i] = older[i] + weight * (known[i] - older[i])
