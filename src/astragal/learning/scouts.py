"""A small net that learns beside a large one, and looks at all plays first.

The large one looks only at those that the small one likes best, so turns take a fraction of the
time, and what the large one is taught hardly changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game, Positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.learner import State
from astragal.learning.packed import layers_state, packed, with_layers
from astragal.learning.settings import NetSettings
from astragal.values.network import Floats

_ALPHA = 0.001


class ScoutTrainer:
    """Teaches a scout what the best play is chosen by, as a share of the most there is to win."""

    def __init__(self, game: Game, units: int, scores: Floats, seed: int) -> None:
        asked = NetSettings(hidden=(units,), activation="relu")
        self._trainer = BatchTrainer(fresh_net(game, asked, seed))
        self._scores = scores
        self.player = packed(self._trainer.net)
        """The scout as it was when it was last handed over."""

    def hand_over(self) -> None:
        """From now on the scout as it is now plays."""
        self.player = packed(self._trainer.net)

    def step(self, positions: Positions, targets: Floats) -> None:
        """One step towards what targets [B, K] of the large net are worth."""
        self._trainer.step(positions, shares(targets, self._scores), _ALPHA)

    def state(self) -> State:
        """All that it has learned, as arrays by name."""
        state = {f"scout {name}": value for name, value in self._trainer.state().items()}
        return state | layers_state(self.player, "scout player")

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        own = self._trainer.state()
        self._trainer.restore({name: state[f"scout {name}"] for name in own})
        self.player = with_layers(self.player, state, "scout player")


def shares(targets: Floats, scores: Floats) -> Floats:
    """Targets [B, K] as one number [B, 1] each: 0 for the lowest of the scores [K], 1 for the best.

    With one output it is the chance of winning already.
    """
    if scores.size == 1:
        return targets
    lowest, highest = scores.min(), scores.max()
    worth: Floats = ((targets @ scores - lowest) / (highest - lowest)).astype(np.float32)
    return np.clip(worth, 0, 1)[:, np.newaxis]
