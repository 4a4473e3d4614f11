"""What an agent is: it chooses."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions, Rolls
from astragal.games.luck import Luck


class Agent(Protocol):
    """Something that chooses among the afterstates of positions and rolls."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """For positions [B, W] with rolls [B], which of its own afterstates each takes [B]."""
        ...
