"""Tic-tac-toe as text and as SVG: strokes for x, a ring for o, and numbers to name the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from astragal.games.tictactoe import CELLS, LINES
from astragal.show.grid import draw_grid
from astragal.show.sheet import CARNELIAN, EARTH, LAPIS, SHELL, TEXT_MARK, svg_sheet, text_sheet
from astragal.show.stage import Area, Place, Spot, Stage, on_sand
from astragal.show.svg import Markup, box, element, group, moved, path, write

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.show.scene import Scene

SIGNS = "XO"

_STYLES = ("bold red", "bold bright_blue")
_CELL = 80
_LEFT = 40
_MARGIN = 20  # round the cells on a stage
_SIZE = (_LEFT + 3 * _CELL + _LEFT, 3 * _CELL + 24)
_NAMES = [str(cell) for cell in range(CELLS)]


def _taken(scene: Scene) -> dict[int, int]:
    """Which side has taken a cell that is not empty."""
    halves = scene.halves
    return {cell: side for side in (0, 1) for cell in range(CELLS) if halves[side][cell]}


def draw_text(scene: Scene) -> Text:
    """The board under its title, empty cells with their numbers."""
    taken, marks = _taken(scene), scene.checked_marks(_NAMES)
    cells = {divmod(cell, 3): _text_cell(taken, cell, marks) for cell in range(CELLS)}
    return text_sheet(scene, [Text.assemble("  ", line) for line in draw_grid(cells)])


def _text_cell(taken: dict[int, int], cell: int, marks: list[str]) -> Text:
    middle = (SIGNS[taken[cell]], _STYLES[taken[cell]]) if cell in taken else (str(cell), "dim")
    left, right = "[]" if str(cell) in marks else "  "
    style = TEXT_MARK if str(cell) in marks else ""
    return Text.assemble((left, style), middle, (right, style))


def draw_svg(scene: Scene) -> str:
    """The board with what was taken, and a stroke through a line that won."""
    return svg_sheet(
        scene,
        _SIZE,
        board=_board(),
        pieces=_pieces(scene),
        marks=_marks(scene),
        labels=_labels(scene),
    )


def _centre(cell: int) -> tuple[float, float]:
    row, column = divmod(cell, 3)
    return _LEFT + _CELL * (column + 0.5), _CELL * (row + 0.5)


def _board() -> list[Markup]:
    plate = box(_LEFT, 0, 3 * _CELL, 3 * _CELL, rx=8, fill=SHELL)
    strokes: list[str | float] = []
    for line in (1, 2):
        strokes += ["M", _LEFT + _CELL * line, 8, "v", 3 * _CELL - 16]
        strokes += ["M", _LEFT + 8, _CELL * line, "h", 3 * _CELL - 16]
    return [plate, path(*strokes, stroke=LAPIS, stroke_width=5, stroke_linecap="round")]


def _pieces(scene: Scene) -> list[Markup]:
    return [_piece(side, *_centre(cell)) for cell, side in _taken(scene).items()]


def _piece(side: int, x: float, y: float, scale: float = 1, class_: str = "piece") -> Markup:
    style: dict[str, str | float] = {"fill": "none", "stroke_width": 11, "stroke_linecap": "round"}
    if side:
        shape = element("circle", r=23, stroke=LAPIS, **style)
    else:
        shape = path(
            "M", -20, -20, "L", 20, 20, "M", 20, -20, "L", -20, 20, stroke=CARNELIAN, **style
        )
    return group(class_, shape, transform=moved(x, y, scale))


def _marks(scene: Scene) -> list[Markup]:
    taken = _taken(scene)
    rings = [
        box(x - _CELL / 2 + 6, y - _CELL / 2 + 6, _CELL - 12, _CELL - 12, rx=8)
        for x, y in (_centre(int(mark)) for mark in scene.checked_marks(_NAMES))
    ]
    won = [line for line in LINES if len({taken.get(cell, -cell - 1) for cell in line}) == 1]
    return rings + [_stroke(line) for line in won]


def _stroke(line: tuple[int, ...]) -> Markup:
    """A stroke that reaches beyond the centres of the two outer cells."""
    (x, y), (to_x, to_y) = _centre(line[0]), _centre(line[-1])
    beyond_x, beyond_y = (to_x - x) * 0.18, (to_y - y) * 0.18
    start, end = (x - beyond_x, y - beyond_y), (to_x + beyond_x, to_y + beyond_y)
    return path("M", *start, "L", *end, stroke_linecap="round")


def _labels(scene: Scene) -> list[Markup]:
    taken = _taken(scene)
    places = {cell: _centre(cell) for cell in range(CELLS) if cell not in taken}
    names = [write(str(cell), x, y + 5, opacity=0.55) for cell, (x, y) in places.items()]
    emblem = [] if scene.lead is None else [_piece(scene.lead, 32, -22, 0.4, "emblem")]
    return [*emblem, group("cells", *names, text_anchor="middle")]


def stage(game: Game) -> Stage:
    """What a page needs for showing the game; the numbers stand in the corners of the cells."""
    view = Area(_LEFT - _MARGIN, -_MARGIN, 3 * _CELL + 2 * _MARGIN, 3 * _CELL + 2 * _MARGIN)
    places = [_place(cell) for cell in range(CELLS)]
    return Stage(
        view,
        on_sand(view, [*_board(), _corner_names(places)]),
        pieces={"disc": (_piece(0, 0, 0), _piece(1, 0, 0))},
        places=(places, places),
        dice=None,
    )


def _place(cell: int) -> Place:
    x, y = _centre(cell)
    return Place(str(cell), [Spot(x, y)], Area(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL))


def _corner_names(places: list[Place]) -> Markup:
    names = [write(place.name, place.hit.x + 10, place.hit.y + 15) for place in places]
    style: dict[str, str | float] = {"fill": EARTH, "font_size": 11, "opacity": 0.55}
    return group("cells", *names, text_anchor="middle", **style)
