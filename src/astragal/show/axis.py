"""Axes of a chart: the data, the round numbers along an axis, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_ROUND = (1, 2, 5)
_MILLION = 1_000_000
_SAME = 1e-9  # numbers that are closer, for their size, are one
_SMALLEST, _LARGEST = 1e-6, 1e12  # beyond which a number is written with its power of ten


class Point(NamedTuple):
    """One measurement."""

    x: float
    y: float
    margin: float | None = None
    """Half the width of the 95 % interval round y, where it is known."""


class Series(NamedTuple):
    """A named line through its points, in the order of their x."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Chart:
    """What a chart shows, however it is drawn."""

    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    is_share: bool = False
    """Whether y is a share of 1, to be written as a percentage."""

    @property
    def lines(self) -> list[Series]:
        """The series with those of their points that can be drawn."""
        return [Series(name, _drawable(points)) for name, points in self.series]

    def ends(self, point: Point) -> tuple[float, float]:
        """The low and the high end of a point's interval; a share stays between 0 and 1."""
        low, high = point.y - (point.margin or 0), point.y + (point.margin or 0)
        if self.is_share:
            return max(low, min(point.y, 0)), min(high, max(point.y, 1))
        return low, high


def _drawable(points: Sequence[Point]) -> list[Point]:
    """The points without those that are nowhere, and without margins that have no end."""
    return [
        Point(x, y, margin if margin is not None and math.isfinite(margin) else None)
        for x, y, margin in points
        if math.isfinite(x) and math.isfinite(y)
    ]


def round_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Evenly spaced round numbers, at most so many, of which the outer two enclose low and high."""
    if high - low <= _SAME * max(abs(low), abs(high)):
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    for step in _round_steps((high - low) / most):
        # A hair of slack, or a number such as 0.3 would ask for one tick more than it needs.
        first, last = math.floor(low / step + _SAME), math.ceil(high / step - _SAME)
        if last - first < most:
            break
    decimals = -math.floor(math.log10(step) + _SAME)
    return [round(number * step, decimals) for number in range(first, last + 1)]


def _round_steps(least: float) -> Iterator[float]:
    """1, 2 and 5 times the powers of ten, rising, from this size on."""
    power = math.floor(math.log10(least))
    while True:
        yield from (step * 10.0**power for step in _ROUND if step * 10.0**power >= least)
        power += 1


def told(number: float, step: float, is_share: bool = False) -> str:
    """The number with as many decimals as tell it from one that is a step away."""
    if is_share:
        return f"{told(100 * number, 100 * step)}%"
    if number == 0:
        return "0"
    if step < _SMALLEST or abs(number) > _LARGEST:
        return f"{number:.3g}"
    if step >= _MILLION / 5:
        return f"{told(number / _MILLION, step / _MILLION)}M"
    decimals = max(0, -math.floor(math.log10(step) + _SAME))
    return f"{number:,.{decimals}f}"
