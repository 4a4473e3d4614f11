"""What every picture has round its board: whose turn it is above, the caption below."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.text import Text

from astragal.errors import printable
from astragal.show.svg import Markup, box, element, group, words, write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from astragal.show.scene import Scene

COLUMNS = 78
HEADER = 46  # the height of the strip above the board, in which the status stands
LAPIS, CARNELIAN, SHELL, SAND, EARTH = "#1d3268", "#c8492c", "#fbf3e1", "#efdfbf", "#3b2616"
MARK = "#f2b705"
TEXT_MARK = "bold reverse"

_LINE = 20
_LETTER = 8.2  # a generous guess at the width of a letter of the caption


def text_sheet(scene: Scene, lines: Iterable[Text], beside: Text | None = None) -> Text:
    """The lines of a board under the title, with `beside` after it, and over the caption."""
    heading = Text(scene.title, "bold")
    caption = [Text(line, "italic") for line in _caption(scene, COLUMNS)]
    head = Text("  ").join([heading, beside]) if beside else heading
    sheet = [head, Text(), *lines, *([Text(), *caption] if caption else [])]
    for line in sheet:
        line.rstrip()
    return Text("\n").join(sheet)


def svg_sheet(
    scene: Scene,
    size: tuple[float, float],
    *,
    board: Iterable[Markup],
    pieces: Iterable[Markup] = (),
    marks: Iterable[Markup] = (),
    labels: Iterable[Markup] = (),
) -> str:
    """The four groups in one picture whose board fills `size`, with room above and below."""
    width, height = size
    caption = _caption(scene, int((width - 40) / _LETTER))
    bottom = height + _LINE * len(caption) + (10 if caption else 0)
    view = f"0 {-HEADER} {width:g} {bottom + HEADER:g}"
    ground = box(0, -HEADER, width, bottom + HEADER, rx=10, fill=SAND)
    return element(
        "svg",
        element("title", words(scene.title)),
        element("desc", words(scene.text_form)),
        group("board", ground, *board),
        group("pieces", *pieces),
        group("marks", *map(_outlined, marks), fill="none", stroke=MARK, stroke_width=4),
        _labels(scene, height, caption, labels),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=view,
        width=width,
        role="img",
    )


def _outlined(mark: Markup) -> Markup:
    """The mark with dark edges, without which gold on sand would be lost in print."""
    return group("mark", element("g", mark, stroke=EARTH, stroke_width=7), mark)


def _labels(scene: Scene, height: float, caption: list[str], labels: Iterable[Markup]) -> Markup:
    status = scene.status[:1].upper() + scene.status[1:]
    lines = (
        write(line, 20, height + 16 + _LINE * row, font_size=15, font_style="italic")
        for row, line in enumerate(caption)
    )
    return group(
        "labels",
        write(status, 52, -15, font_size=20, font_weight="bold"),
        *lines,
        *labels,
        font_family="Georgia,'DejaVu Serif',serif",
        font_size=13,
        fill=EARTH,
    )


def _caption(scene: Scene, width: int) -> list[str]:
    """The caption, cut into lines of so many characters."""
    return textwrap.wrap(printable(" ".join(scene.caption.split())), width)
