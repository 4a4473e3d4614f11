"""A line chart as SVG: lines that differ in colour, dashes and marks, with their intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from astragal.show.axis import Chart, Point, Series, round_ticks, told
from astragal.show.svg import Markup, box, element, group, moved, path, words, write

Place: TypeAlias = tuple[float, float]

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 78, WIDTH - 36, 48, HEIGHT - 54  # the edges of the field

_ENTRY = 20  # the height of a line of the legend
_SAMPLE = 34  # the length of a line that the legend shows
_LETTER = 7.2  # a generous guess at the width of a letter
_LONGEST = 80  # name in the legend, the end of which is told
_MOST_MARKS = 12  # on one line, or they would hide it
_DASHES = ("none", "9 5", "2 4", "12 4 2 4", "5 3", "18 6")
# The colours of Okabe and Ito, which colour-blind people tell apart, darkened where they would be
# lost on paper, and lighter ones for dark pages.
_ON_LIGHT = ("#0072b2", "#d55e00", "#00795a", "#a8457e", "#8a6200", "#444444")
_ON_DARK = ("#63b8ee", "#ff9552", "#3ccfa4", "#eaa3cb", "#f0c04a", "#c4c4c4")


def _colours(*, ink: str, page: str, lines: Sequence[str]) -> str:
    each = "".join(f".chart .s{number}{{color:{colour}}}" for number, colour in enumerate(lines))
    return f".chart{{color:{ink}}}.chart .page{{fill:{page}}}{each}"


# Colours come by class and not by variable, which some programs that print SVG do not know.
_STYLE = Markup(
    _colours(ink="#222", page="#fdfcf9", lines=_ON_LIGHT)
    + "@media (prefers-color-scheme:dark){"
    + _colours(ink="#ddd", page="#16181a", lines=_ON_DARK)
    + "}"
)


@dataclass(frozen=True)
class _Field:
    """Where numbers lie in the picture: its edges are the outer ticks."""

    x_ticks: list[float]
    y_ticks: list[float]
    top: float

    def x(self, given: float) -> float:
        first, last = self.x_ticks[0], self.x_ticks[-1]
        return LEFT + (RIGHT - LEFT) * (given - first) / (last - first)

    def y(self, given: float) -> float:
        first, last = self.y_ticks[0], self.y_ticks[-1]
        return BOTTOM - (BOTTOM - self.top) * (given - first) / (last - first)


def line_chart(chart: Chart) -> str:
    """The chart as one SVG element that needs nothing else, for light pages and for dark ones."""
    lines = chart.lines
    legend = _legend(lines) if len(lines) > 1 else []
    field = _field(chart, lines, TOP + _ENTRY * (legend[-1][1] + 1 if legend else 0))
    return element(
        "svg",
        element("title", words(chart.title)),
        element("style", _STYLE),
        box(0, 0, WIDTH, HEIGHT, rx=8, class_="page"),
        group("axes", *_axes(chart, field), fill="currentColor"),
        group("bands", *_bands(chart, field, lines)),
        group("lines", *_lines(field, lines)),
        group("titles", *_titles(chart), fill="currentColor"),
        group("legend", *itertools.starmap(_entry, legend)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        role="img",
        class_="chart",
        font_family="system-ui,'DejaVu Sans',sans-serif",
        font_size=13,
    )


def _field(chart: Chart, lines: Sequence[Series], top: float) -> _Field:
    points = [point for line in lines for point in line.points] or [Point(0, 0), Point(1, 1)]
    ends = [end for point in points for end in chart.ends(point)]
    x_ticks = round_ticks(min(point.x for point in points), max(point.x for point in points))
    return _Field(x_ticks, round_ticks(min(ends), max(ends)), top)


def _axes(chart: Chart, field: _Field) -> Iterator[Markup]:
    """Lines across the field at the ticks of y, short ones at those of x, and their numbers."""
    right, below = RIGHT - LEFT, BOTTOM + 5
    grid = [step for tick in field.y_ticks for step in ("M", LEFT, field.y(tick), "h", right)]
    yield path(*grid, stroke="currentColor", stroke_opacity=0.18)
    short = [step for tick in field.x_ticks for step in ("M", field.x(tick), BOTTOM, "v", 5)]
    yield path("M", LEFT, BOTTOM, "h", right, *short, stroke="currentColor", fill="none")
    across, up = (ticks[1] - ticks[0] for ticks in (field.x_ticks, field.y_ticks))
    numbers = [write(told(tick, across), field.x(tick), below + 15) for tick in field.x_ticks]
    yield group("x", *numbers, text_anchor="middle")
    numbers = [
        write(told(tick, up, chart.is_share), LEFT - 8, field.y(tick) + 4.5)
        for tick in field.y_ticks
    ]
    yield group("y", *numbers, text_anchor="end")


def _titles(chart: Chart) -> Iterator[Markup]:
    yield write(chart.title, 16, 26, font_size=16, font_weight="bold")
    yield write(chart.x_title, (LEFT + RIGHT) / 2, HEIGHT - 12, text_anchor="middle")
    turned = f"{moved(20, (TOP + BOTTOM) / 2)}rotate(-90)"
    yield write(chart.y_title, 0, 0, text_anchor="middle", transform=turned)


def _class_of(number: int) -> str:
    return f"s{number % len(_DASHES)}"


def _bands(chart: Chart, field: _Field, lines: Sequence[Series]) -> Iterator[Markup]:
    """For each line the shaded room between the ends of its intervals."""
    for number, line in enumerate(lines):
        runs = itertools.groupby(line.points, lambda point: point.margin is not None)
        shapes = [_band(chart, field, list(run)) for is_known, run in runs if is_known]
        yield group(_class_of(number), *shapes, fill="currentColor", fill_opacity=0.16)


def _band(chart: Chart, field: _Field, points: Sequence[Point]) -> Markup:
    """The high ends from left to right and the low ends back; an upright line for one point."""
    ends = [chart.ends(point) for point in points]
    high = [(field.x(point.x), field.y(end[1])) for point, end in zip(points, ends, strict=True)]
    low = [(field.x(point.x), field.y(end[0])) for point, end in zip(points, ends, strict=True)]
    steps = ["M", *itertools.chain(*_joined(high + low[::-1])), "z"]
    return path(*steps, stroke="currentColor", stroke_width=2 if len(points) == 1 else 0)


def _joined(places: Sequence[Place]) -> Iterator[Sequence[str | float]]:
    """The places with the letter of a line between them."""
    yield places[0]
    yield from (("L", x, y) for x, y in places[1:])


def _lines(field: _Field, lines: Sequence[Series]) -> Iterator[Markup]:
    for number, line in enumerate(lines):
        places = [(field.x(point.x), field.y(point.y)) for point in line.points]
        if places:
            marks = [_mark(number, x, y) for x, y in _marked(places, len(lines) == 1)]
            yield group(_class_of(number), _stroke(number, places), *marks)


def _marked(places: Sequence[Place], is_alone: bool) -> Sequence[Place]:
    """Some of the places, evenly spread; the last is where things stand and always among them."""
    if len(places) <= _MOST_MARKS:
        return places
    # A line that is alone need not be told from others.
    return places[-1:] if is_alone else places[:: len(places) // -_MOST_MARKS]


def _stroke(number: int, places: Sequence[Place]) -> Markup:
    return path(
        "M",
        *itertools.chain(*_joined(places)),
        fill="none",
        stroke="currentColor",
        stroke_width=2.2,
        stroke_dasharray=_DASHES[number % len(_DASHES)],
        stroke_linejoin="round",
    )


_SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-5.5L5 4h-10z",
    "M0-5.5L5.5 0L0 5.5L-5.5 0z",
    "M0 5.5L5-4h-10z",
    "M-5-1.6h3.4V-5h3.2v3.4H5v3.2H1.6V5h-3.2V1.6H-5z",
)


def _mark(number: int, x: float, y: float) -> Markup:
    shape = _SHAPES[number % len(_SHAPES)]
    return path(shape, transform=moved(x, y), fill="currentColor", class_="mark")


def _legend(lines: Sequence[Series]) -> list[tuple[int, int, float, str]]:
    """For each line its number, the row of its entry, where that begins, and its name."""
    entries, row, x = [], 0, float(LEFT)
    for number, line in enumerate(lines):
        name = line.name if len(line.name) <= _LONGEST else f"...{line.name[3 - _LONGEST :]}"
        width = _SAMPLE + 30 + _LETTER * len(name)
        if x > LEFT and x + width > RIGHT + 30:
            row, x = row + 1, float(LEFT)
        entries.append((number, row, x, name))
        x += width
    return entries


def _entry(number: int, row: int, x: float, name: str) -> Markup:
    y = TOP - 2 + _ENTRY * row
    sample = [_stroke(number, [(x, y), (x + _SAMPLE, y)]), _mark(number, x + _SAMPLE / 2, y)]
    return element(
        "g",
        group(_class_of(number), *sample),
        write(name, x + _SAMPLE + 8, y + 4.5, fill="currentColor"),
    )
