"""Every value function keeps one contract; heuristics and nets say what they should."""

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from astragal.agents.gnubg import GnubgValues
from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Positions, other_view
from astragal.games.kernels import UNFINISHED
from astragal.search.lookahead import look_ahead
from astragal.search.playout import RolloutSettings
from astragal.search.rollout import Rollout
from astragal.values.feature_sets import features
from astragal.values.heuristics import heuristic, heuristics_of, pip_counts
from astragal.values.network import Activation, Layer, NetworkValues, random_layers, sigmoid
from astragal.values.values import (
    Values,
    certain,
    chances_by_rules,
    chances_for_mover,
    chances_of_winning,
    score_for,
    win_chance,
)
from positions import walk

SETS = [
    ("ur", "rows32", 32),
    ("ur", "unary", 56),
    ("ur:blitz:3", "unary", 44),
    ("backgammon", "tesauro198", 198),
    ("hypergammon", "tesauro198", 198),
    ("backgammon", "hilton198", 198),
    ("backgammon", "hilton326", 326),
    ("backgammon", "signs", 2110),
    ("backgammon", "tactics", 3768),
    ("backgammon", "structure", 6161),
    ("ur", "signs", 439),
    ("ur:masters", "signs", 697),
    ("ur", "patterns", 527),
    ("ur:aseb", "patterns", 489),
    ("tictactoe", "cells9", 9),
    ("tictactoe", "cells18", 18),
    ("tictactoe", "lines", 216),
]


def a_net(name: str, set_name: str, outputs: int = 1, activation: Activation = "tanh") -> Values:
    chosen = features(find_game(name), set_name)
    layers = random_layers([chosen.size, 12, 8, outputs], np.random.default_rng(1), 0.3)
    return NetworkValues(chosen, layers, activation)


def every_values() -> list[Values]:
    """One of each kind for each game; a new kind adds a line."""
    found: list[Values] = []
    for name in VARIANTS:
        game = find_game(name)
        found += [heuristic(game, kind) for kind in heuristics_of(game)]
        found += [look_ahead(heuristic(game, "pips"), 1)]
    found += [a_net(name, set_name) for name, set_name, _ in SETS]
    found += [Rollout(heuristic(find_game("hypergammon"), "pips"), RolloutSettings(4))]
    found += [a_net("backgammon", "tesauro198", outputs=6), GnubgValues(find_game("backgammon"))]
    return found


@pytest.mark.parametrize("values", every_values(), ids=lambda v: f"{v.game.name}-{v.name}")
def test_chances_are_probabilities_of_all_outcomes(values: Values) -> None:
    *_, (positions, _) = walk(values.game, games=30, turns=8, seed=2)
    chances = values.chances(positions)
    assert chances.shape == (30, len(values.game.outcomes))
    assert chances.dtype == np.float64
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("values", every_values(), ids=lambda v: f"{v.game.name}-{v.name}")
def test_a_batch_is_valued_as_one_by_one(values: Values) -> None:
    *_, (positions, _) = walk(values.game, games=12, turns=8, seed=3)
    together = values.chances(positions)
    apart = np.concatenate([values.chances(row[np.newaxis]) for row in positions])
    assert together == pytest.approx(apart, abs=1e-6)


def finished(game: Game) -> tuple[Positions, Positions]:
    found = [game.afterstates(*batch) for batch in walk(game, games=60, turns=150, seed=4)]
    positions = np.concatenate([each.positions for each in found])
    outcomes = np.concatenate([each.outcome for each in found])
    return positions[outcomes != UNFINISHED], outcomes[outcomes != UNFINISHED]


@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe"])
def test_a_finished_position_takes_the_rules_outcome(name: str) -> None:
    game = find_game(name)
    positions, outcomes = finished(game)
    chances = chances_by_rules(heuristic(game, "pips"), positions, outcomes)
    assert np.array_equal(chances @ score_for(game, "points"), outcomes)


def test_seen_from_the_other_side_the_outcomes_are_reversed() -> None:
    chances = np.array([[0.1, 0.2, 0.7], [0.1, 0.2, 0.7]])
    turned = chances_for_mover(chances, np.array([True, False]))
    assert turned.tolist() == [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]


def test_points_and_winning_count_differently() -> None:
    game = find_game("backgammon")
    gammon = certain(game, np.array([2], np.int8))
    assert gammon @ score_for(game, "points") == 2
    assert gammon @ score_for(game, "win") == 1
    assert win_chance(find_game("tictactoe"), np.array([[0.2, 0.6, 0.2]])) == pytest.approx(0.5)


@given(st.floats(0, 1))
def test_a_chance_of_winning_is_kept(win: float) -> None:
    game = find_game("backgammon")
    chances = chances_of_winning(game, np.array([win]))
    assert win_chance(game, chances)[0] == pytest.approx(win)


@pytest.mark.parametrize("name", VARIANTS)
def test_heuristics_are_the_same_for_both_sides(name: str) -> None:
    game = find_game(name)
    *_, (positions, _) = walk(game, games=30, turns=8, seed=5)
    for kind in heuristics_of(game):
        values = heuristic(game, kind)
        mine = values.chances(positions)
        assert mine == pytest.approx(values.chances(other_view(positions))[:, ::-1])


def test_the_start_of_backgammon_has_167_pips_a_side() -> None:
    assert pip_counts(find_game("backgammon").start[np.newaxis]).tolist() == [[167, 167]]


def test_the_pip_count_ratio_is_the_other_sides_share() -> None:
    game = find_game("hypergammon")
    position = game.start.copy()
    position[[22, 23, 24, 2, 3]] = 0, 0, 0, 1, 2
    ratio = win_chance(game, heuristic(game, "ratio").chances(position[np.newaxis]))
    assert ratio == pytest.approx([69 / (69 + 8)])


def test_an_unknown_heuristic_or_feature_set_is_refused_with_what_exists() -> None:
    with pytest.raises(InputError, match="'pip' is not a heuristic of ur: expected one of pips"):
        heuristic(find_game("ur"), "pip")
    with pytest.raises(InputError, match="'rows' is not a feature set of ur: expected one of rows"):
        features(find_game("ur"), "rows")


@pytest.mark.parametrize(("name", "set_name", "size"), SETS)
def test_feature_sets_have_their_sizes(name: str, set_name: str, size: int) -> None:
    assert features(find_game(name), set_name).size == size


def test_tesauros_units_are_as_the_book_says() -> None:
    game = find_game("backgammon")
    inputs = features(game, "tesauro198").dense(game.start[np.newaxis])[0]
    six_point = 1 + 4 * 5  # after the checkers off come four inputs for each point
    assert inputs[six_point : six_point + 4].tolist() == [1, 1, 1, 1]  # five: (5 - 3) / 2
    eight_point = 1 + 4 * 7
    assert inputs[eight_point : eight_point + 4].tolist() == [1, 1, 1, 0]
    assert inputs[-2:].tolist() == [1, 0]
    position = game.start.copy()
    position[[24, 25, 13, 0]] = 1, 1, 2, 3
    inputs = features(game, "tesauro198").dense(position[np.newaxis])[0]
    assert (inputs[0], inputs[97]) == (pytest.approx(3 / 15), 0.5)


def test_ur_rows_are_the_position_itself() -> None:
    game = find_game("ur")
    *_, (positions, _) = walk(game, games=20, turns=20, seed=6)
    assert np.array_equal(features(game, "rows32").dense(positions), positions)


@pytest.mark.parametrize(("name", "set_name", "_size"), SETS)
@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
def test_the_sparse_first_layer_equals_the_dense_product(
    name: str, set_name: str, _size: int, activation: Activation
) -> None:
    values = a_net(name, set_name, activation=activation)
    assert isinstance(values, NetworkValues)
    *_, (positions, _) = walk(values.game, games=40, turns=8, seed=7)
    sums = plain_forward(values.layers, values.features.dense(positions), activation)
    assert values.chances(positions) == pytest.approx(
        chances_of_winning(values.game, sums[:, 0]), abs=1e-5
    )


def plain_forward(
    layers: tuple[Layer, ...], inputs: NDArray[Any], activation: Activation
) -> NDArray[Any]:
    for layer in layers[:-1]:
        sums = inputs @ layer.weights + layer.biases
        kinds = {"sigmoid": 1 / (1 + np.exp(-sums)), "tanh": np.tanh(sums)}
        inputs = kinds.get(activation, np.maximum(sums, 0))
    sums = inputs @ layers[-1].weights + layers[-1].biases
    return np.asarray(1 / (1 + np.exp(-sums)))


def test_no_positions_have_no_chances() -> None:
    for values in (heuristic(find_game("ur"), "pips"), look_ahead(a_net("ur", "unary"), 1)):
        assert values.chances(find_game("ur").start[np.newaxis][:0]).shape == (0, 2)


def test_look_ahead_is_named_after_its_plies() -> None:
    values = heuristic(find_game("ur"), "pips")
    assert [look_ahead(values, plies).name for plies in range(3)] == ["pips", "pips@1", "pips@2"]


@numba.njit
def squashed(numbers: Any) -> Any:
    results = np.empty_like(numbers)
    for i in range(numbers.size):
        results[i] = sigmoid(numbers[i])
    return results


def test_the_fast_sigmoid_is_the_sigmoid() -> None:
    numbers = np.linspace(-100, 100, 100_001).astype(np.float32)
    with np.errstate(over="ignore"):
        exact = 1 / (1 + np.exp(-numbers.astype(np.float64)))
    assert np.abs(squashed(numbers) - exact).max() < 2e-7
