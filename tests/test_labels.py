"""What look-ahead teaches is what look-ahead says, and games against itself count for who began."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.agents.searching import SearchingAgent
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.learning.fresh import fresh_net
from astragal.learning.labels import Labeller, Labels
from astragal.learning.lookahead import LookaheadLearner
from astragal.learning.packed import packed
from astragal.learning.selfplay import Examples, PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings, TrainSettings
from astragal.learning.table import Table
from astragal.search.lookahead import Lookahead
from astragal.search.tree import TreeSearch, TreeSettings
from astragal.values.feature_sets import feature_sets, features
from astragal.values.heuristics import heuristic
from astragal.values.network import Activation, Layer, NetworkValues
from astragal.values.values import Aim, Chances, Values, score_for, win_chance
from positions import walk
from reference import tictactoe
from small_games import one_stone_ur
from test_td import by_lot

GAMES = ["ur", "ur:blitz", "backgammon", "hypergammon", "tictactoe"]
SETS = [(name, set_name) for name in GAMES for set_name in feature_sets(find_game(name))]
AIMS: list[Aim] = ["points", "win"]
ACTIVATIONS: list[Activation] = ["sigmoid", "tanh", "relu"]
DEPTHS = [(12,), (40, 7), (9, 8, 7)]


def random_net(
    name: str,
    set_name: str,
    activation: Activation = "tanh",
    hidden: Sequence[int] = (12,),
    is_win: bool = True,
) -> NetworkValues:
    """A net of which nothing is zero, with one output or one for each outcome."""
    chosen, luck = features(find_game(name), set_name), np.random.default_rng(1)
    outputs = 1 if is_win else len(chosen.game.outcomes)
    layers = [
        Layer(
            *(luck.normal(0, 0.3, shape).astype(np.float32) for shape in ((before, after), after))
        )
        for before, after in itertools.pairwise([chosen.size, *hidden, outputs])
    ]
    return NetworkValues(chosen, tuple(layers), activation)


def some_positions(game: Game, count: int) -> Positions:
    batches = [positions for positions, _ in walk(game, games=40, turns=60, seed=2)]
    return np.random.default_rng(2).permutation(np.concatenate(batches))[:count]


def as_outputs(net: NetworkValues, chances: Chances) -> NDArray[np.float64]:
    """Chances of all outcomes [N, K] as the net tells them."""
    is_win = net.outputs == 1
    return win_chance(net.game, chances)[:, np.newaxis] if is_win else chances


def assert_agree(labels: Labels, net: NetworkValues, aim: Aim, positions: Positions) -> None:
    """Labels are what the look-ahead of search says, and its plays what its agent takes."""
    slow, rolls = Lookahead(net, aim), len(net.game.rolls)
    expected = as_outputs(net, slow.chances(positions))
    np.testing.assert_allclose(labels.targets, expected, rtol=0, atol=1e-5)
    by_roll = as_outputs(net, slow.chances_by_roll(positions))
    np.testing.assert_allclose(labels.by_roll.reshape(by_roll.shape), by_roll, rtol=0, atol=1e-5)
    everyone = np.repeat(positions, rolls, axis=0), np.tile(np.arange(rolls), len(positions))
    agent, plays = SearchingAgent(net, 0, aim), labels.plays.ravel()
    choices = agent.choose(*everyone, np.random.default_rng(0))
    found = net.game.afterstates(*everyone)
    first = np.searchsorted(found.owner, np.arange(len(plays)))
    scores = agent.chances_of(found) @ score_for(net.game, aim)
    # Of plays that are as good as equal, either may come out as the best.
    assert np.abs(scores[first + plays] - scores[first + choices]).max() < 1e-5
    assert np.mean(plays == choices) > 0.995


@pytest.mark.parametrize(("name", "set_name"), SETS)
@pytest.mark.parametrize("is_win", [True, False])
def test_labels_are_what_look_ahead_says(name: str, set_name: str, is_win: bool) -> None:
    positions = some_positions(find_game(name), 10 if "gammon" in name else 60)
    aims = AIMS[1:] if is_win else AIMS
    for activation, hidden, aim in itertools.product(ACTIVATIONS, DEPTHS, aims):
        net = random_net(name, set_name, activation, hidden, is_win)
        assert_agree(Labeller(net, aim).label(positions), net, aim, positions)


@pytest.mark.parametrize(("name", "count"), [("ur", 2_000), ("hypergammon", 300)])
def test_many_positions_are_labelled_as_few(name: str, count: int) -> None:
    """So many that they are worked out in several parts."""
    net = random_net(name, feature_sets(find_game(name))[1], is_win=False)
    positions = some_positions(net.game, count)
    labels = Labeller(net).label(positions)
    assert_agree(labels, net, "points", positions)
    alone = [Labeller(net).label(position[np.newaxis]) for position in positions[:: count // 20]]
    told = np.concatenate([each.by_roll for each in alone])
    np.testing.assert_allclose(told, labels.by_roll[:: count // 20], rtol=0, atol=1e-6)


@pytest.mark.parametrize("aim", AIMS)
def test_a_net_that_tells_wins_alone_has_the_same_labels_for_any_aim(aim: Aim) -> None:
    net = random_net("backgammon", "tesauro198")
    positions = some_positions(net.game, 20)
    expected = win_chance(net.game, Lookahead(net, aim).chances(positions))
    assert Labeller(net, aim).label(positions).targets[:, 0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("is_win", [True, False])
def test_no_positions_have_no_labels(is_win: bool) -> None:
    net = random_net("backgammon", "tesauro198", is_win=is_win)
    outputs = 1 if is_win else 6
    labels = Labeller(net).label(net.game.start[np.newaxis][:0])
    shapes = [(0, outputs), (0, 21), (0, 21, outputs), (0, 52), (0, outputs)]
    assert [part.shape for part in labels] == shapes
    kinds = [np.float32, np.int64, np.float32, np.int8, np.float32]
    assert [part.dtype for part in labels] == kinds


def task_of(
    net: NetworkValues,
    settings: LookaheadSettings,
    games: int = 6,
    epsilon: float = 0.0,
    luck: int = 7,
    is_handcrafted: bool = False,
) -> PlayTask:
    return PlayTask(net.game.name, packed(net), settings, games, epsilon, is_handcrafted, (luck, 1))


def aim_of(net: NetworkValues) -> Aim:
    return "win" if net.outputs == 1 else "points"


PLAYED, EVALUATED = LookaheadSettings(), LookaheadSettings(examples="evaluated")
FEW_GAMES = ["tictactoe", "ur:blitz:2", "hypergammon"]


@pytest.mark.parametrize(
    "settings",
    [PLAYED, EVALUATED, LookaheadSettings(lam=0.9)],
    ids=["played", "evaluated", "traced"],
)
def test_games_that_go_round_for_ever_are_left_unfinished(
    settings: LookaheadSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("astragal.learning.table.MOST_TURNS", 5)
    net = random_net("ur", "unary")
    examples = play_task(task_of(net, settings, games=8))
    assert examples.turns == 5 * 8
    assert examples.beginner_wins == 4  # half of each
    assert ((examples.targets > 0) & (examples.targets < 1)).all()


def squares_of(net: NetworkValues, examples: Examples) -> float:
    own = as_outputs(net, net.chances(examples.positions))
    return float(np.sum((examples.targets - own) ** 2))


@pytest.mark.parametrize("name", FEW_GAMES)
@pytest.mark.parametrize("is_win", [True, False])
def test_all_plays_that_are_evaluated_are_examples(name: str, is_win: bool) -> None:
    """The same games, played again with the look-ahead of search."""
    net = random_net(name, feature_sets(find_game(name))[0], is_win=is_win)
    game, task = net.game, task_of(net, EVALUATED, epsilon=0.2)
    better, score = Lookahead(net, aim_of(net)), score_for(net.game, aim_of(net))
    luck = np.random.default_rng(list(task.luck))
    table = Table(game, task.games, luck, starts_turns=EVALUATED.starts_turns)
    seen, told, turns = [], [], 0
    while len(table.rows):
        found = game.afterstates(table.positions, table.rolls())
        is_open = found.outcome == UNFINISHED
        chances = (found.outcome[:, np.newaxis] == np.array(game.outcomes)).astype(np.float64)
        chances[is_open] = better.chances(found.positions[is_open])
        mine = np.where(found.turn_passes[:, np.newaxis], chances[:, ::-1], chances) @ score
        best = [
            int(np.argmax(np.where(found.owner == row, mine, -9))) for row in range(len(table.rows))
        ]
        seen.append(found.positions[is_open])
        told.append(as_outputs(net, chances[is_open]))
        turns += len(table.rows)
        table.advance(found, table.explored(found, np.array(best), task.epsilon))
    examples = play_task(task)
    assert np.array_equal(examples.positions, np.concatenate(seen))
    np.testing.assert_allclose(examples.targets, np.concatenate(told), rtol=0, atol=1e-5)
    assert (examples.turns, examples.beginner_wins) == (turns, table.beginner_wins)
    assert examples.squares == pytest.approx(squares_of(net, examples), rel=1e-4)


@pytest.mark.parametrize("name", FEW_GAMES)
@pytest.mark.parametrize("is_win", [True, False])
def test_positions_played_have_the_targets_that_look_ahead_gives(name: str, is_win: bool) -> None:
    net = random_net(name, feature_sets(find_game(name))[0], is_win=is_win)
    examples = play_task(task_of(net, PLAYED, games=5, epsilon=0.1))
    assert np.array_equal(examples.positions[:5], [net.game.start] * 5)
    assert examples.turns == len(examples.positions)
    expected = as_outputs(net, Lookahead(net, aim_of(net)).chances(examples.positions))
    np.testing.assert_allclose(examples.targets, expected, rtol=0, atol=1e-5)
    assert examples.squares == pytest.approx(squares_of(net, examples), rel=1e-4)


def test_a_sampled_target_is_that_of_one_roll() -> None:
    net = random_net("ur:blitz:2", "unary")
    examples = play_task(task_of(net, replace(PLAYED, targets="sample"), games=40))
    by_roll = Labeller(net, "win").label(examples.positions).by_roll[..., 0]
    is_roll = np.abs(examples.targets - by_roll) < 1e-5
    assert is_roll.any(axis=1).all()
    rolled = is_roll[is_roll.sum(axis=1) == 1]  # where the rolls can be told apart
    assert rolled.mean(axis=0) == pytest.approx(net.game.chances, abs=0.05)


def estimators(net: NetworkValues) -> list[tuple[LookaheadSettings, bool, Values]]:
    """Settings, whether the games are handcrafted, and whose opinion the targets are."""
    aim = aim_of(net)
    tree = replace(PLAYED, targets="tree", tree_evaluations=30)
    return [
        (tree, False, TreeSearch(net, TreeSettings(30, aim=aim))),
        (replace(tree, examples="evaluated"), False, TreeSearch(net, TreeSettings(30, aim=aim))),
        (replace(PLAYED, handcrafted="ratio"), True, Lookahead(heuristic(net.game, "ratio"), aim)),
        (replace(EVALUATED, handcrafted="pips"), True, Lookahead(heuristic(net.game, "pips"), aim)),
    ]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("is_win", [True, False])
def test_targets_are_those_of_the_estimator_that_is_asked_for(number: int, is_win: bool) -> None:
    net = random_net("hypergammon", "hilton198", is_win=is_win)
    settings, is_handcrafted, values = estimators(net)[number]
    examples = play_task(task_of(net, settings, games=1, is_handcrafted=is_handcrafted))
    few = slice(0, 40)
    expected = as_outputs(net, values.chances(examples.positions[few]))
    np.testing.assert_allclose(examples.targets[few], expected, rtol=0, atol=1e-4)


def plain_targets(net: NetworkValues, positions: Positions, lam: float) -> NDArray[np.float64]:
    """The targets of one game of tic-tac-toe, back from its end; plays by lot are cuts."""
    roll, agent = np.zeros(len(positions), np.int64), SearchingAgent(net, 0, aim_of(net))
    choices = agent.choose(positions, roll, np.random.default_rng(0))
    expected = as_outputs(net, Lookahead(net, aim_of(net)).chances(positions))
    own, targets = as_outputs(net, net.chances(positions)), expected.copy()
    for turn in reversed(range(len(positions) - 1)):
        best = net.game.afterstates_of(positions[turn], 0).positions[choices[turn]]
        if np.array_equal(best, positions[turn + 1]):
            error = targets[turn + 1] - own[turn + 1]
            targets[turn] += lam * (-error if len(error) == 1 else error[::-1])
    bounded = np.clip(targets, 0, 1)
    return bounded if bounded.shape[1] == 1 else bounded / bounded.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("is_win", [True, False])
@pytest.mark.parametrize("lam", [0.4, 1])
@pytest.mark.parametrize("epsilon", [0, 0.5])
def test_with_lambda_targets_have_what_came_later_in_them(
    is_win: bool, lam: float, epsilon: float
) -> None:
    net = random_net("tictactoe", "cells18", is_win=is_win)
    for luck in range(5):
        task = task_of(net, replace(PLAYED, lam=lam), 1, epsilon, luck)
        examples = play_task(task)
        expected = plain_targets(net, examples.positions, lam)
        np.testing.assert_allclose(examples.targets, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("targets", ["expectation", "sample", "tree"])
@pytest.mark.parametrize("is_win", [True, False])
def test_errors_are_counted_from_what_the_net_says_itself(
    targets: Literal["expectation", "sample", "tree"], is_win: bool
) -> None:
    net = random_net("hypergammon", "hilton198", is_win=is_win)
    settings = replace(PLAYED, targets=targets, lam=0.5, tree_evaluations=3)
    examples = play_task(task_of(net, settings, games=2, epsilon=0.3))
    said = as_outputs(net, net.chances(examples.positions))
    assert examples.squares == pytest.approx(((examples.targets - said) ** 2).sum(), rel=1e-4)


def test_games_side_by_side_have_their_own_targets() -> None:
    net, lengths = random_net("tictactoe", "cells18"), set()
    for luck in range(10):
        examples = play_task(task_of(net, replace(PLAYED, lam=0.9), 3, 0.5, luck))
        for rows in apart(net.game, examples.positions):
            expected = plain_targets(net, examples.positions[rows], 0.9)
            np.testing.assert_allclose(examples.targets[rows], expected, rtol=0, atol=1e-5)
            lengths.add(len(rows))
    assert len(lengths) > 2


def apart(game: Game, positions: Positions) -> list[list[int]]:
    """Which positions belong to each game of tic-tac-toe, or none if that cannot be told."""
    turns = [np.flatnonzero(positions.sum(axis=1) == pieces).tolist() for pieces in range(9)]
    games = going = [[row] for row in turns[0]]
    for rows in filter(None, turns[1:]):
        fitting = [
            some
            for some in itertools.combinations(going, len(rows))
            if all(
                follows(game, positions[g[-1]], positions[r])
                for g, r in zip(some, rows, strict=True)
            )
        ]
        if len(fitting) != 1:
            return []
        going = list(fitting[0])
        for each, row in zip(going, rows, strict=True):
            each.append(row)
    return games


def follows(game: Game, before: Positions, after: Positions) -> bool:
    return any(np.array_equal(after, row) for row in game.afterstates_of(before, 0).positions)


ALL_SETTINGS = [
    LookaheadSettings(targets=targets, examples=examples, lam=lam, tree_evaluations=10)
    for targets in ("expectation", "sample", "tree")
    for examples in ("played", "evaluated")
    for lam in (0, 1)
    if examples == "played" or (targets != "sample" and lam == 0)
]


@pytest.mark.parametrize(
    "settings", ALL_SETTINGS, ids=lambda s: f"{s.targets}-{s.examples}-{s.lam}"
)
@pytest.mark.parametrize("is_win", [True, False])
def test_the_same_luck_gives_the_same_examples_and_all_targets_are_chances(
    settings: LookaheadSettings, is_win: bool
) -> None:
    net = random_net("ur:blitz:2", "unary", is_win=is_win)
    often = replace(settings, starts=0.5)
    first, second, other = (
        play_task(task_of(net, often, 3, epsilon=0.2, luck=luck)) for luck in (1, 1, 2)
    )
    for name in first._fields:
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert not np.array_equal(first.positions, other.positions)
    assert first.targets.dtype == np.float32
    assert first.targets.min() >= 0
    assert first.targets.max() <= 1 + 1e-6
    if not is_win:
        assert first.targets.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (net.game.outcomes_of(first.positions) == UNFINISHED).all()


def test_where_nobody_has_a_choice_the_beginner_wins_as_often_as_is_known() -> None:
    games, net = 4_000, random_net("ur:1", "unary", hidden=(3,))
    examples = play_task(task_of(net, PLAYED, games))
    known = (1 + one_stone_ur()) / 2
    assert known > 0.52  # who began and who did not can be told apart
    assert examples.beginner_wins / games == pytest.approx(known, abs=3 * 0.5 / games**0.5)


@pytest.mark.parametrize("settings", [PLAYED, EVALUATED], ids=["played", "evaluated"])
def test_with_all_moves_by_lot_the_beginner_wins_as_often_as_is_known(
    settings: LookaheadSettings,
) -> None:
    games, net = 3_000, random_net("tictactoe", "cells9", hidden=(3,))
    examples = play_task(task_of(net, settings, games, epsilon=1))
    wins, turns = by_lot(tictactoe.START)
    assert examples.beginner_wins / games == pytest.approx(wins, abs=4 * 0.5 / games**0.5)
    assert examples.turns / games == pytest.approx(turns, abs=4 * 1.5 / games**0.5)


def test_games_can_begin_with_turns_by_lot() -> None:
    net = random_net("tictactoe", "cells9")
    always = replace(PLAYED, starts=1, starts_turns=3)
    examples = play_task(task_of(net, always, games=300))
    pieces = examples.positions[:300].sum(axis=1)
    assert np.bincount(pieces, minlength=4)[1:] == pytest.approx([100, 100, 100], abs=40)


def test_games_begin_again_where_one_that_began_at_the_start_went_wrong() -> None:
    net = random_net("tictactoe", "cells9")
    start, other = net.game.start, net.game.notation.parse_position("xo.......").position
    task = replace(task_of(net, replace(PLAYED, again=0.5), games=400), again=np.array([other] * 9))
    examples = play_task(task)
    assert (examples.positions[:9] == other).all()
    assert (examples.positions[9:400] == start).all()
    assert len(examples.again) == 400
    # In each game that began at the start positions are likely by the square of their error.
    usual = play_task(replace(task, games=391, again=None, luck=(8, 1)))
    errors = ((usual.targets - as_outputs(net, net.chances(usual.positions))) ** 2).sum(axis=1)
    pieces = usual.positions.sum(axis=1)
    likely = np.bincount(pieces, errors, 9) / errors.sum()
    drawn = np.bincount(examples.again.sum(axis=1), minlength=9) / 400
    assert drawn == pytest.approx(likely, abs=0.05)
    assert not np.allclose(likely, np.bincount(pieces, minlength=9) / len(pieces), atol=0.06)


def test_if_no_game_begins_at_the_start_there_is_nowhere_to_begin_again() -> None:
    net = random_net("tictactoe", "cells9")
    task = task_of(net, replace(PLAYED, again=1), games=3)
    examples = play_task(replace(task, again=np.repeat(net.game.start[np.newaxis], 3, axis=0)))
    assert len(examples.again) == 0


SMALL = NetSettings(hidden=(6,))


def learner_of(seed: int) -> LookaheadLearner:
    own = LookaheadSettings(memory=300, batch=32, uses=1, epsilon=0.2, lam=0.5, again=0.5)
    settings = TrainSettings(
        "tictactoe", "lookahead", 1_000, seed, workers=1, net=SMALL, lookahead=own
    )
    game = find_game("tictactoe")
    return LookaheadLearner(game, settings, fresh_net(game, SMALL, seed=1))


def weights_of(learner: LookaheadLearner) -> list[bytes]:
    return [part.tobytes() for lay in learner.net.layers for part in (lay.weights, lay.biases)]


def test_a_run_goes_on_as_if_it_had_never_stopped() -> None:
    whole, after, other = learner_of(1), learner_of(1), learner_of(2)
    told = []
    for number in range(5):
        if number == 2:
            after.restore({key: array.copy() for key, array in whole.state().items()})
        told.append(whole.learn(number, 20 * number, 20))
        other.learn(number, 20 * number, 20)
        if number >= 2:
            assert after.learn(number, 20 * number, 20) == told[-1]
    assert weights_of(after) == weights_of(whole) != weights_of(other)
    assert all(each.positions == each.turns for each in told)
