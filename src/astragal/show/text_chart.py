"""A line chart for a terminal: lines of small dots, with a sign for each line on some points."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text

from astragal.errors import printable
from astragal.show.axis import Chart, Point, Series, told

SIGNS = "●■▲◆▼✚"

_STYLES = ("bright_blue", "red", "green", "magenta", "yellow", "white")
_AXES = "dim"
_MOST_SIGNS = 6  # on one line, where there are several
_LEAST_COLUMNS = 10  # of the field, however narrow the chart
# A sign of braille has two columns of four dots; each dot is a bit of its number.
_BRAILLE, _ACROSS, _DOWN = 0x2800, 2, 4
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

Dot: TypeAlias = tuple[int, int]  # row from the top, column from the left
Cells: TypeAlias = dict[tuple[int, int], tuple[str, str]]  # row, column: a sign and its style


@dataclass(frozen=True)
class _Field:
    """Where numbers lie: the outer dots are the outer numbers."""

    left: float
    right: float
    low: float
    high: float
    rows: int
    columns: int
    is_share: bool

    def dot(self, point: Point) -> Dot:
        across = (point.x - self.left) / ((self.right - self.left) or 1)
        down = (self.high - point.y) / (self.high - self.low)
        return round(down * (_DOWN * self.rows - 1)), round(across * (_ACROSS * self.columns - 1))

    def told(self, y: float) -> str:
        return told(y, (self.high - self.low) / 100, self.is_share)


def text_chart(chart: Chart, width: int, height: int) -> Text:
    """The chart in so many lines of at most so many signs, readable without its colours.

    The highest point is in the first row of the field, the lowest in the last. Intervals are told
    in the legend alone, for the last point of each line.
    """
    lines = [line for line in chart.lines if line.points]
    field = _field(lines, 1, 1, chart.is_share)
    legend = list(_flowing(_entries(field, lines), width))
    labels = max(len(field.told(y)) for y in (field.low, field.high)) + 2
    columns = max(width - labels, _LEAST_COLUMNS)
    field = _field(lines, max(height - 3 - len(legend), 1), columns, chart.is_share)
    rows = [
        Text(printable(chart.title)[:width], "bold"),
        *_rows(field, _cells(field, lines), labels),
        Text(f"{'└':>{labels}}{'─' * columns}", _AXES),
        _x_labels(field, chart.x_title, labels),
        *legend,
    ]
    for row in rows:
        row.rstrip()
    return Text("\n").join(rows)


def _field(lines: Sequence[Series], rows: int, columns: int, is_share: bool) -> _Field:
    points = [point for line in lines for point in line.points] or [Point(0, 0)]
    xs, ys = [point.x for point in points], [point.y for point in points]
    low, high = min(ys), max(ys)
    if low == high and is_share:
        low, high = max(low - 0.1, min(low, 0.0)), min(high + 0.1, max(high, 1.0))
    elif low == high:
        low -= abs(high) or 1
    return _Field(min(xs), max(xs), low, high, rows, columns, is_share)


def _cells(field: _Field, lines: Sequence[Series]) -> Cells:
    """The dots of all lines, and over them the signs that tell which line is which."""
    cells: Cells = {}
    places = [[field.dot(point) for point in line.points] for line in lines]
    for number, dots in enumerate(places):
        for dot in _drawn(dots):
            _add_dot(cells, dot, _STYLES[number % len(_STYLES)])
    most = _MOST_SIGNS if len(lines) > 1 else 1
    for number, dots in enumerate(places):
        for down, across in dots[:: min(len(dots) // -most, -1)]:
            cells[down // _DOWN, across // _ACROSS] = _sign(number)
    return cells


def _drawn(dots: Sequence[Dot]) -> Iterator[Dot]:
    """The dots and those between each and the next."""
    yield dots[0]
    for (down, across), (to_down, to_across) in itertools.pairwise(dots):
        steps = max(abs(to_down - down), abs(to_across - across), 1)
        for step in range(1, steps + 1):
            part = step / steps
            yield round(down + part * (to_down - down)), round(across + part * (to_across - across))


def _add_dot(cells: Cells, dot: Dot, style: str) -> None:
    (row, bit_row), (column, bit_column) = divmod(dot[0], _DOWN), divmod(dot[1], _ACROSS)
    sign, _ = cells.get((row, column), (chr(_BRAILLE), ""))
    cells[row, column] = chr(ord(sign) | _BITS[bit_row][bit_column]), style


def _sign(number: int) -> tuple[str, str]:
    return SIGNS[number % len(SIGNS)], _STYLES[number % len(_STYLES)]


def _rows(field: _Field, cells: Cells, labels: int) -> Iterator[Text]:
    """The field, with numbers for its first row, its last and the one in the middle."""
    for row in range(field.rows):
        part = row / max(field.rows - 1, 1)
        is_told = row in (0, field.rows - 1) or (field.rows >= 5 and row == field.rows // 2)
        label = field.told(field.high - part * (field.high - field.low)) if is_told else ""
        line = Text(f"{label:>{labels - 2}} {'┤' if is_told else '│'}", _AXES)
        for column in range(field.columns):
            line.append(*cells.get((row, column), (" ", "")))
        yield line


def _x_labels(field: _Field, title: str, labels: int) -> Text:
    """Where the field begins and ends, with the title between them."""
    step = (field.right - field.left) / 100
    first, last = (told(x, 1 if x % 1 == 0 else step or 1) for x in (field.left, field.right))
    last = last if step else ""
    between = max(field.columns - len(first) - len(last), 1)
    return Text(
        f"{'':{labels}}{first}{printable(title)[: max(between - 2, 0)]:^{between}}{last}", _AXES
    )


def _entries(field: _Field, lines: Sequence[Series]) -> Iterator[Text]:
    """For each line its sign, its name and where it stands."""
    for number, line in enumerate(lines):
        *_, last = line.points
        margin = "" if last.margin is None else f" ± {field.told(last.margin)}"
        where = f" {printable(line.name)} {field.told(last.y)}{margin}"
        yield Text.assemble(_sign(number), where)


def _flowing(entries: Iterable[Text], width: int) -> Iterator[Text]:
    """As many entries on each line as fit, and none that is wider than it."""
    line = Text()
    for entry in entries:
        entry.truncate(width, overflow="ellipsis")
        if line and len(line) + 3 + len(entry) > width:
            yield line
            line = Text()
        line = Text("   ").join([line, entry]) if line else entry
    if line:
        yield line
