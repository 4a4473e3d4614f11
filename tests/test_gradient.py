"""Slopes are those that JAX finds, steps are as Adam was written, and what is learned is right."""

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.typing import NDArray

from astragal.agents.searching import SearchingAgent
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import scripted
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import ADAMS_FLOOR, BatchTrainer, Optimiser
from astragal.learning.labels import outcome_targets
from astragal.learning.settings import NetSettings
from astragal.values.feature_sets import features
from astragal.values.network import Activation, Layer, NetworkValues
from astragal.values.values import score_for, win_chance
from positions import walk
from small_games import minimax, unfinished_tictactoe
from test_td import CompiledTd, How, weights_of

SETS = [
    ("ur", "rows32"),
    ("ur", "unary"),
    ("ur", "patterns"),
    ("backgammon", "tesauro198"),
    ("backgammon", "hilton326"),
    ("backgammon", "signs"),
    ("ur", "signs"),
    ("tictactoe", "cells9"),
    ("tictactoe", "lines"),
]


def random_net(
    name: str,
    set_name: str,
    activation: Activation = "sigmoid",
    hidden: Sequence[int] = (12,),
    outputs: int = 1,
) -> NetworkValues:
    """A net of which nothing is zero."""
    chosen, luck = features(find_game(name), set_name), np.random.default_rng(1)
    layers = [
        Layer(
            *(luck.normal(0, 0.3, shape).astype(np.float32) for shape in ((before, after), after))
        )
        for before, after in itertools.pairwise([chosen.size, *hidden, outputs])
    ]
    return NetworkValues(chosen, tuple(layers), activation)


def arrays_of(net: NetworkValues) -> list[tuple[Any, Any]]:
    return [(layer.weights, layer.biases) for layer in net.layers]


def some_positions(game: Game, count: int) -> Positions:
    batches = [positions for positions, _ in walk(game, games=20, turns=30, seed=2)]
    return np.random.default_rng(2).permutation(np.concatenate(batches))[:count]


ACTIVATIONS = {"sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "relu": jax.nn.relu}


def sums_of(weights: Any, inputs: Any, activation: Activation) -> Any:
    """The last layer's sums [B, outputs], given all inputs [B, I]."""
    (first, biases), *others = weights
    sums = inputs @ first + biases
    for layer, more in others:
        sums = ACTIVATIONS[activation](sums) @ layer + more
    return sums


def loss_of(weights: Any, inputs: Any, targets: Any, activation: Activation) -> Any:
    """The mean cross-entropy between the targets [B, outputs] and what the net says."""
    sums = sums_of(weights, inputs, activation)
    if targets.shape[1] == 1:
        return optax.sigmoid_binary_cross_entropy(sums, targets).mean()
    return optax.softmax_cross_entropy(sums, targets).mean()


def chance(weights: Any, inputs: Any, activation: Activation) -> Any:
    """What a net says of one position."""
    return jax.nn.sigmoid(sums_of(weights, inputs, activation)[0, 0])


def best_chance(net: NetworkValues, position: Positions, roll: int) -> float:
    """What the best play leads to, for who makes it."""
    found = net.game.afterstates_of(position, roll)
    said = win_chance(net.game, net.chances(found.positions))
    chances = np.where(found.outcome == UNFINISHED, said, (1 + np.sign(found.outcome)) / 2)
    return float(np.where(found.turn_passes, 1 - chances, chances).max())


@pytest.mark.parametrize(("name", "set_name"), [each for each in SETS if each[1] != "signs"])
@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
def test_one_move_changes_the_weights_by_the_gradient_that_jax_finds(
    name: str, set_name: str, activation: Activation
) -> None:
    net, alpha = random_net(name, set_name, activation), 64  # a large one, to be seen clearly
    rules, slopes_of = net.game.rules, jax.jit(jax.grad(partial(chance, activation=activation)))
    for throw, position in enumerate(some_positions(net.game, 12)):
        throw %= rules.opening.size
        fast = CompiledTd(net, rules._replace(start=position.copy()))  # type: ignore[attr-defined]
        with contextlib.suppress(IndexError):  # there is no second throw
            fast.play(scripted([throw]), How(alpha, lam=0))
        (value,) = win_chance(net.game, net.chances(position[np.newaxis]))
        error = best_chance(net, position, int(rules.opening[throw])) - value
        assert abs(error) > 1e-3
        inputs = net.features.dense(position[np.newaxis])
        (first, biases), (out, last) = slopes_of(arrays_of(net), inputs)
        for after, before, slope in zip(
            fast.weights, weights_of(net), (first, biases, out[:, 0], last), strict=True
        ):
            change = (after - before) / (alpha * error)
            np.testing.assert_allclose(change, slope, rtol=1e-3, atol=1e-4 * np.abs(slope).max())


@pytest.mark.parametrize(("name", "set_name"), SETS)
@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("hidden", [(12,), (9, 8, 7)])
def test_a_step_goes_down_the_slopes_that_jax_finds(
    name: str, set_name: str, activation: Activation, hidden: tuple[int, ...]
) -> None:
    positions, luck = some_positions(find_game(name), 60), np.random.default_rng(3)
    for outputs in (1, len(find_game(name).outcomes)):
        net = random_net(name, set_name, activation, hidden, outputs)
        targets = some_targets(outputs, 60, luck)
        inputs = net.features.dense(positions)
        slopes = slopes_of_loss(net, inputs, targets)
        trainer = BatchTrainer(net, "sgd")
        loss = trainer.step(positions, targets, 1)
        assert loss == pytest.approx(
            float(loss_of(arrays_of(net), inputs, targets, activation)), 1e-5
        )
        for mine, before, slope in zip(parts_of(trainer.net), parts_of(net), slopes, strict=True):
            np.testing.assert_allclose(before - mine, slope, atol=1e-5)


def some_targets(outputs: int, count: int, luck: np.random.Generator) -> NDArray[np.float32]:
    if outputs == 1:
        return luck.random((count, 1), np.float32)
    return luck.dirichlet(np.ones(outputs), count).astype(np.float32)


def test_the_loss_is_the_mean_cross_entropy() -> None:
    positions, luck = some_positions(find_game("backgammon"), 50), np.random.default_rng(3)
    for outputs in (1, 6):
        net = random_net("backgammon", "tesauro198", outputs=outputs)
        targets = some_targets(outputs, 50, luck)
        said = net.chances(positions)
        if outputs == 1:
            win = win_chance(net.game, said)[:, np.newaxis]
            expected = -targets * np.log(win) - (1 - targets) * np.log(1 - win)
        else:
            expected = -targets * np.log(said)
        loss = BatchTrainer(net).step(positions, targets, 0.1)
        assert loss == pytest.approx(expected.sum(axis=1).mean(), rel=1e-5)


def test_batches_of_any_size_follow_each_other() -> None:
    net = random_net("ur", "patterns", "relu", (9, 8))
    positions, luck = some_positions(net.game, 90), np.random.default_rng(9)
    targets = some_targets(1, 90, luck)
    trainer = BatchTrainer(net)
    sizes = [90, 7, 1, 90]
    losses = [trainer.step(positions[:size], targets[:size], 0) for size in sizes]
    assert losses == [BatchTrainer(net).step(positions[:s], targets[:s], 0) for s in sizes]


find_slopes = jax.jit(jax.grad(loss_of), static_argnums=3)


def slopes_of_loss(net: NetworkValues, inputs: Any, targets: NDArray[Any]) -> list[NDArray[Any]]:
    slopes = find_slopes(arrays_of(net), inputs, targets, net.activation)
    return [np.asarray(part, np.float64) for part in jax.tree.leaves(slopes)]


def parts_of(net: NetworkValues) -> list[NDArray[Any]]:
    return [np.asarray(part, np.float64) for pair in arrays_of(net) for part in pair]


@pytest.mark.parametrize("floor", [ADAMS_FLOOR, 0.003])
def test_adam_is_as_its_authors_wrote_it(floor: float) -> None:
    net = random_net("ur", "unary", "tanh", (10, 6))
    positions, luck = some_positions(net.game, 64), np.random.default_rng(4)
    targets, inputs = luck.random((64, 1), np.float32), net.features.dense(positions)
    trainer, weights = BatchTrainer(net, floor=floor), parts_of(net)
    means = [np.zeros_like(part) for part in weights]
    squares = [np.zeros_like(part) for part in weights]
    for number in range(1, 6):
        for part, mean, square, slope in zip(
            weights, means, squares, slopes_of_loss(trainer.net, inputs, targets), strict=True
        ):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            size = np.sqrt(square / (1 - 0.999**number)) + floor
            part -= 0.02 * mean / (1 - 0.9**number) / size
        trainer.step(positions, targets, 0.02)
        for mine, theirs in zip(parts_of(trainer.net), weights, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_a_trainer_goes_on_as_if_it_had_never_stopped(optimiser: Optimiser) -> None:
    net = random_net("tictactoe", "cells18", "tanh", (6, 5))
    positions = some_positions(net.game, 32)
    targets = np.random.default_rng(6).random((32, 1), np.float32)
    whole, after = BatchTrainer(net, optimiser), BatchTrainer(net, optimiser)
    for number in range(6):
        if number == 3:
            after.restore({key: array.copy() for key, array in whole.state().items()})
        for trainer in (whole, after) if number >= 3 else (whole,):
            trainer.step(positions, targets, 0.1)
    for mine, theirs in zip(parts_of(after.net), parts_of(whole.net), strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("set_name", "hidden", "outputs", "steps"),
    [
        ("lines", (64,), "outcomes", 800),
        ("lines", (64,), "win", 1_500),
        ("cells18", (64, 64), "outcomes", 1_500),
    ],
)
def test_a_net_learns_the_exact_table_of_tictactoe(
    set_name: str, hidden: tuple[int, ...], outputs: Literal["win", "outcomes"], steps: int
) -> None:
    game, rows = find_game("tictactoe"), unfinished_tictactoe()
    positions, worth = np.array(rows, np.int8), np.array([minimax(row) for row in rows])
    net = fresh_net(game, NetSettings(set_name, hidden, "relu", outputs), seed=1)
    trainer, luck = BatchTrainer(net), np.random.default_rng(7)
    targets = outcome_targets(net)[worth + 1]
    for number in range(steps):
        drawn = luck.integers(0, len(rows), 256)
        trainer.step(positions[drawn], targets[drawn], 0.02 * (1 - number / steps))
    said = trainer.net.chances(positions) @ score_for(game, "points")
    assert np.abs(said - worth).max() < 0.25
    assert np.array_equal(worth_of_choices(trainer.net, positions), worth)


def worth_of_choices(net: NetworkValues, positions: Positions) -> NDArray[np.int64]:
    """What the plays that the net chooses are really worth, to who makes them."""
    certain = np.zeros(len(positions), np.int64)
    found = net.game.afterstates(positions, certain)
    choices = SearchingAgent(net).choose(positions, certain, np.random.default_rng(0))
    chosen = np.searchsorted(found.owner, np.arange(len(positions))) + choices
    pairs = zip(found.positions[chosen].tolist(), found.outcome[chosen].tolist(), strict=True)
    return np.array([-(minimax(tuple(row)) if o == UNFINISHED else o) for row, o in pairs])


def test_silent_units_wake_and_the_net_says_the_same() -> None:
    net = random_net("ur", "patterns", "relu", (9, 8))
    first, second, last = net.layers
    deaf = Layer(first.weights, np.where(np.arange(9) < 3, -100, first.biases).astype(np.float32))
    mute = Layer(second.weights, np.where(np.arange(8) < 2, -100, second.biases).astype(np.float32))
    trainer = BatchTrainer(NetworkValues(net.features, (deaf, mute, last), "relu"))
    positions = some_positions(net.game, 300)
    before = trainer.net
    silent = sum(
        int((values.max(axis=0) <= 0).sum()) for values in hidden_values(before, positions)
    )
    assert silent >= 5
    assert trainer.wake(positions, np.random.default_rng(1)) == silent
    np.testing.assert_allclose(trainer.net.chances(positions), before.chances(positions), atol=1e-6)
    assert trainer.wake(positions, np.random.default_rng(1)) == 0


def test_a_unit_that_wakes_is_the_same_in_the_average() -> None:
    net = random_net("ur", "patterns", "relu", (8,))
    biases = np.where(np.arange(8) == 2, -100, net.layers[0].biases).astype(np.float32)
    first = Layer(net.layers[0].weights, biases)
    trainer = BatchTrainer(replace(net, layers=(first, net.layers[1])))
    positions, luck = some_positions(net.game, 100), np.random.default_rng(2)
    trainer.step(positions, some_targets(1, 100, luck), 0.01)
    trainer.blend(0.5)
    trainer.wake(positions, luck)
    now, average = (each.layers for each in (trainer.net, trainer.average))
    assert np.array_equal(average[0].weights[:, 2], now[0].weights[:, 2])
    assert average[1].weights[2, 0] == now[1].weights[2, 0] == 0
    assert not np.array_equal(average[0].weights[:, 3], now[0].weights[:, 3])


def hidden_values(net: NetworkValues, positions: Positions) -> list[NDArray[Any]]:
    values = [net.features.dense(positions)]
    for layer in net.layers[:-1]:
        values.append(np.maximum(values[-1] @ layer.weights + layer.biases, 0))
    return values[1:]


def test_woken_units_learn() -> None:
    net = random_net("ur", "patterns", "relu", (8,))
    first = Layer(net.layers[0].weights, np.full(8, -100, np.float32))
    trainer = BatchTrainer(NetworkValues(net.features, (first, net.layers[1]), "relu"))
    positions, luck = some_positions(net.game, 100), np.random.default_rng(2)
    targets = some_targets(1, 100, luck)
    trainer.step(positions, targets, 0.01)
    stuck = trainer.net.layers[0].weights
    assert np.array_equal(stuck, first.weights)
    trainer.wake(positions, luck)
    woken = trainer.net.layers[0].weights
    for _ in range(2):  # at the first, what they say begins to be heard
        trainer.step(positions, targets, 0.01)
    assert (np.abs(trainer.net.layers[0].weights - woken).max(axis=0) > 0).all()


def test_layers_that_hear_many_units_can_learn_more_slowly() -> None:
    net = random_net("ur", "patterns", "relu", (40, 16))
    positions, luck = some_positions(net.game, 60), np.random.default_rng(3)
    targets = some_targets(1, 60, luck)
    even, slower = BatchTrainer(net, "sgd"), BatchTrainer(net, "sgd", "width")
    for trainer in (even, slower):
        trainer.step(positions, targets, 0.1)
    shares = [
        np.linalg.norm(mine - before) / np.linalg.norm(theirs - before)
        for mine, theirs, before in zip(
            parts_of(slower.net), parts_of(even.net), parts_of(net), strict=True
        )
    ]
    assert shares == pytest.approx([1, 1, 8 / 40, 8 / 40, 8 / 16, 8 / 16], rel=1e-3)


def test_the_average_follows_the_weights() -> None:
    net = random_net("ur", "patterns", "relu", (9, 8))
    positions, luck = some_positions(net.game, 60), np.random.default_rng(3)
    trainer = BatchTrainer(net)
    expected = parts_of(net)
    for _ in range(4):
        trainer.step(positions, some_targets(1, 60, luck), 0.05)
        trainer.blend(0.75)
        now = parts_of(trainer.net)
        expected = [0.75 * old + 0.25 * new for old, new in zip(expected, now, strict=True)]
    for mine, theirs in zip(parts_of(trainer.average), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
