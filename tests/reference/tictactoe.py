"""Tic-tac-toe, whose only roll is `-`; a half has a 1 in each of its owner's cells, 0 to 8."""

from . import Play, Row, halves

ROLLS = ("-",)
START: Row = (0,) * 18
LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def plays(position: Row, roll: str) -> set[Play]:
    """Every distinct afterstate in an unfinished position."""
    if roll not in ROLLS:
        raise ValueError(f"tic-tac-toe has no roll {roll!r}, only '-'")
    mine, theirs = halves(position)
    return {
        _turned((*mine[:cell], 1, *mine[cell + 1 :]), theirs)
        for cell in range(9)
        if not mine[cell] and not theirs[cell]
    }


def outcome(position: Row) -> int | None:
    """1, 0 or -1 for the player about to move when a line or the board is full."""
    mine, theirs = halves(position)
    if _has_line(mine):
        return 1
    if _has_line(theirs):
        return -1
    return 0 if sum(position) == 9 else None


def perft(position: Row, depth: int) -> int:
    """The number of ways that `depth` plays can go; a finished game goes no further."""
    if depth == 0:
        return 1
    if outcome(position) is not None:
        return 0
    return sum(perft(play.position, depth - 1) for play in plays(position, "-"))


def _has_line(half: Row) -> bool:
    return any(all(half[cell] for cell in line) for line in LINES)


def _turned(mine: Row, theirs: Row) -> Play:
    position = theirs + mine
    return Play(position, turn_passes=True, outcome=outcome(position))
