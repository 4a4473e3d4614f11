"""Signs (values/signs.py) as steps of an ONNX graph: the same numbers from tensors of floats.

Letters for shapes: N positions, P places of a half.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.values import backgammon_signs, ur_signs
from astragal.values.onnx_steps import Steps


def add_signs(game: Game, steps: Steps, positions: str) -> str:
    """The signs [N, signs] of positions [N, W], both as int64."""
    floats = steps.add("Cast", positions, to=steps.float32)
    if isinstance(game.rules, UrRules):
        found = _ur_signs(game.rules, steps, floats)
    else:
        assert isinstance(game.rules, BackgammonRules)
        found = _backgammon_signs(steps, floats)
    return steps.add("Cast", found, to=steps.int64)


def _gathered(steps: Steps, numbers: str, places: list[int]) -> str:
    return steps.add("Gather", numbers, steps.integers(*places), axis=1)


def _is_any(steps: Steps, numbers: str) -> str:
    """1 where there is one or more, else 0."""
    return steps.add("Min", numbers, steps.floats(1))


def _product(steps: Steps, *factors: str) -> str:
    return reduce(lambda product, factor: steps.add("Mul", product, factor), factors)


def _inverse(steps: Steps, numbers: str) -> str:
    """0 for 1, and 1 for 0."""
    return steps.add("Sub", steps.floats(1), numbers)


def _highest(steps: Steps, numbers: str) -> str:
    """The largest along the last axis, which stays."""
    return steps.add("ReduceMax", numbers, axes=[-1], keepdims=1)


def _total(steps: Steps, numbers: str) -> str:
    """The sum along the last axis, which stays."""
    return steps.add("ReduceSum", numbers, steps.integers(-1), keepdims=1)


def _ur_signs(rules: UrRules, steps: Steps, positions: str) -> str:
    length = rules.rosette.size
    halves = [_gathered(steps, positions, list(range(i, i + length))) for i in (0, length)]
    found = [_of_ur_side(rules, steps, *pair) for pair in (halves, halves[::-1])]
    return steps.add("Concat", *found, axis=1)


def _of_ur_side(rules: UrRules, steps: Steps, half: str, other: str) -> str:
    length = rules.rosette.size
    is_square = np.ones(length)
    is_square[[0, -1]] = 0
    mine = _is_any(steps, half)
    theirs = _is_any(steps, _gathered(steps, other, rules.meets.tolist()))
    theirs = _product(steps, theirs, steps.floats(rules.meets > 0))
    is_free = _product(
        steps,
        _inverse(steps, mine),
        _inverse(steps, _product(steps, theirs, steps.floats(rules.barred))),
        steps.floats(is_square),
    )
    weights = np.where(rules.rosette, 2.0 ** (np.cumsum(rules.rosette) - 1), 0)
    captures, reached = [], []
    for step in range(1, ur_signs.ROLLS + 1):
        moved = steps.add("MatMul", mine, steps.floats(np.eye(length, k=step)))
        targets = _product(steps, moved, is_free)
        squares = steps.floats(np.arange(length))
        captures.append(_highest(steps, _product(steps, targets, theirs, squares)))
        reached.append(_total(steps, _product(steps, targets, steps.floats(weights))))
    return steps.add("Concat", *captures, *reached, axis=1)


_IS_POINT = np.array([0] + [1] * 24 + [0])
_PLACES = np.array([*range(BAR + 1)])
_DICE = range(1, 7)
_SIXES = 1, 4, 7, 19  # where the sets of six points begin of which it is told which are held


def _backgammon_signs(steps: Steps, positions: str) -> str:
    halves = [_gathered(steps, positions, list(range(i, i + HALF))) for i in (0, HALF)]
    found = [_of_backgammon_side(steps, *pair) for pair in (halves, halves[::-1])]
    pips = [steps.add("MatMul", half, steps.floats(_PLACES[:, np.newaxis])) for half in halves]
    pips_ahead = steps.add("Sub", pips[1], pips[0])
    lead, exact_lead = (_lead(steps, pips_ahead, step) for step in (backgammon_signs.LEAD_STEP, 1))
    return steps.add("Concat", *found, lead, _phase(steps, *found), exact_lead, axis=1)


def _lead(steps: Steps, pips: str, step: int) -> str:
    """A lead in steps of some pips [N, 1]."""
    lead = steps.add("Floor", steps.add("Div", pips, steps.floats(step)))
    lead = steps.add("Add", lead, steps.floats(backgammon_signs.LEADS // 2))
    return steps.add("Clip", lead, steps.floats(0), steps.floats(backgammon_signs.LEADS - 1))


def _phase(steps: Steps, mine: str, others: str) -> str:
    """The phase of the game [N, 1], given the signs [N, signs] of both sides."""
    rear, others_rear, gone, others_gone, back, others_back = (
        _gathered(steps, side, [sign])
        for sign in (backgammon_signs.REAR, backgammon_signs.GONE, backgammon_signs.BACK)
        for side in (mine, others)
    )
    many = backgammon_signs.MANY_BACK - 1
    is_back, others_are = _is_any(steps, back), _is_any(steps, others_back)
    contact = _is_above(steps, steps.add("Add", rear, others_rear), BAR - 1)
    choices = (  # of which the last that holds counts
        (_product(steps, is_back, _inverse(steps, others_are)), backgammon_signs.BACK_ALONE),
        (_product(steps, others_are, _inverse(steps, is_back)), backgammon_signs.OTHER_ALONE),
        (_is_above(steps, others_back, many), backgammon_signs.OTHER_IS),
        (_is_above(steps, back, many), backgammon_signs.FAR_BACK),
        (_is_any(steps, others_gone), backgammon_signs.OTHER_HAS),
        (_is_any(steps, gone), backgammon_signs.HAS_BORNE_OFF),
        (_inverse(steps, contact), backgammon_signs.RACE),
    )
    phase = steps.floats([[backgammon_signs.MUTUAL]])
    for holds, number in choices:
        change = steps.add("Sub", steps.floats(number), phase)
        phase = steps.add("Add", phase, _product(steps, holds, change))
    return phase


def _of_backgammon_side(steps: Steps, half: str, other: str) -> str:
    points = steps.floats(_IS_POINT)
    against = _gathered(steps, other, [BAR - place for place in range(HALF)])
    barred = _product(steps, _is_above(steps, against, 1), points)
    blots = _product(steps, _is_any(steps, against), points, _inverse(steps, barred))
    rear = _highest(steps, _product(steps, _is_any(steps, half), steps.floats(_PLACES)))
    ways = _ways(steps, barred)
    free = steps.add("GatherElements", ways, steps.add("Cast", rear, to=steps.int64), axis=1)
    entered = _total(steps, _gathered(steps, ways, list(range(19, BAR))))
    entered = steps.add("Floor", steps.add("Div", entered, steps.floats(6)))
    is_home = steps.floats((_PLACES > 0) & (_PLACES < 7))
    held = _total(steps, _product(steps, _is_above(steps, half, 1), is_home))
    hits, cost, choice = _shots(steps, half, barred, blots)
    first = (hits, cost, free, entered, held, rear, choice)
    points_held = _product(steps, _is_above(steps, half, 1), points)
    return steps.add(
        "Concat",
        *first,
        *_of_time(steps, half, ways),
        *_of_points(steps, points_held),
        *_of_run(steps, points_held, other),
        *_points_made(steps, half, points_held, barred, blots),
        *_of_checkers(steps, half),
        axis=1,
    )


def _of_points(steps: Steps, held: str) -> list[str]:
    """Which points of each six are held, as numbers [N, 1]."""
    found = []
    for first in _SIXES:
        powers = np.zeros((HALF, 1))
        powers[first : first + 6, 0] = 2.0 ** np.arange(6)
        found.append(steps.add("MatMul", held, steps.floats(powers)))
    return found


def _of_run(steps: Steps, held: str, other: str) -> list[str]:
    """How long the longest run of points before the other's rearmost checker is, and how far."""
    theirs = _product(steps, _is_any(steps, other), steps.floats(_PLACES))
    rear = steps.add("Sub", steps.floats(BAR), _highest(steps, theirs))
    ahead = steps.add("Clip", steps.add("Sub", steps.floats(_PLACES), rear), steps.floats(0))
    run = _product(steps, held, _is_any(steps, ahead))
    places = steps.floats(_PLACES[::-1] + 1)  # the more, the lower
    length, first = steps.floats([[0]]), steps.floats([[0]])
    for _ in range(backgammon_signs.MOST_RUN):
        is_there = _highest(steps, run)
        length = steps.add("Add", length, is_there)
        lowest = steps.add("Sub", steps.floats(HALF), _highest(steps, _product(steps, run, places)))
        change = steps.add("Sub", steps.add("Sub", lowest, rear), first)
        first = steps.add("Add", first, _product(steps, is_there, change))
        run = _product(steps, run, _moved(steps, run, 1))
    return [length, first]


def _points_made(steps: Steps, half: str, held: str, barred: str, blots: str) -> list[str]:
    """How many rolls make a point from 3 to 8, at home on a blot, and from 18 to 22; all [N, 1]."""
    is_point, is_open = steps.floats(_IS_POINT), _inverse(steps, barred)
    single = _product(steps, _is_any(steps, half), is_point, _inverse(steps, held))
    crowded = _product(steps, _is_above(steps, half, 2), is_point)
    free = _product(steps, is_open, _inverse(steps, held))
    gone = {die: _moved(steps, steps.add("Add", single, crowded), die) for die in _DICE}
    made = []
    for larger in _DICE:
        both = _product(steps, _moved(steps, held, larger), is_open)
        joined = _product(steps, single, gone[larger])
        made.append(steps.add("Sum", both, _moved(steps, both, larger), joined))
        for smaller in range(1, larger):
            either = steps.add("Add", gone[larger], gone[smaller])
            points = steps.add("Add", _is_above(steps, either, 1), _product(steps, single, either))
            made += 2 * [points]
    is_home = steps.floats((_PLACES > 0) & (_PLACES < 7))
    regions = (
        steps.floats((_PLACES > 2) & (_PLACES < 9)),
        _product(steps, blots, is_home),
        steps.floats((_PLACES > 17) & (_PLACES < 23)),
    )
    may_move = _inverse(steps, _is_any(steps, _gathered(steps, half, [BAR])))
    rolls = [_product(steps, _is_any(steps, points), free, may_move) for points in made]
    found = []
    for region in regions:
        is_made = (_highest(steps, _product(steps, roll, region)) for roll in rolls)
        found.append(_total(steps, steps.add("Concat", *is_made, axis=1)))
    return found


def _of_checkers(steps: Steps, half: str) -> list[str]:
    """Blots, checkers on the first two points, and on the bar; all [N, 1]."""
    blots = _product(steps, _is_any(steps, half), _inverse(steps, _is_above(steps, half, 1)))
    return [
        _weighed(steps, blots, _IS_POINT, backgammon_signs.MOST_BLOTS),
        _weighed(steps, half, (_PLACES == 1) | (_PLACES == 2), backgammon_signs.MOST_DEEP),
        _weighed(steps, half, _PLACES == BAR, backgammon_signs.MOST_ENTERING),
    ]


def _of_time(steps: Steps, half: str, ways: str) -> list[str]:
    """The signs of one side that tell how free it is and how far it has come, each [N, 1]."""
    from_there = np.tri(HALF) * (_PLACES > 0)[:, np.newaxis]
    rearmost = steps.add("MatMul", half, steps.floats(from_there))
    two = _product(steps, _is_above(steps, rearmost, 1), steps.floats(_PLACES))
    second = steps.add("Cast", _highest(steps, two), to=steps.int64)
    outside = _product(steps, half, steps.floats((_PLACES > 6) & (_PLACES < BAR)))
    count = steps.add("Max", _total(steps, outside), steps.floats(1))
    way = steps.add("Div", _total(steps, _product(steps, outside, ways)), count)
    spare = np.where(_PLACES < 19, np.maximum(_PLACES - 6, 0), 0)
    return [
        steps.add("GatherElements", ways, second, axis=1),
        steps.add("Floor", way),
        _weighed(steps, half, spare / backgammon_signs.SPARE_STEP, backgammon_signs.MOST_SPARE),
        _weighed(steps, half, _PLACES > 18, backgammon_signs.MOST_BACK),
        _gathered(steps, half, [0]),
        _weighed(steps, half, _PLACES / backgammon_signs.PIPS_STEP, backgammon_signs.MOST_PIPS),
    ]


def _weighed(steps: Steps, half: str, weights: NDArray[Any], most: int) -> str:
    """The whole part of what the checkers weigh [N, 1], at most so much."""
    weight = steps.add("MatMul", half, steps.floats(weights[:, np.newaxis]))
    whole = steps.add("Floor", steps.add("Add", weight, steps.floats(1e-3)))
    return steps.add("Min", whole, steps.floats(most))


def _is_above(steps: Steps, numbers: str, number: int) -> str:
    """1 where there is more, else 0, of whole numbers."""
    return steps.add(
        "Clip",
        steps.add("Sub", numbers, steps.floats(number)),
        steps.floats(0),
        steps.floats(1),
    )


def _ways(steps: Steps, barred: str) -> str:
    """How many rolls take a checker all the way from each place [N, P]."""
    ahead = _PLACES - _PLACES[:, np.newaxis]  # of each place, by which another is ahead of it
    is_reached = (ahead >= 1) & (ahead <= backgammon_signs.REACH)
    powers = np.where(is_reached, 2.0 ** (backgammon_signs.REACH - ahead), 0)
    index = steps.add("MatMul", barred, steps.floats(powers))
    index = steps.add("Cast", index, to=steps.int64)
    return steps.add("Gather", steps.floats(backgammon_signs.WAYS_OUT), index, axis=0)


class _Side(NamedTuple):
    """What shots depend on; numbers are 0 or 1."""

    mine: str  # [N, P] without the bar
    is_open: str  # [N, P]
    blots: str  # [N, P]
    entering: str  # [N, 1] how many have to enter first


class _Entry(NamedTuple):
    """A checker that enters by a die."""

    where: str  # [N, P]
    left: str  # [N, P] all checkers then, or none if it cannot enter


def _shots(steps: Steps, half: str, barred: str, blots: str) -> tuple[str, str, str]:
    """How many rolls hit, what they cost on average, how many reach more than one; all [N, 1]."""
    mine = _product(steps, _is_any(steps, half), steps.floats(_IS_POINT))
    side = _Side(mine, _inverse(steps, barred), blots, _gathered(steps, half, [BAR]))
    entries = {die: _entry(steps, side, die) for die in _DICE}
    struck = []
    for larger in _DICE:
        struck.append(_reached(steps, side, _by_double(steps, side, entries[larger], larger)))
        for smaller in range(1, larger):
            one = _by_two(steps, side, entries[larger], larger, smaller)
            other = _by_two(steps, side, entries[smaller], smaller, larger)
            struck += 2 * [_reached(steps, side, steps.add("Add", one, other))]
    places = steps.floats(_PLACES)
    farthest = [_highest(steps, _product(steps, blots, places)) for blots in struck]
    counts = steps.add("Concat", *(_total(steps, blots) for blots in struck), axis=1)
    cost = _total(steps, steps.add("Concat", *farthest, axis=1))
    cost = steps.add("Div", cost, steps.floats(backgammon_signs.ROLLS))
    return (
        _total(steps, _is_any(steps, counts)),
        steps.add("Floor", cost),
        _total(steps, _is_above(steps, counts, 1)),
    )


def _reached(steps: Steps, side: _Side, struck: str) -> str:
    """The blots that are struck [N, P]."""
    return _product(steps, _is_any(steps, struck), side.blots)


def _moved(steps: Steps, checkers: str, die: int) -> str:
    return steps.add("MatMul", checkers, steps.floats(np.eye(HALF, k=-die)))


def _entry(steps: Steps, side: _Side, die: int) -> _Entry:
    where = _product(steps, side.is_open, steps.floats(np.eye(HALF)[BAR - die]))
    left = _product(steps, side.mine, _highest(steps, where))
    return _Entry(where, _is_any(steps, steps.add("Add", left, where)))


def _by_two(steps: Steps, side: _Side, entry: _Entry, first: int, second: int) -> str:
    """Where checkers come [N, P] by one die and then the other."""
    gone = _product(steps, _moved(steps, side.mine, first), side.is_open)
    both = steps.add("Sum", gone, *(_moved(steps, part, second) for part in (gone, side.mine)))
    after = _moved(steps, entry.left, second)
    waits, is_crowded = _is_any(steps, side.entering), _is_above(steps, side.entering, 1)
    return steps.add(
        "Sum",
        _product(steps, both, _inverse(steps, waits)),
        _product(steps, entry.where, waits),
        _product(steps, after, waits, _inverse(steps, is_crowded)),
    )


def _by_double(steps: Steps, side: _Side, entry: _Entry, die: int) -> str:
    """Where checkers come [N, P] by four steps of a die."""
    waits = _is_any(steps, side.entering)
    gone = steps.add(
        "Add",
        _product(steps, side.mine, _inverse(steps, waits)),
        _product(steps, entry.left, waits),
    )
    struck = [_product(steps, entry.where, waits)]
    for step in range(4):
        gone = _product(steps, _moved(steps, gone, die), side.is_open)
        is_over = _is_above(steps, side.entering, 3 - step)
        struck.append(_product(steps, gone, _inverse(steps, is_over)))
    return steps.add("Sum", *struck)
