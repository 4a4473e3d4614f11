"""The Royal Game of Ur: a race along a path that both players share in part.

A half of a position has a number for each place on its owner's path: stones waiting, the squares
1 to L, stones home. Rule sets are data: a path, dice, stones and three habits of rosettes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.errors import InputError, quote
from astragal.games.bits import address_of, copy_bytes, lowest_bit, peek, poke, put_word
from astragal.games.game import Game
from astragal.games.kernels import UNFINISHED, afterstates_for, outcome_for
from astragal.games.ur_notation import UrNotation, mirrored

VERSION = 1
MOST_STONES = 7


def _binary_dice(count: int) -> tuple[int, ...]:
    """What each of the equally likely throws of so many two-sided dice adds up to."""
    return tuple(throw.bit_count() for throw in range(2**count))


@dataclass(frozen=True)
class RuleSet:
    """One way of playing, as a person would tell it."""

    title: str
    path: tuple[str, ...]
    """The squares that red walks, from the start to the finish; blue walks them mirrored."""
    rosettes: tuple[int, ...]
    """Squares, counted along the path from 1, that give another turn."""
    stones: int
    throws: tuple[int, ...] = _binary_dice(4)
    """How far each equally likely throw moves a stone."""
    rosettes_are_safe: bool = True
    capture_rolls_again: bool = False


_FINKEL_PATH = tuple("e3 d3 c3 b3 a3 a2 b2 c2 d2 e2 f2 g2 h2 h3 g3 f3".split())
_MASTERS_PATH = tuple("e3 d3 c3 b3 a3 a2 b2 c2 d2 e2 f2 g2 g1 h1 h2 h3 g3 f3".split())
_ASEB_PATH = tuple("e3 d3 c3 b3 a3 a2 b2 c2 d2 e2 f2 g2 h2 i2 j2 k2 l2 m2".split())

RULE_SETS = {
    "finkel": RuleSet("Royal Game of Ur", _FINKEL_PATH, (4, 8, 14), stones=7),
    "blitz": RuleSet(
        "Royal Game of Ur, Blitz",
        _MASTERS_PATH,
        (4, 8, 12, 16),
        stones=5,
        rosettes_are_safe=False,
        capture_rolls_again=True,
    ),
    "masters": RuleSet(
        "Royal Game of Ur, Masters",
        _MASTERS_PATH,
        (4, 8, 12, 16),
        stones=7,
        throws=tuple(pips or 4 for pips in _binary_dice(3)),
        rosettes_are_safe=False,
    ),
    "aseb": RuleSet("Aseb", _ASEB_PATH, (4, 8, 12, 16), stones=5),
}


def ur(rules: str = "finkel", stones: int | None = None) -> Game:
    """The game under a rule set of RULE_SETS, if wished with another number of stones."""
    if rules not in RULE_SETS:
        raise InputError(
            f"{quote(rules)} is not a rule set of ur: expected one of {', '.join(RULE_SETS)}."
        )
    rule_set = RULE_SETS[rules]
    count = rule_set.stones if stones is None else stones
    if not 1 <= count <= MOST_STONES:
        raise InputError(f"{quote(count)} is not a number of stones: expected 1 to {MOST_STONES}.")
    name = "ur" if rules == "finkel" else f"ur:{rules}"
    compiled_rules = _rules_for_kernels(rule_set, count)
    return Game(
        name=name if count == rule_set.stones else f"{name}:{count}",
        title=rule_set.title + ("" if count == rule_set.stones else _told_stones(count)),
        version=VERSION,
        rules=compiled_rules,
        sides=("red", "blue"),
        rolls=tuple(str(steps) for steps in compiled_rules.steps),
        outcomes=(-1, 1),
        notation=UrNotation(rule_set.path, rule_set.rosettes, count),
    )


def _told_stones(count: int) -> str:
    return ", one stone" if count == 1 else f", {count} stones"


class UrRules(NamedTuple):
    """One rule set, as the compiled functions read it."""

    start: NDArray[np.int8]  # [W]
    throws: NDArray[np.int8]  # [T]
    opening: NDArray[np.int8]  # [T]
    roll_count: int
    most_afterstates: int
    steps: NDArray[np.int8]  # [R] how far a stone goes
    meets: NDArray[np.uint8]  # [L + 2] the other path's number of the same square, or 0
    rosette: NDArray[np.bool_]  # [L + 2]
    barred: NDArray[np.bool_]  # [L + 2] shared squares on which a stone cannot be captured
    capture_rolls_again: bool
    pieces: int  # stones a side


def _rules_for_kernels(rule_set: RuleSet, stones: int) -> UrRules:
    path = rule_set.path
    start = np.zeros((2, len(path)), np.int8)
    start[:, 0] = stones
    steps = sorted(set(rule_set.throws))
    throws = np.array([steps.index(throw) for throw in rule_set.throws], np.int8)
    meets = np.array(_shared_squares(path), np.uint8)
    rosette = np.zeros(len(path), np.bool_)
    rosette[list(rule_set.rosettes)] = True
    return UrRules(
        start=start.ravel(),
        throws=throws,
        opening=throws,
        roll_count=len(steps),
        most_afterstates=stones,
        steps=np.array(steps, np.int8),
        meets=meets,
        rosette=rosette,
        barred=rosette & (meets > 0) & rule_set.rosettes_are_safe,
        capture_rolls_again=rule_set.capture_rolls_again,
        pieces=stones,
    )


def _shared_squares(path: tuple[str, ...]) -> list[int]:
    """For each place on red's path, the number of the same square on blue's, or 0."""
    blue = mirrored(path)
    squares = range(1, len(path) - 1)
    return [
        blue.index(path[i]) if i in squares and path[i] in blue else 0 for i in range(len(path))
    ]


@outcome_for(UrRules)
def _outcome(rules: Any, position: Any) -> int:
    half = position.size // 2
    if position[half - 1] == rules.pieces:
        return 1
    return -1 if position[2 * half - 1] == rules.pieces else UNFINISHED


_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_8 = np.uint64(8)


@afterstates_for(UrRules)
def _afterstates(rules: Any, position: Any, roll: Any, room: Any, at: Any) -> int:
    first, half = np.uint64(at), np.uint64(position.size // 2)
    step = np.uint64(rules.steps[roll])
    here = address_of(position)
    board = address_of(room.positions) + first * _2 * half
    turn_passes, outcome = address_of(room.turn_passes) + first, address_of(room.outcome) + first
    changed = address_of(room.changed) + first * _8
    meets, rosette = address_of(rules.meets), address_of(rules.rosette)
    sources = _movable(here, half, step, meets, address_of(rules.barred))
    if sources == 0:
        _write_pass(here, half, board, turn_passes, outcome)
        put_word(changed, 0, _0)
        return 1
    count = 0
    while sources:
        source = lowest_bit(sources)
        again, captured = _write_move(
            here, half, source, step, meets, rosette, rules.capture_rolls_again, board
        )
        put_word(changed, count, _changed(half, source, source + step, captured, again))
        is_won = not again and peek(board + _2 * half - _1) == rules.pieces
        poke(turn_passes, not again)
        poke(outcome, -1 if is_won else UNFINISHED)
        sources &= sources - _1
        board += _2 * half
        turn_passes += _1
        outcome += _1
        count += 1
    return count


@inlined
def _movable(here: Any, half: Any, step: Any, meets: Any, barred: Any) -> Any:
    """The places from which a stone can move, as bits."""
    sources = np.uint64(0)
    if step == 0:
        return sources
    # Without branches: whether a stone can move is close to a coin toss, which the processor
    # would guess wrong half the time.
    for source in range(half - step):
        target = source + step
        is_free = (peek(here + target) == 0) | (target == half - _1)
        met = peek(here + half + np.uint64(peek(meets + target)))
        is_barred = (peek(barred + target) != 0) & (met != 0)
        can_move = (peek(here + source) != 0) & is_free & (not is_barred)
        sources |= np.uint64(can_move) << source
    return sources


@inlined
def _write_move(
    here: Any, half: Any, source: Any, step: Any, meets: Any, rosette: Any, again: Any, board: Any
) -> Any:
    """Writes where a stone's move leads; whether the mover rolls again, and the square captured."""
    target = source + step
    met = np.uint64(peek(meets + target))
    captures = met != 0 and peek(here + half + met) != 0
    rolls_again = peek(rosette + target) != 0 or (captures and again)
    mine = board if rolls_again else board + half
    theirs = board + half if rolls_again else board
    copy_bytes(mine, here, half)
    copy_bytes(theirs, here + half, half)
    poke(mine + source, peek(mine + source) - 1)
    poke(mine + target, peek(mine + target) + 1)
    if captures:
        poke(theirs + met, 0)
        poke(theirs, peek(theirs) + 1)
    return rolls_again, met if captures else _0


@inlined
def _changed(half: Any, source: Any, target: Any, captured: Any, again: Any) -> Any:
    """The places that a move changes, as bits, seen by whoever rolls next."""
    mine = _1 << source | _1 << target
    theirs = _1 << captured | _1 if captured else _0
    return mine | theirs << half if again else theirs | mine << half


@inlined
def _write_pass(here: Any, half: Any, board: Any, turn_passes: Any, outcome: Any) -> None:
    copy_bytes(board, here + half, half)
    copy_bytes(board + half, here, half)
    poke(turn_passes, 1)
    poke(outcome, UNFINISHED)
