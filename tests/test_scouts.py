"""A scout leaves the best plays by its own opinion, and the large net chooses among those alone."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.games.catalogue import find_game
from astragal.games.kernels import UNFINISHED
from astragal.learning.fresh import fresh_net
from astragal.learning.labels import Labeller, output_scores
from astragal.learning.lookahead import LookaheadLearner
from astragal.learning.packed import packed
from astragal.learning.scouts import ScoutTrainer, shares
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings, TrainSettings
from astragal.values.network import NetworkValues
from astragal.values.values import score_for, win_chance
from test_labels import aim_of, random_net, some_positions

# Games with and without gammons, extra turns and signs, and a net that would be done at once alone.
PAIRS = [
    ("backgammon", "signs", (12, 7), "hilton198"),
    ("backgammon", "tesauro198", (12,), "tesauro198"),
    ("hypergammon", "hilton326", (9, 8, 7), "tesauro198"),
    ("ur", "signs", (12, 7), "unary"),
    ("tictactoe", "cells18", (6, 6), "cells9"),
]


def plain_labels(
    net: NetworkValues, scout: NetworkValues, kept: int, position: NDArray[np.int8], roll: int
) -> tuple[list[int], NDArray[np.float64]]:
    """The plays that the scout leaves, and what the net says [N, K] of all to whoever moves."""
    found = net.game.afterstates_of(position, roll)
    is_open, turned = found.outcome == UNFINISHED, found.turn_passes[:, np.newaxis]
    mine = (found.outcome[:, np.newaxis] == np.array(net.game.outcomes)).astype(np.float64)
    liked = np.where(found.outcome == 0, 0.5, found.outcome.astype(np.float64))
    if is_open.any():
        mine[is_open] = net.chances(found.positions[is_open])
        liked[is_open] = win_chance(net.game, scout.chances(found.positions[is_open]))
    mine = np.where(turned, mine[:, ::-1], mine)
    liked[is_open & found.turn_passes] = 1 - liked[is_open & found.turn_passes]
    liked[~is_open & found.turn_passes] *= -1
    order = np.argsort(-liked, kind="stable")
    least = liked[order[min(kept, len(order)) - 1]]
    return np.flatnonzero(liked >= least - 1e-9).tolist(), mine


@pytest.mark.parametrize(("name", "seen", "hidden", "scout_sees"), PAIRS)
@pytest.mark.parametrize("is_win", [True, False])
@pytest.mark.parametrize("kept", [1, 3])
def test_the_best_of_the_plays_that_a_scout_leaves_is_chosen(
    name: str, seen: str, hidden: tuple[int, ...], scout_sees: str, is_win: bool, kept: int
) -> None:
    net = random_net(name, seen, "relu", hidden, is_win)
    scout = random_net(name, scout_sees, "relu", (5,))
    positions, aim = some_positions(net.game, 12), aim_of(net)
    labels = Labeller(net, aim, scout, kept).label(positions)
    score, differ = score_for(net.game, aim), 0
    for n, position in enumerate(positions):
        for roll in range(len(net.game.rolls)):
            left, mine = plain_labels(net, scout, kept, position, roll)
            worth, chosen = mine @ score, labels.plays[n, roll]
            assert chosen in left
            assert worth[chosen] == pytest.approx(worth[left].max(), abs=1e-4)
            told = mine[chosen] if not is_win else [win_chance(net.game, mine[[chosen]])[0]]
            assert labels.by_roll[n, roll] == pytest.approx(told, abs=1e-4)
            differ += worth[chosen] < worth.max() - 1e-3
    assert differ > 0  # the scout had something to say
    expected = np.einsum("r,nrk->nk", net.game.chances, labels.by_roll)
    np.testing.assert_allclose(labels.targets, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "seen", "hidden", "scout_sees"), PAIRS)
def test_a_scout_that_leaves_all_plays_changes_nothing(
    name: str, seen: str, hidden: tuple[int, ...], scout_sees: str
) -> None:
    net = random_net(name, seen, "relu", hidden, is_win=False)
    scout = random_net(name, scout_sees, "relu", (5,))
    positions = some_positions(net.game, 20)
    with_scout = Labeller(net, "points", scout, 1_000).label(positions)
    without = Labeller(net, "points").label(positions)
    for name in ("targets", "plays", "by_roll"):
        assert np.array_equal(getattr(with_scout, name), getattr(without, name))


def test_games_are_played_with_the_scout_that_they_are_given() -> None:
    net = random_net("hypergammon", "hilton198", "relu", (12, 7), is_win=False)
    scout = random_net("hypergammon", "tesauro198", "relu", (5,))
    settings = LookaheadSettings(scout=5, scout_kept=1)
    task = PlayTask("hypergammon", packed(net), settings, 3, 0.0, False, (7, 1), packed(scout))
    examples = play_task(task)
    expected = Labeller(net, "points", scout, 1).label(examples.positions).targets
    np.testing.assert_allclose(examples.targets, expected, rtol=0, atol=1e-6)
    alone = play_task(replace(task, scout=None))
    assert not np.array_equal(alone.positions, examples.positions)


@pytest.mark.parametrize("lam", [0.0, 0.7])
@pytest.mark.parametrize("luck_kept", [0, 1])
@pytest.mark.parametrize(("name", "seen"), [("backgammon", "hilton198"), ("ur", "unary")])
def test_without_the_luck_of_one_roll_a_target_is_that_of_all_rolls(
    name: str, seen: str, luck_kept: int, lam: float
) -> None:
    # A net that is its own scout sees all of the luck.
    net = packed(random_net(name, seen, "relu", (6,)))
    own = LookaheadSettings(lam=lam, scout=6, scout_kept=1_000, luck_kept=luck_kept)
    task = PlayTask(name, net, own, 3, 0.0, False, (7, 1), net)
    exact = play_task(task)
    for luck in ("leave", "take"):
        settings = replace(own, targets="sample", luck=luck)
        examples = play_task(replace(task, settings=settings))
        assert np.array_equal(examples.positions, exact.positions)
        off = float(np.abs(examples.targets - exact.targets).max())
        assert off < 1e-5 if luck == "take" else off > 1e-2


def taught(net: NetworkValues, units: int) -> ScoutTrainer:
    """A scout that has learned what the net says of some positions."""
    trainer = ScoutTrainer(net.game, units, output_scores(net, aim_of(net)), seed=1)
    positions, luck = some_positions(net.game, 1_500), np.random.default_rng(2)
    told = net.chances(positions).astype(np.float32)
    for _ in range(200):
        trainer.learn(positions, told, luck)
    return trainer


def test_luck_is_taken_out_of_all_outcomes() -> None:
    net = random_net("hypergammon", "hilton198", "relu", (6,), is_win=False)
    trainer = taught(net, 16)
    trainer.hand_over()
    own = LookaheadSettings(targets="sample", scout=16, scout_kept=1_000, scout_margin=1_000)
    task = PlayTask("hypergammon", packed(net), own, 30, 0.0, False, (7, 1), trainer.player)
    left = play_task(task)
    taken = play_task(replace(task, settings=replace(own, luck="take")))
    assert np.array_equal(left.positions, taken.positions)
    exact = Labeller(net, "points").label(left.positions).targets
    scatter = [((each.targets - exact) ** 2).mean(axis=0) for each in (left, taken)]
    assert (scatter[1] < 0.5 * scatter[0]).all()
    assert scatter[1].sum() < 0.15 * scatter[0].sum()


def test_there_is_no_luck_on_average() -> None:
    net = random_net("hypergammon", "hilton198", "relu", (6,), is_win=False)
    scout = random_net("hypergammon", "tesauro198", "relu", (5,))
    count, rolls = 20, np.arange(len(net.game.rolls))
    positions = some_positions(net.game, count)
    labels = Labeller(net, "points", scout, 1).label(np.repeat(positions, len(rolls), axis=0))
    luck = labels.luck(np.tile(rolls, count))
    assert np.abs(luck).max() > 0.01
    by_roll = luck.reshape(count, len(rolls), -1)
    assert np.einsum("r,nrk->nk", net.game.chances, by_roll) == pytest.approx(0, abs=1e-5)


def test_plays_that_a_scout_finds_far_behind_are_not_looked_at() -> None:
    net = random_net("backgammon", "hilton198", "relu", (6, 4))
    scout = random_net("backgammon", "tesauro198", "relu", (5,))
    positions = some_positions(net.game, 40)
    rolls = net.game.draw(np.random.default_rng(1), len(positions))
    for kept, margin in ((1_000, 0.1), (2, 0.1), (1_000, 1_000), (1, 1_000)):
        seen = Labeller(net, "win", scout, kept, margin).label(positions, rolls).seen
        expected = 0
        for position, roll in zip(positions, rolls, strict=True):
            found = net.game.afterstates_of(position, roll)
            if (found.outcome == UNFINISHED).all():
                wins = win_chance(net.game, scout.chances(found.positions))
                odds = np.sort(np.log(1 / wins - 1))[::-1]  # the other side is about to roll
                lowest = max(odds[min(kept, len(odds)) - 1], odds[0] - margin)
                expected += (odds > lowest - 1e-6).sum()
        assert len(seen) == expected


@pytest.mark.parametrize("hidden", [(6, 4), (6,)])  # a net of one layer could be done at once
@pytest.mark.parametrize("is_win", [True, False])
def test_a_scout_is_told_of_boards_that_were_looked_at(
    hidden: tuple[int, ...], is_win: bool
) -> None:
    net = random_net("hypergammon", "hilton198", "relu", hidden, is_win)
    scout = packed(random_net("hypergammon", "tesauro198", "relu", (5,)))
    own = LookaheadSettings(targets="sample", luck="take", scout=5, scout_kept=2, luck_kept=1)
    alone = PlayTask("hypergammon", packed(net), own, 4, 0.0, False, (7, 1))
    for task in (alone, replace(alone, scout=scout)):
        examples = play_task(task)
        told = net.chances(examples.seen)
        told = win_chance(net.game, told)[:, np.newaxis] if is_win else told
        np.testing.assert_allclose(examples.told, told, rtol=0, atol=1e-5)
        were_played = {row.tobytes() for row in examples.positions}
        others = [row for row in examples.seen if row.tobytes() not in were_played]
        assert len(others) > len(examples.seen) / 4
        assert len(examples.seen) >= 2 * len(examples.positions)
    assert not len(play_task(replace(alone, settings=replace(own, scout=0, luck="leave"))).seen)


def test_a_scout_learns_what_plays_are_chosen_by() -> None:
    net = random_net("backgammon", "hilton198", "relu", (6, 4), is_win=False)
    positions, scores = some_positions(net.game, 500), output_scores(net, "points")
    trainer = taught(net, 16)
    before = trainer.player.unpacked(net.game)
    trainer.hand_over()
    scout = trainer.player.unpacked(net.game)
    worth = net.chances(positions) @ scores
    likings = [win_chance(net.game, each.chances(positions)) for each in (before, scout)]
    agreements = [np.corrcoef(liking, worth)[0, 1] for liking in likings]
    assert agreements[0] < 0.8 < 0.95 < agreements[1]


def test_what_targets_are_worth_is_a_share_of_the_most() -> None:
    net = random_net("backgammon", "hilton198", is_win=False)
    scores = output_scores(net, "points")
    every = np.eye(6, dtype=np.float32)
    assert shares(every, scores)[:, 0] == pytest.approx([0, 1 / 6, 1 / 3, 2 / 3, 5 / 6, 1])
    wins = np.array([[0.25], [1]], np.float32)
    assert np.array_equal(shares(wins, np.ones(1, np.float32)), wins)


DEEP = NetSettings(hidden=(6, 5), activation="relu")


OWN = LookaheadSettings(memory=300, batch=32, uses=1, epsilon=0.2, lam=0.5)


def learner_of(own: LookaheadSettings, name: str = "ur:blitz:2") -> LookaheadLearner:
    asked = DEEP if name.startswith("ur") else replace(DEEP, outputs="outcomes")
    settings = TrainSettings(name, "lookahead", 1_000, 1, workers=1, net=asked, lookahead=own)
    game = find_game(name)
    return LookaheadLearner(game, settings, fresh_net(game, asked, seed=1))


def state_of(learner: LookaheadLearner) -> dict[str, bytes]:
    return {name: part.tobytes() for name, part in learner.state().items()}


def learned(learner: LookaheadLearner, first: int, last: int) -> dict[str, bytes]:
    for number in range(first, last):
        learner.learn(number, 10 * number, 10)
    return state_of(learner)


@pytest.mark.parametrize("name", ["ur:blitz:2", "hypergammon"])
@pytest.mark.parametrize("luck", ["leave", "take"])
def test_a_run_with_a_scout_goes_on_as_if_it_had_never_stopped(
    name: str, luck: Literal["leave", "take"]
) -> None:
    own = replace(OWN, scout=4, scout_kept=1, scout_games=30, targets="sample", luck=luck)
    whole, after = learner_of(own, name), learner_of(own, name)
    learned(whole, 0, 4)
    after.restore({name: part.copy() for name, part in whole.state().items()})
    assert learned(after, 4, 8) == learned(whole, 4, 8)


def test_a_net_waits_until_somebody_can_take_the_luck_out() -> None:
    own = replace(OWN, scout=4, scout_games=30, targets="sample", luck="take")
    learner = learner_of(own)
    fresh = state_of(learner)
    waiting = learned(learner, 0, 3)
    weights = [name for name in waiting if name.startswith(("trainer", "player"))]
    assert {name: waiting[name] for name in weights} == {name: fresh[name] for name in weights}
    assert waiting["scout trainer weights"] != fresh["scout trainer weights"]
    after = learned(learner, 3, 4)
    assert after["trainer weights"] != fresh["trainer weights"]


def test_a_scout_that_is_young_plays_as_all_that_it_has_been() -> None:
    net = random_net("hypergammon", "hilton198", "relu", (6, 4), is_win=False)
    trainer = taught(net, 8)
    trainer.hand_over()
    first = trainer.player.layers[0].weights
    positions, luck = some_positions(net.game, 1_500), np.random.default_rng(3)
    for _ in range(100):
        trainer.learn(positions, net.chances(positions).astype(np.float32), luck)
    trainer.hand_over()
    now = trainer.state()["scout trainer weights"][: first.size].reshape(first.shape)
    mean = first + (now - first) / 3  # a third of its steps came after the first time
    np.testing.assert_allclose(trainer.player.layers[0].weights, mean, rtol=0, atol=1e-6)


def test_a_scout_is_asked_after_its_games_and_not_before() -> None:
    alone = learned(learner_of(OWN), 0, 5)
    own = replace(OWN, scout=4, scout_kept=1)
    early = learned(learner_of(replace(own, scout_games=50)), 0, 5)
    late = learned(learner_of(replace(own, scout_games=40)), 0, 5)
    assert {name: early[name] for name in alone} == alone
    assert {name: late[name] for name in alone} != alone
