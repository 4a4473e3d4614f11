"""A memory of positions and targets, from which batches are drawn evenly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Positions
from astragal.learning.learner import State


class Replay:
    """The newest positions, as many as there is room for."""

    def __init__(self, capacity: int, width: int, outputs: int) -> None:
        self._positions = np.zeros((capacity, width), np.int8)
        self._targets = np.zeros((capacity, outputs), np.float32)
        self._next, self._used = 0, 0

    def __len__(self) -> int:
        return self._used

    def add(self, positions: Positions, targets: NDArray[np.float32]) -> None:
        """Remembers positions [N, W] with targets [N, K]; the oldest make way."""
        capacity = len(self._positions)
        kept = min(len(positions), capacity)
        slots = (self._next + np.arange(kept)) % capacity
        self._positions[slots] = positions[len(positions) - kept :]
        self._targets[slots] = targets[len(targets) - kept :]
        self._next = (self._next + kept) % capacity
        self._used = min(self._used + kept, capacity)

    def draw(self, count: int, luck: np.random.Generator) -> tuple[Positions, NDArray[np.float32]]:
        """So many positions and targets, each of those remembered as likely as the others."""
        slots = luck.integers(0, self._used, count)
        return self._positions[slots], self._targets[slots]

    def state(self) -> State:
        """All that is remembered."""
        return {
            "replay positions": self._positions[: self._used],
            "replay targets": self._targets[: self._used],
            "replay marks": np.array([self._next, self._used]),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Remembers that instead."""
        self._next, self._used = map(int, state["replay marks"])
        self._positions[: self._used] = state["replay positions"]
        self._targets[: self._used] = state["replay targets"]
