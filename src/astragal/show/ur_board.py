"""What stands where on a board of Ur, for both ways of drawing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from astragal.games.ur_notation import UrNotation

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.show.scene import Scene

ROWS = "321"  # from the top


class Camp(NamedTuple):
    """A side's stones that are not on the board."""

    name: str
    row: str
    waiting: int
    home: int
    most: int
    """All stones of the side."""
    entry: str
    """The place at which the waiting stones lie, beside the side's row."""
    exit: str
    """The place at which the stones lie that are home."""


class UrBoard(NamedTuple):
    """The squares, and the stones on them."""

    columns: str
    squares: frozenset[str]
    rosettes: frozenset[str]
    stones: dict[str, int]
    """Which side stands on a square that is not empty."""
    camps: tuple[Camp, Camp]
    places: dict[str, str]
    """Where to point for each mark that the mover may name."""


def read_board(scene: Scene) -> UrBoard:
    """The board of a scene of Ur."""
    notation = scene.game.notation
    assert isinstance(notation, UrNotation)
    squares = frozenset(square for path in notation.paths for square in path[1:-1])
    columns = "".join(sorted({square[0] for square in squares}))
    camps = _camp(scene, notation, 0, columns), _camp(scene, notation, 1, columns)
    start, *_, finish = notation.paths[scene.side]
    mover = camps[scene.side]
    return UrBoard(
        columns=columns,
        squares=squares,
        rosettes=frozenset(path[place] for path in notation.paths for place in notation.rosettes),
        stones=_stones(scene, notation),
        camps=camps,
        places={square: square for square in squares} | {start: mover.entry, finish: mover.exit},
    )


def _stones(scene: Scene, notation: UrNotation) -> dict[str, int]:
    return {
        path[place]: side
        for side, path in enumerate(notation.paths)
        for place in range(1, len(path) - 1)
        if scene.halves[side][place]
    }


def _camp(scene: Scene, notation: UrNotation, side: int, columns: str) -> Camp:
    half, path = scene.halves[side], notation.paths[side]
    row = path[0][1]
    # A finish beyond the last column is shared by both sides: each lies next to it, in its row.
    last = min(path[-1][0], columns[-1])
    name = scene.game.sides[side]
    counts = int(half[0]), int(half[-1]), notation.stones
    return Camp(name, row, *counts, entry=path[0], exit=f"{last}{row}")


def lit_dice(scene: Scene) -> tuple[int, int] | None:
    """How many dice show their marked corner, of how many; None before the roll."""
    if scene.roll is None:
        return None
    dice = count_dice(scene.game)
    steps = int(scene.game.rolls[scene.roll])
    # Under Masters rules three blank dice count four.
    return (steps if steps <= dice else 0), dice


def count_dice(game: Game) -> int:
    """How many two-sided dice are thrown."""
    return int(game.rules.throws.size).bit_length() - 1
