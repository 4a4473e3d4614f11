"""Nets whose layers behind the first are those of the game's phase."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.growing import grown
from astragal.learning.labels import Labeller
from astragal.learning.lookahead import LookaheadLearner
from astragal.learning.settings import LookaheadSettings, NetSettings, TrainSettings, check
from astragal.values import backgammon_signs as told
from astragal.values.checkpoint import describe_net, halve_net, load_net, save_net
from astragal.values.effects import piece_effects
from astragal.values.network import Activation, Layer, NetworkValues, net_of_phases
from astragal.values.onnx_file import write_onnx
from astragal.values.signs import phases_of, with_signs
from test_labels import aim_of, assert_agree, random_net
from test_onnx import run
from test_signs import a_board, many

BACKGAMMON = find_game("backgammon")
PHASES = 8


@pytest.fixture(scope="module")
def positions() -> Positions:
    """Positions of all phases."""
    return many(BACKGAMMON)


def phases(of: Positions) -> NDArray[np.int8]:
    return with_signs(BACKGAMMON, of)[:, BACKGAMMON.width + told.PHASE]


def phased_net(
    is_win: bool = True,
    hidden: tuple[int, ...] = (12, 7),
    activation: Activation = "relu",
    features: str = "signs",
) -> NetworkValues:
    """A net that says something else in each phase."""
    net, luck = random_net("backgammon", features, activation, hidden, is_win), by_lot(1)
    nets = []
    for _ in range(PHASES):
        layers = [
            Layer(*(luck.normal(0, 0.3, part.shape).astype(np.float32) for part in parts))
            for parts in ((layer.weights, layer.biases) for layer in net.layers[1:])
        ]
        nets.append(replace(net, layers=(net.layers[0], *layers)))
    return net_of_phases(nets)


def by_lot(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def plain_phase(position: Positions) -> int:
    """The phase as one would say it."""
    halves = position.reshape(2, HALF)
    rear, others_rear = (max(np.flatnonzero(half[1:]) + 1, default=0) for half in halves)
    back, others_back = (int(half[19:].sum()) for half in halves)
    gone, others_gone = (int(half[0]) for half in halves)
    if rear + others_rear < BAR:
        return told.RACE
    if gone or others_gone:
        return told.HAS_BORNE_OFF if gone else told.OTHER_HAS
    if back >= 4 or others_back >= 4:
        return told.FAR_BACK if back >= 4 else told.OTHER_IS
    if back and not others_back:
        return told.BACK_ALONE
    return told.OTHER_ALONE if others_back and not back else told.MUTUAL


def test_phases_are_as_one_would_say_them(positions: Positions) -> None:
    found = phases(positions)
    assert set(found.tolist()) == set(range(PHASES))
    assert found.tolist() == [plain_phase(position) for position in positions]
    assert phases(BACKGAMMON.start[np.newaxis]) == [told.MUTUAL]
    assert phases(a_board({6: 5}, {6: 5})) == [told.RACE]
    assert phases(a_board({BAR: 1, 6: 5}, {6: 5})) == [told.HAS_BORNE_OFF]


@pytest.mark.parametrize("is_win", [True, False])
@pytest.mark.parametrize("activation", ["sigmoid", "relu"])
def test_a_net_says_what_that_of_the_phase_says(
    positions: Positions, is_win: bool, activation: Activation
) -> None:
    net, found = phased_net(is_win, activation=activation), phases(positions)
    chances = net.chances(positions)
    for phase, alone in enumerate(net.by_phase):
        assert not alone.has_phases
        rows = found == phase
        np.testing.assert_allclose(chances[rows], alone.chances(positions[rows]), rtol=0, atol=1e-6)
    assert np.abs(chances - net.by_phase[0].chances(positions)).max() > 0.1


@pytest.mark.parametrize("hidden", [(12, 7), (9,)])
@pytest.mark.parametrize("is_win", [True, False])
def test_slopes_are_those_of_each_phase(
    positions: Positions, hidden: tuple[int, ...], is_win: bool
) -> None:
    net, luck = phased_net(is_win, hidden), by_lot(2)
    some = luck.permutation(positions)[:300]
    targets = luck.dirichlet(np.ones(max(net.outputs, 2)), 300).astype(np.float32)
    targets = targets[:, : net.outputs]
    whole, found = slopes_of(net, some, targets), phases(some)
    first = np.zeros_like(whole[0].weights)
    for phase, alone in enumerate(net.by_phase):
        rows = found == phase
        share = rows.mean()
        parts = slopes_of(alone, some[rows], targets[rows]) if rows.any() else None
        for number in range(1, len(net.layers)):
            expected = share * parts[number].weights if parts else 0
            np.testing.assert_allclose(whole[number].weights[phase], expected, atol=1e-6)
            expected = share * parts[number].biases if parts else 0
            np.testing.assert_allclose(whole[number].biases[phase], expected, atol=1e-6)
        first += share * parts[0].weights if parts else 0
    np.testing.assert_allclose(whole[0].weights, first, atol=1e-6)


def slopes_of(net: NetworkValues, positions: Positions, targets: Any) -> list[Layer]:
    """The slopes of all weights: what a plain step of rate 1 takes away."""
    trainer = BatchTrainer(net, "sgd")
    trainer.step(positions, targets, 1.0)
    return [
        Layer(before.weights - after.weights, before.biases - after.biases)
        for before, after in zip(net.layers, trainer.net.layers, strict=True)
    ]


def test_silent_units_are_woken_in_their_phase_alone(positions: Positions) -> None:
    first = BatchTrainer(phased_net(hidden=(12, 7, 5)))
    first.wake(positions, by_lot(1))  # some are silent by chance
    net = first.net
    second = net.layers[1]
    biases = second.biases.copy()
    biases[told.MUTUAL, 3] = -1e6
    silenced = replace(net, layers=(net.layers[0], Layer(second.weights, biases), *net.layers[2:]))
    trainer = BatchTrainer(silenced)
    before = trainer.net
    assert trainer.wake(positions, by_lot(1)) == 1
    after = trainer.net
    changed = before.layers[1].biases != after.layers[1].biases
    assert np.argwhere(changed).tolist() == [[told.MUTUAL, 3]]
    np.testing.assert_allclose(before.chances(positions), after.chances(positions), atol=1e-6)


@pytest.mark.parametrize("is_win", [True, False])
def test_labels_are_what_look_ahead_says(positions: Positions, is_win: bool) -> None:
    net = phased_net(is_win)
    some = np.concatenate([positions[phases(positions) == phase][:2] for phase in range(PHASES)])
    labels = Labeller(net, aim_of(net)).label(some)
    assert_agree(labels, net, aim_of(net), some)


@pytest.mark.parametrize("is_win", [True, False])
def test_an_onnx_file_says_the_same(positions: Positions, is_win: bool, tmp_path: Path) -> None:
    net = phased_net(is_win, features="tactics")
    write_onnx(tmp_path / "net.onnx", net)
    found = run(tmp_path / "net.onnx", positions)
    np.testing.assert_allclose(found, net.chances(positions), rtol=0, atol=1e-5)


SMALL = NetSettings("signs", (5, 4), "relu")
EACH = replace(SMALL, phases="each")


def test_a_net_comes_to_tell_phases_apart(positions: Positions) -> None:
    net = random_net("backgammon", "signs", "relu", (5, 4))
    more = grown(net, replace(EACH, hidden=(9, 8)), by_lot(1))
    assert more.has_phases
    assert np.abs(more.chances(positions) - net.chances(positions)).max() < 1e-5


def test_a_net_with_phases_grows(positions: Positions) -> None:
    net = phased_net(hidden=(5, 4))
    asked = replace(EACH, features="tactics", hidden=(9, 6, 7), outputs="outcomes")
    more = grown(net, asked, by_lot(1))
    assert [layer.units for layer in more.layers] == [9, 6, 7, 6]
    wins = more.chances(positions)[:, 3:].sum(axis=1)
    assert wins == pytest.approx(net.chances(positions)[:, 3:].sum(axis=1), abs=1e-5)
    with pytest.raises(InputError, match="cannot become one without"):
        grown(more, replace(asked, phases="one"), by_lot(1))


def test_a_fresh_net_has_the_same_layers_in_all_phases(positions: Positions) -> None:
    net, alone = (fresh_net(BACKGAMMON, asked, seed=3) for asked in (EACH, SMALL))
    assert len(net.by_phase) == phases_of(BACKGAMMON) == PHASES
    np.testing.assert_allclose(net.chances(positions), alone.chances(positions), atol=1e-7)
    assert phases_of(find_game("ur")) == 1


def test_a_file_keeps_them(positions: Positions, tmp_path: Path) -> None:
    net, path = phased_net(is_win=False), tmp_path / "net.safetensors"
    save_net(path, net)
    assert np.array_equal(load_net(path, BACKGAMMON).chances(positions), net.chances(positions))
    halve_net(path, path)
    again = load_net(path, BACKGAMMON).chances(positions)
    assert 0 < np.abs(again - net.chances(positions)).max() < 1e-2


@pytest.mark.parametrize("what", ["too few phases", "first", "only some", "no signs"])
def test_a_file_in_which_they_do_not_fit_is_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_net(path, phased_net(features="hilton198" if what == "no signs" else "signs"))
    tensors, description = safetensors.numpy.load(path.read_bytes()), describe_net(path)
    if what == "too few phases":
        tensors = {name: part[:7] if name[0] != "0" else part for name, part in tensors.items()}
    if what == "first":
        changed = {name: np.stack([tensors[name]] * PHASES) for name in ("0.weights", "0.biases")}
        tensors |= changed
    if what == "only some":
        tensors |= {name: tensors[name][0] for name in ("2.weights", "2.biases")}
    path.write_bytes(safetensors.numpy.save(tensors, metadata=description))
    with pytest.raises(InputError, match=r"does not fit|only some of its layers"):
        load_net(path, BACKGAMMON)


@pytest.mark.parametrize(
    ("game", "net", "complaint"),
    [
        (
            "backgammon",
            NetSettings("hilton198", phases="each"),
            "one of signs, tactics, structure",
        ),
        ("backgammon", NetSettings(phases="each"), "with auto as features"),
        ("ur", NetSettings("signs", phases="each"), "expected one, as ur has no phases"),
    ],
)
def test_phases_that_nobody_tells_are_refused(game: str, net: NetSettings, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        check(TrainSettings(game, "lookahead", net=net), find_game(game))


def test_what_pieces_do_is_what_they_do_in_the_phase(positions: Positions) -> None:
    alone = random_net("backgammon", "signs", "relu", (5, 4))
    same, other = net_of_phases([alone] * PHASES), phased_net(hidden=(5, 4))
    expected = piece_effects(alone, positions)
    np.testing.assert_allclose(piece_effects(same, positions).slopes, expected.slopes)
    rows = phases(positions) == told.RACE
    race = piece_effects(other.by_phase[told.RACE], positions[rows])
    np.testing.assert_allclose(piece_effects(other, positions[rows]).slopes, race.slopes)


def test_a_run_learns_them_and_goes_on_as_if_it_had_never_stopped() -> None:
    game = find_game("hypergammon")
    own = LookaheadSettings(targets="sample", memory=300, batch=32, scout=4, scout_games=20)
    settings = TrainSettings(game.name, "lookahead", 1_000, 1, workers=1, net=EACH, lookahead=own)
    whole, after = (
        LookaheadLearner(game, settings, fresh_net(game, EACH, seed=1)) for _ in range(2)
    )
    for number in range(3):
        whole.learn(number, 10 * number, 10)
    after.restore({name: part.copy() for name, part in whole.state().items()})
    for number in range(3, 6):
        for learner in (whole, after):
            learner.learn(number, 10 * number, 10)
    states = [
        {name: part.tobytes() for name, part in each.state().items()} for each in (whole, after)
    ]
    assert states[0] == states[1]
    last = whole.net.layers[-1].weights
    assert np.abs(last - last[:1]).max() > 0
