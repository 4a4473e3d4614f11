"""Who draws which game, by the type of its rules; a game that nobody draws is shown plainly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.tictactoe import TicTacToeRules
from astragal.games.ur import UrRules
from astragal.show import (
    backgammon_stage,
    backgammon_svg,
    backgammon_text,
    plain,
    plain_stage,
    tictactoe,
    ur_stage,
    ur_svg,
    ur_text,
)

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.show.scene import Scene
    from astragal.show.stage import Stage


class Artist(NamedTuple):
    """The two ways of drawing a game, and what a page needs for drawing it itself."""

    text: Callable[[Scene], Text]
    svg: Callable[[Scene], str]
    stage: Callable[[Game], Stage]


ARTISTS: dict[type, Artist] = {
    UrRules: Artist(ur_text.draw, ur_svg.draw, ur_stage.stage),
    BackgammonRules: Artist(backgammon_text.draw, backgammon_svg.draw, backgammon_stage.stage),
    TicTacToeRules: Artist(tictactoe.draw_text, tictactoe.draw_svg, tictactoe.stage),
}

_PLAIN = Artist(plain.draw_text, plain.draw_svg, plain_stage.stage)


def find_artist(rules: object) -> Artist:
    """The artist for rules of this type."""
    return ARTISTS.get(type(rules), _PLAIN)
