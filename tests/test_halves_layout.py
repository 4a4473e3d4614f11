"""Small games numbered by halves: every unfinished position has a number, and only those have."""

import dataclasses
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.values.halves_layout import (
    HalvesLayout,
    first_of_counts,
    fits_in_halves,
    halves_layout,
    ways_to_lay,
)
from astragal.values.layout import NOWHERE, all_numbers, numbers_of, positions_of
from positions import scattered_backgammon, walk
from small_games import unfinished_tictactoe

TICTACTOE, HYPERGAMMON = find_game("tictactoe"), find_game("hypergammon")


def numbers(layout: HalvesLayout, positions: Positions) -> NDArray[np.int64]:
    found: NDArray[np.int64] = numbers_of(layout, positions)
    return found


def hypergammon(mine: dict[int, int], theirs: dict[int, int]) -> Positions:
    """One position [1, 52] with these checkers on these places."""
    position = np.zeros((1, 52), np.int8)
    for begin, half in ((0, mine), (26, theirs)):
        for place, held in half.items():
            position[0, begin + place] = held
    return position


def one_checker() -> Game:
    """Backgammon with a checker a side, from the 24 point."""
    rules = HYPERGAMMON.rules
    assert isinstance(rules, BackgammonRules)
    start = hypergammon({24: 1}, {24: 1})[0]
    return dataclasses.replace(HYPERGAMMON, rules=rules._replace(start=start, pieces=1))


def test_every_position_of_tictactoe_that_goes_on_has_a_number_of_its_own() -> None:
    layout = halves_layout(TICTACTOE)
    rows = np.array(unfinished_tictactoe(), np.int8)
    found = numbers(layout, rows)
    assert len(set(found.tolist())) == len(rows) == 4520
    assert found.min() >= 0
    assert found.max() < layout.size
    np.testing.assert_array_equal(positions_of(layout, found, 18), rows)


def test_numbers_in_the_gaps_give_themselves_away() -> None:
    layout = halves_layout(TICTACTOE)
    every = np.arange(layout.size)
    found = numbers(layout, positions_of(layout, every, 18))
    assert set(np.unique(found[found != every])) == {NOWHERE}
    assert np.count_nonzero(found == every) == 4520


def test_with_one_checker_all_pairs_of_places_that_can_be_have_numbers() -> None:
    game = one_checker()
    layout = halves_layout(game)
    assert layout.size == 26 * 26
    known = 0
    for mine, theirs in product(range(26), repeat=2):
        found = numbers(layout, hypergammon({mine: 1}, {theirs: 1}))[0]
        meet = 1 <= mine <= 24 and theirs == 25 - mine
        is_there = mine > 0 and theirs > 0 and not meet
        assert (found != NOWHERE) == is_there, (mine, theirs)
        known += is_there
    assert known == 25 * 25 - 24


def test_hypergammon_has_as_many_positions_as_people_have_counted() -> None:
    layout = halves_layout(HYPERGAMMON)
    counted = sum(
        np.count_nonzero(numbers(layout, positions_of(layout, part, 52)) == part)
        for part in all_numbers(layout, 2**20)
    )
    # Keith 2018 has 7,959,904, with those in which a side, or both, have borne off all three.
    finished = 2 * layout.halves - 1
    assert counted == 7_959_904 - finished


def test_what_random_play_meets_is_found_again() -> None:
    layout = halves_layout(HYPERGAMMON)
    for positions, _ in walk(HYPERGAMMON, games=200, turns=40, seed=4):
        found = numbers(layout, positions)
        assert found.min() >= 0
        np.testing.assert_array_equal(positions_of(layout, found, 52), positions)


def test_checkers_anywhere_are_found_again_each_by_another_number() -> None:
    layout = halves_layout(HYPERGAMMON)
    rows = {row for row, _ in scattered_backgammon(HYPERGAMMON, 3000)}
    positions = np.array(sorted(rows), np.int8)
    found = numbers(layout, positions)
    assert len(set(found.tolist())) == len(positions)
    assert found.min() >= 0
    np.testing.assert_array_equal(positions_of(layout, found, 52), positions)


@pytest.mark.parametrize("game", [TICTACTOE, HYPERGAMMON], ids=lambda game: game.name)
def test_plays_lead_to_numbers_or_end_the_game(game: Game) -> None:
    layout = halves_layout(game)
    for positions, rolls in walk(game, games=100, turns=20, seed=5):
        after = game.afterstates(positions, rolls)
        found = numbers(layout, after.positions)
        np.testing.assert_array_equal(found == NOWHERE, after.outcome != UNFINISHED)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({0: 3}, {1: 3}),
        ({1: 3}, {0: 3}),
        ({0: 3}, {0: 3}),
        ({5: 1, 6: 2}, {20: 1, 1: 2}),
        ({5: 2}, {5: 3}),
        ({5: 3}, {5: 2}),
        ({5: 4}, {5: 3}),
        ({5: 2, 6: 2}, {5: 3}),
        ({5: -1, 6: 4}, {5: 3}),
        ({5: 3}, {5: -1, 6: 4}),
        ({25: 4}, {25: 3}),
    ],
)
def test_what_is_no_position_of_hypergammon_is_nowhere(
    mine: dict[int, int], theirs: dict[int, int]
) -> None:
    layout = halves_layout(HYPERGAMMON)
    assert numbers(layout, hypergammon(mine, theirs))[0] == NOWHERE
    assert numbers(layout, hypergammon({25: 3}, {25: 3}))[0] != NOWHERE


@pytest.mark.parametrize(
    "cells", ["x........", "oo.......", "xxx.oo.o.", "ooo.xx...", "xo.xo.xo.", "xoxooxoxo"]
)
def test_what_cannot_come_up_in_tictactoe_or_is_over_is_nowhere(cells: str) -> None:
    """Seen by x, who is about to move."""
    layout = halves_layout(TICTACTOE)
    halves = [[cell == mark for cell in cells] for mark in "xo"]
    assert numbers(layout, np.array(halves, np.int8).reshape(1, 18))[0] == NOWHERE


def test_two_marks_in_a_cell_are_nowhere() -> None:
    layout = halves_layout(TICTACTOE)
    apart, together, twice = np.zeros((3, 18), np.int8)
    apart[[0, 9 + 1]] = 1
    together[[0, 9 + 0]] = 1
    twice[[0, 9 + 1]] = 1, 2
    found = numbers(layout, np.stack([apart, together, twice]))
    assert found[0] != NOWHERE
    assert found[1:].tolist() == [NOWHERE, NOWHERE]


def test_large_games_do_not_fit() -> None:
    assert fits_in_halves(TICTACTOE)
    assert fits_in_halves(HYPERGAMMON)
    for name in ("backgammon", "nackgammon", "ur:1"):
        assert not fits_in_halves(find_game(name))
        with pytest.raises(ValueError, match=name):
            halves_layout(find_game(name))


def test_ways_to_lay_pieces_are_counted_by_hand() -> None:
    assert ways_to_lay(3, 2, 2)[3].tolist() == [1, 3, 6]
    assert ways_to_lay(3, 3, 1)[3].tolist() == [1, 3, 3, 1]
    assert ways_to_lay(2, 4, 3)[2].tolist() == [1, 2, 3, 4, 3]
    assert first_of_counts(ways_to_lay(3, 2, 2), 0).tolist() == [0, 1, 4, 10]
    assert first_of_counts(ways_to_lay(3, 2, 2), 2).tolist() == [0, 0, 0, 6]
