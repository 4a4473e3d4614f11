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
from astragal.learning.packed import PackedNet, layers_state, packed, with_layers
from astragal.learning.settings import NetSettings
from astragal.values.network import Floats

_ALPHA = 0.001
_BATCH = 512
_KEPT = 0.9  # of the average of its weights, from one time that it is handed over to the next


class ScoutTrainer:
    """Teaches a scout what the best play is chosen by, as a share of the most there is to win.

    It learns what the large net says of boards that it looked at, bad plays among them. So what
    the scout likes too well is looked at, and put right.
    """

    def __init__(self, game: Game, units: int, scores: Floats, seed: int) -> None:
        net = fresh_net(game, NetSettings(hidden=(units,), activation="relu"), seed)
        self._scores, self._trainer, self._averaged = scores, BatchTrainer(net), 0
        self.player: PackedNet = packed(net)
        """The scout as it was when it was last handed over: the average of its weights."""

    def hand_over(self) -> None:
        """From now on the scout as it is now plays."""
        steps = self._trainer.steps
        # At first all that it was counts the same, but for what it was before the first step.
        self._trainer.blend(min(_KEPT, self._averaged / max(steps, 1)))
        self._averaged = steps
        self.player = packed(self._trainer.average)

    def learn(self, seen: Positions, told: Floats, luck: np.random.Generator) -> None:
        """Steps towards what the large net told [S, K] of boards [S, W] that it has seen."""
        targets, order = shares(told, self._scores), luck.permutation(len(seen))
        for begin in range(0, len(seen), _BATCH):
            some = order[begin : begin + _BATCH]
            self._trainer.step(seen[some], targets[some], _ALPHA)

    def state(self) -> State:
        """All that it has learned, as arrays by name."""
        state = {f"scout {name}": value for name, value in self._trainer.state().items()}
        state["scout averaged"] = np.array([self._averaged])
        return state | layers_state(self.player, "scout player")

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        own = self._trainer.state()
        self._trainer.restore({name: state[f"scout {name}"] for name in own})
        self._averaged = int(state["scout averaged"][0])
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
