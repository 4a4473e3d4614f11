"""Astragal teaches a machine games of luck and skill, and lets people play and measure it.

`find_game("ur")` gives a game, `picture("ur", "7..............0/7..............0 r")` a picture of
a position, `board("ur")` a board to play at in a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astragal.games.catalogue import find_game
    from astragal.notebook import board
    from astragal.show.scene import picture

__version__ = "0.1.0"
__all__ = ["board", "find_game", "picture"]


def __getattr__(name: str) -> Any:
    # Imported when asked for: `astragal --help` must not wait for Numba.
    if name == "find_game":
        from astragal.games.catalogue import find_game

        return find_game
    if name == "picture":
        from astragal.show.scene import picture

        return picture
    if name == "board":
        from astragal.notebook import board

        return board
    raise AttributeError(f"module 'astragal' has no attribute {name!r}")
