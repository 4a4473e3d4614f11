"""The table of backgammon in SVG: two fields of twelve points, the bar, and trays on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show.backgammon_board import BOTTOM, MOST_SHOWN, TOP, as_white
from astragal.show.stage import Area, Label, Spot, Tally
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
SLAB_WIDTH, SLAB_HEIGHT = TRAY - 12, 11  # a checker that was borne off, seen from its edge
UPPER_LINE, LOWER_LINE = FRAME - 7, EDGE + 17  # of what is written on the frame
_TIP = 190  # how far a point reaches into the field

_WOOD, _GROOVE, _FELT, _DARK, LIGHT = "#5b3822", "#432817", "#e6cf9f", "#a8482e", "#fbf0d6"


def left_of(point: int) -> float:
    """The left edge of a point."""
    place = (TOP if point in TOP else BOTTOM).index(point)
    return (FRAME if place < 6 else RIGHT - FIELD) + POINT * place


def spots_on(point: int) -> list[Spot]:
    """Where the checkers on a point lie, from its foot on."""
    way, foot = (1, FRAME) if point in TOP else (-1, EDGE)
    return _stack(left_of(point) + POINT / 2, foot + way * RADIUS, way)


def spots_on_bar(side: int) -> list[Spot]:
    """Where a side's checkers on the bar lie: in the half in which they have to enter."""
    way = 1 if side else -1
    return _stack(RIGHT - BAR / 2, MIDDLE + way * (RADIUS + 14), way)


def _stack(x: float, y: float, way: int) -> list[Spot]:
    return [Spot(x, y + way * place * 2 * RADIUS) for place in range(MOST_SHOWN)]


def spots_off(side: int, count: int) -> list[Spot]:
    """The centres of so many checkers that a side has borne off."""
    depths = [6 + SLAB_HEIGHT / 2 + (SLAB_HEIGHT + 1) * place for place in range(count)]
    x = TRAY_AT + TRAY / 2
    return [Spot(x, FRAME + depth if side else EDGE - depth) for depth in depths]


def tally_off(side: int) -> Tally:
    """Where to write how many checkers a side has borne off."""
    return Tally(TRAY_AT + TRAY / 2, UPPER_LINE if side else LOWER_LINE, "off")


def numbers_for(side: int) -> list[Label]:
    """The points as a side numbers them, from left to right, the upper first."""
    return [
        Label(str(as_white(side, point)), left_of(point) + POINT / 2, y)
        for points, y in ((TOP, UPPER_LINE), (BOTTOM, LOWER_LINE))
        for point in points
    ]


def column_area(point: int) -> Area:
    """A point and the checkers on it."""
    top = FRAME if point in TOP else MIDDLE + 20
    return Area(left_of(point), top, POINT, HEIGHT / 2 - 20)


def column(point: int) -> Markup:
    """A frame round a point and the checkers on it."""
    return box(*column_area(point), rx=6)


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


def bar_area(side: int) -> Area:
    """The half of the bar in which a side's checkers wait."""
    return Area(RIGHT - BAR + 2, MIDDLE if side else FRAME, BAR - 4, HEIGHT / 2)


def bar_of(side: int) -> Markup:
    """A frame round the half of the bar in which a side's checkers wait."""
    return box(*bar_area(side), rx=4)


def tray_area(side: int) -> Area:
    """Where a side's checkers lie once they are borne off."""
    return Area(TRAY_AT, FRAME if side else MIDDLE + 12, TRAY, HEIGHT / 2 - 12)


def tray(side: int, **style: str | float) -> Markup:
    """The tray for the checkers that a side has borne off."""
    x, y, width, height = tray_area(side)
    return box(x, y, width, height, rx=4, **style)
