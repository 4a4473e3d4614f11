"""A net that grows says at first what it said before, and can learn with all its units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from astragal.agents.champions import champion
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.random_play import random_positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.growing import grown
from astragal.learning.settings import NetSettings
from astragal.values.feature_sets import feature_sets
from astragal.values.network import Activation, Layer, NetworkValues
from astragal.values.values import win_chance

SMALL = NetSettings(features="auto", hidden=(5,), activation="relu")


def net_of(name: str, settings: NetSettings) -> NetworkValues:
    """A net whose weights all matter."""
    net = fresh_net(find_game(name), settings, 3)
    luck = np.random.default_rng(4)
    layers = [
        Layer(layer.weights + luck.normal(0, 0.3, layer.weights.shape).astype(np.float32),
              luck.normal(0, 0.3, layer.biases.shape).astype(np.float32))
        for layer in net.layers
    ]  # fmt: skip
    return replace(net, layers=tuple(layers))


@pytest.mark.parametrize("hidden", [(5,), (8,), (5, 5), (7, 9), (6, 6, 10)])
@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe"])
def test_a_larger_net_gives_the_same_values_at_first(name: str, hidden: tuple[int, ...]) -> None:
    net = net_of(name, SMALL)
    larger = grown(net, replace(SMALL, hidden=hidden), np.random.default_rng(1))
    positions = random_positions(net.game, 500, np.random.default_rng(2))
    assert [layer.biases.size for layer in larger.layers[:-1]] == list(hidden)
    assert np.abs(larger.chances(positions) - net.chances(positions)).max() < 1e-5


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("seen", feature_sets(find_game("ur")))
def test_any_net_can_become_wider(activation: Activation, seen: str) -> None:
    settings = NetSettings(features=seen, hidden=(5, 4), activation=activation)
    net = net_of("ur", settings)
    wider = grown(net, replace(settings, hidden=(9, 6)), np.random.default_rng(1))
    positions = random_positions(net.game, 500, np.random.default_rng(2))
    assert np.abs(wider.chances(positions) - net.chances(positions)).max() < 1e-5


def test_a_net_that_tells_wins_comes_to_tell_gammons() -> None:
    net = net_of("backgammon", SMALL)
    more = grown(net, replace(SMALL, outputs="outcomes"), np.random.default_rng(1))
    positions = random_positions(net.game, 500, np.random.default_rng(2))
    chances = more.chances(positions)
    assert chances.shape == (500, 6)
    assert chances[:, 1].min() > 0  # a gammon lost
    same = win_chance(net.game, chances) - win_chance(net.game, net.chances(positions))
    assert np.abs(same).max() < 1e-5


def test_a_net_that_tells_gammons_comes_to_tell_wins_alone() -> None:
    net, luck = net_of("backgammon", SMALL), np.random.default_rng(1)
    more = grown(net, replace(SMALL, outputs="outcomes"), luck)
    positions = random_positions(net.game, 500, np.random.default_rng(2))
    again = grown(more, replace(SMALL, hidden=(7, 9)), luck)
    assert np.abs(again.chances(positions) - net.chances(positions)).max() < 1e-5
    # Where gammons have been learned, the wins are only about the same.
    best = champion(net.game)
    units = tuple(layer.units for layer in best.layers[:-1])
    asked = NetSettings(
        best.features.name, units, "relu", phases="each" if best.has_phases else "one"
    )
    told = win_chance(net.game, grown(best, asked, luck).chances(positions))
    off = told - win_chance(net.game, best.chances(positions))
    assert 0.001 < np.sqrt((off**2).mean()) < 0.1


@pytest.mark.parametrize("seen", ["signs", "tactics", "structure"])
def test_a_net_comes_to_see_more(seen: str) -> None:
    small = replace(SMALL, features="hilton198")
    net = net_of("backgammon", small)
    asked = replace(small, features=seen, hidden=(8, 9), outputs="outcomes")
    more = grown(net, asked, np.random.default_rng(1))
    positions = random_positions(net.game, 500, np.random.default_rng(2))
    assert more.features.name == seen
    same = win_chance(net.game, more.chances(positions)) - win_chance(
        net.game, net.chances(positions)
    )
    assert np.abs(same).max() < 1e-5
    with pytest.raises(InputError, match="cannot come to see hilton198"):
        grown(more, replace(asked, features="hilton198"), np.random.default_rng(1))


def test_with_spread_small_inputs_mean_next_to_nothing_to_new_units() -> None:
    net, wider = net_of("ur", SMALL), replace(SMALL, hidden=(400, 6), spread="small")
    grew = grown(net, wider, np.random.default_rng(1))
    old = net.layers[0].units
    assert np.array_equal(grew.layers[0].weights[:, :old], net.layers[0].weights)
    assert grew.layers[0].weights[:, old:].std() == pytest.approx(0.01, rel=0.05)


def test_new_units_learn() -> None:
    larger = grown(net_of("ur", SMALL), replace(SMALL, hidden=(8, 9)), np.random.default_rng(1))
    trainer = BatchTrainer(larger)
    positions = random_positions(larger.game, 64, np.random.default_rng(2))
    for _ in range(3):
        trainer.step(positions, np.full((64, 1), 0.9, np.float32), 0.01)
    for before, after in zip(larger.layers[:2], trainer.net.layers[:2], strict=True):
        assert (np.abs(after.weights - before.weights).max(axis=0)[5:] > 0).all()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"hidden": (4,)}, "of 5 hidden units cannot become one of 4: it is larger"),
        ({"hidden": (5, 4)}, "a layer of 4 units cannot follow one of 5"),
        ({"activation": "tanh"}, "a relu net cannot become a tanh net"),
    ],
)
def test_what_a_net_cannot_become_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=f"(?i){complaint}"):
        grown(net_of("ur", SMALL), replace(SMALL, **change), np.random.default_rng(1))  # type: ignore[arg-type]


def test_layers_are_added_to_relu_nets_only() -> None:
    sigmoid = NetSettings(features="auto", hidden=(5,), activation="sigmoid")
    with pytest.raises(InputError, match="expected relu"):
        grown(net_of("ur", sigmoid), replace(sigmoid, hidden=(5, 5)), np.random.default_rng(1))


def test_wins_and_outcomes_are_told_apart_only_where_there_are_no_draws() -> None:
    outcomes = replace(SMALL, outputs="outcomes")
    for before, after in ((SMALL, outcomes), (outcomes, SMALL)):
        with pytest.raises(InputError, match="there are draws"):
            grown(net_of("tictactoe", before), after, np.random.default_rng(1))
