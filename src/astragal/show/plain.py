"""Any game, before somebody draws it: its title, its text form and whose turn it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from astragal.errors import printable
from astragal.show.sheet import COLUMNS, EARTH, SHELL, TEXT_MARK, svg_sheet, text_sheet
from astragal.show.svg import Markup, box, write

if TYPE_CHECKING:
    from astragal.show.scene import Scene

_LETTER = 8  # the width of a letter of the text form


def draw_text(scene: Scene) -> Text:
    """The text form under the title, and what to point at by name."""
    form = scene.text_form
    lines = [Text(form[at : at + COLUMNS]) for at in range(0, len(form), COLUMNS)]
    if scene.marks:
        lines += [Text(), Text(printable(" ".join(sorted(scene.marks))), TEXT_MARK)]
    return text_sheet(scene, lines)


def draw_svg(scene: Scene) -> str:
    """The text form on a plate."""
    width = max(60 + _LETTER * len(scene.text_form), 90 + 12 * len(scene.title))
    plate = box(20, 0, width - 40, 52, rx=6, fill=SHELL, stroke=EARTH)
    return svg_sheet(
        scene,
        (width, 70),
        board=[plate],
        pieces=[write(scene.text_form, 30, 22, font_family="monospace", font_size=13, fill=EARTH)],
        marks=_marks(scene),
        labels=[write(scene.game.title, width - 20, -15, text_anchor="end")],
    )


def _marks(scene: Scene) -> list[Markup]:
    names = " ".join(sorted(scene.marks))
    style: dict[str, str | float] = {"fill": EARTH, "stroke": "none", "font_weight": "bold"}
    return [write(names, 30, 42, font_family="monospace", font_size=13, **style)] if names else []
