"""Value functions without learning: counting what stands where, as a beginner does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled
from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game, Positions
from astragal.games.tictactoe import LINES, TicTacToeRules
from astragal.games.ur import UrRules
from astragal.values.values import Chances, chances_of_winning

# A count of positions [N, W] for the player about to roll, as a chance of winning [N].
Heuristic = Callable[[Positions], NDArray[np.float64]]


@dataclass(frozen=True)
class HeuristicValues:
    """Winning chances by a rule of thumb."""

    game: Game
    name: str
    win: Heuristic = field(repr=False)

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] for the player about to roll."""
        return chances_of_winning(self.game, self.win(positions))


def heuristic(game: Game, name: str) -> HeuristicValues:
    """The heuristic of this name for the game."""
    known = heuristics_of(game)
    if name not in known:
        there_are = f"one of {', '.join(known)}" if known else "none, since it has none yet"
        raise InputError(f"{quote(name)} is not a heuristic of {game.name}: expected {there_are}.")
    return HeuristicValues(game, name, known[name])


def heuristics_of(game: Game) -> dict[str, Heuristic]:
    """The heuristics that the game has, by name."""
    return _HEURISTICS.get(type(game.rules), {})


def pip_counts(positions: Positions, power: int = 1) -> NDArray[np.float64]:
    """Places times what stands there, for both sides [N, 2], the player about to roll first.

    In backgammon that is how far a side has still to go, in Ur how far it has come.
    """
    places = np.arange(positions.shape[1] // 2, dtype=np.float64) ** power
    counts: NDArray[np.float64] = _weighed(np.ascontiguousarray(positions), places)
    return counts


@compiled
def _weighed(positions: Any, weights: Any) -> Any:
    counts = np.zeros((len(positions), 2))
    for row in range(len(positions)):
        for place in range(weights.size):
            counts[row, 0] += weights[place] * positions[row, place]
            counts[row, 1] += weights[place] * positions[row, weights.size + place]
    return counts


def _logistic(lead: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-lead / scale))
    return result


def _ur_pips(positions: Positions) -> NDArray[np.float64]:
    """Who has come farther; of equal counts, who has stones farther ahead."""
    gone = pip_counts(positions) + 0.01 * pip_counts(positions, power=2)
    return _logistic(gone[:, 0] - gone[:, 1], 12)


def _ur_material(positions: Positions) -> NDArray[np.float64]:
    halves = positions.reshape(len(positions), 2, -1)
    stones = 2.0 * halves[:, :, -1] + halves[:, :, 1:-1].sum(axis=2)
    return _logistic(stones[:, 0] - stones[:, 1], 4)


def _backgammon_pips(positions: Positions) -> NDArray[np.float64]:
    """Who has less far to go; of equal counts, who leaves fewer checkers alone."""
    blots = (positions.reshape(len(positions), 2, -1)[:, :, 1:25] == 1).sum(axis=2)
    left = pip_counts(positions) + 0.01 * blots
    return _logistic(left[:, 1] - left[:, 0], 20)


def _backgammon_ratio(positions: Positions) -> NDArray[np.float64]:
    """The other side's share of all pips that are left: a poor chance, but it hits and hides."""
    left = pip_counts(positions)
    ratio: NDArray[np.float64] = left[:, 1] / left.sum(axis=1)
    return ratio


def _backgammon_material(positions: Positions) -> NDArray[np.float64]:
    halves = positions.reshape(len(positions), 2, -1)
    lead = (halves[:, :, 0] - 2.0 * halves[:, :, 25]) @ np.array([1.0, -1.0])
    return _logistic(lead, 3)


def _tictactoe_lines(positions: Positions) -> NDArray[np.float64]:
    """Lines still open, those half full counted thrice."""
    halves = positions.reshape(len(positions), 2, -1).astype(np.float64)
    taken = halves[:, :, np.array(LINES)].sum(axis=3)  # [N, 2, lines]
    open_to = taken[:, ::-1] == 0
    worth = np.where(open_to, np.array([0.0, 1.0, 3.0, 9.0])[taken.astype(np.int64)], 0).sum(axis=2)
    return _logistic(worth[:, 0] - worth[:, 1], 3)


def _tictactoe_material(positions: Positions) -> NDArray[np.float64]:
    """The centre counts most, then the corners."""
    cells = np.array([2.0, 1, 2, 1, 3, 1, 2, 1, 2])
    halves = positions.reshape(len(positions), 2, -1) @ cells
    return _logistic(halves[:, 0] - halves[:, 1], 4)


_HEURISTICS: dict[type, dict[str, Heuristic]] = {
    UrRules: {"pips": _ur_pips, "material": _ur_material},
    BackgammonRules: {
        "pips": _backgammon_pips,
        "ratio": _backgammon_ratio,
        "material": _backgammon_material,
    },
    TicTacToeRules: {"pips": _tictactoe_lines, "material": _tictactoe_material},
}
