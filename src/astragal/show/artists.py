"""Who draws which game, by the type of its rules; a game that nobody draws is shown plainly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.tictactoe import TicTacToeRules
from astragal.games.ur import UrRules
from astragal.show import (
    backgammon_svg,
    backgammon_text,
    plain,
    tictactoe,
    ur_svg,
    ur_text,
)

if TYPE_CHECKING:
    from astragal.show.scene import Scene


class Artist(NamedTuple):
    """The two ways of drawing a game."""

    text: Callable[[Scene], Text]
    svg: Callable[[Scene], str]


ARTISTS: dict[type, Artist] = {
    UrRules: Artist(ur_text.draw, ur_svg.draw),
    BackgammonRules: Artist(backgammon_text.draw, backgammon_svg.draw),
    TicTacToeRules: Artist(tictactoe.draw_text, tictactoe.draw_svg),
}

_PLAIN = Artist(plain.draw_text, plain.draw_svg)


def find_artist(rules: object) -> Artist:
    """The artist for rules of this type."""
    return ARTISTS.get(type(rules), _PLAIN)
