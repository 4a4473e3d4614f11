"""A small net that learns beside a large one, and looks at all plays first.

The large one looks only at those that the small one likes best, so turns take a fraction of the
time, and what the large one is taught hardly changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game, Positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.learner import State
from astragal.learning.packed import PackedNet, layers_state, packed, with_layers
from astragal.learning.settings import NetSettings
from astragal.values.network import Floats, NetworkValues

_ALPHA = 0.001


class SmallTrainer:
    """Teaches a net of one hidden layer, and keeps it as it was when it was last handed over."""

    def __init__(self, name: str, net: NetworkValues) -> None:
        self._name, self._trainer = name, BatchTrainer(net)
        self.player = packed(net)
        """The net that plays."""

    def hand_over(self) -> None:
        """From now on the net as it is now plays."""
        self.player = packed(self._trainer.net)

    def step(self, positions: Positions, targets: Floats) -> None:
        """One step towards targets [B, K or 1]."""
        self._trainer.step(positions, targets, _ALPHA)

    def state(self) -> State:
        """All that it has learned, as arrays by name."""
        state = {f"{self._name} {name}": value for name, value in self._trainer.state().items()}
        return state | layers_state(self.player, f"{self._name} player")

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        own = self._trainer.state()
        self._trainer.restore({name: state[f"{self._name} {name}"] for name in own})
        self.player = with_layers(self.player, state, f"{self._name} player")


class ScoutTrainer:
    """Teaches a scout what the best play is chosen by, as a share of the most there is to win.

    And beside it a teller, if one is wanted: all that the large net tells. With one output that is
    what the scout says already.
    """

    def __init__(
        self, game: Game, units: int, scores: Floats, seed: int, has_teller: bool = False
    ) -> None:
        asked = NetSettings(hidden=(units,), activation="relu")
        self._scores = scores
        self._scout = SmallTrainer("scout", fresh_net(game, asked, seed))
        self._teller: SmallTrainer | None = None
        if has_teller and scores.size > 1:
            telling = replace(asked, outputs="outcomes")
            self._teller = SmallTrainer("teller", fresh_net(game, telling, seed))
        self._all = [each for each in (self._scout, self._teller) if each is not None]

    @property
    def player(self) -> PackedNet:
        """The scout as it was when it was last handed over."""
        return self._scout.player

    @property
    def teller(self) -> PackedNet | None:
        """The teller, likewise."""
        return self._teller.player if self._teller is not None else None

    def hand_over(self) -> None:
        """From now on the scout as it is now plays."""
        for trainer in self._all:
            trainer.hand_over()

    def step(self, positions: Positions, targets: Floats) -> None:
        """One step towards what targets [B, K] of the large net are worth, and say."""
        self._scout.step(positions, shares(targets, self._scores))
        if self._teller is not None:
            self._teller.step(positions, targets)

    def state(self) -> State:
        """All that they have learned, as arrays by name."""
        return {name: value for each in self._all for name, value in each.state().items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        for trainer in self._all:
            trainer.restore(state)


def shares(targets: Floats, scores: Floats) -> Floats:
    """Targets [B, K] as one number [B, 1] each: 0 for the lowest of the scores [K], 1 for the best.

    With one output it is the chance of winning already.
    """
    if scores.size == 1:
        return targets
    lowest, highest = scores.min(), scores.max()
    worth: Floats = ((targets @ scores - lowest) / (highest - lowest)).astype(np.float32)
    return np.clip(worth, 0, 1)[:, np.newaxis]
