"""The spaces in which observations and actions lie, as Gymnasium describes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.gym.meanings import Meaning

RENDER_MODES = ("ansi",)


def observation_space(game: Game, meaning: Meaning) -> Any:
    """The position and the roll, and which actions are legal."""
    most = np.concatenate([meaning.most, np.ones(len(game.rolls), np.int8)])
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(most), most, dtype=np.int8),
            "action_mask": spaces.Box(0, 1, (meaning.action_count,), np.int8),
        }
    )


def action_space(meaning: Meaning) -> Any:
    """The numbers of all actions, of which few are legal at a time."""
    return spaces.Discrete(meaning.action_count)


def checked_mode(render_mode: str | None) -> str | None:
    """The way of showing the board, if it is one of ours."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise InputError(
            f"{quote(render_mode)} is not a render mode: expected {' or '.join(RENDER_MODES)}."
        )
    return render_mode


def metadata(game: Game) -> dict[str, Any]:
    """What both kinds of environments say of themselves."""
    return {
        "name": f"astragal_{game.name.replace(':', '_')}_v{game.version}",
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,
        "is_parallelizable": False,
    }
