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
from astragal.values.layout import NOWHERE, Layout, numbers_of
from astragal.values.table_file import Table, open_table, table_path
from astragal.values.ur_layout import ur_layout
from astragal.values.values import Chances

_SECONDS_A_POSITION = 3e-6  # to solve Ur on two cores that have something else to do as well


def can_be_solved(game: Game) -> bool:
    """Whether the game is small enough for a table of all its positions."""
    return isinstance(game.rules, UrRules)


@functools.lru_cache(maxsize=4)
def _layout(name: str) -> Layout:
    rules = find_game(name).rules
    assert isinstance(rules, UrRules)
    return ur_layout(rules)


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
        minutes = layout.size * _SECONDS_A_POSITION / 60
        raise InputError(
            f"{game.name} is not solved yet: expected its table, which `astragal solve "
            f"{game.name}` makes in about {_told(minutes)} on two cores."
        )
    columns = len(game.outcomes) - 1
    return TableValues(game, layout, open_table(path, game, "values", layout.size, columns))


def _told(minutes: float) -> str:
    return "a minute" if minutes < 1.5 else f"{minutes:.0f} minutes"
