"""The Royal Game of Ur, played on named squares as on the real board.

A half is `[stones waiting, squares 1 to L of the owner's path, stones home]`. A square is
(row, column): rows 1 and 3 belong to the two players, row 2 is the middle. The player about to
roll sits at row 1; the other player walks the same path mirrored.
"""

from collections.abc import Iterator
from typing import NamedTuple

from . import Play, Row, halves

Square = tuple[int, int]


class RuleSet(NamedTuple):
    """What the rule sets of Ur differ in."""

    stones: int
    path: tuple[Square, ...]
    rosettes: frozenset[Square]
    rosettes_are_safe: bool
    capture_rolls_again: bool
    rolls: tuple[str, ...]

    def with_stones(self, stones: int) -> "RuleSet":
        """The same rules with another number of stones a side."""
        return self._replace(stones=stones)

    def start(self) -> Row:
        """The position before the first roll."""
        half = (self.stones, *(0 for _ in self.path), 0)
        return half + half


ENTRY = ((1, 4), (1, 3), (1, 2), (1, 1))
BELL_PATH = (*ENTRY, *((2, column) for column in range(1, 9)), (1, 8), (1, 7))
MASTERS_PATH = (
    *ENTRY,
    *((2, column) for column in range(1, 8)),
    *((3, 7), (3, 8), (2, 8), (1, 8), (1, 7)),
)
ASEB_PATH = (*ENTRY, *((2, column) for column in range(1, 13)))

STANDARD_ROSETTES = frozenset({(1, 1), (3, 1), (2, 4), (1, 7), (3, 7)})
ASEB_ROSETTES = frozenset({(1, 1), (3, 1), (2, 4), (2, 8), (2, 12)})

FOUR_DICE = ("0", "1", "2", "3", "4")
THREE_DICE = ("1", "2", "3", "4")

FINKEL = RuleSet(7, BELL_PATH, STANDARD_ROSETTES, True, False, FOUR_DICE)
BLITZ = RuleSet(5, MASTERS_PATH, STANDARD_ROSETTES, False, True, FOUR_DICE)
MASTERS = RuleSet(7, MASTERS_PATH, STANDARD_ROSETTES, False, False, THREE_DICE)
ASEB = RuleSet(5, ASEB_PATH, ASEB_ROSETTES, True, False, FOUR_DICE)


def plays(position: Row, roll: str, rules: RuleSet) -> set[Play]:
    """Every distinct afterstate of a roll in an unfinished position."""
    mine, theirs = halves(position)
    found = set(_moves(mine, theirs, int(roll), rules))
    return found or {Play(theirs + mine, turn_passes=True, outcome=None)}


def outcome(position: Row) -> int | None:
    """1 or -1 for the player about to roll when all of one side's stones are home."""
    mine, theirs = halves(position)
    if not any(mine[:-1]):
        return 1
    if not any(theirs[:-1]):
        return -1
    return None


def perft(position: Row, depth: int, rules: RuleSet) -> int:
    """The number of ways that `depth` rolls and plays can go; a finished game goes no further."""
    if depth == 0:
        return 1
    if outcome(position) is not None:
        return 0
    return sum(
        perft(play.position, depth - 1, rules)
        for roll in rules.rolls
        for play in plays(position, roll, rules)
    )


def _moves(mine: Row, theirs: Row, distance: int, rules: RuleSet) -> Iterator[Play]:
    """The plays that move a stone; none when nothing can move or a 0 is thrown."""
    if distance == 0:
        return
    home = len(rules.path) + 1
    for source in range(home):
        target = source + distance
        if mine[source] == 0 or target > home:
            continue
        if target == home:
            yield _passing(_moved(mine, source, target), theirs)
        elif mine[target] == 0:
            yield from _landing(mine, theirs, source, target, rules)


def _landing(mine: Row, theirs: Row, source: int, target: int, rules: RuleSet) -> Iterator[Play]:
    """The play that puts a stone on a square free of own stones, unless a safe enemy is there."""
    square = rules.path[target - 1]
    rosette = square in rules.rosettes
    meeting = _number_on_other_path(square, rules)
    captures = meeting is not None and theirs[meeting] == 1
    if captures and rosette and rules.rosettes_are_safe:
        return
    mine = _moved(mine, source, target)
    if meeting is not None and captures:
        theirs = _moved(theirs, meeting, 0)
    if rosette or (captures and rules.capture_rolls_again):
        yield Play(mine + theirs, turn_passes=False, outcome=None)
    else:
        yield _passing(mine, theirs)


def _passing(mine: Row, theirs: Row) -> Play:
    """The afterstate in which the other player rolls next."""
    position = theirs + mine
    return Play(position, turn_passes=True, outcome=outcome(position))


def _number_on_other_path(square: Square, rules: RuleSet) -> int | None:
    """Which step of the other player's path this square is, if that path crosses it."""
    mirrored = [(4 - row, column) for row, column in rules.path]
    return mirrored.index(square) + 1 if square in mirrored else None


def _moved(half: Row, source: int, target: int) -> Row:
    stones = list(half)
    stones[source] -= 1
    stones[target] += 1
    return tuple(stones)
