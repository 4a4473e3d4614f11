"""Games in a notebook: `astragal.board("ur")` gives a board to play at."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.notebook.widget import BoardWidget

__all__ = ["board"]


def board(
    game: str | Game = "ur",
    against: str = "champion",
    side: str | None = None,
    seed: int | None = None,
) -> BoardWidget:
    """A board to play at in JupyterLab, VS Code or Colab, or InputError.

    The opponent is any agent, or `human` for two people at one board. Without a side, the person
    begins. A seed gives the same dice again; the games after the first have the seeds after it.
    """
    _require_anywidget()
    from astragal.games.catalogue import find_game
    from astragal.notebook.widget import BoardWidget, seated

    found = find_game(game) if isinstance(game, str) else game
    return BoardWidget(found, seated(found, against, side), seed)


def _require_anywidget() -> None:
    try:
        importlib.import_module("anywidget")
    except ImportError as fault:
        raise InputError(
            "A board in a notebook needs anywidget: expected it to be installed; "
            "pip install 'astragal[notebook]' does that."
        ) from fault
