"""A fresh net knows nothing, and says so; a net to begin with must be the one that is asked for."""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Positions
from astragal.learning.fresh import first_net, fresh_net
from astragal.learning.settings import NetSettings, TrainSettings
from astragal.values.checkpoint import save_net
from astragal.values.feature_sets import feature_sets, features
from astragal.values.network import Activation, NetworkValues, random_layers
from astragal.values.values import win_chance
from positions import walk

ACTIVATIONS: list[Activation] = ["sigmoid", "tanh", "relu"]
Kind: TypeAlias = Literal["win", "outcomes"]
KINDS: list[Kind] = ["win", "outcomes"]
DEPTHS = [(40,), (30, 20), (20, 15, 10)]


def many_positions(game: Game) -> Positions:
    """Two thousand of random play, from games of every age."""
    return np.concatenate([positions for positions, _ in walk(game, games=20, turns=100, seed=1)])


def said_by(net: NetworkValues, positions: Positions) -> NDArray[np.float64]:
    return win_chance(net.game, net.chances(positions))


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("outputs", KINDS)
def test_a_fresh_net_says_one_half_everywhere(name: str, outputs: Kind) -> None:
    game = find_game(name)
    positions = many_positions(game)
    for set_name, activation, hidden in itertools.product(feature_sets(game), ACTIVATIONS, DEPTHS):
        settings = NetSettings(set_name, hidden, activation, outputs)
        said = said_by(fresh_net(game, settings, seed=2), positions)
        assert np.abs(said - 0.5).max() < 0.02, settings


@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_with_large_weights_a_fresh_net_has_made_up_its_mind(
    name: str, activation: Activation
) -> None:
    """TD-Ur warns of it: such opinions are hard to overcome by playing against oneself."""
    game = find_game(name)
    large = fresh_net(game, NetSettings(hidden=(40,), activation=activation, spread=1.0), seed=2)
    said = said_by(large, many_positions(game))
    assert np.abs(said - 0.5).max() > 0.4
    assert np.abs(said - 0.5).mean() > 0.1


@pytest.mark.parametrize("hidden", DEPTHS)
@pytest.mark.parametrize("spread", [1e-4, 0.3])
def test_weights_are_spread_as_asked_and_biases_are_zero(
    hidden: tuple[int, ...], spread: float
) -> None:
    net = fresh_net(find_game("backgammon"), NetSettings(hidden=hidden, spread=spread), seed=3)
    for layer in net.layers:
        assert not layer.biases.any()
        count = layer.weights.size
        assert layer.weights.std() == pytest.approx(spread, rel=3 / math.sqrt(count))
        assert abs(layer.weights.mean()) < 4 * spread / math.sqrt(count)


def test_with_spread_small_the_inputs_mean_next_to_nothing_and_the_rest_is_as_usual() -> None:
    game = find_game("backgammon")
    asked = NetSettings("signs", (40, 20), "relu")
    usual = fresh_net(game, asked, seed=3)
    small = fresh_net(game, replace(asked, spread="small"), seed=3)
    assert small.layers[0].weights.std() == pytest.approx(0.01, rel=0.01)
    assert usual.layers[0].weights.std() > 0.2
    for mine, others in zip(small.layers[1:], usual.layers[1:], strict=True):
        assert np.array_equal(mine.weights, others.weights)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_with_spread_auto_the_hidden_units_differ_and_do_not_saturate(
    activation: Activation,
) -> None:
    """Otherwise there is little to learn with, however small the last layer is."""
    for name, hidden in itertools.product(("ur", "backgammon", "tictactoe"), DEPTHS):
        game = find_game(name)
        net = fresh_net(game, NetSettings(hidden=hidden, activation=activation), seed=4)
        values = net.features.dense(many_positions(game))
        for layer in net.layers[:-1]:
            sums = values @ layer.weights + layer.biases
            assert 0.05 < sums.std() < 4
            kinds = {"sigmoid": 1 / (1 + np.exp(-sums)), "tanh": np.tanh(sums)}
            values = kinds.get(activation, np.maximum(sums, 0))
        last = net.layers[-1]
        assert not last.biases.any()
        assert last.weights.std() == pytest.approx(1e-4, rel=0.6)


def test_the_same_seed_gives_the_same_net() -> None:
    game, settings = find_game("ur"), NetSettings()
    first, again, other = (fresh_net(game, settings, seed) for seed in (5, 5, 6))
    for mine, same, theirs in zip(first.layers, again.layers, other.layers, strict=True):
        assert np.array_equal(mine.weights, same.weights)
        assert not np.array_equal(mine.weights, theirs.weights)


@pytest.mark.parametrize(
    ("name", "outputs", "count"),
    [
        ("ur", "win", 1),
        ("ur", "outcomes", 1),
        ("tictactoe", "win", 1),
        ("tictactoe", "outcomes", 3),
        ("backgammon", "win", 1),
        ("backgammon", "outcomes", 6),
    ],
)
def test_a_net_has_as_many_outputs_as_there_is_to_tell(
    name: str, outputs: Kind, count: int
) -> None:
    net = fresh_net(find_game(name), NetSettings(hidden=(7, 5), outputs=outputs), seed=1)
    assert [layer.biases.size for layer in net.layers] == [7, 5, count]
    assert net.layers[0].weights.shape == (net.features.size, 7)


ASKED = NetSettings(features="unary", hidden=(9, 4), activation="tanh")


def started(path: Path, asked: NetSettings = ASKED, name: str = "ur") -> NetworkValues:
    settings = TrainSettings(name, "lookahead", net=asked, start=str(path))
    return first_net(find_game(name), settings)


def test_a_run_begins_with_the_net_in_a_file(tmp_path: Path) -> None:
    saved = fresh_net(find_game("ur"), ASKED, seed=7)
    save_net(tmp_path / "net", saved)
    for asked in (ASKED, replace(ASKED, features="auto"), replace(ASKED, spread=0.1)):
        found = started(tmp_path / "net", asked)
        for mine, theirs in zip(found.layers, saved.layers, strict=True):
            assert np.array_equal(mine.weights, theirs.weights)
    without = first_net(find_game("ur"), TrainSettings("ur", "lookahead", seed=7, net=ASKED))
    assert np.array_equal(without.layers[0].weights, saved.layers[0].weights)


@pytest.mark.parametrize("outputs", KINDS)
@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe"])
def test_a_net_to_begin_with_fits_the_settings_that_made_it(
    name: str, outputs: Kind, tmp_path: Path
) -> None:
    asked = NetSettings(outputs=outputs)
    save_net(tmp_path / "net", fresh_net(find_game(name), asked, seed=7))
    assert started(tmp_path / "net", asked, name).game.name == name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"hidden": (9,)}, "unary, 9 tanh units, outputs win"),
        ({"hidden": (9, 3)}, "unary, 9-3 tanh units, outputs win"),
        ({"activation": "relu"}, "unary, 9-4 relu units, outputs win"),
        ({"features": "rows32"}, "rows32, 9-4 tanh units, outputs win"),
    ],
)
def test_a_net_of_another_shape_is_refused(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    save_net(tmp_path / "net", fresh_net(find_game("ur"), ASKED, seed=7))
    with pytest.raises(InputError) as fault:
        started(tmp_path / "net", replace(ASKED, **change))
    assert str(fault.value).startswith(
        f"start cannot be {str(tmp_path / 'net')!r}: it is a net of unary, 9-4 tanh units, "
        f"outputs win, but the settings ask for {told}. "
    )


def test_a_net_with_other_outputs_is_refused(tmp_path: Path) -> None:
    win, outcomes = (NetSettings(hidden=(5,), outputs=kind) for kind in KINDS)
    for saved, asked in ((win, outcomes), (outcomes, win)):
        save_net(tmp_path / "net", fresh_net(find_game("tictactoe"), saved, seed=1))
        told = f"outputs {saved.outputs}, but .* outputs {asked.outputs}"
        with pytest.raises(InputError, match=told):
            started(tmp_path / "net", asked, "tictactoe")


def test_a_net_with_both_outcomes_of_ur_comes_to_tell_one(tmp_path: Path) -> None:
    game = find_game("ur")
    chosen = features(game, "unary")
    layers = random_layers([chosen.size, *ASKED.hidden, 2], np.random.default_rng(1), 0.1)
    net = NetworkValues(chosen, layers, ASKED.activation)
    save_net(tmp_path / "net", net)
    again, positions = started(tmp_path / "net"), game.start[np.newaxis]
    assert again.outputs == 1
    assert again.chances(positions) == pytest.approx(net.chances(positions), abs=1e-6)


def test_a_net_of_another_game_is_refused(tmp_path: Path) -> None:
    save_net(tmp_path / "net", fresh_net(find_game("ur"), ASKED, seed=7))
    with pytest.raises(InputError, match="its game is 'ur', expected 'ur:blitz'"):
        started(tmp_path / "net", name="ur:blitz")
    with pytest.raises(InputError, match="there is no such file"):
        started(tmp_path / "none")
