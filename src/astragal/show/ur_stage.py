"""Ur for a page: the board of its pictures, and where the stones of each half stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.games.ur_notation import UrNotation
from astragal.show.scene import Scene
from astragal.show.sheet import EARTH
from astragal.show.stage import Area, Ink, Place, Spot, Stage, on_sand
from astragal.show.svg import Markup, group
from astragal.show.ur_board import Camp, UrBoard, count_dice, read_board
from astragal.show.ur_ornaments import CELL, centre_of, corner_of, draw_board
from astragal.show.ur_svg import TALLY_SIZE, camp_names, names, rank, size_of, stone, tallies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from astragal.games.game import Game

_ABOVE = 10  # the room above the squares


def stage(game: Game) -> Stage:
    """What a page needs for showing the game."""
    assert isinstance(game.notation, UrNotation)
    board = read_board(Scene(game, game.start, 0))
    red, blue = (
        _places(camp, path) for camp, path in zip(board.camps, game.notation.paths, strict=True)
    )
    width, height = size_of(board)
    view = Area(0, -_ABOVE, width, height + _ABOVE)
    return Stage(
        view,
        on_sand(view, [*draw_board(board), _labels(board)]),
        pieces={"disc": (stone(0, 0, 0), stone(1, 0, 0))},
        places=(red, blue),
        dice=_dice(game),
        ink=Ink(size=TALLY_SIZE),
        store=0,
        walks=True,
    )


def _places(camp: Camp, path: Sequence[str]) -> list[Place]:
    waiting, home = tallies(camp)
    return [
        Place(waiting.word, rank(camp.entry, camp.most), _cell(camp.entry), label=waiting),
        *(Place(square, [Spot(*centre_of(square))], _cell(square)) for square in path[1:-1]),
        Place(home.word, rank(camp.exit, camp.most), _cell(camp.exit), label=home),
    ]


def _cell(square: str) -> Area:
    return Area(*corner_of(square), CELL, CELL)


def _labels(board: UrBoard) -> Markup:
    camps = [name for camp in board.camps for name in camp_names(camp)]
    style: dict[str, str | float] = {"fill": EARTH, "font_size": Ink().size}
    return group("names", *names(board), *camps, text_anchor="middle", **style)


def _dice(game: Game) -> dict[str, str | int | None]:
    """Dice with a marked corner; under Masters rules those that show none count four."""
    blank = int(game.rolls[game.rules.throws[0]])
    return {"kind": "tetra", "count": count_dice(game), "blank_counts": blank or None}
