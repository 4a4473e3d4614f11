"""The signs of a backgammon position: shots, ways out, points held and made, time, the race.

Each comes twice, for the player about to roll and for the other as if it were to roll. Sets of
places are bits in a word, as whoever rolls counts them; a roll is looked at once for all checkers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.games.backgammon_moves import BackgammonRules, sets_of
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.bits import count_bits, highest_bit, lowest_bit, peek, poke
from astragal.values.sign_registry import Sign, signs_for

ROLLS = 36
REACH = 12  # how far ahead a checker's way is looked at
LEADS = 64  # how many leads in the race are told apart
LEAD_STEP = SPARE_STEP = 4  # pips
PIPS_STEP = 12
MOST_SPARE, MOST_BACK, MOST_PIPS = 31, 8, 15  # more are not told apart
MOST_BLOTS, MOST_DEEP, MOST_ENTERING, MOST_RUN = 7, 10, 2, 7
SETS = 64  # of six neighbouring points, by which are held

_TWICE = (
    Sign("rolls that hit a blot", ROLLS),
    Sign("pips that hits cost on average", BAR),
    Sign("rolls by both dice of which the rearmost checker can go", ROLLS),
    Sign("the same of a checker that has been hit, on average over where it may enter", ROLLS),
    Sign("points held in the own home board", 6),
    Sign("where the rearmost checker stands", BAR),
    Sign("rolls that reach more than one blot", ROLLS),
    Sign("rolls by both dice of which the rearmost checker but one can go", ROLLS),
    Sign("the same of all checkers outside the home board, on average", ROLLS),
    Sign("pips from the outer boards to the home board, in steps of four", MOST_SPARE),
    Sign("checkers in the other's home board or on the bar", MOST_BACK),
    Sign("checkers borne off", 15),
    Sign("pips in all, in steps of twelve", MOST_PIPS),
    Sign("which points of the own home board are held", SETS - 1),
    Sign("which of the points 4 to 9 are", SETS - 1),
    Sign("which of the points 7 to 12 are", SETS - 1),
    Sign("which points of the other's home board are", SETS - 1),
    Sign("the most points held one behind the other before the other's rearmost checker", MOST_RUN),
    Sign("how far that checker is from the first of them", BAR),
    Sign("rolls that make a point from 3 to 8", ROLLS),
    Sign("rolls that make a point at home on a blot", ROLLS),
    Sign("rolls that make a point from 18 to 22", ROLLS),
    Sign("blots", MOST_BLOTS),
    Sign("checkers on the first two points", MOST_DEEP),
    Sign("checkers on the bar", MOST_ENTERING),
)
_EACH = len(_TWICE)
BACKGAMMON_SIGNS = (
    *_TWICE,
    *_TWICE,
    Sign("lead in the race, in steps of four pips", LEADS - 1),
    Sign("the phase of the game", 7),
    Sign("lead in the race, in pips", LEADS - 1),
)
HITS, COST, FREE, ENTERED, HELD, REAR, CHOICE, NEXT, WAY, SPARE, BACK, GONE, PIPS = range(13)
HOME, MIDDLE, OUTER, ANCHORS, RUN, EDGE, MADE, POINTED, ANCHORED, BLOTS, DEEP, ENTERING = range(
    13, _EACH
)
"""The signs of the player about to roll; those of the other come as many later."""
OTHER, LEAD, PHASE, EXACT_LEAD = _EACH, *range(2 * _EACH, 2 * _EACH + 3)
RACE, HAS_BORNE_OFF, OTHER_HAS, FAR_BACK, OTHER_IS, MUTUAL, BACK_ALONE, OTHER_ALONE = range(8)
"""The phases, of which the first that fits counts: nobody can be hit any more; this side, or the
other, has borne off; this side, or the other, has many checkers back; both or neither have some
back; only this side has, or only the other."""
MANY_BACK = 4


def _ways_out() -> NDArray[np.uint8]:
    """How many rolls take a checker all the way, by which of the places ahead are barred.

    The lowest bit is the place farthest ahead.
    """
    barred = np.arange(1 << REACH)
    is_open = [np.ones(1 << REACH, np.bool_)]
    is_open += [barred >> (REACH - steps) & 1 == 0 for steps in range(1, REACH + 1)]
    ways = np.zeros(1 << REACH, np.uint8)
    for die in range(1, 7):
        for other in range(1, 7):
            ways += is_open[die + other] & (is_open[die] | is_open[other])
    return ways


WAYS_OUT = _ways_out()
_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
_BAR, _HALF = np.uint64(BAR), np.uint64(HALF)
_ON_BAR = np.uint64(1 << BAR)
_REACH, _REACHED = np.uint64(REACH), np.uint64((1 << REACH) - 1)
_HOME = np.uint64(sum(1 << place for place in range(1, 7)))
_OUTSIDE = np.uint64(sum(1 << place for place in range(7, BAR)))
_SIX, _SEVEN, _DOUBLE = np.uint64(6), np.uint64(7), np.uint64(4)
_FAR, _MOST_BACK = np.uint64(19), np.uint64(MOST_BACK)
_SPARE_STEP, _MOST_SPARE = np.uint64(SPARE_STEP), np.uint64(MOST_SPARE)
_PIPS_STEP, _MOST_PIPS = np.uint64(PIPS_STEP), np.uint64(MOST_PIPS)
_ROLLS = np.uint64(ROLLS)
_EACH_AS_WORD = np.uint64(_EACH)
_SIX_POINTS = np.uint64(SETS - 1)
_KEY = np.uint64(sum(1 << place for place in range(3, 9)))
_ANCHORS = np.uint64(sum(1 << place for place in range(18, 23)))
_MOST_BLOTS, _MOST_DEEP = np.uint64(MOST_BLOTS), np.uint64(MOST_DEEP)
_MOST_ENTERING = np.uint64(MOST_ENTERING)
_MIDDLE_FIRST, _OUTER_FIRST = np.uint64(4), np.uint64(7)


@signs_for(BackgammonRules, BACKGAMMON_SIGNS, PHASE)
def _write_signs(rules: Any, board: Any, signs: Any) -> None:
    pips = _write_side(board, board + _HALF, signs)
    others = _write_side(board + _HALF, board, signs + _EACH_AS_WORD)
    lead = np.int64(others) - np.int64(pips)
    poke(signs + np.uint64(LEAD), min(max(lead // LEAD_STEP + LEADS // 2, 0), LEADS - 1))
    poke(signs + np.uint64(EXACT_LEAD), min(max(lead + LEADS // 2, 0), LEADS - 1))
    poke(signs + np.uint64(PHASE), _phase(signs, signs + _EACH_AS_WORD))


@inlined
def _phase(mine: Any, others: Any) -> Any:
    """The phase of the game, given the signs of both sides."""
    if _sign(mine, REAR) + _sign(others, REAR) < BAR:
        return RACE
    if _sign(mine, GONE) > 0:
        return HAS_BORNE_OFF
    if _sign(others, GONE) > 0:
        return OTHER_HAS
    back, others_back = _sign(mine, BACK), _sign(others, BACK)
    if back >= MANY_BACK:
        return FAR_BACK
    if others_back >= MANY_BACK:
        return OTHER_IS
    if (back > 0) == (others_back > 0):
        return MUTUAL
    return BACK_ALONE if back > 0 else OTHER_ALONE


@inlined
def _sign(signs: Any, number: Any) -> Any:
    return np.int64(peek(signs + np.uint64(number)))


@inlined
def _write_side(half: Any, other: Any, signs: Any) -> Any:
    """Writes the signs of one side; its pips."""
    mine, barred, blots = sets_of(half, other)
    held, single, crowded, pips, spare, back = _0, _0, _0, _0, _0, _0
    for place in range(_1, _BAR):
        count = np.uint64(peek(half + place))
        pips += count * place
        held |= np.uint64(count > _1) << place
        single |= np.uint64(count == _1) << place
        crowded |= np.uint64(count > _2) << place
    for place in range(_SEVEN, _FAR):
        spare += np.uint64(peek(half + place)) * (place - _SIX)
    for place in range(_FAR, _BAR):
        back += np.uint64(peek(half + place))
    entering = np.uint64(peek(half + _BAR))
    pips += entering * _BAR
    rear = highest_bit(mine) if mine else _0
    hits, cost, choice = _0, _0, _0
    if blots:
        hits, cost, choice = _shots(mine & ~_ON_BAR, barred, blots, entering)
    entered = _0
    for place in range(_FAR, _BAR):
        entered += _ways(place, barred)
    poke(signs + np.uint64(HITS), hits)
    poke(signs + np.uint64(COST), cost // _ROLLS)
    poke(signs + np.uint64(FREE), _ways(rear, barred))
    poke(signs + np.uint64(ENTERED), entered // _SIX)
    poke(signs + np.uint64(HELD), count_bits(held & _HOME))
    poke(signs + np.uint64(REAR), rear)
    poke(signs + np.uint64(CHOICE), choice)
    poke(signs + np.uint64(NEXT), _ways(_next(half, mine, rear), barred))
    poke(signs + np.uint64(WAY), _way(half, mine & _OUTSIDE, barred))
    poke(signs + np.uint64(SPARE), min(spare // _SPARE_STEP, _MOST_SPARE))
    poke(signs + np.uint64(BACK), min(back + entering, _MOST_BACK))
    poke(signs + np.uint64(GONE), peek(half))
    poke(signs + np.uint64(PIPS), min(pips // _PIPS_STEP, _MOST_PIPS))
    poke(signs + np.uint64(HOME), held >> _1 & _SIX_POINTS)
    poke(signs + np.uint64(MIDDLE), held >> _MIDDLE_FIRST & _SIX_POINTS)
    poke(signs + np.uint64(OUTER), held >> _OUTER_FIRST & _SIX_POINTS)
    poke(signs + np.uint64(ANCHORS), held >> _FAR & _SIX_POINTS)
    _write_run(held, _0 if peek(other + _BAR) else _lowest(barred | blots), signs)
    made, pointed, anchored = _0, _0, _0
    if entering == _0:
        made, pointed, anchored = _points_made(held, single, crowded, barred, blots)
    poke(signs + np.uint64(MADE), made)
    poke(signs + np.uint64(POINTED), pointed)
    poke(signs + np.uint64(ANCHORED), anchored)
    poke(signs + np.uint64(BLOTS), min(count_bits(single), _MOST_BLOTS))
    deep = np.uint64(peek(half + _1)) + np.uint64(peek(half + _2))
    poke(signs + np.uint64(DEEP), min(deep, _MOST_DEEP))
    poke(signs + np.uint64(ENTERING), min(entering, _MOST_ENTERING))
    return pips


@inlined
def _lowest(places: Any) -> Any:
    """The lowest of some places, or that of the bar if there is none."""
    return lowest_bit(places) if places else _BAR


@inlined
def _write_run(held: Any, rear: Any, signs: Any) -> None:
    """Writes how long the longest run of points is that a checker must pass, and how far away.

    `rear` is where the checker stands as the holder counts places; it goes upwards.
    """
    runs, first, length = held >> rear >> _1, _0, _0
    while runs:
        first, length = lowest_bit(runs) + _1, length + _1
        runs &= runs >> _1
    poke(signs + np.uint64(RUN), length)
    poke(signs + np.uint64(EDGE), first)


@inlined
def _points_made(held: Any, single: Any, crowded: Any, barred: Any, blots: Any) -> Any:
    """How many of the 36 rolls make a new point by two checkers that are not needed elsewhere.

    From 3 to 8, at home on a blot, and from 18 to 22. By a double, both checkers of a point may go.
    """
    free, spare = ~held & ~barred, single | crowded
    key, pointed, anchored = _0, _0, _0
    for larger in range(_1, _SEVEN):
        far = spare >> larger
        for smaller in range(_1, larger):
            near = spare >> smaller
            points = (far & near | single & (far | near)) & free
            key += _2 * np.uint64(points & _KEY != _0)
            pointed += _2 * np.uint64(points & blots & _HOME != _0)
            anchored += _2 * np.uint64(points & _ANCHORS != _0)
        both = held >> larger & ~barred
        points = (both | both >> larger | single & far) & free
        key += np.uint64(points & _KEY != _0)
        pointed += np.uint64(points & blots & _HOME != _0)
        anchored += np.uint64(points & _ANCHORS != _0)
    return key, pointed, anchored


@inlined
def _next(half: Any, mine: Any, rear: Any) -> Any:
    """Where the rearmost checker but one stands, 0 if there is none."""
    if peek(half + rear) > 1:
        return rear
    left = mine & ~(_1 << rear)
    return highest_bit(left) if left else _0


@inlined
def _way(half: Any, checkers: Any, barred: Any) -> Any:
    """How many rolls some checkers can go all the way by, on average."""
    ways, count = _0, _0
    while checkers:
        place = lowest_bit(checkers)
        checkers &= checkers - _1
        here = np.uint64(peek(half + place))
        ways += here * _ways(place, barred)
        count += here
    return ways // max(count, _1)


@inlined
def _ways(place: Any, barred: Any) -> Any:
    """How many of the 36 rolls a checker can go all the way by."""
    return np.uint64(WAYS_OUT[(barred << _REACH >> place) & _REACHED])


@inlined
def _shots(mine: Any, barred: Any, blots: Any, entering: Any) -> Any:
    """How many of the 36 rolls hit, the pips that they cost in all, each at its best, and how many
    reach more than one blot.

    `mine` is without the bar, from which so many have to enter first.
    """
    hits, cost, choice = _0, _0, _0
    for larger in range(_1, _SEVEN):
        for smaller in range(_1, larger):
            struck = _struck(mine, barred, blots, entering, larger, smaller)
            struck |= _struck(mine, barred, blots, entering, smaller, larger)
            if struck:
                hits += _2
                cost += highest_bit(struck) * _2
                choice += _2 * np.uint64(count_bits(struck) > _1)
        struck = _struck_by_double(mine, barred, blots, entering, larger)
        if struck:
            hits += _1
            cost += highest_bit(struck)
            choice += np.uint64(count_bits(struck) > _1)
    return hits, cost, choice


@inlined
def _struck(mine: Any, barred: Any, blots: Any, entering: Any, first: Any, second: Any) -> Any:
    """The blots that one die hits and then the other, in this order."""
    if entering == _0:
        gone = mine >> first & ~barred
        return (gone | gone >> second | mine >> second) & blots
    entered = _ON_BAR >> first & ~barred
    if entering > _1:
        return entered & blots
    if entered == _0:
        return _0
    return (entered | (mine | entered) >> second) & blots


@inlined
def _struck_by_double(mine: Any, barred: Any, blots: Any, entering: Any, die: Any) -> Any:
    """The blots that four steps of one die hit."""
    gone, struck, steps = mine, _0, _DOUBLE
    if entering > _0:
        entered = _ON_BAR >> die & ~barred
        if entered == _0:
            return _0
        gone, struck = gone | entered, entered & blots
        steps -= min(entering, _DOUBLE)
    while steps > _0:
        gone = gone >> die & ~barred
        struck |= gone & blots
        steps -= _1
    return struck
