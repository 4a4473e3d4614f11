"""Games as environments for other people's learners: PettingZoo for two, Gymnasium for one.

`make("ur")` gives an environment in which the caller plays both sides in turn, `make_solo("ur")`
one in which the other side is played by a function.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from astragal.errors import InputError
from astragal.games.catalogue import find_game

if TYPE_CHECKING:
    from astragal.gym.one_player import Choose, OnePlayer
    from astragal.gym.two_players import TwoPlayers

__all__ = ["make", "make_solo"]


def make(game: str, render_mode: str | None = None) -> TwoPlayers:
    """A turn-based (AEC) PettingZoo environment for the game of this name."""
    _require("pettingzoo")
    from astragal.gym.two_players import TwoPlayers

    return TwoPlayers(find_game(game), render_mode)


def make_solo(
    game: str,
    opponent: Choose | None = None,
    side: int | None = None,
    replace_illegal: bool = False,
    render_mode: str | None = None,
) -> OnePlayer:
    """A Gymnasium environment for the game of this name, against somebody.

    The opponent is a function that is given a position [W] and the index of a roll, and gives back
    the index of an afterstate; without one it plays at random. Side 0 begins, side 1 comes second;
    without a side it is drawn by lot for each game. For learners that know no mask, a legal action
    drawn by lot can take the place of one that is not; otherwise such an action is an error.
    """
    _require("gymnasium")
    from astragal.gym.one_player import OnePlayer

    return OnePlayer(find_game(game), opponent, side, replace_illegal, render_mode)


def _require(package: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError as fault:
        raise InputError(
            f"Environments cannot be made here: expected the package {package}, "
            "which `pip install 'astragal[gym]'` brings."
        ) from fault
