"""Monte Carlo: averages are plain counting, returns are by hand, and a run can go on anywhere."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import parse_agent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.learning.averages import Averages
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import Optimiser
from astragal.learning.learner import Learned, State
from astragal.learning.mc import (
    Episodes,
    McLearner,
    Seats,
    learned_seats,
    parts_of,
    play_episodes,
    rows_of_step,
    targets_of,
)
from astragal.learning.settings import McSettings, NetSettings, TrainSettings
from astragal.learning.table import Table
from astragal.values.network import NetworkValues
from astragal.values.values import score_for, win_chance
from reference import Row, tictactoe

Side: TypeAlias = Literal["first", "second", "both"]

SMALL = NetSettings(hidden=(8,), activation="tanh")
QUICK = McSettings(batch=64, update_games=50, steps=2)


def settings_of(name: str, mc: McSettings, net: NetSettings = SMALL) -> TrainSettings:
    return TrainSettings(name, learner="mc", games=1_000, seed=3, net=net, mc=mc)


def learner_of(settings: TrainSettings) -> McLearner:
    game = find_game(settings.game)
    return McLearner(game, settings, fresh_net(game, settings.net, settings.seed))


def learned(learner: McLearner, stretches: range, games: int = 50) -> list[Learned]:
    return [learner.learn(number, number * games, games) for number in stretches]


def net_of(game: Game, net: NetSettings = SMALL) -> NetworkValues:
    return fresh_net(game, net, seed=5)


def played(net: NetworkValues, games: int, mc: McSettings, seed: int = 7) -> Episodes:
    """Episodes as the settings ask for, without a learner."""
    luck = np.random.default_rng(seed)
    rival = None if mc.opponent == "itself" else parse_agent(net.game, mc.opponent)
    numbers = np.arange(games)
    own = SearchingAgent(net, 0, "win" if net.outputs == 1 else "points")
    seats = Seats(own, rival, learned_seats(mc, numbers), np.full(games, mc.epsilon))
    return play_episodes(Table(net.game, games, luck), seats, luck)


def told_plainly(episodes: Episodes, gamma: float) -> Iterator[tuple[bytes, float]]:
    """Each afterstate with its return for whoever rolls next, move by move."""
    players = list(zip(episodes.game.tolist(), episodes.is_second.tolist(), strict=True))
    for move, (game, is_second) in enumerate(players):
        points = np.sign(episodes.points[game])
        worth = float(-points if is_second else points)
        for player in players[move + 1 :]:
            worth *= gamma if player == (game, is_second) else 1
        sign = -1 if episodes.turn_passes[move] else 1
        yield episodes.positions[move].tobytes(), sign * worth


@pytest.mark.parametrize("name", ["tictactoe", "ur:blitz:2"])
@pytest.mark.parametrize("opponent", ["itself", "random"])
def test_averages_are_plain_counting(name: str, opponent: str) -> None:
    net = net_of(find_game(name))
    averages = Averages(1_000_000, net.game.width, 1)
    plain = defaultdict[bytes, list[float]](list)
    for seed in range(3):
        episodes = played(net, 12, McSettings(opponent=opponent, epsilon=0.3), seed)
        for key, worth in told_plainly(episodes, gamma=0.9):
            plain[key].append(worth)
        seen = averages.add(episodes.positions, targets_of(episodes, net.game, 1, gamma=0.9))
        assert seen == len({position.tobytes() for position in episodes.positions})
    assert max(map(len, plain.values())) > 2
    assert {position.tobytes() for position in averages.positions} == set(plain)
    for position, mean, visits in zip(
        averages.positions, averages.means[:, 0], averages.visits, strict=True
    ):
        returns = plain[position.tobytes()]
        assert visits == len(returns)
        assert 2 * mean - 1 == pytest.approx(np.mean(returns), abs=1e-12)


def three_moves_each(points: float) -> Episodes:
    """X moves, o moves, and so on, six moves in all; the boards do not matter here."""
    return Episodes(
        positions=np.zeros((6, 18), np.int8),
        turn_passes=np.array([True, True, True, True, True, False]),
        game=np.zeros(6, np.int64),
        is_second=np.array([False, True] * 3),
        points=np.array([points]),
        turns=6,
    )


def test_a_return_is_discounted_for_each_of_ones_own_later_moves() -> None:
    told = targets_of(three_moves_each(-2), find_game("tictactoe"), 1, gamma=0.5)
    # X lost, and o is next to roll: 1 for o, of which x's own moves have taken a half each.
    own, theirs = [1 / 4, 1 / 2, 1], [1 / 4, 1 / 2, 1]
    for_next = [own[0], -theirs[0], own[1], -theirs[1], own[2], theirs[2]]
    assert told[:, 0].tolist() == [(1 + worth) / 2 for worth in for_next]


def test_what_is_discounted_goes_to_the_draw() -> None:
    told = targets_of(three_moves_each(1), find_game("tictactoe"), 3, gamma=0.5)
    assert told.tolist() == [
        [1 / 4, 3 / 4, 0],
        [0, 3 / 4, 1 / 4],
        [1 / 2, 1 / 2, 0],
        [0, 1 / 2, 1 / 2],
        [1, 0, 0],
        [1, 0, 0],
    ]


@pytest.mark.parametrize("points", [-3, 2])
def test_what_is_discounted_is_shared_where_there_is_no_draw(points: int) -> None:
    game = find_game("backgammon")
    told = targets_of(three_moves_each(points), game, len(game.outcomes), gamma=0.5)
    assert told.min() >= 0
    assert told.sum(axis=1) == pytest.approx(1)
    for_next = np.array([-1 / 4, 1 / 4, -1 / 2, 1 / 2, -1, -1]) * points
    assert told @ score_for(game, "points") == pytest.approx(for_next)


def test_without_discount_each_move_has_the_result() -> None:
    told = targets_of(three_moves_each(1), find_game("tictactoe"), 1, gamma=1)
    assert told[:, 0].tolist() == [0, 1, 0, 1, 0, 0]


def test_with_all_discounted_only_the_last_moves_have_it() -> None:
    told = targets_of(three_moves_each(1), find_game("tictactoe"), 1, gamma=0)
    assert told[:, 0].tolist() == [0.5, 0.5, 0.5, 0.5, 0, 0]


def rows(*letters: str) -> Positions:
    """A row for each letter."""
    return np.array([[ord(letter)] * 3 for letter in letters], np.int8)


def letters(averages: Averages) -> str:
    return "".join(chr(position[0]) for position in averages.positions)


def test_the_least_recently_seen_go_first() -> None:
    averages = Averages(3, 3, 1)
    averages.add(rows(*"abcb"), np.ones((4, 1)))
    assert letters(averages) == "acb"
    assert averages.add(rows("a"), np.zeros((1, 1))) == 1
    assert letters(averages) == "cba"
    averages.add(rows("d"), np.ones((1, 1)))
    assert letters(averages) == "bad"
    assert averages.means[:, 0].tolist() == [1, 0.5, 1]
    assert averages.visits.tolist() == [2, 2, 1]


def test_what_was_forgotten_begins_anew() -> None:
    averages = Averages(2, 3, 1)
    averages.add(rows(*"aab"), np.ones((3, 1)))
    assert averages.add(rows(*"cdea"), np.zeros((4, 1))) == 2
    assert letters(averages) == "ea"
    assert averages.visits.tolist() == [1, 3]  # it was still there when it was seen again
    averages.add(rows(*"bc"), np.zeros((2, 1)))
    averages.add(rows("a"), np.zeros((1, 1)))
    assert averages.visits.tolist() == [1, 1]


@cache
def by_lot(position: Row) -> float:
    """What tic-tac-toe is worth to the player about to move if both sides move by lot."""
    plays = tictactoe.plays(position, "-")
    worths = [by_lot(play.position) if play.outcome is None else play.outcome for play in plays]
    return -sum(worths) / len(worths)


def test_averages_of_random_play_are_its_true_values() -> None:
    net = net_of(find_game("tictactoe"))
    episodes = played(net, 20_000, McSettings(epsilon=1))
    averages = Averages(10_000, 18, 1)
    averages.add(episodes.positions, targets_of(episodes, net.game, 1, gamma=1))
    is_frequent = (averages.visits > 150) & (net.game.outcomes_of(averages.positions) == UNFINISHED)
    assert np.count_nonzero(is_frequent) == 9 + 72
    for position, mean, visits in zip(
        averages.positions[is_frequent],
        averages.means[is_frequent, 0],
        averages.visits[is_frequent],
        strict=True,
    ):
        worth = by_lot(tuple(position.tolist()))
        assert abs(2 * mean - 1 - worth) < 4 / np.sqrt(visits)


@pytest.mark.parametrize("side", ["first", "second", "both"])
@pytest.mark.parametrize("opponent", ["random", "onestep", "itself"])
def test_only_the_moves_of_the_side_that_learns_are_learned(side: Side, opponent: str) -> None:
    mc = replace(QUICK, side=side, opponent=opponent, epsilon=0.2)
    learner = learner_of(settings_of("tictactoe", mc))
    before = learner.net
    told = learned(learner, range(2))
    boards = learner.state()["averages positions"].reshape(-1, 2, 9).sum(axis=2)
    is_of_first = boards[:, 1] > boards[:, 0]
    expected = {"first": {True}, "second": {False}, "both": {True, False}}
    assert set(is_of_first.tolist()) == expected[side]
    positions, turns = sum(each.positions for each in told), sum(each.turns for each in told)
    assert positions == learner.state()["averages visits"].sum()
    assert (positions == turns) == (side == "both" and opponent == "itself")
    assert not np.array_equal(before.layers[0].weights, learner.net.layers[0].weights)


def test_against_another_the_learner_begins_every_second_game() -> None:
    episodes = played(net_of(find_game("tictactoe")), 30, McSettings(opponent="random"))
    assert np.array_equal(episodes.is_second, episodes.game % 2 == 1)
    assert set(episodes.game.tolist()) == set(range(30))


def test_the_opponent_makes_its_own_moves_and_does_not_explore() -> None:
    mc = McSettings(side="second", opponent="first", epsilon=1)
    episodes = played(net_of(find_game("tictactoe")), 50, mc)
    for mine, theirs in episodes.positions.reshape(-1, 2, 9):
        last = np.flatnonzero(mine).max()
        assert (mine + theirs)[:last].all()  # x has always taken the first cell that was free


def first_moves(episodes: Episodes) -> NDArray[np.int64]:
    """How often each cell was taken first."""
    is_first = episodes.positions.sum(axis=1) == 1
    counts: NDArray[np.int64] = episodes.positions[is_first, 9:].sum(axis=0, dtype=np.int64)
    return counts


def test_with_epsilon_one_all_moves_are_equally_likely() -> None:
    counts = first_moves(played(net_of(find_game("tictactoe")), 9_000, McSettings(epsilon=1)))
    assert counts.sum() == 9_000
    assert abs(counts - 1_000).max() < 4 * np.sqrt(1_000 * 8 / 9)


def test_with_epsilon_zero_the_best_move_is_made() -> None:
    net = net_of(find_game("tictactoe"))
    counts = first_moves(played(net, 100, McSettings(epsilon=0)))
    found = net.game.afterstates_of(net.game.start, 0)
    best = int(np.argmin(win_chance(net.game, net.chances(found.positions))))
    assert counts[best] == 100


def test_epsilon_falls_with_the_number_of_the_game() -> None:
    mc = replace(QUICK, epsilon=1.0, decay="linear", alpha_end=0.0)
    shares = []
    for stretch in (0, 19):
        learner = learner_of(settings_of("tictactoe", mc))
        learned(learner, range(stretch, stretch + 1))
        state = learner.state()
        opening = state["averages visits"][state["averages positions"].sum(axis=1) == 1]
        shares.append(opening.max() / opening.sum())
    assert shares[0] < 0.4
    assert shares[1] > 0.9


def test_alpha_falls_with_the_number_of_the_game() -> None:
    mc = replace(QUICK, epsilon=0.0, decay="linear", optimiser="sgd", steps=1)
    changes = []
    for first in (0, 900):
        learner = learner_of(settings_of("tictactoe", mc))
        before = learner.net.layers[1].weights
        learner.learn(0, first, 50)
        changes.append(learner.net.layers[1].weights - before)
    assert changes[1] == pytest.approx(0.1 * changes[0], rel=1e-2)


def steps_taken(state: State) -> int:
    """How many steps Adam has counted."""
    (count,) = state["trainer steps"]
    return int(count)


def test_there_are_steps_whenever_enough_games_were_played_and_at_the_end() -> None:
    learner = learner_of(replace(settings_of("tictactoe", QUICK), games=230))
    taken = []
    for number, (first, games) in enumerate([(0, 30), (30, 20), (50, 125), (175, 55)]):
        learner.learn(number, first, games)
        taken.append(steps_taken(learner.state()) // QUICK.steps)
    assert taken == [0, 1, 3, 5]


def test_parts_end_where_steps_are_due() -> None:
    assert list(parts_of(30, 250, 100)) == [(30, 100), (100, 200), (200, 250)]
    assert list(parts_of(0, 5_000, 10_000)) == [(0, 4_096), (4_096, 5_000)]


def test_a_step_towards_all_leaves_none_out() -> None:
    luck = np.random.default_rng(0)
    assert rows_of_step(1_025, 0, luck).tolist() == list(range(1_025))
    assert len(rows_of_step(1_000_000, 0, luck)) == 65_536


def test_a_batch_is_drawn_evenly() -> None:
    drawn = rows_of_step(10, 10_000, np.random.default_rng(0))
    assert abs(np.bincount(drawn, minlength=10) - 1_000).max() < 4 * np.sqrt(900)


def test_the_loss_is_how_far_the_net_was_from_the_averages() -> None:
    learner = learner_of(settings_of("tictactoe", QUICK))
    before = learner.net
    (told,) = learned(learner, range(1))
    state = learner.state()
    said = win_chance(before.game, before.chances(state["averages positions"]))
    errors = said - state["averages means"][:, 0]
    assert told.loss == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert (told.games, told.positions) == (50, told.turns)


def test_nothing_is_learned_where_the_learner_never_moves() -> None:
    mc = replace(QUICK, side="second", opponent="random", starts=1, starts_turns=9, update_games=1)
    learner = learner_of(settings_of("tictactoe", mc))
    told = [learner.learn(number, number, 1) for number in range(30)]
    assert 0 in [each.positions for each in told]
    assert all(np.isfinite(each.loss) for each in told)


@pytest.mark.parametrize("opponent", ["nobody", "net:no such file", "itself@1", ""])
def test_an_opponent_that_does_not_exist_is_refused(opponent: str) -> None:
    with pytest.raises(InputError):
        learner_of(settings_of("tictactoe", McSettings(opponent=opponent)))


@pytest.mark.parametrize(
    ("name", "outputs"), [("ur", "win"), ("backgammon", "win"), ("backgammon", "outcomes")]
)
def test_games_with_dice_are_learned_too(name: str, outputs: Literal["win", "outcomes"]) -> None:
    mc = McSettings(update_games=6, batch=64, starts=0.5, opponent="random", gamma=0.99)
    learner = learner_of(settings_of(name, mc, replace(SMALL, outputs=outputs)))
    told = learned(learner, range(2), games=6)
    assert all(0 < each.positions < each.turns for each in told)
    assert all(0 < each.loss < 1.5 for each in told)
    assert steps_taken(learner.state()) == 2
    assert np.isfinite(learner.net.layers[0].weights).all()


def weights_of(learner: McLearner) -> list[bytes]:
    return [part.tobytes() for lay in learner.net.layers for part in (lay.weights, lay.biases)]


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_the_same_seed_gives_the_same_weights(optimiser: Optimiser) -> None:
    settings = settings_of("tictactoe", replace(QUICK, optimiser=optimiser, starts=0.3))
    start = fresh_net(find_game("tictactoe"), SMALL, seed=1)
    found = []
    for seed in (4, 4, 5):
        learner = McLearner(start.game, replace(settings, seed=seed), start)
        learned(learner, range(3))
        found.append(weights_of(learner))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("opponent", ["itself", "onestep"])
@pytest.mark.parametrize("batch", [0, 64])
def test_a_run_goes_on_as_if_it_had_never_stopped(opponent: str, batch: int) -> None:
    mc = replace(QUICK, opponent=opponent, batch=batch, memory=30, decay="linear")
    settings = settings_of("tictactoe", mc)
    whole, before, after = (learner_of(settings) for _ in range(3))
    learned(whole, range(6), games=40)
    learned(before, range(3), games=40)
    state = {name: array.copy() for name, array in before.state().items()}
    learned(before, range(3, 4), games=40)
    after.restore(state)
    learned(after, range(3, 6), games=40)
    assert len(whole.state()["averages positions"]) == 30
    assert weights_of(after) == weights_of(whole)
    for name, array in whole.state().items():
        assert np.array_equal(after.state()[name], array)
    for each in (whole, before, after):
        each.close()


def shares_against(net: NetworkValues, opponent: str) -> tuple[float, float]:
    """How many games are won and how many lost, half of them begun."""
    episodes = played(net, 2_000, McSettings(opponent=opponent, epsilon=0))
    points = np.where(np.arange(2_000) % 2 == 0, episodes.points, -episodes.points)
    return float((points > 0).mean()), float((points < 0).mean())


@pytest.mark.parametrize("opponent", ["random", "onestep", "itself"])
def test_tictactoe_is_learned(opponent: str) -> None:
    mc = McSettings(opponent=opponent, steps=10, batch=512)
    net = NetSettings("cells18", (64,), "tanh")
    learner = learner_of(replace(settings_of("tictactoe", mc, net), games=5_000))
    won, lost = shares_against(learner.net, "random")
    assert won < 0.6
    assert lost > 0.3
    told = learned(learner, range(50), games=100)
    won, lost = shares_against(learner.net, "random")
    assert won > 0.85
    assert lost < 0.1
    assert told[-1].loss < told[0].loss
