"""Targets, the memory of them and falling rates, by hand and at their limits."""

from collections import Counter
from typing import NamedTuple, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from astragal.games.game import Positions
from astragal.learning.learner import luck_of
from astragal.learning.replay import Replay
from astragal.learning.schedules import scheduled
from astragal.learning.settings import Decay
from astragal.learning.targets import as_chances, lambda_targets, returns, turned_round

# A game of Ur in three turns: the first player comes to a rosette, rolls again, and the other wins.
EXPECTED = [0.6, 0.5, 0.7]
VALUES = [0.5, 0.4, 0.8]
PASSES = [False, True, True]
GOES_ON = [True, True, False]


def targets(
    lam: float,
    passes: list[bool] = PASSES,
    goes_on: list[bool] = GOES_ON,
    expected: ArrayLike = EXPECTED,
    values: ArrayLike = VALUES,
) -> NDArray[np.float32]:
    """The targets [T, K] of one game."""
    told = [np.array(each, np.float32).reshape(3, 1, -1) for each in (expected, values)]
    marks = [np.array(each)[:, np.newaxis] for each in (passes, goes_on)]
    found = lambda_targets(told[0], told[1], marks[0], marks[1], lam)
    assert found.dtype == np.float32
    return found[:, 0]


def test_with_lambda_0_a_target_is_look_ahead_alone() -> None:
    assert targets(0)[:, 0] == pytest.approx(EXPECTED)


def test_with_lambda_1_a_target_has_all_later_errors() -> None:
    """The other's last error, 0.7 - 0.8, is seen as 0.1 by the player before."""
    second = 0.5 + 0.1
    first = 0.6 + (second - 0.4)
    assert targets(1)[:, 0] == pytest.approx([first, second, 0.7])


def test_with_lambda_a_half_an_error_halves_with_every_turn() -> None:
    second = 0.5 + 0.5 * 0.1
    first = 0.6 + 0.5 * (second - 0.4)
    assert targets(0.5)[:, 0] == pytest.approx([first, second, 0.7])


def test_where_the_turn_does_not_pass_an_error_keeps_its_sign() -> None:
    again = targets(1, passes=[False, False, True])[:, 0]
    assert again == pytest.approx([0.6 + (0.4 - 0.4), 0.5 - 0.1, 0.7])
    other = targets(1, passes=[True, True, True])[:, 0]
    assert other == pytest.approx([0.6 - (0.6 - 0.4), 0.5 + 0.1, 0.7])


def test_what_follows_a_play_by_lot_does_not_count_before_it() -> None:
    cut = targets(1, goes_on=[True, False, False])[:, 0]
    assert cut == pytest.approx([0.6 + (0.5 - 0.4), 0.5, 0.7])
    cut = targets(1, goes_on=[False, True, False])[:, 0]
    assert cut == pytest.approx([0.6, 0.5 + 0.1, 0.7])


def test_whoever_rolls_last_changes_nothing_at_the_end() -> None:
    for passes in (True, False):
        assert targets(1, passes=[False, True, passes])[2, 0] == pytest.approx(0.7)


# The same with three outcomes: lost, drawn, won.
OUTCOMES = [[0.1, 0.3, 0.6], [0.2, 0.3, 0.5], [0.1, 0.2, 0.7]]
OPINIONS = [[0.2, 0.3, 0.5], [0.2, 0.4, 0.4], [0.1, 0.3, 0.6]]


@pytest.mark.parametrize("lam", [0, 0.5, 1])
def test_of_several_outcomes_the_errors_are_turned_round(lam: float) -> None:
    """The last error, (0, -0.1, 0.1), is (0.1, -0.1, 0) for the player before."""
    found = targets(lam, expected=OUTCOMES, values=OPINIONS)
    second = np.array([0.2, 0.3, 0.5]) + lam * np.array([0.1, -0.1, 0])
    first = np.array([0.1, 0.3, 0.6]) + lam * (second - [0.2, 0.4, 0.4])
    np.testing.assert_allclose(found, np.array([first, second, OUTCOMES[2]]), atol=1e-6)
    cut = targets(lam, goes_on=[True, False, False], expected=OUTCOMES, values=OPINIONS)
    first = np.array([0.1, 0.3, 0.6]) + lam * (np.array(OUTCOMES[1]) - OPINIONS[1])
    np.testing.assert_allclose(cut, np.array([first, *OUTCOMES[1:]]), atol=1e-6)


def test_targets_beyond_the_bounds_are_brought_back() -> None:
    far = targets(1, expected=[0.9, 0.9, 1], values=[0.5, 0.1, 0.5], passes=[False, False, True])
    assert far[:, 0].tolist() == [1, 1, 1]
    assert as_chances(np.array([[-0.2, 0.5, 0.7]], np.float32)) == pytest.approx(
        np.array([[0, 5 / 12, 7 / 12]])
    )


def test_what_is_beyond_a_bound_still_counts_before() -> None:
    """The second is 0.9 + 0.5, told as 1, but all of its error, 1.4 - 0.4, goes back."""
    far = targets(1, expected=[1, 0.9, 1], values=[0.5, 0.4, 0.5], passes=[True, False, True])
    assert far[:, 0] == pytest.approx([0, 1, 1], abs=1e-6)


class Batch(NamedTuple):
    """Games in step, as `lambda_targets` takes them."""

    expected: NDArray[np.float32]
    values: NDArray[np.float32]
    turn_passes: NDArray[np.bool_]
    goes_on: NDArray[np.bool_]


def random_batch(turns: int, games: int, outputs: int, seed: int) -> Batch:
    """Games that all go on to their last turn, with chances so near each other that none is cut."""
    luck = np.random.default_rng(seed)
    chances = 1 / max(outputs, 2) + luck.uniform(-0.01, 0.01, (2, turns, games, outputs))
    if outputs > 1:
        chances /= chances.sum(axis=-1, keepdims=True)
    goes_on = np.ones((turns, games), np.bool_)
    goes_on[-1] = False
    passes = luck.random((turns, games)) < 0.7
    expected, values = chances.astype(np.float32)
    return Batch(expected, values, passes, goes_on)


@pytest.mark.parametrize("outputs", [1, 3, 6])
def test_with_lambda_1_errors_add_up_over_the_whole_game(outputs: int) -> None:
    batch = random_batch(9, 20, outputs, seed=1)
    found = lambda_targets(*batch, lam=1)
    # Whose turn it is, counted from the first turn of each game.
    is_other = np.cumsum(batch.turn_passes, axis=0) % 2 == 1
    is_other = np.concatenate([np.zeros((1, 20), np.bool_), is_other[:-1]])[..., np.newaxis]
    errors = batch.expected - batch.values
    turned = -errors if outputs == 1 else errors[..., ::-1]
    of_first = np.where(is_other, turned, errors)
    later = np.cumsum(of_first[::-1], axis=0)[::-1] - of_first
    turned = -later if outputs == 1 else later[..., ::-1]
    expected = batch.expected + np.where(is_other, turned, later)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("outputs", [1, 3])
def test_where_look_ahead_is_the_next_value_lambda_1_is_the_result(outputs: int) -> None:
    """Then target(t) = values(t + 1) + (target(t + 1) - values(t + 1)), and so on to the end."""
    batch = random_batch(9, 20, outputs, seed=2)
    passes = batch.turn_passes[..., np.newaxis]
    expected = batch.expected.copy()
    expected[:-1] = np.where(passes[:-1], turned_round(batch.values[1:]), batch.values[1:])
    expected[-1] = np.eye(outputs)[-1]  # won by who rolled last
    found = lambda_targets(*batch._replace(expected=expected), lam=1)
    result = found[-1]
    for turn in reversed(range(8)):
        result = np.where(passes[turn], turned_round(result), result)
        np.testing.assert_allclose(found[turn], result, atol=1e-5)


@pytest.mark.parametrize("lam", [0, 0.3, 1])
def test_games_in_step_have_the_targets_that_they_have_alone(lam: float) -> None:
    batch, lengths = random_batch(9, 20, 1, seed=3), np.arange(20) % 9 + 1
    alone = []
    for game, length in enumerate(lengths):
        batch.goes_on[length - 1 :, game] = False
        for part in batch:  # where a game is over there is nothing
            part[length:, game] = 0
        own = Batch._make(part[:length, [game]] for part in batch)
        alone.append(lambda_targets(*own, lam))
    found = lambda_targets(*batch, lam)
    for game, length in enumerate(lengths):
        assert np.array_equal(found[:length, [game]], alone[game])


def test_a_return_is_discounted_for_each_later_move() -> None:
    found = returns(np.array([1, -1, 3, 2, 0]), np.array([0, 1, 2, 3, 4]), 0.5)
    assert found.tolist() == [1, -0.5, 0.75, 0.25, 0]
    assert returns(np.array([1, -2]), np.array([7, 0]), 1).tolist() == [1, -2]
    assert returns(np.array([1, -2]), np.array([7, 0]), 0).tolist() == [0, -2]


def numbered(numbers: range) -> tuple[Positions, NDArray[np.float32]]:
    """A position and targets that tell each number."""
    positions = np.array([[number, -number, 0] for number in numbers], np.int8)
    targets = np.array([[number, number + 0.5] for number in numbers], np.float32)
    return positions.reshape(-1, 3), targets.reshape(-1, 2)


def remembered(replay: Replay) -> Counter[int]:
    """How often each number is drawn in 10,000."""
    positions, targets = replay.draw(10_000, np.random.default_rng(1))
    assert np.array_equal(positions[:, 0], targets[:, 0])
    assert np.array_equal(positions[:, 1], -targets[:, 0])
    assert np.array_equal(targets[:, 0] + 0.5, targets[:, 1])
    return Counter(positions[:, 0].tolist())


def test_each_position_is_as_likely_to_be_drawn() -> None:
    replay = Replay(100, 3, 2)
    replay.add(*numbered(range(50)))
    drawn = remembered(replay)
    assert set(drawn) == set(range(50))
    # The sum of squares over 50 is near 49, and above 90 once in 3,000 times.
    assert sum((count - 200) ** 2 / 200 for count in drawn.values()) < 90


def test_the_oldest_are_forgotten() -> None:
    replay, kept = Replay(10, 3, 2), []
    for begin, end in ((0, 4), (4, 9), (9, 13), (13, 13), (13, 23), (23, 58), (58, 60)):
        replay.add(*numbered(range(begin, end)))
        kept.append((min(remembered(replay)), max(remembered(replay)), len(replay)))
        assert len(remembered(replay)) == len(replay)
    assert kept == [
        (0, 3, 4),
        (0, 8, 9),
        (3, 12, 10),
        (3, 12, 10),
        (13, 22, 10),
        (48, 57, 10),
        (50, 59, 10),
    ]


@pytest.mark.parametrize("added", [4, 10, 13])
def test_a_memory_goes_on_as_if_it_had_never_stopped(added: int) -> None:
    whole, after = Replay(10, 3, 2), Replay(10, 3, 2)
    whole.add(*numbered(range(added)))
    after.add(*numbered(range(90, 99)))
    after.restore({key: array.copy() for key, array in whole.state().items()})
    for begin in (20, 23, 26):
        for replay in (whole, after):
            replay.add(*numbered(range(begin, begin + 3)))
        assert len(after) == len(whole)
        drawn = [replay.draw(50, luck_of(1, begin)) for replay in (whole, after)]
        for mine, theirs in zip(*drawn, strict=True):
            assert np.array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("decay", "end", "rates"),
    [
        ("none", 0.0, [0.8, 0.8, 0.8, 0.8, 0.8]),
        ("linear", 0.0, [0.8, 0.6, 0.4, 0.2, 0.0]),
        ("linear", 0.4, [0.8, 0.7, 0.6, 0.5, 0.4]),
        ("exponential", 0.05, [0.8, 0.4, 0.2, 0.1, 0.05]),
        ("cosine", 0.0, [0.8, 0.4 * (1 + 2**-0.5), 0.4, 0.4 * (1 - 2**-0.5), 0.0]),
        ("cosine", 0.4, [0.8, 0.4 + 0.2 * (1 + 2**-0.5), 0.6, 0.4 + 0.2 * (1 - 2**-0.5), 0.4]),
    ],
)
def test_a_rate_goes_from_its_beginning_to_its_end(
    decay: Decay, end: float, rates: list[float]
) -> None:
    games = np.array([0, 250, 500, 750, 1_000])
    assert scheduled(decay, 0.8, end, games, 1_000) == pytest.approx(rates)


@pytest.mark.parametrize("decay", get_args(Decay))
@given(begin=st.floats(0, 10), share=st.floats(0, 1), total=st.integers(1, 1_000))
def test_a_rate_never_rises_and_stays_between_its_ends(
    decay: Decay, begin: float, share: float, total: int
) -> None:
    end = begin if decay == "none" else max(share * begin, 1e-9 * begin)
    rates = scheduled(decay, begin, end, np.arange(total), total)
    assert len(rates) == total
    assert rates[0] == pytest.approx(begin)
    slack = 1e-12 + 1e-9 * begin
    assert (np.diff(rates) <= slack).all()
    assert (end - slack <= rates).all()
    assert (rates <= begin + slack).all()
