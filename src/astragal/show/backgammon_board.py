"""What stands where in backgammon, numbered as white counts, for both ways of drawing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from astragal.games.backgammon_places import BAR, HALF, OFF

if TYPE_CHECKING:
    from astragal.show.scene import Scene

# White sits at the bottom with its home board on the right: points from left to right.
TOP = (*range(13, 19), *range(19, 25))
BOTTOM = (*range(12, 6, -1), *range(6, 0, -1))
MOST_SHOWN = 5  # higher stacks show a number
PLACES = (*(str(point) for point in range(1, BAR)), "bar", "off")


class Stack(NamedTuple):
    """Checkers that stand on one another."""

    side: int
    size: int


class BackgammonBoard(NamedTuple):
    """The checkers; pairs have white's first."""

    points: dict[int, Stack]
    bar: tuple[Stack, Stack]
    off: tuple[Stack, Stack]
    pips: tuple[int, int]


def read_board(scene: Scene) -> BackgammonBoard:
    """The board of a scene of backgammon."""
    white, black = scene.halves
    points = {
        as_white(side, point): Stack(side, int(half[point]))
        for side, half in enumerate((white, black))
        for point in range(1, BAR)
        if half[point]
    }
    return BackgammonBoard(
        points,
        bar=(Stack(0, int(white[BAR])), Stack(1, int(black[BAR]))),
        off=(Stack(0, int(white[OFF])), Stack(1, int(black[OFF]))),
        pips=(int(white @ np.arange(HALF)), int(black @ np.arange(HALF))),
    )


def as_white(side: int, point: int) -> int:
    """White's number of a side's point, and just as well the side's number of white's point."""
    return BAR - point if side else point


def number_of(scene: Scene, point: int) -> str:
    """What the player to move calls a point that white numbers so."""
    return str(as_white(scene.side, point))
