"""Exact values: looked up in a table that was solved beforehand."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.ur import UrRules
from astragal.values.halves_layout import fits_in_halves, halves_layout
from astragal.values.layout import NOWHERE, Layout, numbers_of
from astragal.values.table_file import Table, open_table, table_path
from astragal.values.ur_layout import ur_layout
from astragal.values.values import Chances

# What it takes to solve a game, on two cores that have something else to do as well.
_SECONDS_OF_UR = 3e-6  # a position
_SECONDS_OF_OTHERS = 3e-5


def can_be_solved(game: Game) -> bool:
    """Whether the game is small enough for a table of all its positions."""
    return isinstance(game.rules, UrRules) or fits_in_halves(game)


@functools.lru_cache(maxsize=4)
def _layout(name: str) -> Layout:
    game = find_game(name)
    return ur_layout(game.rules) if isinstance(game.rules, UrRules) else halves_layout(game)


def layout_of(game: Game) -> Layout:
    """The numbering of a game that can be solved; InputError for one that is too large."""
    if not can_be_solved(game):
        raise InputError(f"{game.name} is too large to be solved: expected a smaller game.")
    return _layout(game.name)


@dataclass(frozen=True)
class TableValues:
    """What perfect play on both sides makes of a position."""

    game: Game
    layout: Layout
    table: Table
    name: str = "perfect"

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] of unfinished positions; ValueError for one that cannot come up."""
        numbers: NDArray[np.int64] = numbers_of(self.layout, np.ascontiguousarray(positions))
        if len(numbers) and numbers.min() == NOWHERE:
            misfit = positions[np.argmin(numbers)].tolist()
            raise ValueError(f"{misfit} is not an unfinished position of {self.game.name}")
        upper = self.table.chances(numbers)
        return np.concatenate([1 - upper.sum(axis=1, keepdims=True), upper], axis=1)


def has_table(game: Game) -> bool:
    """Whether there is a file with the game's exact values."""
    return can_be_solved(game) and table_path(game).exists()


def exact_values(game: Game) -> TableValues:
    """The game's exact values; InputError says how to have them where they are not there."""
    path, layout = table_path(game), layout_of(game)
    if not path.exists():
        each = _SECONDS_OF_UR if isinstance(game.rules, UrRules) else _SECONDS_OF_OTHERS
        minutes = layout.size * each / 60
        raise InputError(
            f"{game.name} is not solved yet: expected its table, which `astragal solve "
            f"{game.name}` makes in about {_told(minutes)} on two cores."
        )
    columns = len(game.outcomes) - 1
    return TableValues(game, layout, open_table(path, game, "values", layout.size, columns))


def _told(minutes: float) -> str:
    return "a minute" if minutes < 1.5 else f"{minutes:.0f} minutes"
