"""Where a roll of backgammon can lead: all distinct afterstates, each once.

No play is written twice, by construction; nothing is compared with what has been written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.games.bits import (
    address_of,
    copy_bytes,
    highest_bit,
    lowest_bit,
    peek,
    poke,
    put_word,
)
from astragal.games.kernels import UNFINISHED, afterstates_for, outcome_for

BENCHES = 4  # boards in the making, one for each step of a double


class BackgammonRules(NamedTuple):
    """The rules, as the compiled functions read them."""

    start: NDArray[np.int8]  # [52]
    throws: NDArray[np.int8]  # [36]
    opening: NDArray[np.int8]  # [30] a double decides nobody's turn, so it is thrown again
    roll_count: int
    most_afterstates: int
    dice: NDArray[np.uint64]  # [21, 2] the larger and the smaller
    pieces: int  # checkers a side


class _Pages(NamedTuple):
    """Where afterstates are written, and what has changed on them, by addresses."""

    boards: Any
    changed: Any


@outcome_for(BackgammonRules)
def _outcome(rules: Any, position: Any) -> int:
    if position[OFF] == rules.pieces:
        return _points(address_of(position) + _HALF)
    if position[HALF + OFF] == rules.pieces:
        return -_points(address_of(position))
    return UNFINISHED


# Sets of places are bits in a word. In them a play is found without looking at the board again:
# `mine` are the places where the mover has a checker, `barred` the points that the other side
# holds with two or more, `blots` those that it holds with one. Boards are addresses, and are laid
# out as afterstates: first the other side's half, which rolls next, then the mover's.
_0 = np.uint64(0)
_1 = np.uint64(1)
_BAR = np.uint64(BAR)
_HALF = np.uint64(HALF)
_BOARD = np.uint64(2 * HALF)
_BENCHES = np.uint64(BENCHES)
_ON_BAR = np.uint64(1 << BAR)
_OUTSIDE = np.uint64(sum(1 << place for place in range(7, BAR + 1)))
_POINTS = np.uint64(sum(1 << place for place in range(1, 25)))


@afterstates_for(BackgammonRules)
def _afterstates(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> Any:
    first = np.uint64(at)
    boards = address_of(room.positions) + first * _BOARD
    bench = boards + (np.uint64(rules.most_afterstates) - _BENCHES) * _BOARD
    pages = _Pages(boards, address_of(room.changed) + first * np.uint64(8))
    count = _write_boards(
        address_of(position), pages, bench, rules.dice[roll, 0], rules.dice[roll, 1]
    )
    _write_outcomes(
        boards,
        count,
        rules.pieces,
        address_of(room.turn_passes) + first,
        address_of(room.outcome) + first,
    )
    return np.intp(count)


@inlined
def _write_outcomes(boards: Any, count: Any, checkers: Any, turn_passes: Any, outcome: Any) -> None:
    for i in range(count):
        board = boards + i * _BOARD
        is_won = peek(board + _HALF) == checkers
        poke(outcome + i, -_points(board) if is_won else UNFINISHED)
        poke(turn_passes + i, 1)


@inlined
def _points(loser: Any) -> int:
    """What the game counts for the winner, from the loser's half."""
    if peek(loser) > 0:
        return 1
    for place in range(np.uint64(19), _HALF):
        if peek(loser + place) > 0:
            return 3
    return 2


@inlined
def _write_boards(position: Any, pages: Any, bench: Any, larger: Any, smaller: Any) -> Any:
    """Writes where each play leads; how many there are."""
    boards = pages.boards
    copy_bytes(bench, position + _HALF, _HALF)
    copy_bytes(bench + _HALF, position, _HALF)
    mine, barred, blots = sets_of(position, position + _HALF)
    if larger == smaller:
        end = _play_double(pages, bench, larger, mine, barred, blots)
    else:
        end = _play_both(pages, bench, larger, smaller, mine, barred, blots)
        if end == boards:
            end = _play_one(pages, bench, larger, mine, barred, blots)
        if end == boards:
            end = _play_one(pages, bench, smaller, mine, barred, blots)
    if end == boards:
        put_word(pages.changed, 0, _0)
        copy_bytes(boards, bench, _BOARD)
        end += _BOARD
    return (end - boards) // _BOARD


@inlined
def sets_of(half: Any, other: Any) -> Any:
    """`mine`, `barred` and `blots` of a side, given where its half and the other's are."""
    mine, barred, blots = _0, _0, _0
    for place in range(_1, _BAR):
        against = peek(other + _BAR - place)
        mine |= np.uint64(peek(half + place) > 0) << place
        barred |= np.uint64(against > 1) << place
        blots |= np.uint64(against == 1) << place
    mine |= np.uint64(peek(half + _BAR) > 0) << _BAR
    return mine, barred, blots


@inlined
def _movable(mine: Any, barred: Any, die: Any) -> Any:
    """The places from which a checker can move by this die."""
    if mine & _ON_BAR:
        return _ON_BAR & ~(barred << die)
    sources = mine & ~(barred << die) & (_POINTS << die)
    if mine != 0 and mine & _OUTSIDE == 0:
        sources |= mine & (_1 << die)
        highest = highest_bit(mine)
        if highest < die:
            sources |= _1 << highest
    return sources


@inlined
def _moved(board: Any, mine: Any, source: Any, die: Any) -> Any:
    """The mover's places once a checker has gone from the source."""
    if peek(board + _HALF + source) == 1:
        mine &= ~(_1 << source)
    if source > die:
        mine |= _1 << (source - die)
    return mine


@inlined
def _move(board: Any, source: Any, die: Any, blots: Any) -> Any:
    """Moves a checker on the board; the other side's blots that are left."""
    target = source - die if source > die else _0
    _add(board + _HALF + source, -1)
    _add(board + _HALF + target, 1)
    if blots >> target & _1:
        _add(board + _BAR - target, -1)
        _add(board + _BAR, 1)
    return blots & ~(_1 << target)


@inlined
def _add(address: Any, number: Any) -> None:
    poke(address, peek(address) + number)


@inlined
def _changed(source: Any, die: Any, blots: Any) -> Any:
    """The places of an afterstate, as bits, that one checker's step changes."""
    target = source - die if source > die else _0
    hit = blots >> target & _1
    return (_1 << source | _1 << target) << _HALF | hit << (_BAR - target) | hit << _BAR


@inlined
def _write(
    pages: Any, end: Any, bench: Any, source: Any, die: Any, blots: Any, changed: Any
) -> Any:
    """Writes the board on the bench with one checker moved; where the next board belongs.

    `changed` are the places that differ on the bench already.
    """
    copy_bytes(end, bench, _BOARD)
    _move(end, source, die, blots)
    row = (end - pages.boards) // _BOARD
    put_word(pages.changed, row, changed | _changed(source, die, blots))
    return end + _BOARD


@inlined
def _play_one(pages: Any, bench: Any, die: Any, mine: Any, barred: Any, blots: Any) -> Any:
    end, sources = pages.boards, _movable(mine, barred, die)
    while sources:
        end = _write(pages, end, bench, lowest_bit(sources), die, blots, _0)
        sources &= sources - _1
    return end


@inlined
def _play_both(
    pages: Any, bench: Any, larger: Any, smaller: Any, mine: Any, barred: Any, blots: Any
) -> Any:
    end, chains = _play_in_order(
        pages, pages.boards, bench, larger, smaller, mine, barred, blots, _0, _0
    )
    # Two plays that are both legal with the larger die first have been written already.
    known = _movable(mine, barred, larger)
    end, chains = _play_in_order(
        pages, end, bench, smaller, larger, mine, barred, blots, known, chains
    )
    return end


@inlined
def _play_in_order(
    pages: Any,
    end: Any,
    bench: Any,
    first: Any,
    second: Any,
    mine: Any,
    barred: Any,
    blots: Any,
    known: Any,
    chains: Any,
) -> Any:
    """Writes the plays that begin with the first die and do not go on from a known source.

    `chains` are the sources from which one checker has gone by both dice, hitting nothing on the
    way: by either die first, or as two checkers of which one fills the point that the other left.
    """
    sources = _movable(mine, barred, first)
    while sources:
        source = lowest_bit(sources)
        sources &= sources - _1
        others = _movable(_moved(bench, mine, source, first), barred, second) & ~known
        if others == 0:
            continue
        copy_bytes(bench + _BOARD, bench, _BOARD)
        left = _move(bench + _BOARD, source, first, blots)
        changed = _changed(source, first, blots)
        while others:
            other = lowest_bit(others)
            others &= others - _1
            # Two checkers borne off: the smaller die first gives nothing new.
            if first < second and source <= first and other <= second:
                continue
            if source == other + first or other == source + second:
                top, middle = max(source, other), min(source, other)
                if not blots >> middle & _1:
                    if chains >> top & _1:
                        continue
                    chains |= _1 << top
            end = _write(pages, end, bench + _BOARD, other, second, left, changed)
    return end, chains


@inlined
def _play_double(pages: Any, bench: Any, die: Any, mine: Any, barred: Any, blots: Any) -> Any:
    """Writes the plays of four equal steps, or of as many as can be made.

    The sources of a play never rise, so each play comes once: which steps are made says where all
    checkers end, and made from the rear they are legal in that order if they are in any.
    """
    untried = np.empty(4, np.uint64)  # the sources still to be tried for each step
    places = np.empty(4, np.uint64)  # `mine` before each step
    left = np.empty(4, np.uint64)  # `blots` before each step
    changed = np.empty(4, np.uint64)  # the places that differ before each step
    untried[0], places[0], left[0] = _movable(mine, barred, die), mine, blots
    changed[0] = _0
    end, longest, step = pages.boards, _0, _0
    while True:
        if untried[step] == 0:
            if step == 0:
                return end
            step -= _1
            bench -= _BOARD
            continue
        source = highest_bit(untried[step])
        untried[step] &= ~(_1 << source)
        if step + _1 > longest:
            longest, end = step + _1, pages.boards
        after = _moved(bench, places[step], source, die)
        sources = _movable(after, barred, die) & ((_1 << (source + _1)) - _1)
        if step == 3 or sources == 0:
            if step + _1 == longest:
                end = _write(pages, end, bench, source, die, left[step], changed[step])
            continue
        copy_bytes(bench + _BOARD, bench, _BOARD)
        changed[step + _1] = changed[step] | _changed(source, die, left[step])
        left[step + _1] = _move(bench + _BOARD, source, die, left[step])
        step += _1
        bench += _BOARD
        untried[step], places[step] = sources, after
