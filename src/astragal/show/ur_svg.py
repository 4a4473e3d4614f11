"""Ur as SVG: shell squares set in lapis, rosettes of eight petals, carnelian and lapis stones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from astragal.show.sheet import CARNELIAN, EARTH, LAPIS, SHELL, svg_sheet
from astragal.show.svg import Markup, box, circle, element, group, moved, path, write
from astragal.show.ur_board import ROWS, Camp, UrBoard, lit_dice, read_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from astragal.show.scene import Scene

_CELL = 64
_LEFT = 36
_GOLD = "#d9a441"
_INLAY = "#ead8b4"
_PETALS = 8
_STONE = 21
_CAMP_SCALE = 0.4
_STEP = 12  # between stones that wait beside the board


def draw(scene: Scene) -> str:
    """The board with its stones, both camps, the dice and what is pointed at."""
    board = read_board(scene)
    width = _LEFT + _CELL * len(board.columns) + 24
    return svg_sheet(
        scene,
        (width, _CELL * len(ROWS) + 30),
        board=_board(board),
        pieces=_pieces(board),
        marks=_marks(scene, board),
        labels=_labels(scene, board, width),
    )


def _corner(square: str) -> tuple[float, float]:
    """The upper left corner of a square, or of a place beside the board."""
    return _LEFT + _CELL * (ord(square[0]) - ord("a")), _CELL * ROWS.index(square[1])


def _centre(square: str) -> tuple[float, float]:
    x, y = _corner(square)
    return x + _CELL / 2, y + _CELL / 2


def _board(board: UrBoard) -> Iterator[Markup]:
    squares = sorted(board.squares)
    yield _tiles(squares, 0, fill=LAPIS, stroke=LAPIS, stroke_width=8, stroke_linejoin="round")
    yield _tiles(squares, 3, fill=SHELL, stroke=_GOLD, stroke_width=1)
    plain = [square for square in squares if square not in board.rosettes]
    yield _dots([square for square in plain if _pattern(square) == 0])
    yield _eyes([square for square in plain if _pattern(square) == 1])
    for square in sorted(board.rosettes):
        yield _rosette(*_centre(square))


def _pattern(square: str) -> int:
    """Neighbours differ, and both sides' rows look alike."""
    return (ord(square[0]) + (square[1] == "2")) % 2


def _tiles(squares: list[str], inset: float, **style: str | float) -> Markup:
    side = _CELL - 2 * inset
    steps: list[str | float] = []
    for x, y in map(_corner, squares):
        steps += ["M", x + inset, y + inset, "h", side, "v", side, "h", -side, "z"]
    return path(*steps, **style)


def _dots(squares: list[str]) -> Markup:
    """Five dots on each square: strokes of no length with round ends."""
    steps: list[str | float] = []
    for x, y in map(_centre, squares):
        for across, down in ((0, 0), (-14, -14), (14, -14), (-14, 14), (14, 14)):
            steps += ["M", x + across, y + down, "h", 0]
    return path(*steps, stroke=_INLAY, stroke_width=11, stroke_linecap="round")


def _eyes(squares: list[str]) -> Markup:
    """Four eyes on each square: lens shapes."""
    steps: list[str | float] = []
    for x, y in map(_centre, squares):
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


def _pieces(board: UrBoard) -> Iterator[Markup]:
    for side, camp in enumerate(board.camps):
        stones = [_centre(square) for square, owner in board.stones.items() if owner == side]
        camped = [*_rank(camp.entry, camp.waiting), *_rank(camp.exit, camp.home)]
        yield group(
            camp.name,
            *(_stone(side, x, y) for x, y in stones),
            *(_stone(side, x, y, _CAMP_SCALE) for x, y in camped),
        )


def _rank(place: str, count: int) -> list[tuple[float, float]]:
    """Where to put so many stones at a place beside the board: rows of four at most."""
    x, y = _centre(place)
    rows = [min(4, count), count - min(4, count)]
    return [
        (x + _STEP * (number - (row - 1) / 2), y - 8 + 13 * down)
        for down, row in enumerate(rows)
        for number in range(row)
    ]


def _stone(side: int, x: float, y: float, scale: float = 1, class_: str = "piece") -> Markup:
    """A carnelian disc with five dots, or a darker one of lapis with a ring."""
    shadow = circle(1.5, 3, _STONE, opacity=0.3)
    disc = circle(0, 0, _STONE, fill=LAPIS if side else CARNELIAN, stroke=SHELL, stroke_width=2)
    return group(class_, shadow, disc, _inlay(side), transform=moved(x, y, scale))


def _inlay(side: int) -> Markup:
    if side:
        return circle(0, 0, 11, fill="none", stroke=SHELL, stroke_width=4)
    steps: list[str | float] = ["M0 0h0M", -9, 0, "h0M", 9, 0, "h0M", 0, -9, "h0M", 0, 9, "h0"]
    return path(*steps, stroke=SHELL, stroke_width=6, stroke_linecap="round")


def _marks(scene: Scene, board: UrBoard) -> Iterator[Markup]:
    for mark in scene.checked_marks(board.places):
        x, y = _corner(board.places[mark])
        yield box(x + 3, y + 3, _CELL - 6, _CELL - 6, rx=6)


def _labels(scene: Scene, board: UrBoard, width: float) -> Iterator[Markup]:
    if scene.lead is not None:
        yield _stone(scene.lead, 32, -22, 0.6, "emblem")
    rows = [write(row, 18, _centre(f"a{row}")[1] + 5) for row in ROWS]
    columns = [write(letter, _centre(f"{letter}1")[0], 3 * _CELL + 20) for letter in board.columns]
    camps = [label for camp in board.camps for label in _camp_labels(camp)]
    yield group("names", *rows, *columns, *camps, text_anchor="middle")
    yield from _dice(scene, width)


def _camp_labels(camp: Camp) -> Iterator[Markup]:
    for word, count, place in (
        ("waiting", camp.waiting, camp.entry),
        ("home", camp.home, camp.exit),
    ):
        x, y = _centre(place)
        yield write(camp.name, x, y - 19, font_weight="bold", font_size=11)
        yield write(f"{count} {word}", x, y + 24, font_size=10)


def _dice(scene: Scene, width: float) -> Iterator[Markup]:
    """The dice from the right, those that count with a bright tip, and what they count."""
    lit_of = lit_dice(scene)
    if lit_of is None:
        return
    lit, dice = lit_of
    for die in range(dice):
        place = moved(width - 38 - 30 * (dice - die), -22)
        tip = [path("M", 0, -12, "l", 5, 9, "h", -10, "z", fill=SHELL)] if die < lit else []
        body = path("M", 0, -13, "l", 13, 23, "h", -26, "z", fill=EARTH, stroke_linejoin="round")
        yield element("g", body, *tip, transform=place)
    yield write(
        scene.game.rolls[scene.roll or 0], width - 46, -13, font_size=24, font_weight="bold"
    )
