"""Roll-outs mean what they say: their errors are honest, their luck is nothing on average."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.agents.rolling import RollingAgent
from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import parse_agent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Positions, for_mover
from astragal.games.kernels import UNFINISHED
from astragal.search.lookahead import Lookahead
from astragal.search.playout import RolloutSettings
from astragal.search.rollout import Rollout
from astragal.values.heuristics import heuristic
from astragal.values.values import Values, score_for
from positions import walk
from small_games import KnownValues, SmallGame, one_stone_ur, small_game, unfinished_tictactoe


@cache
def small(name: str) -> SmallGame:
    return small_game(find_game(name))


def pips(name: str) -> Values:
    return heuristic(find_game(name), "pips")


def open_positions(name: str, count: int) -> tuple[Positions, NDArray[np.float64]]:
    """Positions that are not nearly decided, and what they are worth when both play by pips."""
    solved = small(name)
    worth = solved.greedy(pips(name))
    undecided = np.flatnonzero(np.abs(worth) < 0.7)
    rows = np.random.default_rng(41).choice(undecided, count)
    return solved.positions[rows], worth[rows]


def test_the_games_worked_out_in_full_agree_with_the_plain_engine() -> None:
    solved = small("ur:1")
    assert solved.best()[0] == pytest.approx(one_stone_ur(), abs=1e-9)
    assert solved.greedy(pips("ur:1"))[0] == pytest.approx(one_stone_ur(), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "seeds", "variance_reduction"),
    [
        ("ur:1", 300, True),
        ("ur:1", 300, False),
        ("ur:2", 200, True),
        ("ur:2", 200, False),
        ("ur:blitz:2", 200, True),
    ],
)
def test_the_interval_covers_the_truth_as_often_as_it_says(
    name: str, seeds: int, variance_reduction: bool
) -> None:
    score = score_for(find_game(name), "points")
    inside = 0
    for seed, (position, truth) in enumerate(zip(*open_positions(name, seeds), strict=True)):
        settings = RolloutSettings(40, seed=seed, variance_reduction=variance_reduction)
        told = Rollout(pips(name), settings).roll_out(position[np.newaxis])
        inside += abs(float(told.chances[0] @ score) - truth) <= 1.96 * told.error[0]
    assert 0.90 <= inside / seeds <= 0.99


def test_the_mean_of_many_roll_outs_is_the_truth() -> None:
    positions, truth = open_positions("ur:2", 200)
    told = Rollout(pips("ur:2"), RolloutSettings(400, seed=1)).roll_out(positions)
    off = (told.chances @ score_for(find_game("ur:2"), "points") - truth) / told.error
    # All positions meet the same dice, so their errors are not independent.
    assert abs(off.mean()) < 0.5
    assert 0.7 < off.std() < 1.3


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_where_there_are_no_dice_a_roll_out_is_the_one_game(plies: int) -> None:
    values = pips("tictactoe")
    rows = np.array(unfinished_tictactoe()[::20], np.int8)
    told = Rollout(values, RolloutSettings(3, plies=plies)).roll_out(rows)
    agent = SearchingAgent(values, plies)
    played = [points_of_self_play(agent, row) for row in rows]
    assert (told.chances @ score_for(values.game, "points")).tolist() == played
    assert (told.error == 0).all()


def points_of_self_play(agent: SearchingAgent, position: Positions) -> float:
    """What the player about to move gets when the agent plays both sides of a game with no dice."""
    points, sign = agent.game.outcome_of(position), 1
    while points is None:
        choice = agent.choose(position[np.newaxis], np.array([0]), np.random.default_rng(0))[0]
        position = agent.game.afterstates_of(position, 0).positions[choice]
        points, sign = agent.game.outcome_of(position), -sign
    return float(sign * points)


@pytest.mark.parametrize(("name", "shrinks_to"), [("ur:1", 0.55), ("ur:2", 0.75)])
def test_with_luck_taken_out_the_same_games_say_more(name: str, shrinks_to: float) -> None:
    positions, _ = open_positions(name, 40)
    settings = RolloutSettings(200, seed=2)
    plain = Rollout(pips(name), replace(settings, variance_reduction=False)).roll_out(positions)
    fair = Rollout(pips(name), settings).roll_out(positions)
    assert fair.error.mean() < shrinks_to * plain.error.mean()


def test_to_perfect_values_everything_but_luck_is_known() -> None:
    solved = small("ur:1")
    known = KnownValues(solved, solved.best())
    told = Rollout(known, RolloutSettings(20)).roll_out(solved.positions)
    np.testing.assert_allclose(told.chances, known.chances(solved.positions), atol=1e-9)
    assert (told.error < 1e-9).all()


def test_all_positions_meet_the_same_dice() -> None:
    positions, _ = open_positions("ur:2", 5)
    rollout = Rollout(pips("ur:2"), RolloutSettings(50, seed=3))
    together = rollout.roll_out(positions)
    for i in range(5):
        alone = rollout.roll_out(positions[i : i + 1])
        assert np.array_equal(alone.chances[0], together.chances[i])
        assert alone.error[0] == together.error[i]


def test_the_dice_of_a_game_do_not_depend_on_how_many_there_are() -> None:
    playouts = Rollout(pips("ur"), RolloutSettings(seed=4)).playouts
    assert np.array_equal(playouts.rolls(7, 10), playouts.rolls(7, 1_000)[:10])
    assert not np.array_equal(playouts.rolls(7, 1_000), playouts.rolls(8, 1_000))
    start = find_game("ur:2").start[np.newaxis]
    games = Rollout(pips("ur:2"), RolloutSettings(seed=4)).playouts
    some, others = games.play_out(start, 0, 5), games.play_out(start, 5, 12)
    assert np.array_equal(games.play_out(start, 0, 12)[0], np.concatenate([some[0], others[0]]))


def test_a_seed_decides_everything() -> None:
    start = find_game("hypergammon").start[np.newaxis]
    first, again, other = (
        Rollout(pips("hypergammon"), RolloutSettings(20, seed=seed)).chances(start)
        for seed in (5, 5, 6)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "hypergammon", "tictactoe"])
def test_cut_before_the_first_turn_a_roll_out_is_the_values_opinion(name: str) -> None:
    *_, (positions, _) = walk(find_game(name), games=30, turns=4, seed=42)
    told = Rollout(pips(name), RolloutSettings(7, depth=0)).roll_out(positions)
    np.testing.assert_allclose(told.chances, pips(name).chances(positions), atol=1e-15)
    assert (told.error < 1e-15).all()


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "hypergammon", "tictactoe"])
def test_cut_after_one_turn_with_luck_taken_out_it_is_one_ply_of_look_ahead(name: str) -> None:
    *_, (positions, _) = walk(find_game(name), games=30, turns=4, seed=43)
    told = Rollout(pips(name), RolloutSettings(7, depth=1)).roll_out(positions)
    expected = Lookahead(pips(name)).chances(positions)
    np.testing.assert_allclose(told.chances, expected, atol=1e-12)
    assert (told.error < 1e-12).all()


def test_cut_after_some_turns_luck_taken_out_changes_no_expectation() -> None:
    values = heuristic(find_game("backgammon"), "ratio")
    *_, (positions, _) = walk(values.game, games=6, turns=30, seed=44)
    settings = RolloutSettings(200, depth=4)
    fair = Rollout(values, settings).roll_out(positions)
    other_dice = replace(settings, variance_reduction=False, seed=1)
    plain = Rollout(values, other_dice).roll_out(positions)
    difference = (fair.chances - plain.chances) @ score_for(values.game, "points")
    assert (np.abs(difference) < 4 * np.hypot(fair.error, plain.error)).all()
    assert fair.error.mean() < 0.5 * plain.error.mean()


def test_enough_is_enough_once_the_error_is_small() -> None:
    positions, _ = open_positions("ur:1", 20)
    settings = RolloutSettings(2_000, target_error=0.04)
    told = Rollout(pips("ur:1"), settings).roll_out(positions)
    assert (told.error <= 0.04).all()
    assert (told.games < 2_000).all()
    assert (told.games % settings.batch == 0).all()


def test_looking_now_and_then_changes_nothing_else() -> None:
    positions, _ = open_positions("ur:2", 3)
    settings = RolloutSettings(100, seed=8)
    at_once = Rollout(pips("ur:2"), settings).roll_out(positions)
    in_parts = Rollout(pips("ur:2"), replace(settings, target_error=1e-9)).roll_out(positions)
    assert np.array_equal(at_once.chances, in_parts.chances)
    assert (in_parts.games == 100).all()


def choices(name: str, least: float, most: float, count: int) -> list[tuple[Afterstates, int]]:
    """Pairs of plays of which one is better by so many points by pips, and which one it is."""
    solved = small(name)
    worth, plays = solved.greedy(pips(name)), solved.plays
    points = np.where(plays.outcome == UNFINISHED, worth[solved.number], plays.outcome)
    points = for_mover(points, plays.turn_passes)
    pairs: list[tuple[Afterstates, int]] = []
    for group in np.random.default_rng(45).permutation(plays.owner[-1] + 1):
        begin, end = np.searchsorted(plays.owner, [group, group + 1])
        ahead = points[begin] - points[end - 1]
        if end - begin == 2 and least <= abs(ahead) <= most and len(pairs) < count:
            pairs.append((Afterstates._make(part[begin:end] for part in plays), int(ahead < 0)))
    return pairs


def test_a_play_that_is_clearly_behind_gets_no_more_games() -> None:
    rollout = Rollout(pips("ur:2"), RolloutSettings(2_000, seed=9))
    for found, better in choices("ur:2", 0.5, 2, count=20):
        told = rollout.roll_out_plays(found)
        assert told.best == better
        assert told.behind[1 - better] > 2.33 * told.behind_error[1 - better] > 0
        assert told.behind[better] == 0
        assert told.result.games.max() < 1_000


def test_as_long_as_nothing_is_clear_the_games_go_on() -> None:
    rollout = Rollout(pips("ur:2"), RolloutSettings(100, seed=10, clear=np.inf))
    (found, _), *_ = choices("ur:2", 0, 0.01, count=1)
    told = rollout.roll_out_plays(found)
    assert told.result.games.tolist() == [100, 100]
    passes = found.turn_passes[:, np.newaxis]
    alone = rollout.chances(found.positions)
    np.testing.assert_allclose(told.result.chances, np.where(passes, alone[:, ::-1], alone))


def test_with_the_same_dice_two_plays_are_told_apart_sooner() -> None:
    values = heuristic(find_game("backgammon"), "ratio")
    settings = RolloutSettings(200, depth=3, variance_reduction=False, clear=np.inf)
    found = values.game.afterstates_of(values.game.start, values.game.parse_roll("31"))
    told = Rollout(values, settings).roll_out_plays(found)
    others = np.arange(len(found.owner)) != told.best
    apart = np.hypot(told.result.error, told.result.error[told.best])
    assert (told.result.games == 200).all()
    # 0.86 here, nearer to 1 the longer the games are.
    assert told.behind_error[others].mean() < 0.92 * apart[others].mean()


def test_a_play_that_wins_at_once_is_best_without_any_doubt() -> None:
    game = find_game("tictactoe")
    standing = game.notation.parse_position("xx.oo....")
    found = game.afterstates_of(standing.position, 0)
    told = Rollout(pips("tictactoe"), RolloutSettings(50)).roll_out_plays(found)
    assert game.notation.format_moves(*standing, 0, found)[told.best] == "2"
    assert told.result.chances[told.best].tolist() == [0, 0, 1]
    assert told.result.error[told.best] == 0
    assert told.result.games.tolist() == [36] * 5


def test_no_positions_have_no_values() -> None:
    nothing = find_game("ur").start[np.newaxis][:0]
    assert Rollout(pips("ur")).chances(nothing).shape == (0, 2)


@pytest.mark.parametrize("wrong", [{"games": 0}, {"batch": 0}, {"seed": -1}, {"depth": -1}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="expected"):
        RolloutSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["rollout:12:pips", "rollout:12:material@1"])
@pytest.mark.parametrize("name", ["ur", "tictactoe", "hypergammon"])
def test_an_agent_that_rolls_out_is_named_by_its_spec(name: str, spec: str) -> None:
    agent = parse_agent(find_game(name), spec, aim="win")
    assert agent.name == spec
    assert parse_agent(find_game(name), agent.name, aim="win") == agent
    assert isinstance(agent, RollingAgent)
    assert agent.rollout.settings.aim == "win"


@pytest.mark.parametrize("spec", ["rollout:0:pips", "rollout:x:pips", "rollout:9:random"])
def test_a_roll_out_of_nothing_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match=f"'{spec}'.*expected"):
        parse_agent(find_game("ur"), spec)
