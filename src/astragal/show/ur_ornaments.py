"""The board of Ur in SVG: shell squares set in lapis, with rosettes, dots and eyes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from astragal.show.sheet import CARNELIAN, LAPIS, SHELL
from astragal.show.svg import Markup, circle, group, moved, path
from astragal.show.ur_board import ROWS, UrBoard

if TYPE_CHECKING:
    from collections.abc import Iterator

CELL = 64
LEFT = 36  # the room for the names of the rows

_GOLD, _INLAY = "#d9a441", "#ead8b4"
_PETALS = 8


def corner_of(square: str) -> tuple[float, float]:
    """The upper left corner of a square, or of a place beside the board."""
    return LEFT + CELL * (ord(square[0]) - ord("a")), CELL * ROWS.index(square[1])


def centre_of(square: str) -> tuple[float, float]:
    """The middle of a square, or of a place beside the board."""
    x, y = corner_of(square)
    return x + CELL / 2, y + CELL / 2


def draw_board(board: UrBoard) -> Iterator[Markup]:
    """The squares, each with what is inlaid in it."""
    squares = sorted(board.squares)
    yield _tiles(squares, 0, fill=LAPIS, stroke=LAPIS, stroke_width=8, stroke_linejoin="round")
    yield _tiles(squares, 3, fill=SHELL, stroke=_GOLD, stroke_width=1)
    plain = [square for square in squares if square not in board.rosettes]
    yield _dots([square for square in plain if _pattern(square) == 0])
    yield _eyes([square for square in plain if _pattern(square) == 1])
    for square in sorted(board.rosettes):
        yield _rosette(*centre_of(square))


def _pattern(square: str) -> int:
    """Neighbours differ, and both sides' rows look alike."""
    return (ord(square[0]) + (square[1] == "2")) % 2


def _tiles(squares: list[str], inset: float, **style: str | float) -> Markup:
    side = CELL - 2 * inset
    steps: list[str | float] = []
    for x, y in map(corner_of, squares):
        steps += ["M", x + inset, y + inset, "h", side, "v", side, "h", -side, "z"]
    return path(*steps, **style)


def _dots(squares: list[str]) -> Markup:
    """Five dots on each square: strokes of no length with round ends."""
    steps: list[str | float] = []
    for x, y in map(centre_of, squares):
        for across, down in ((0, 0), (-14, -14), (14, -14), (-14, 14), (14, 14)):
            steps += ["M", x + across, y + down, "h", 0]
    return path(*steps, stroke=_INLAY, stroke_width=11, stroke_linecap="round")


def _eyes(squares: list[str]) -> Markup:
    """Four eyes on each square: lens shapes."""
    steps: list[str | float] = []
    for x, y in map(centre_of, squares):
        for across, down in ((-13, -11), (13, -11), (-13, 11), (13, 11)):
            steps += ["M", x + across - 10, y + down, "q", 10, -11, 20, 0, "q", -10, 11, -20, 0]
    return path(*steps, fill=_INLAY)


def _rosette(x: float, y: float) -> Markup:
    """Eight petals, in turn of lapis and carnelian, round a heart of gold."""
    return group(
        "rosette",
        circle(0, 0, 28, fill=_INLAY),
        path(*_petals(0), fill=LAPIS),
        path(*_petals(1), fill=CARNELIAN),
        circle(0, 0, 6, fill=_GOLD, stroke=SHELL, stroke_width=2),
        transform=moved(x, y),
    )


def _petals(first: int) -> list[str | float]:
    """Every second petal: out along one side of it, round its end, and back."""
    steps: list[str | float] = []
    for petal in range(first, _PETALS, 2):
        angle = petal * math.tau / _PETALS
        steps += ["M", 0, 0]
        steps += ["C", *_polar(14, angle - 0.5), *_polar(27, angle - 0.42), *_polar(27, angle)]
        steps += ["C", *_polar(27, angle + 0.42), *_polar(14, angle + 0.5), 0, 0]
    return steps


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return round(radius * math.sin(angle), 1), round(-radius * math.cos(angle), 1)
