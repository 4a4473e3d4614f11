"""The nets that come with the package: one for a game, or one for each aim."""

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


def champion_path(game: Game, aim: Aim = "points") -> Path | None:
    """The file of the game's champion for this aim, if it has one.

    Where none has learned to play for wins alone, the one that plays for points does.
    """
    name = game.name.replace(":", "-")
    names = (f"{name}-win", name) if aim == "win" else (name,)
    paths = [_FOLDER / f"{each}.safetensors" for each in names]
    return next((path for path in paths if path.exists()), None)


def champion(game: Game, aim: Aim = "points") -> NetworkValues:
    """The game's champion for this aim, or InputError where there is none."""
    path = champion_path(game, aim)
    if path is None:
        names = (each.stem for each in _FOLDER.glob("*.safetensors"))
        known = ", ".join(sorted(name for name in names if not name.endswith("-win")))
        raise InputError(f"{game.name} has no champion: expected one of {known or 'none yet'}.")
    return replace(load_net(path, game), name="champion")


def usual_agent(game: Game, aim: Aim) -> str:
    """The agent that is asked where nobody else is named: whoever knows best."""
    if can_be_perfect(game, aim):
        return PERFECT
    return "champion@1" if champion_path(game) else "pips@1"
