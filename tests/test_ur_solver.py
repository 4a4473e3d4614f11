"""Ur is solved: every position has a number, and every number the right value."""

import numpy as np
import pytest

from astragal.games.catalogue import find_game
from astragal.games.kernels import UNFINISHED
from astragal.games.ur import UrRules
from astragal.solving.ur import UrSolver, layer_slice, layers_of, pairs_in_order
from astragal.values.layout import NOWHERE, numbers_of, positions_of
from astragal.values.ur_layout import UrLayout, ur_layout
from astragal.values.ur_tables import ur_tables
from small_games import small_game


def layout_named(name: str) -> UrLayout:
    rules = find_game(name).rules
    assert isinstance(rules, UrRules)
    return ur_layout(rules)


def solved(name: str, precision: float = 1e-9, threads: int = 2) -> np.ndarray:
    """The winning chances of all positions, by number."""
    game = find_game(name)
    assert isinstance(game.rules, UrRules)
    tables = ur_tables(game.rules)
    solver = UrSolver(game, tables, threads)
    chances = np.full(tables.size, np.nan)
    for pair in pairs_in_order(tables.pieces):
        found = solver.solve(
            pair,
            lambda layer: chances[layer_slice(tables, layer)],
            precision,
            lambda share: None,
        )
        for layer, part in zip(layers_of(pair), found.chances, strict=True):
            chances[layer_slice(tables, layer)] = part
    return chances


def test_finkel_has_137_870_097_unfinished_positions() -> None:
    assert layout_named("ur").size == 137_870_097


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "ur:masters", "ur:aseb", "ur:1", "ur:blitz:2"])
def test_a_number_has_a_position_and_that_position_has_the_number(name: str) -> None:
    game, layout = find_game(name), layout_named(name)
    draws = np.random.default_rng(1).integers(0, layout.size, 100_000)
    numbers = np.unique([*draws, 0, layout.size - 1])
    positions = positions_of(layout, numbers, game.width)
    assert numbers_of(layout, positions).tolist() == numbers.tolist()
    assert (game.outcomes_of(positions) == UNFINISHED).all()
    assert (positions.reshape(len(positions), 2, -1).sum(axis=2) == game.rules.pieces).all()


@pytest.mark.parametrize("name", ["ur:1", "ur:2", "ur:blitz:2", "ur:aseb:2"])
def test_no_two_numbers_share_a_position(name: str) -> None:
    game, layout = find_game(name), layout_named(name)
    positions = positions_of(layout, np.arange(layout.size), game.width)
    assert len(np.unique(positions, axis=0)) == layout.size


@pytest.mark.parametrize(
    "text",
    [
        "6..............0/7..............0 r",  # a stone is missing
        "6.....o........0/6.....o........0 r",  # both on a shared square
        "0..............7/7..............0 r",  # over
    ],
)
def test_what_cannot_be_has_no_number(text: str) -> None:
    halves = [
        [int(c) if c.isdigit() else int(c == "o") for c in half] for half in text[:-2].split("/")
    ]
    position = np.array(halves, np.int8).reshape(1, -1)
    assert numbers_of(layout_named("ur"), position).tolist() == [NOWHERE]


@pytest.mark.parametrize(
    "name", ["ur:1", "ur:2", "ur:3", "ur:blitz:1", "ur:blitz:2", "ur:masters:2", "ur:aseb:2"]
)
def test_values_agree_with_a_plain_solver(name: str) -> None:
    plain = small_game(find_game(name))
    numbers = numbers_of(layout_named(name), plain.positions)
    assert numbers.min() >= 0
    assert len(np.unique(numbers)) == len(plain.positions)
    np.testing.assert_allclose(2 * solved(name)[numbers] - 1, plain.best(), atol=1e-8)


def test_the_values_do_not_depend_on_the_number_of_threads() -> None:
    assert solved("ur:2", 1e-6, threads=1).tobytes() == solved("ur:2", 1e-6, threads=3).tobytes()


def test_a_coarser_precision_is_kept_too() -> None:
    exact, coarse = solved("ur:3", 1e-9), solved("ur:3", 1e-4)
    assert 0 < np.abs(exact - coarse).max() < 1e-4
