"""Where the places of a position lie on a board of cells, seen by the player about to roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.games.tictactoe import CELLS, TicTacToeRules
from astragal.games.ur import UrRules
from astragal.games.ur_notation import UrNotation
from astragal.show.backgammon_board import BOTTOM, TOP
from astragal.show.ur_board import ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from astragal.games.game import Game

_PLAIN_COLUMNS = 12


class Cell(NamedTuple):
    """A place on the board."""

    name: str
    """At most four letters."""
    row: int
    column: int


def cells_of(game: Game) -> tuple[list[Cell], list[Cell]]:
    """The cells of the player's own places and of the other's, each as a half of a position."""
    if isinstance(game.rules, UrRules):
        assert isinstance(game.notation, UrNotation)
        own, other = game.notation.paths
        return _ur(own), _ur(other)
    if isinstance(game.rules, BackgammonRules):
        return _backgammon(is_own=True), _backgammon(is_own=False)
    if isinstance(game.rules, TicTacToeRules):
        taken = [Cell(str(cell), *divmod(cell, 3)) for cell in range(CELLS)]
        return taken, taken
    plain = [Cell(str(place), *divmod(place, _PLAIN_COLUMNS)) for place in range(game.width // 2)]
    return plain, plain


def _ur(path: Sequence[str]) -> list[Cell]:
    """The squares of a path; those who wait or are home lie in the gaps of their row."""
    start, *squares, finish = path
    # A finish beyond the last square is shared by both sides: each lies beside it, in its row.
    last = min(finish[0], max(square[0] for square in squares)) + start[1]
    names = ["wait", *squares, "home"]
    return [
        Cell(name, ROWS.index(square[1]), ord(square[0]) - ord("a"))
        for name, square in zip(names, [start, *squares, last], strict=True)
    ]


def _backgammon(*, is_own: bool) -> list[Cell]:
    """The points as the player counts them; a checker on the bar lies where it has to enter."""
    places = [_point(place if is_own else BAR - place) for place in range(HALF)]
    places[OFF] = Cell("off", 1 if is_own else 0, 13)
    places[BAR] = Cell("bar", 0 if is_own else 1, 6)
    return places


def _point(point: int) -> Cell:
    """The cell of a point, the bar being a column of its own."""
    points = TOP if point in TOP else BOTTOM
    place = points.index(point) if point in points else 0
    return Cell(str(point), 0 if points is TOP else 1, place + (place >= 6))
