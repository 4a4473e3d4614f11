"""What the numbers of an observation and of an action stand for, by the type of a game's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions
from astragal.games.tictactoe import CELLS, TicTacToeRules
from astragal.games.ur import UrRules

Actions: TypeAlias = NDArray[np.int64]  # [N] the number of the action that leads to each afterstate


class Meaning(NamedTuple):
    """What a game's numbers stand for."""

    most: Positions  # [W] the most pieces that can be on each place
    action_count: int
    actions: Callable[[Positions, Afterstates], Actions]
    """The actions [N] that lead from a position [W] to its afterstates."""


def meaning_of(game: Game) -> Meaning:
    """What this game's numbers stand for; without a meaning of its own, a play is its number."""
    return _MEANINGS.get(type(game.rules), _numbered)(game)


def _numbered(game: Game) -> Meaning:
    most = np.full(game.width, game.rules.pieces, np.int8)
    return Meaning(most, game.rules.most_afterstates, _in_order)


def _in_order(position: Positions, afterstates: Afterstates) -> Actions:
    return np.arange(len(afterstates.owner))


def _ur(game: Game) -> Meaning:
    half = game.width // 2
    most = np.ones((2, half), np.int8)
    most[:, [0, -1]] = game.rules.pieces
    return Meaning(most.ravel(), half, _places_left)


def _places_left(position: Positions, afterstates: Afterstates) -> Actions:
    """The place on the mover's path that the stone leaves; home, which none leaves, is a pass."""
    half = position.size // 2
    halves = afterstates.positions.reshape(-1, 2, half)
    mine = np.where(afterstates.turn_passes[:, np.newaxis], halves[:, 1], halves[:, 0])
    left = mine < position[:half]
    return np.where(left.any(axis=1), left.argmax(axis=1), half - 1)


def _tictactoe(game: Game) -> Meaning:
    return Meaning(np.ones(game.width, np.int8), CELLS, _cells_taken)


def _cells_taken(position: Positions, afterstates: Afterstates) -> Actions:
    taken: Actions = np.argmax(afterstates.positions[:, CELLS:] > position[:CELLS], axis=1)
    return taken


_MEANINGS: dict[type, Callable[[Game], Meaning]] = {UrRules: _ur, TicTacToeRules: _tictactoe}
