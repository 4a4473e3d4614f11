"""Luck is passed in: the same generator gives the same draws, a script gives what it says."""

import numpy as np
import pytest

from astragal.games.catalogue import find_game
from astragal.games.luck import draw_below, scripted
from astragal.games.random_play import random_games


def test_draws_are_even() -> None:
    luck = np.random.default_rng(1)
    counts = np.bincount([draw_below(luck, 7) for _ in range(70_000)], minlength=7)
    assert (np.abs(counts - 10_000) < 5 * np.sqrt(10_000)).all()


def test_a_script_is_followed_and_runs_out() -> None:
    luck = scripted([2, 0])
    assert [draw_below(luck, 3), draw_below(luck, 3)] == [2, 0]
    with pytest.raises(IndexError, match="run out"):
        draw_below(luck, 3)


@pytest.mark.parametrize("number", [-1, 3])
def test_a_script_cannot_draw_what_is_not_there(number: int) -> None:
    with pytest.raises(ValueError, match="cannot be drawn here"):
        draw_below(scripted([number]), 3)


def test_a_whole_game_can_be_scripted() -> None:
    # x takes 0, 1, 2 and o takes 3, 4: before each choice the certain roll is drawn.
    free_cells = [0, 2, 0, 1, 0]  # 0; then 3 among 1..8; 1; 4 among 2, 4..8; 2
    script = [number for choice in free_cells for number in (0, choice)]
    turns, _, outcomes = random_games(find_game("tictactoe").rules, 1, scripted(script))
    assert (turns[0], outcomes[0]) == (5, 1)


def test_the_first_roll_of_a_game_is_drawn_from_the_opening_rolls() -> None:
    game = find_game("backgammon")
    rolls = game.draw(np.random.default_rng(2), 5_000, opening=True)
    assert not any(game.rolls[roll][0] == game.rolls[roll][1] for roll in rolls)
