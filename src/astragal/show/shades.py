"""Numbers as shades between two colours: blue above nothing, red below it, white at nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable

BLANK = "#d8d2c4"  # of what is not known

# From nothing to the utmost; colour-blind people tell the two apart at every step.
_BLUES = ("#ffffff", "#92c5de", "#2166ac")
_REDS = ("#ffffff", "#f4a582", "#b2182b")
_DARK, _LIGHT = "#20262b", "#ffffff"


def utmost(numbers: Iterable[float]) -> float:
    """The largest of the numbers, whatever their sign; what is not known does not count."""
    return max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)


def shade(number: float, most: float) -> str:
    """The colour of a number where `most` has the strongest."""
    if not math.isfinite(number):
        return BLANK
    colours = _BLUES if number >= 0 else _REDS
    place = min(abs(number) / (most or 1), 1) * (len(colours) - 1)
    step = min(int(place), len(colours) - 2)
    return _between(colours[step], colours[step + 1], place - step)


def _between(first: str, last: str, part: float) -> str:
    pairs = [(int(first[at : at + 2], 16), int(last[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + part * (high - low)):02x}" for low, high in pairs)


def ink_on(number: float, most: float) -> str:
    """The colour in which to write on the shade of a number."""
    return _LIGHT if math.isfinite(number) and abs(number) > 0.7 * most else _DARK


def told_effect(number: float) -> str:
    """The number in at most four signs, its own sign among them."""
    if not math.isfinite(number):
        return "-"
    if abs(number) < 0.005:
        return "0"
    if abs(number) < 0.995:
        return f"{number:+.2f}".replace("0.", ".")
    return f"{number:+.1f}" if abs(number) < 9.95 else f"{number:+.0f}"
