"""Ur as text: a board in box drawing signs, with each side's other stones beside its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from astragal.show.grid import Square, draw_grid
from astragal.show.sheet import TEXT_MARK, text_sheet
from astragal.show.ur_board import ROWS, Camp, UrBoard, lit_dice, read_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from astragal.show.scene import Scene

STONES = "●○"
ROSETTE = "✿"

_STYLES = ("bold red", "bold bright_blue")
_ROSETTE_STYLE = "magenta"


def draw(scene: Scene) -> Text:
    """The board under its title."""
    board = read_board(scene)
    marks = {board.places[mark] for mark in scene.checked_marks(board.places)}
    lines = draw_grid({_place(board, name): _cell(board, name, marks) for name in board.squares})
    for number, line in enumerate(lines):
        row = ROWS[number // 2] if number % 2 else " "
        lines[number] = Text.assemble(f" {row} ", line)
    for side, camp in enumerate(board.camps):
        line = lines[2 * ROWS.index(camp.row) + 1]
        line.rstrip()
        line.append(Text.assemble("   ", *_camp(camp, side, marks)))
    letters = Text("     " + "   ".join(board.columns))
    return text_sheet(scene, [*lines, letters], _dice(scene))


def _place(board: UrBoard, square: str) -> Square:
    return ROWS.index(square[1]), board.columns.index(square[0])


def _cell(board: UrBoard, square: str, marks: set[str]) -> Text:
    side = board.stones.get(square)
    is_rosette = square in board.rosettes
    middle = (ROSETTE, _ROSETTE_STYLE) if is_rosette else (" ", "")
    if side is not None:
        middle = STONES[side], _STYLES[side]
    if square in marks:
        return Text.assemble(("[", TEXT_MARK), middle, ("]", TEXT_MARK))
    # A rosette under a stone still shows on both sides of it.
    edge = (ROSETTE, _ROSETTE_STYLE) if is_rosette and side is not None else (" ", "")
    return Text.assemble(edge, middle, edge)


def _camp(camp: Camp, side: int, marks: set[str]) -> Iterator[Text]:
    """A side's stones that are not on the board."""
    yield Text(f"{camp.name:4} {STONES[side]} ", _STYLES[side])
    for word, count, place in (
        ("waiting", camp.waiting, camp.entry),
        ("home", camp.home, camp.exit),
    ):
        left, right = "[]" if place in marks else "  "
        style = TEXT_MARK if place in marks else ""
        stones = (STONES[side] * count, _STYLES[side])
        yield Text.assemble((left, style), f"{word} {count} ", stones, (right, style))
        yield Text(" " * (camp.most - count))


def _dice(scene: Scene) -> Text | None:
    lit_of = lit_dice(scene)
    if lit_of is None:
        return None
    lit, dice = lit_of
    return Text("▲" * lit + "△" * (dice - lit))
