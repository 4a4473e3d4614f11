"""One contract for every game: a new game adds a line to the catalogue and passes."""

from collections.abc import Iterator

import numpy as np
import pytest

from astragal.agents.playing import play_game
from astragal.agents.simple import RandomAgent
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Standing, for_mover, other_view
from astragal.games.kernels import UNFINISHED, batch_afterstates
from astragal.games.luck import scripted
from astragal.games.plays import legal_plays
from astragal.games.random_play import random_games
from positions import walk

GAMES = [*VARIANTS, "ur:1", "ur:2", "ur:blitz:3", "ur:masters:6", "ur:aseb:7"]


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return find_game(request.param)


def sample(game: Game) -> Iterator[Standing]:
    """The unfinished positions of three random games, each with the side that rolls."""
    agent = RandomAgent(game)
    for seed in range(3):
        yield Standing(game.start, 0)
        for turn in play_game(game, (agent, agent), np.random.default_rng(seed)):
            if game.outcome_of(turn.after.position) is None:
                yield turn.after


def test_the_name_finds_the_game(game: Game) -> None:
    assert find_game(game.name).name == game.name


def test_probabilities_of_rolls_sum_to_one(game: Game) -> None:
    for chances in (game.chances, game.opening_chances):
        assert len(chances) == len(game.rolls) == game.rules.roll_count
        assert (chances >= 0).all()
        assert chances.sum() == pytest.approx(1, abs=1e-15)


def test_rolls_come_as_often_as_their_probability_says(game: Game) -> None:
    draws = 100_000
    rolls = game.draw(np.random.default_rng(7), draws)
    counts = np.bincount(rolls, minlength=len(game.rolls))
    spread = np.sqrt(draws * game.chances * (1 - game.chances))
    assert (np.abs(counts - draws * game.chances) <= 5 * spread).all()


def test_pieces_are_conserved(game: Game) -> None:
    # In a game that begins with an empty board, a move puts one piece on it.
    placed = 0 if game.start.any() else 1
    for positions, rolls in walk(game, games=50, turns=60, seed=8):
        found = game.afterstates(positions, rolls)
        assert (found.positions >= 0).all()
        before = positions.sum(axis=1)[found.owner]
        assert np.array_equal(found.positions.sum(axis=1), before + placed)
        assert (found.positions.reshape(-1, 2, game.width // 2).sum(axis=2) <= pieces(game)).all()


def pieces(game: Game) -> int:
    return int(game.start.sum()) // 2 or game.rules.pieces


def test_there_is_always_a_play_and_owners_rise(game: Game) -> None:
    for positions, rolls in walk(game, games=50, turns=40, seed=9):
        owner = game.afterstates(positions, rolls).owner
        assert np.array_equal(np.unique(owner), np.arange(50))
        assert (np.diff(owner) >= 0).all()


def test_no_roll_has_more_afterstates_than_there_is_room_for(game: Game) -> None:
    for positions, rolls in walk(game, games=50, turns=40, seed=10):
        counts = np.bincount(game.afterstates(positions, rolls).owner)
        assert counts.max() <= game.rules.most_afterstates


def test_games_end_with_an_outcome_that_the_game_has(game: Game) -> None:
    turns, moves, outcomes = random_games(game.rules, 200, np.random.default_rng(11))
    assert set(outcomes.tolist()) <= set(game.outcomes)
    assert (moves <= turns).all()
    assert (turns > 0).all()


def test_a_batch_equals_one_by_one(game: Game) -> None:
    *_, (positions, rolls) = walk(game, games=40, turns=15, seed=12)
    batch = game.afterstates(positions, rolls)
    for i in range(len(rolls)):
        one = game.afterstates_of(positions[i], int(rolls[i]))
        mask = batch.owner == i
        assert np.array_equal(batch.positions[mask], one.positions)
        assert np.array_equal(batch.turn_passes[mask], one.turn_passes)
        assert np.array_equal(batch.outcome[mask], one.outcome)


def test_an_empty_batch_has_no_afterstates(game: Game) -> None:
    found = game.afterstates(game.start[np.newaxis][:0], np.array([], np.int64))
    assert len(found.owner) == 0
    assert found.positions.shape == (0, game.width)


def test_the_outcome_of_an_afterstate_is_that_of_its_position(game: Game) -> None:
    for positions, rolls in walk(game, games=50, turns=80, seed=13):
        found = game.afterstates(positions, rolls)
        assert np.array_equal(found.outcome, game.outcomes_of(found.positions))


def test_read_from_the_other_side_an_outcome_is_turned_round(game: Game) -> None:
    finished = []
    for positions, rolls in walk(game, games=100, turns=400, seed=14):
        found = game.afterstates(positions, rolls)
        finished.append(found.positions[found.outcome != UNFINISHED])
    seen = np.concatenate(finished)
    assert len(seen) > 10
    assert np.array_equal(game.outcomes_of(other_view(seen)), -game.outcomes_of(seen))


def test_the_other_view_of_the_other_view_is_the_same(game: Game) -> None:
    *_, (positions, _) = walk(game, games=40, turns=15, seed=15)
    assert np.array_equal(other_view(other_view(positions)), positions)


def test_the_text_of_a_position_reads_back(game: Game) -> None:
    for standing in sample(game):
        text = game.notation.format_position(*standing)
        again = game.notation.parse_position(text)
        assert np.array_equal(again.position, standing.position)
        assert game.notation.format_position(*again) == text


def test_the_text_of_a_roll_reads_back(game: Game) -> None:
    assert [game.parse_roll(text) for text in game.rolls] == list(range(len(game.rolls)))


def test_moves_have_different_names(game: Game) -> None:
    for standing in sample(game):
        for roll in range(len(game.rolls)):
            moves = [play.move for play in legal_plays(game, standing, roll)]
            assert len(set(moves)) == len(moves)
            assert "pass" not in moves or len(moves) == 1


def test_the_same_luck_gives_the_same_games(game: Game) -> None:
    first, again = (random_games(game.rules, 20, np.random.default_rng(16)) for _ in range(2))
    assert np.array_equal(np.stack(first), np.stack(again))


def test_luck_can_be_written_beforehand(game: Game) -> None:
    throws = game.rules.throws
    last = len(throws) - 1
    assert game.draw(scripted([0, last]), 2).tolist() == [throws[0], throws[last]]


def test_a_position_of_another_width_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match=f"of shape \\[B, {game.width}\\]"):
        game.afterstates(np.zeros((1, game.width + 1), np.int8), np.array([0]))


def test_a_board_with_too_many_pieces_is_refused(game: Game) -> None:
    wrong = game.start[np.newaxis].copy()
    wrong[0, : game.width // 2] = game.rules.pieces
    with pytest.raises(ValueError, match="position 0 is not one of"):
        game.afterstates(wrong, np.array([0]))
    wrong[0, 0] = -1
    with pytest.raises(ValueError, match="position 0 is not one of"):
        game.outcomes_of(wrong)


def test_a_games_start_cannot_be_spoiled(game: Game) -> None:
    game.start[:] = 0
    game.start[0] = 5
    assert np.array_equal(game.start, game.rules.start)


@pytest.mark.parametrize("wrong", [[-1], [99], [0, 0], []])
def test_rolls_that_do_not_fit_are_refused(game: Game, wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="roll"):
        game.afterstates(game.start[np.newaxis], np.array(wrong))


def test_points_for_the_mover_are_turned_round_only_when_the_turn_passes() -> None:
    points = for_mover(np.array([1, 1, -3]), np.array([True, False, True]))
    assert points.tolist() == [-1, 1, 3]


def test_what_an_afterstate_says_has_changed_is_all_that_has(game: Game) -> None:
    bits = np.arange(game.width, dtype=np.uint64)
    for positions, rolls in walk(game, games=50, turns=60, seed=5):
        after, turn_passes, _, changed, owner = batch_afterstates(game.rules, positions, rolls)
        before = positions[owner]
        before = np.where(turn_passes[:, np.newaxis], other_view(before), before)
        said = changed[:, np.newaxis] >> bits & np.uint64(1) > 0
        assert (said | (after == before)).all()
        assert (changed >> np.uint64(game.width) == 0).all()
        # Of four steps each may leave a place that another takes.
        assert (said.sum(axis=1) <= (after != before).sum(axis=1) + 6).all()
