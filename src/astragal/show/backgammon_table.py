"""The table of backgammon in SVG: two fields of twelve points, the bar, and trays on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show.backgammon_board import BOTTOM, MOST_SHOWN, TOP
from astragal.show.svg import Markup, box, path

if TYPE_CHECKING:
    from collections.abc import Iterator

POINT = 46
RADIUS = 21
FRAME = 24
BAR = 48
TRAY = 56
HEIGHT = 2 * MOST_SHOWN * 2 * RADIUS + 48  # of the fields, inside the frame
FIELD = 6 * POINT
RIGHT = FRAME + FIELD + BAR  # where the right field begins
TRAY_AT = RIGHT + FIELD + 10
WIDTH = TRAY_AT + TRAY + FRAME
MIDDLE = FRAME + HEIGHT / 2
EDGE = FRAME + HEIGHT
_TIP = 190  # how far a point reaches into the field

_WOOD, _GROOVE, _FELT, _DARK, LIGHT = "#5b3822", "#432817", "#e6cf9f", "#a8482e", "#fbf0d6"


def left_of(point: int) -> float:
    """The left edge of a point."""
    place = (TOP if point in TOP else BOTTOM).index(point)
    return (FRAME if place < 6 else RIGHT - FIELD) + POINT * place


def column(point: int) -> Markup:
    """A frame round a point and the checkers on it."""
    top = FRAME if point in TOP else MIDDLE + 20
    return box(left_of(point), top, POINT, HEIGHT / 2 - 20, rx=6)


def _triangle(point: int) -> list[str | float]:
    edge, tip = (FRAME, _TIP) if point in TOP else (EDGE, -_TIP)
    half = POINT / 2
    return ["M", left_of(point), edge, "h", POINT, "l", -half, tip, "z"]


def draw_board() -> Iterator[Markup]:
    """The table without its checkers."""
    yield box(0, 0, WIDTH, EDGE + FRAME, rx=8, fill=_WOOD)
    for x in (FRAME, RIGHT):
        yield box(x, FRAME, FIELD, HEIGHT, fill=_FELT, stroke=_GROOVE, stroke_width=4)
    yield path("M", RIGHT - BAR / 2, 0, "v", EDGE + FRAME, stroke=_GROOVE, stroke_width=2)
    for side in (0, 1):
        yield tray(side, fill=_GROOVE)
    for colour, parity in ((_DARK, 1), (LIGHT, 0)):
        steps = [step for point in range(1, 25) if point % 2 == parity for step in _triangle(point)]
        yield path(*steps, fill=colour)


def bar_of(side: int) -> Markup:
    """A frame round the half of the bar in which a side's checkers wait."""
    top = MIDDLE if side else FRAME
    return box(RIGHT - BAR + 2, top, BAR - 4, HEIGHT / 2, rx=4)


def tray(side: int, **style: str | float) -> Markup:
    """Where a side's checkers lie once they are borne off."""
    top = FRAME if side else MIDDLE + 12
    return box(TRAY_AT, top, TRAY, HEIGHT / 2 - 12, rx=4, **style)
