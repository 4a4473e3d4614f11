"""What a net sees of a position: for each place and what stands there, which inputs are on.

All sets here are sums over places, so they are data: a table says which inputs a place turns on
with each number of pieces on it. A net's first layer is then one row of a table for each place
that is not empty, however many inputs that row stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game, Positions
from astragal.games.tictactoe import TicTacToeRules
from astragal.games.ur import UrRules

# Of one place, the values of its own inputs, given how many pieces stand there.
Units = Callable[[int], list[float]]


@dataclass(frozen=True, eq=False)
class Features:
    """A named and numbered set of inputs."""

    name: str
    version: int
    """Changes whenever an input changes its meaning."""
    game: Game
    table: NDArray[np.float32]
    """[W, C, inputs] what a place adds to the inputs with 0 to C - 1 pieces on it."""

    @property
    def size(self) -> int:
        """How many inputs there are."""
        return int(self.table.shape[2])

    @cached_property
    def always(self) -> NDArray[np.float32]:
        """The inputs of an empty board."""
        empty: NDArray[np.float32] = self.table[:, 0].sum(axis=0)
        return empty

    def dense(self, positions: Positions) -> NDArray[np.float32]:
        """The inputs [N, inputs] of positions [N, W], for people and tests."""
        places = np.arange(positions.shape[1])
        inputs: NDArray[np.float32] = self.table[places, positions].sum(axis=1)
        return inputs


def features(game: Game, name: str) -> Features:
    """The set of this name for the game."""
    known = _SETS.get(type(game.rules), {})
    if name not in known:
        raise InputError(
            f"{quote(name)} is not a feature set of {game.name}: "
            f"expected one of {', '.join(known)}."
        )
    version, units = known[name]
    return Features(name, version, game, _table(game, units(game)))


def _table(game: Game, units: list[Units]) -> NDArray[np.float32]:
    """The table of places whose inputs stand one after the other."""
    most = int(game.start.sum()) // 2 if game.start.any() else 1
    rows = [[place(count) for count in range(most + 1)] for place in units]
    size = sum(len(counts[0]) for counts in rows)
    table = np.zeros((len(units), most + 1, size), np.float32)
    begin = 0
    for place, counts in enumerate(rows):
        width = len(counts[0])
        table[place, :, begin : begin + width] = counts
        begin += width
    return table


def _number(divisor: float = 1) -> Units:
    return lambda count: [count / divisor]


def _unary(most: int) -> Units:
    """As many inputs as there can be pieces, of which as many are on as there are."""
    return lambda count: [float(count > i) for i in range(most)]


def _tesauro_point(count: int) -> list[float]:
    return [count >= 1, count >= 2, count >= 3, max(count - 3, 0) / 2]


def _hilton_point(count: int) -> list[float]:
    return [count == 1, count >= 2, count >= 3, max(count - 3, 0) / 2]


def _ur_rows(game: Game) -> list[Units]:
    return [_number()] * game.width


def _ur_unary(game: Game) -> list[Units]:
    stones, squares = int(game.start[0]), game.width // 2 - 2
    return ([_unary(stones)] + [_unary(1)] * squares + [_unary(stones)]) * 2


def _tesauro(game: Game) -> list[Units]:
    """Two more inputs say whose turn it is: always that of the player about to roll."""
    off, bar = _number(15), _number(2)
    half: list[Units] = [off, *[_tesauro_point] * 24, bar]
    turn: Units = lambda count: [*bar(count), 1.0, 0.0]  # noqa: E731
    return [*half, *half[:-1], turn]


def _hilton(game: Game) -> list[Units]:
    bar: Units = lambda count: [float(count > 0), count / 2]  # noqa: E731
    return [_number(15), *[_hilton_point] * 24, bar] * 2


def _cells(game: Game) -> list[Units]:
    return [_number()] * game.width


_SETS: Mapping[type, Mapping[str, tuple[int, Callable[[Game], list[Units]]]]] = {
    UrRules: {"rows32": (1, _ur_rows), "unary": (1, _ur_unary)},
    BackgammonRules: {"tesauro198": (1, _tesauro), "hilton198": (1, _hilton)},
    TicTacToeRules: {"cells18": (1, _cells)},
}
