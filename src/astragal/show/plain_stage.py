"""Any game for a page, before somebody draws it: a numbered cell for each place of both halves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show.sheet import CARNELIAN, EARTH, LAPIS, SHELL
from astragal.show.stage import Area, Ink, Place, Spot, Stage, on_sand
from astragal.show.svg import Markup, box, circle, group, write

if TYPE_CHECKING:
    from astragal.games.game import Game

_COLUMNS = 12
_CELL = 60


def stage(game: Game) -> Stage:
    """What a page needs for showing the game, the places of side 0 above."""
    half = game.width // 2
    rows = -(-half // _COLUMNS)
    places = _places(half, 0), _places(half, rows)
    view = Area(0, 0, _CELL * min(half, _COLUMNS), _CELL * 2 * rows)
    return Stage(
        view,
        on_sand(view, map(_cell, [*places[0], *places[1]])),
        pieces={"disc": (_piece(CARNELIAN), _piece(LAPIS))},
        places=places,
        dice=None,
        count_ink=(Ink(SHELL), Ink(SHELL)),
    )


def _places(count: int, first_row: int) -> list[Place]:
    corners = [
        (_CELL * (place % _COLUMNS), _CELL * (first_row + place // _COLUMNS))
        for place in range(count)
    ]
    return [
        Place(str(place), [Spot(x + _CELL / 2, y + _CELL / 2 + 6)], Area(x, y, _CELL, _CELL))
        for place, (x, y) in enumerate(corners)
    ]


def _cell(place: Place) -> Markup:
    x, y, _, _ = place.hit
    plate = box(x + 2, y + 2, _CELL - 4, _CELL - 4, rx=4, fill=SHELL, stroke=EARTH)
    return group("cell", plate, write(place.name, x + 6, y + 14, fill=EARTH, font_size=10))


def _piece(fill: str) -> Markup:
    return group("piece", circle(0, 0, 18, fill=fill))
