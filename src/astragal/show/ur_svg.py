"""Ur as SVG: stones of carnelian with five dots, and darker ones of lapis with a ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show.sheet import CARNELIAN, EARTH, LAPIS, SHELL, svg_sheet
from astragal.show.stage import Spot, Tally
from astragal.show.svg import Markup, box, circle, element, group, moved, path, write
from astragal.show.ur_board import ROWS, Camp, UrBoard, lit_dice, read_board
from astragal.show.ur_ornaments import CELL, LEFT, centre_of, corner_of, draw_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from astragal.show.scene import Scene

TALLY_SIZE = 10

_STONE = 21
_CAMP_SCALE = 0.4
_STEP = 12  # between stones that wait beside the board


def draw(scene: Scene) -> str:
    """The board with its stones, both camps, the dice and what is pointed at."""
    board = read_board(scene)
    width, height = size_of(board)
    return svg_sheet(
        scene,
        (width, height),
        board=draw_board(board),
        pieces=_pieces(board),
        marks=_marks(scene, board),
        labels=_labels(scene, board, width),
    )


def size_of(board: UrBoard) -> tuple[float, float]:
    """The width and the height of the squares with the names beside them."""
    return LEFT + CELL * len(board.columns) + 24, CELL * len(ROWS) + 30


def _pieces(board: UrBoard) -> Iterator[Markup]:
    for side, camp in enumerate(board.camps):
        stones = [
            Spot(*centre_of(square)) for square, owner in board.stones.items() if owner == side
        ]
        camped = [*rank(camp.entry, camp.waiting), *rank(camp.exit, camp.home)]
        yield group(camp.name, *(stone(side, *spot) for spot in [*stones, *camped]))


def rank(place: str, count: int) -> list[Spot]:
    """Where to put so many stones at a place beside the board: rows of four at most."""
    x, y = centre_of(place)
    rows = [min(4, count), count - min(4, count)]
    return [
        Spot(x + _STEP * (number - (row - 1) / 2), y - 8 + 13 * down, _CAMP_SCALE)
        for down, row in enumerate(rows)
        for number in range(row)
    ]


def stone(side: int, x: float, y: float, scale: float = 1, class_: str = "piece") -> Markup:
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
        x, y = corner_of(board.places[mark])
        yield box(x + 3, y + 3, CELL - 6, CELL - 6, rx=6)


def _labels(scene: Scene, board: UrBoard, width: float) -> Iterator[Markup]:
    if scene.lead is not None:
        yield stone(scene.lead, 32, -22, 0.6, "emblem")
    camps = [label for camp in board.camps for label in _camp_labels(camp)]
    yield group("names", *names(board), *camps, text_anchor="middle")
    yield from _dice(scene, width)


def names(board: UrBoard) -> list[Markup]:
    """The names of the rows and of the columns."""
    rows = [write(row, 18, centre_of(f"a{row}")[1] + 5) for row in ROWS]
    columns = [write(letter, centre_of(f"{letter}1")[0], 3 * CELL + 20) for letter in board.columns]
    return [*rows, *columns]


def _camp_labels(camp: Camp) -> Iterator[Markup]:
    for count, tally, owner in zip(
        (camp.waiting, camp.home), tallies(camp), camp_names(camp), strict=True
    ):
        yield owner
        yield write(f"{count} {tally.word}", tally.x, tally.y, font_size=TALLY_SIZE)


def camp_names(camp: Camp) -> list[Markup]:
    """Whose stones wait, and whose are home."""
    centres = [centre_of(place) for place in (camp.entry, camp.exit)]
    return [write(camp.name, x, y - 19, font_weight="bold", font_size=11) for x, y in centres]


def tallies(camp: Camp) -> list[Tally]:
    """Where to write how many stones wait, and how many are home."""
    return [
        Tally(x, y + 24, word)
        for word, (x, y) in (("waiting", centre_of(camp.entry)), ("home", centre_of(camp.exit)))
    ]


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
    count = scene.game.rolls[scene.roll or 0]
    yield write(count, width - 46, -13, font_size=24, font_weight="bold")
