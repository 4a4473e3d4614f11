"""The nets that come with the package, one for a game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import astragal
from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.errors import InputError
from astragal.games.game import Game
from astragal.values.checkpoint import load_net
from astragal.values.network import NetworkValues
from astragal.values.values import Aim

_FOLDER = Path(astragal.__file__).parent / "champions"


def champion_path(game: Game) -> Path | None:
    """The file of the game's champion, if it has one."""
    path = _FOLDER / f"{game.name.replace(':', '-')}.safetensors"
    return path if path.exists() else None


def champion(game: Game) -> NetworkValues:
    """The game's champion, or InputError where there is none."""
    path = champion_path(game)
    if path is None:
        known = ", ".join(sorted(each.stem for each in _FOLDER.glob("*.safetensors")))
        raise InputError(f"{game.name} has no champion: expected one of {known or 'none yet'}.")
    return replace(load_net(path, game), name="champion")


def usual_agent(game: Game, aim: Aim) -> str:
    """The agent that is asked where nobody else is named: whoever knows best."""
    if can_be_perfect(game, aim):
        return PERFECT
    return "champion@1" if champion_path(game) else "pips@1"
