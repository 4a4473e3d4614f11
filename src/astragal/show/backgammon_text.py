"""Backgammon as text: O for white at the bottom, X for black at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

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
from astragal.show.sheet import TEXT_MARK, text_sheet

if TYPE_CHECKING:
    from astragal.show.scene import Scene

CHECKERS = "OX"

_STYLES = ("bold bright_blue", "bold red")
_LINES = "dim"
_DICE = "⚀⚁⚂⚃⚄⚅"


def draw(scene: Scene) -> Text:
    """The board under its title, with both pip counts."""
    board = read_board(scene)
    marks = scene.checked_marks(PLACES)
    upper = [_row(scene, board, TOP, depth, marks) for depth in range(MOST_SHOWN)]
    lower = [_row(scene, board, BOTTOM, depth, marks) for depth in range(MOST_SHOWN)]
    lines = [
        _numbers(scene, board, TOP, marks),
        _border("┌┬┬┬┐"),
        *upper,
        _middle(marks),
        *reversed(lower),
        _border("└┴┴┴┘"),
        _numbers(scene, board, BOTTOM, marks),
    ]
    return text_sheet(scene, lines, _dice(scene))


def _border(corners: str) -> Text:
    parts = "─" * 18, "─" * 5, "─" * 18, "─" * 5, ""
    pairs = zip(corners, parts, strict=True)
    return Text(" " + "".join(corner + part for corner, part in pairs), _LINES)


def _row(
    scene: Scene, board: BackgammonBoard, points: tuple[int, ...], depth: int, marks: list[str]
) -> Text:
    """A line of the board, so many checkers away from its edge."""
    cells = [_cell(scene, board, point, depth, marks) for point in points]
    # A checker on the bar waits in the half in which it has to enter.
    side = 1 if points == BOTTOM else 0
    sign, style = _checker(board.bar[side], MOST_SHOWN - 1 - depth) or ("", "")
    bar = Text(f"{sign:^5}", style)
    off = board.off[1 - side]
    borne_off = CHECKERS[off.side] * max(0, min(3, off.size - 3 * depth))
    tray = Text(f" {borne_off:3} ", _STYLES[off.side])
    return _framed(Text().join(cells[:6]), bar, Text().join(cells[6:]), tray)


def _framed(left: Text, bar: Text, right: Text, tray: Text) -> Text:
    line = ("│", _LINES)
    return Text.assemble(" ", line, left, line, bar, line, right, line, tray, line)


def _cell(scene: Scene, board: BackgammonBoard, point: int, depth: int, marks: list[str]) -> Text:
    empty = ("·" if point % 2 else " ", _LINES)
    sign, style = _checker(board.points.get(point, Stack(0, 0)), depth) or empty
    if depth == 0 and number_of(scene, point) in marks:
        return Text.assemble(("[", TEXT_MARK), (sign, style), ("]", TEXT_MARK))
    return Text(f"{sign:^3}", style)


def _checker(stack: Stack, depth: int) -> tuple[str, str] | None:
    """What shows of a stack at so many checkers from its foot, and its style."""
    if depth >= min(stack.size, MOST_SHOWN):
        return None
    is_number = stack.size > MOST_SHOWN and depth == MOST_SHOWN - 1
    return str(stack.size) if is_number else CHECKERS[stack.side], _STYLES[stack.side]


def _middle(marks: list[str]) -> Text:
    bar, off = (
        Text(f"[{name}]", TEXT_MARK) if name in marks else Text(f" {name} ", _LINES)
        for name in ("bar", "off")
    )
    return _framed(Text(" " * 18), bar, Text(" " * 18), off)


def _numbers(
    scene: Scene, board: BackgammonBoard, points: tuple[int, ...], marks: list[str]
) -> Text:
    """The points as the mover counts them, and the pips of the side that sits here."""
    names = [number_of(scene, point) for point in points]
    shown = [Text(f"{name:^3}", TEXT_MARK if name in marks else "") for name in names]
    side = 0 if points == BOTTOM else 1
    pips = Text(f"{scene.game.sides[side]} {CHECKERS[side]} {board.pips[side]} pips", _STYLES[side])
    gap = Text(" " * 7)
    return Text.assemble("  ", *shown[:6], gap, *shown[6:], gap, "  ", pips)


def _dice(scene: Scene) -> Text | None:
    if scene.roll is None:
        return None
    return Text(" ".join(_DICE[int(die) - 1] for die in scene.game.rolls[scene.roll]))
