"""Backgammon as SVG: white at the bottom, its home board bottom right, numbers of the mover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show import backgammon_table as table
from astragal.show.backgammon_board import (
    PLACES,
    BackgammonBoard,
    Stack,
    number_of,
    read_board,
)
from astragal.show.sheet import svg_sheet
from astragal.show.stage import Ink
from astragal.show.svg import Markup, box, circle, group, moved, path, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from astragal.show.scene import Scene
    from astragal.show.stage import Spot

_WHITE, _BLACK = "#fffaf0", "#2b211b"
FILLS, _STROKES, _RINGS = (_WHITE, _BLACK), (_BLACK, _WHITE), ("#b99b6b", "#8d7b6b")
COUNT_INK = Ink(_STROKES[0], 20), Ink(_STROKES[1], 20)


def draw(scene: Scene) -> str:
    """The board with its checkers, the dice, both pip counts and what is pointed at."""
    board = read_board(scene)
    return svg_sheet(
        scene,
        (table.WIDTH, table.EDGE + table.FRAME + 30),
        board=table.draw_board(),
        pieces=_pieces(board),
        marks=_marks(scene),
        labels=_labels(scene, board),
    )


def _pieces(board: BackgammonBoard) -> Iterator[Markup]:
    for point, stack in board.points.items():
        yield from _stack(stack, table.spots_on(point))
    for stack in board.bar:
        yield from _stack(stack, table.spots_on_bar(stack.side))
    for stack in board.off:
        for x, y, _ in table.spots_off(stack.side, stack.size):
            yield slab(stack.side, x, y, class_="piece")


def _stack(stack: Stack, spots: Sequence[Spot]) -> Iterator[Markup]:
    """Checkers from the foot on, the last with the number when there are more than are shown."""
    for x, y, _ in spots[: stack.size]:
        yield checker(stack.side, x, y)
    if stack.size > len(spots):
        yield _count(stack, spots[-1])


def _count(stack: Stack, spot: Spot) -> Markup:
    ink = COUNT_INK[stack.side]
    return group(
        "count",
        write(str(stack.size), spot.x, spot.y + 7),
        fill=ink.fill,
        font_family="sans-serif",
        font_size=ink.size,
        font_weight="bold",
        text_anchor="middle",
    )


def checker(side: int, x: float, y: float, scale: float = 1, class_: str = "piece") -> Markup:
    """A checker, seen from above."""
    style: dict[str, str | float] = {"fill": FILLS[side], "stroke": _STROKES[side]}
    disc = circle(0, 0, table.RADIUS - 1, stroke_width=1.5, **style)
    ring = circle(0, 0, 13, fill="none", stroke=_RINGS[side], stroke_width=2)
    return group(class_, disc, ring, transform=moved(x, y, scale))


def slab(side: int, x: float, y: float, **attributes: str | float) -> Markup:
    """A checker, seen from its edge."""
    width, height = table.SLAB_WIDTH, table.SLAB_HEIGHT
    style: dict[str, str | float] = {"fill": FILLS[side], "stroke": _STROKES[side]}
    return box(x - width / 2, y - height / 2, width, height, rx=3, **attributes, **style)


def _marks(scene: Scene) -> Iterator[Markup]:
    points = {number_of(scene, point): point for point in range(1, 25)}
    for mark in scene.checked_marks(PLACES):
        if mark == "off":
            yield table.tray(scene.side)
        elif mark == "bar":
            yield table.bar_of(scene.side)
        else:
            yield table.column(points[mark])


def _labels(scene: Scene, board: BackgammonBoard) -> Iterator[Markup]:
    if scene.lead is not None:
        yield checker(scene.lead, 32, -22, 0.7, "emblem")
    yield _numbers(scene)
    yield group("pips", *_pips(scene, board), text_anchor="end", font_size=15)
    yield group("off", *_off(board), text_anchor="middle", fill=table.LIGHT)
    if scene.roll is not None:
        yield from _dice(scene.game.rolls[scene.roll], scene.side)


def _numbers(scene: Scene) -> Markup:
    return group(
        "points",
        *(write(label.text, label.x, label.y) for label in table.numbers_for(scene.side)),
        text_anchor="middle",
        fill=table.LIGHT,
    )


def _pips(scene: Scene, board: BackgammonBoard) -> Iterator[Markup]:
    for side, y in ((0, table.EDGE + table.FRAME + 22), (1, -15)):
        yield write(f"{scene.game.sides[side]}: {board.pips[side]} pips", table.WIDTH - 20, y)


def _off(board: BackgammonBoard) -> Iterator[Markup]:
    for side, stack in enumerate(board.off):
        tally = table.tally_off(side)
        yield write(f"{stack.size} {tally.word}", tally.x, tally.y)


def _dice(roll: str, side: int) -> Iterator[Markup]:
    """The dice of the mover, on the mover's right hand."""
    middle = (table.FRAME if side else table.RIGHT) + table.FIELD / 2
    for place, face in zip((-24, 24), roll, strict=True):
        yield _die(int(face), side, middle + place, table.MIDDLE)


def _die(face: int, side: int, x: float, y: float) -> Markup:
    steps: list[str | float] = []
    for across, down in _spots(face):
        steps += ["M", 10 * across, 10 * down, "h", 0]
    cube = box(-19, -19, 38, 38, rx=7, fill=FILLS[side], stroke=_STROKES[side], stroke_width=1.5)
    spots = path(*steps, stroke=_STROKES[side], stroke_width=7, stroke_linecap="round")
    return group("die", cube, spots, transform=moved(x, y))


def _spots(face: int) -> list[tuple[int, int]]:
    corners = [(-1, -1), (1, 1), (1, -1), (-1, 1), (-1, 0), (1, 0)]
    pairs = corners[: face - face % 2]
    return pairs + [(0, 0)] * (face % 2)
