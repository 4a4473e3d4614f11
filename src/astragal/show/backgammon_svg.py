"""Backgammon as SVG: white at the bottom, its home board bottom right, numbers of the mover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.show import backgammon_table as table
from astragal.show.backgammon_board import (
    BOTTOM,
    MOST_SHOWN,
    PLACES,
    TOP,
    BackgammonBoard,
    Stack,
    number_of,
    read_board,
)
from astragal.show.sheet import svg_sheet
from astragal.show.svg import Markup, box, circle, group, moved, path, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from astragal.show.scene import Scene

_SLAB = 11  # a checker that was borne off, seen from its edge
_WHITE, _BLACK = "#fffaf0", "#2b211b"
_FILLS, _STROKES, _RINGS = (_WHITE, _BLACK), (_BLACK, _WHITE), ("#b99b6b", "#8d7b6b")


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
        way = 1 if point in TOP else -1
        foot = table.FRAME if point in TOP else table.EDGE
        yield from _stack(
            stack, table.left_of(point) + table.POINT / 2, foot + way * table.RADIUS, way
        )
    for stack in board.bar:
        # A checker on the bar waits in the half in which it has to enter.
        way = 1 if stack.side else -1
        yield from _stack(
            stack, table.RIGHT - table.BAR / 2, table.MIDDLE + way * (table.RADIUS + 14), way
        )
    for stack in board.off:
        yield from _slabs(stack)


def _stack(stack: Stack, x: float, y: float, way: int) -> Iterator[Markup]:
    """Checkers from the foot on, the last with the number when there are more than are shown."""
    shown = min(stack.size, MOST_SHOWN)
    for place in range(shown):
        yield _checker(stack.side, x, y + way * place * 2 * table.RADIUS)
    if stack.size > shown:
        yield _count(stack, x, y + way * (shown - 1) * 2 * table.RADIUS)


def _count(stack: Stack, x: float, y: float) -> Markup:
    return group(
        "count",
        write(str(stack.size), x, y + 7),
        fill=_STROKES[stack.side],
        font_family="sans-serif",
        font_size=20,
        font_weight="bold",
        text_anchor="middle",
    )


def _checker(side: int, x: float, y: float, scale: float = 1, class_: str = "piece") -> Markup:
    style: dict[str, str | float] = {"fill": _FILLS[side], "stroke": _STROKES[side]}
    disc = circle(0, 0, table.RADIUS - 1, stroke_width=1.5, **style)
    ring = circle(0, 0, 13, fill="none", stroke=_RINGS[side], stroke_width=2)
    return group(class_, disc, ring, transform=moved(x, y, scale))


def _slabs(stack: Stack) -> Iterator[Markup]:
    style: dict[str, str | float] = {"fill": _FILLS[stack.side], "stroke": _STROKES[stack.side]}
    for place in range(stack.size):
        depth = 6 + (_SLAB + 1) * place
        y = table.FRAME + depth if stack.side else table.EDGE - depth - _SLAB
        yield box(table.TRAY_AT + 6, y, table.TRAY - 12, _SLAB, rx=3, class_="piece", **style)


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
        yield _checker(scene.lead, 32, -22, 0.7, "emblem")
    yield _numbers(scene)
    yield group("pips", *_pips(scene, board), text_anchor="end", font_size=15)
    yield group("off", *_off(board), text_anchor="middle", fill=table.LIGHT)
    if scene.roll is not None:
        yield from _dice(scene.game.rolls[scene.roll], scene.side)


def _numbers(scene: Scene) -> Markup:
    return group(
        "points",
        *(
            write(number_of(scene, point), table.left_of(point) + table.POINT / 2, y)
            for points, y in ((TOP, table.FRAME - 7), (BOTTOM, table.EDGE + 17))
            for point in points
        ),
        text_anchor="middle",
        fill=table.LIGHT,
    )


def _pips(scene: Scene, board: BackgammonBoard) -> Iterator[Markup]:
    for side, y in ((0, table.EDGE + table.FRAME + 22), (1, -15)):
        yield write(f"{scene.game.sides[side]}: {board.pips[side]} pips", table.WIDTH - 20, y)


def _off(board: BackgammonBoard) -> Iterator[Markup]:
    for stack, y in zip(board.off, (table.EDGE + 17, table.FRAME - 7), strict=True):
        yield write(f"{stack.size} off", table.TRAY_AT + table.TRAY / 2, y)


def _dice(roll: str, side: int) -> Iterator[Markup]:
    """The dice of the mover, on the mover's right hand."""
    middle = (table.FRAME if side else table.RIGHT) + table.FIELD / 2
    for place, face in zip((-24, 24), roll, strict=True):
        yield _die(int(face), side, middle + place, table.MIDDLE)


def _die(face: int, side: int, x: float, y: float) -> Markup:
    steps: list[str | float] = []
    for across, down in _spots(face):
        steps += ["M", 10 * across, 10 * down, "h", 0]
    cube = box(-19, -19, 38, 38, rx=7, fill=_FILLS[side], stroke=_STROKES[side], stroke_width=1.5)
    spots = path(*steps, stroke=_STROKES[side], stroke_width=7, stroke_linecap="round")
    return group("die", cube, spots, transform=moved(x, y))


def _spots(face: int) -> list[tuple[int, int]]:
    corners = [(-1, -1), (1, 1), (1, -1), (-1, 1), (-1, 0), (1, 0)]
    pairs = corners[: face - face % 2]
    return pairs + [(0, 0)] * (face % 2)
