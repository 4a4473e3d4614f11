"""Backgammon for a page: the table of its pictures, and where the checkers of each half lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.show import backgammon_table as table
from astragal.show.backgammon_board import as_white
from astragal.show.backgammon_svg import COUNT_INK, FILLS, checker, slab
from astragal.show.stage import Area, Ink, Place, Stage
from astragal.show.svg import group

if TYPE_CHECKING:
    from astragal.games.game import Game


def stage(game: Game) -> Stage:
    """What a page needs for showing the game."""
    checkers = game.rules.pieces
    return Stage(
        Area(0, 0, table.WIDTH, table.EDGE + table.FRAME),
        group("board", *table.draw_board()),
        pieces={
            "disc": (checker(0, 0, 0), checker(1, 0, 0)),
            "slab": (group("piece", slab(0, 0, 0)), group("piece", slab(1, 0, 0))),
        },
        places=(_places(0, checkers), _places(1, checkers)),
        dice={"kind": "cubes"},
        labels=(table.numbers_for(0), table.numbers_for(1)),
        ink=Ink(table.LIGHT),
        count_ink=COUNT_INK,
        colours=FILLS,
        pips=tuple(range(HALF)),
        store=OFF,
    )


def _places(side: int, checkers: int) -> list[Place]:
    """Where a side's checkers lie: off, on its points, on the bar."""
    tally = table.tally_off(side)
    off = table.spots_off(side, checkers)
    return [
        Place(tally.word, off, table.tray_area(side), "slab", tally),
        *(_point(side, point, checkers) for point in range(1, BAR)),
        Place("bar", table.spots_on_bar(side)[:checkers], table.bar_area(side)),
    ]


def _point(side: int, point: int, checkers: int) -> Place:
    at = as_white(side, point)
    return Place(str(point), table.spots_on(at)[:checkers], table.column_area(at))
