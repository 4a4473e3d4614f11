"""Backgammon, one checker and one die at a time, with any number of checkers.

A half is `[borne off, points 1 to 24, bar]`, the points numbered by their owner, whose checkers
move downwards; a player's point p is the other player's point 25 - p.
"""

from collections.abc import Iterator

from . import Play, Row, halves

BAR = 25
ROLLS = tuple(f"{larger}{smaller}" for larger in range(1, 7) for smaller in range(1, larger + 1))

Board = tuple[Row, Row]
"""The mover's half and the other player's, in the middle of a turn."""


def starting(points: dict[int, int]) -> Row:
    """The position in which both players have these checkers on these points of their own."""
    half = tuple(points.get(point, 0) for point in range(BAR + 1))
    return half + half


START = starting({24: 2, 13: 5, 8: 3, 6: 5})


def plays(position: Row, roll: str) -> set[Play]:
    """Every distinct afterstate of a roll in an unfinished position.

    As many dice as possible must be played, and the larger if only one can be.
    """
    larger, smaller = int(roll[0]), int(roll[1])
    board = halves(position)
    if larger == smaller:
        _, boards = _played(board, (larger,) * 4)
        return {_turned(reached) for reached in boards}
    larger_first = _played(board, (larger, smaller))
    smaller_first = _played(board, (smaller, larger))
    return {_turned(reached) for reached in _most_dice(larger_first, smaller_first)}


def outcome(position: Row) -> int | None:
    """Points from -3 to 3 for the player about to roll when one side has borne all off."""
    mine, theirs = halves(position)
    if not any(mine[1:]):
        return _points_lost_by(theirs)
    if not any(theirs[1:]):
        return -_points_lost_by(mine)
    return None


def perft(position: Row, depth: int) -> int:
    """The number of ways that `depth` rolls and plays can go; a finished game goes no further."""
    if depth == 0:
        return 1
    if outcome(position) is not None:
        return 0
    return sum(perft(play.position, depth - 1) for roll in ROLLS for play in plays(position, roll))


def _played(board: Board, dice: tuple[int, ...]) -> tuple[int, set[Board]]:
    """How many of the dice can be played in this order, and the boards that playing so many give.

    A die that cannot be played ends the attempt: the other order tries what comes after it.
    """
    count, boards = 0, {board}
    for die in dice:
        further = {after for before in boards for after in _steps(before, die)}
        if not further:
            break
        count, boards = count + 1, further
    return count, boards


def _most_dice(
    larger_first: tuple[int, set[Board]], smaller_first: tuple[int, set[Board]]
) -> set[Board]:
    """The boards of the order that plays more dice; of both if both play two."""
    if larger_first[0] == smaller_first[0] == 2:
        return larger_first[1] | smaller_first[1]
    if smaller_first[0] > larger_first[0]:
        return smaller_first[1]
    return larger_first[1]


def _steps(board: Board, die: int) -> Iterator[Board]:
    """Every board that one checker moved by one die can give."""
    mine, theirs = board
    sources = [BAR] if mine[BAR] else [point for point in range(1, BAR) if mine[point]]
    for source in sources:
        target = source - die
        if target <= 0:
            if _may_bear_off(mine, source, die):
                yield _moved(mine, source, 0), theirs
        elif theirs[25 - target] == 0:
            yield _moved(mine, source, target), theirs
        elif theirs[25 - target] == 1:
            yield _moved(mine, source, target), _moved(theirs, 25 - target, BAR)


def _may_bear_off(mine: Row, source: int, die: int) -> bool:
    """With all checkers home: by the exact die, or by a larger one from the highest point."""
    if any(mine[7:]):
        return False
    return die == source or not any(mine[source + 1 : 7])


def _turned(board: Board) -> Play:
    mine, theirs = board
    position = theirs + mine
    return Play(position, turn_passes=True, outcome=outcome(position))


def _points_lost_by(loser: Row) -> int:
    """1, or 2 with none borne off, or 3 with a checker also on the bar or in the winner's home."""
    if loser[0] > 0:
        return 1
    return 3 if any(loser[19:]) else 2


def _moved(half: Row, source: int, target: int) -> Row:
    checkers = list(half)
    checkers[source] -= 1
    checkers[target] += 1
    return tuple(checkers)
