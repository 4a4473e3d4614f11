"""Dice in pairs: both games of a pair get the same rolls, from a stream that is theirs alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Game, Rolls

_BLOCK = 64  # turns, drawn at once for each pair
_DICE, _PLAYERS = 0, 1


def players_luck(seed: int, chunk: int) -> np.random.Generator:
    """Where the agents that need luck find it in a chunk of games."""
    return np.random.default_rng([seed, _PLAYERS, chunk])


class PairedDice:
    """The rolls of some pairs of games, turn by turn.

    A pair's rolls depend on the seed and the number of the pair, and on nothing else.
    """

    def __init__(self, game: Game, seed: int, pairs: range) -> None:
        self._throws = game.rules.throws
        self._streams = [np.random.default_rng([seed, _DICE, pair]) for pair in pairs]
        self._block = self._drawn(game.rules.opening, 1)
        self._begin = 0  # the turn of the first roll in the block

    def rolls(self, turn: int) -> Rolls:
        """The rolls [P] of a turn, the same as last asked for or the next."""
        if turn - self._begin == self._block.shape[1]:
            self._begin, self._block = turn, self._drawn(self._throws, _BLOCK)
        rolls: Rolls = self._block[:, turn - self._begin]
        return rolls

    def _drawn(self, throws: NDArray[np.int8], count: int) -> Rolls:
        drawn = [stream.integers(throws.size, size=count) for stream in self._streams]
        return throws[np.stack(drawn)].astype(np.int64)
