"""Boards of squares in box drawing signs, where squares may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from rich.text import Text

Square: TypeAlias = tuple[int, int]  # row from the top, column from the left

# A corner for each set of the lines that meet in it: up 1, down 2, left 4, right 8.
_CORNERS = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
_INSIDE = 3
_LINES = "dim"


def draw_grid(cells: Mapping[Square, Text]) -> list[Text]:
    """The squares with lines between them, each with a text of three signs inside."""
    rows = 1 + max(row for row, _ in cells)
    lines = []
    for row in range(rows):
        lines += [_border(cells, row), _inside(cells, row)]
    return [*lines, _border(cells, rows)]


def _columns(cells: Mapping[Square, Text]) -> range:
    return range(2 + max(column for _, column in cells))


def _border(cells: Mapping[Square, Text], row: int) -> Text:
    """The line above a row."""
    signs = ""
    for column in _columns(cells):
        signs += _CORNERS[sum(_lines_at(cells, row, column))]
        signs += ("─" if _has_top(cells, row, column) else " ") * _INSIDE
    return Text(signs, _LINES)


def _lines_at(cells: Mapping[Square, Text], row: int, column: int) -> Iterator[int]:
    yield 1 * _has_left(cells, row - 1, column)
    yield 2 * _has_left(cells, row, column)
    yield 4 * _has_top(cells, row, column - 1)
    yield 8 * _has_top(cells, row, column)


def _has_left(cells: Mapping[Square, Text], row: int, column: int) -> bool:
    return (row, column) in cells or (row, column - 1) in cells


def _has_top(cells: Mapping[Square, Text], row: int, column: int) -> bool:
    return (row, column) in cells or (row - 1, column) in cells


def _inside(cells: Mapping[Square, Text], row: int) -> Text:
    line = Text()
    for column in _columns(cells):
        line.append("│" if _has_left(cells, row, column) else " ", _LINES)
        line.append(cells.get((row, column), Text(" " * _INSIDE)))
    return line
