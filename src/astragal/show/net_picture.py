"""A picture of a net as SVG: what a piece on each place changes, in all and through each unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from astragal.show.net_text import CAPTIONS
from astragal.show.places import Cell, cells_of
from astragal.show.shades import ink_on, shade, told_effect, utmost
from astragal.show.sheet import EARTH, SAND
from astragal.show.svg import Markup, box, element, group, moved, words, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from astragal.games.game import Game

_WIDTH, _EDGE = 760, 24
_ROOM = _WIDTH - 2 * _EDGE
_CELL, _GAP = 42, 40
_SMALL, _SMALL_GAP = 9, 4  # of the boards of a unit
_TILE_ROOM, _TILE_GAP = 70, 16
_STEPS, _STEP = 41, 6  # of the legend
_GRID = "#cdb88f"


class Unit(NamedTuple):
    """A hidden unit."""

    number: int
    effects: NDArray[np.float64]
    """[W] what one piece on each place adds to the log odds of winning through this unit."""


class _Part(NamedTuple):
    """A part of the picture, and how much of its height it takes."""

    markup: Markup
    height: float


class _Spread(NamedTuple):
    """Where the boards of both sides begin, and how much room they take together."""

    places: list[tuple[float, float]]
    width: float
    height: float


def net_svg(
    game: Game, title: str, effects: NDArray[np.float64], units: Sequence[Unit], in_all: int
) -> str:
    """The picture as one SVG element: the effects [W] of a piece, and some units of so many."""
    parts = [_heading(title), _summary(game, effects)]
    if units:
        parts += [_units_heading(len(units), in_all), _units(game, units)]
    height = sum(part.height for part in parts) + _EDGE
    return element(
        "svg",
        element("title", words(title)),
        box(0, 0, _WIDTH, height, rx=10, fill=SAND),
        *_stacked(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {height:g}",
        width=_WIDTH,
        role="img",
        font_family="Georgia,'DejaVu Serif',serif",
        font_size=13,
        fill=EARTH,
    )


def _stacked(parts: Sequence[_Part]) -> Iterator[Markup]:
    top = 0.0
    for part in parts:
        yield element("g", part.markup, transform=moved(_EDGE, top))
        top += part.height


def _heading(title: str) -> _Part:
    lines = (
        "What one piece on a place adds to the log odds of winning of the player about to roll,",
        "all else as it is. At even odds, +.20 makes the chance 55 %, and +.40 makes it 60 %.",
    )
    told = [write(line, 0, 62 + 18 * row) for row, line in enumerate(lines)]
    return _Part(group("heading", write(title, 0, 36, font_size=20, font_weight="bold"), *told), 96)


def _spread(halves: Sequence[Sequence[Cell]], size: float, gap: float, room: float) -> _Spread:
    """Two boards, beside each other if there is room, else one below the other."""
    width = size * (1 + max(cell.column for half in halves for cell in half))
    tops = [-size * min(cell.row for cell in half) for half in halves]
    bottoms = [size * (1 + max(cell.row for cell in half)) for half in halves]
    heights = [top + bottom for top, bottom in zip(tops, bottoms, strict=True)]
    if 2 * width + gap <= room:
        return _Spread([(0, tops[0]), (width + gap, tops[1])], 2 * width + gap, max(heights))
    below = heights[0] + gap
    return _Spread([(0, tops[0]), (0, below + tops[1])], width, below + heights[1])


def _summary(game: Game, effects: NDArray[np.float64]) -> _Part:
    """The whole board for each side, a number on every place it has, and the legend of shades."""
    halves = cells_of(game)
    whole = [cell._replace(name="") for half in halves for cell in half]
    most, spread = utmost(effects.tolist()), _spread([whole, whole], _CELL, _GAP, _ROOM)
    ground = group("ground", *map(_ground, sorted(set(whole))), fill="none", stroke=_GRID)
    boards = []
    for which, numbers in enumerate(effects.reshape(2, -1).tolist()):
        x, y = spread.places[which]
        cells = [_cell(*pair, most) for pair in zip(halves[which], numbers, strict=True)]
        caption = write(CAPTIONS[which], 0, -9, font_weight="bold")
        boards.append(group("board", caption, ground, *cells, transform=moved(x, y + 30)))
    bottom = spread.height + 44
    return _Part(group("summary", *boards, _legend(most, bottom)), bottom + 54)


def _ground(cell: Cell) -> Markup:
    return box(_CELL * cell.column + 1, _CELL * cell.row + 1, _CELL - 2, _CELL - 2, rx=4)


def _cell(cell: Cell, number: float, most: float) -> Markup:
    middle = _CELL / 2
    return group(
        "cell",
        box(1, 1, _CELL - 2, _CELL - 2, rx=4, fill=shade(number, most), stroke=_GRID),
        write(cell.name, middle, 13, font_size=9, opacity=0.75),
        write(told_effect(number), middle, 30, font_weight="bold"),
        fill=ink_on(number, most),
        text_anchor="middle",
        transform=moved(_CELL * cell.column, _CELL * cell.row),
    )


def _legend(most: float, top: float) -> Markup:
    """The shades from the lowest to the highest, and what they mean."""
    left = 130
    middle, right = left + _STEPS * _STEP / 2, left + _STEPS * _STEP
    numbers = [2 * most * (step / (_STEPS - 1) - 0.5) for step in range(_STEPS)]
    bar = [
        box(left + _STEP * step, top, _STEP + 0.3, 12, fill=shade(number, most))
        for step, number in enumerate(numbers)
    ]
    ends = ((left, -most), (middle, 0.0), (right, most))
    told = [write(told_effect(end), x, top + 26, text_anchor="middle") for x, end in ends]
    return group(
        "legend",
        *bar,
        *told,
        write("loses more often", left - 24, top + 11, text_anchor="end"),
        write("wins more often", right + 24, top + 11),
        font_size=12,
    )


def _units_heading(shown: int, in_all: int) -> _Part:
    which = f"all {in_all}" if shown == in_all else f"the weightiest {shown} of {in_all}"
    lines = (
        "What a piece adds through each unit: pieces of the player about to roll first, then those",
        "of the other. A unit has full shade where it does most; the number says how much that is.",
    )
    title = write(f"Hidden units: {which}", 0, 20, font_size=16, font_weight="bold")
    told = [write(line, 0, 44 + 18 * row) for row, line in enumerate(lines)]
    return _Part(group("heading", title, *told), 78)


def _units(game: Game, units: Sequence[Unit]) -> _Part:
    """Each unit as two small boards without numbers, in rows as wide as the picture."""
    halves = cells_of(game)
    spread = _spread(halves, _SMALL, _SMALL_GAP, _TILE_ROOM)
    in_row = int((_ROOM + _TILE_GAP) // (spread.width + _TILE_GAP))
    width, height = (_ROOM + _TILE_GAP) / in_row, spread.height + 32
    tiles = []
    for number, unit in enumerate(units):
        row, column = divmod(number, in_row)
        place = moved(width * column, height * row)
        tiles.append(group("unit", *_tile(halves, unit, spread), transform=place))
    return _Part(group("units", *tiles, font_size=10), height * -(-len(units) // in_row))


def _tile(halves: Sequence[Sequence[Cell]], unit: Unit, spread: _Spread) -> Iterator[Markup]:
    most = utmost(unit.effects.tolist())
    yield write(str(unit.number), 0, 10, font_weight="bold")
    yield write(told_effect(most).replace("+", "±"), spread.width, 10, text_anchor="end")
    for which, numbers in enumerate(unit.effects.reshape(2, -1).tolist()):
        x, y = spread.places[which]
        cells = [_small_cell(*pair, most) for pair in zip(halves[which], numbers, strict=True)]
        yield element("g", *cells, transform=moved(x, y + 15))


def _small_cell(cell: Cell, number: float, most: float) -> Markup:
    side = _SMALL - 1
    return box(_SMALL * cell.column, _SMALL * cell.row, side, side, fill=shade(number, most))
