"""Elements of an SVG picture, with every text and attribute escaped."""

from __future__ import annotations

import html
from typing import NewType, TypeAlias

from astragal.errors import printable

Markup = NewType("Markup", str)  # what has been escaped already
Attribute: TypeAlias = str | float


def element(tag: str, *children: Markup, **attributes: Attribute) -> Markup:
    """The element; `class_` becomes class, and `stroke_width` stroke-width."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(_attribute(given))}"'
        for name, given in attributes.items()
    )
    inside = "".join(children)
    return Markup(f"<{tag}{written}>{inside}</{tag}>" if children else f"<{tag}{written}/>")


def words(text: str) -> Markup:
    """The text with nothing in it that XML forbids or reads as markup."""
    return Markup(html.escape(printable(text), quote=False))


def group(class_: str, *children: Markup, **attributes: Attribute) -> Markup:
    """A group that keeps its end tag even when it is empty."""
    return element("g", *(children or (Markup(""),)), class_=class_, **attributes)


def write(text: str, x: float, y: float, **attributes: Attribute) -> Markup:
    """The text at a place."""
    return element("text", words(text), x=x, y=y, **attributes)


def circle(x: float, y: float, radius: float, **attributes: Attribute) -> Markup:
    """A circle round its centre."""
    return element("circle", cx=x, cy=y, r=radius, **attributes)


def box(x: float, y: float, width: float, height: float, **attributes: Attribute) -> Markup:
    """A rectangle from its upper left corner."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def path(*steps: str | float, **attributes: Attribute) -> Markup:
    """A path through letters and numbers, as in path("M", 0, 0, "L", 5, 5)."""
    return element("path", d=route(*steps), **attributes)


def route(*steps: str | float) -> str:
    """Letters and numbers as the data of a path, with no more signs than it needs."""
    written = ""
    for step in steps:
        sign = step if isinstance(step, str) else number(step)
        separate = written[-1:].isdigit() and (sign[0].isdigit() or sign[0] == ".")
        written += f" {sign}" if separate else sign
    return written


def moved(x: float, y: float, scale: float = 1) -> str:
    """A transform to a place, if wished with another size."""
    place = f"translate({number(x)} {number(y)})"
    return place if scale == 1 else f"{place}scale({number(scale)})"


def number(given: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{given:.2f}".rstrip("0").rstrip(".") if given % 1 else f"{given:.0f}"


def _attribute(given: Attribute) -> str:
    return given if isinstance(given, str) else number(given)
