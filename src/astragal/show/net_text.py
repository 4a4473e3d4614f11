"""A net as text: on each place of the board what one piece there changes, as shaded numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from astragal.show.places import Cell, cells_of
from astragal.show.shades import ink_on, shade, told_effect, utmost

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from astragal.games.game import Game

CAPTIONS = ("One own piece", "One enemy piece")

_WIDTH = 5


def net_text(game: Game, effects: NDArray[np.float64]) -> Text:
    """Two boards, one for the pieces of each side, at most 78 columns wide.

    The effects [W] are what one piece on each place adds to the log odds of winning.
    """
    lines: list[Text] = []
    most = utmost(effects)
    for caption, cells, half in zip(CAPTIONS, cells_of(game), effects.reshape(2, -1), strict=True):
        lines += [Text(caption, "bold"), *_board(cells, half.tolist(), most), Text()]
    return Text("\n").join(lines[:-1])


def _board(cells: Sequence[Cell], half: Sequence[float], most: float) -> Iterator[Text]:
    """For each row of cells a line of names, and a line of numbers below them."""
    for row in sorted({cell.row for cell in cells}):
        found = {
            cell.column: (cell, number)
            for cell, number in zip(cells, half, strict=True)
            if cell.row == row
        }
        names, numbers = Text(), Text()
        for column in range(max(found) + 1):
            cell, number = found.get(column, (None, 0.0))
            name = "" if cell is None else cell.name
            names.append(f"{name:>{_WIDTH}}", "dim")
            numbers.append(*_shaded(number, most) if cell else (" " * _WIDTH, ""))
        yield from (names, numbers)


def _shaded(number: float, most: float) -> tuple[str, str]:
    return f"{told_effect(number):>{_WIDTH}}", f"{ink_on(number, most)} on {shade(number, most)}"
