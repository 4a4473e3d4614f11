"""The rule book of backgammon, a rule a test; boards are told point by point."""

import numpy as np
import pytest

from astragal.games.backgammon_moves import BENCHES
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from astragal.games.plays import legal_plays

Points = dict[int, int]
BAR = 25
IDLE = {12: 2}  # the other side, out of the way


def position(mine: Points, theirs: Points, checkers: int = 15) -> Standing:
    """A board: checkers by point, each side's own count (25 is the bar), the rest borne off."""
    halves = np.zeros((2, 26), np.int8)
    for half, points in zip(halves, (mine, theirs), strict=True):
        for point, count in points.items():
            half[point] = count
        half[0] = checkers - half.sum()
    return Standing(halves.ravel(), 0)


def moves(mine: Points, theirs: Points, roll: str) -> set[str]:
    game = find_game("backgammon")
    return {play.move for play in legal_plays(game, position(mine, theirs), game.parse_roll(roll))}


def outcome(mine: Points, theirs: Points, roll: str) -> int | None:
    """What the only play counts for the mover."""
    game = find_game("backgammon")
    (play,) = legal_plays(game, position(mine, theirs), game.parse_roll(roll))
    return play.outcome


def test_a_checker_may_not_land_on_two_of_the_other_side() -> None:
    assert moves({24: 1}, {25 - 23: 2, 25 - 21: 1}, "31") == {"24/21*/20"}


def test_a_checker_on_the_bar_enters_first() -> None:
    assert moves({BAR: 1, 6: 1}, IDLE, "21") == {"bar/22", "bar/23 6/5", "bar/24 6/4"}


def test_nothing_moves_while_the_bar_is_shut() -> None:
    assert moves({BAR: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, "61") == {"pass"}


def test_two_on_the_bar_take_both_dice() -> None:
    assert moves({BAR: 2, 6: 13}, {1: 2, 2: 2}, "43") == {"bar/22 bar/21"}


def test_both_dice_are_played_when_they_can_be() -> None:
    # With the 6 first the 1 could not be played: 13 and 7 go nowhere.
    theirs = {25 - 12: 2, 25 - 6: 2}
    assert moves({13: 1, 20: 1}, theirs, "61") == {"20/19 13/7", "20/13"}


def test_the_larger_die_is_played_when_only_one_can_be() -> None:
    # From 10 both a 6 and a 1 can be played, but neither goes on.
    assert moves({10: 1}, {25 - 3: 2}, "61") == {"10/4"}


def test_the_smaller_die_is_played_when_the_larger_cannot_be() -> None:
    assert moves({10: 1}, {25 - 4: 2, 25 - 3: 2}, "61") == {"10/9"}


def test_a_double_is_four_steps() -> None:
    assert moves({24: 1, 2: 14}, IDLE, "33") == {"24/12"}


def test_a_double_is_played_as_far_as_it_goes() -> None:
    assert moves({24: 1, 2: 14}, {25 - 15: 2}, "33") == {"24/18"}


def test_bearing_off_waits_until_all_are_home() -> None:
    assert moves({9: 1, 1: 14}, IDLE, "21") == {"9/6"}
    assert moves({7: 1, 1: 14}, IDLE, "21") == {"7/4", "7/5 1/off"}


def test_an_exact_die_bears_off_while_a_higher_point_is_held() -> None:
    assert "3/off 1/off" in moves({6: 1, 3: 1, 1: 1}, IDLE, "31")


def test_a_larger_die_bears_off_from_the_highest_point() -> None:
    assert moves({4: 1, 3: 1}, IDLE, "65") == {"4/off 3/off"}


def test_a_larger_die_does_not_bear_off_while_a_higher_point_is_held() -> None:
    assert moves({6: 1, 2: 1}, IDLE, "43") == {"6/off"}
    assert moves({6: 2, 2: 2}, IDLE, "55") == {"6/1(2) 2/off(2)"}


def test_two_checkers_borne_off_are_one_play() -> None:
    assert moves({5: 1, 3: 1, 2: 1}, IDLE, "65") == {"5/off 3/off"}


def test_a_hit_on_the_way_is_another_play() -> None:
    assert moves({8: 1}, {25 - 6: 1, 1: 14}, "21") == {"8/6*/5", "8/5"}


def test_borne_off_checkers_of_the_other_side_make_it_a_single_game() -> None:
    assert outcome({1: 1}, {6: 14}, "21") == 1


def test_no_checker_off_makes_it_a_gammon() -> None:
    assert outcome({1: 1}, {6: 15}, "21") == 2


@pytest.mark.parametrize("place", [19, 24, BAR])
def test_a_checker_left_in_the_winners_home_or_on_the_bar_makes_it_a_backgammon(place: int) -> None:
    assert outcome({2: 1}, {place: 1, 6: 14}, "32") == 3


def test_a_checker_just_outside_the_winners_home_makes_it_only_a_gammon() -> None:
    assert outcome({2: 1}, {18: 1, 6: 14}, "32") == 2


def test_the_last_checker_takes_both_dice_when_it_can_hit_on_the_way() -> None:
    assert moves({6: 1}, {25 - 5: 1, 1: 14}, "61") == {"6/5*/off"}
    assert outcome({6: 1}, {25 - 5: 1, 1: 14}, "61") == 3


@pytest.mark.parametrize("seed", range(20))
def test_there_is_room_for_the_plays_of_fifteen_blots(seed: int) -> None:
    game = find_game("backgammon")
    points = np.random.default_rng(seed).permutation(np.arange(1, 26))[:15]
    standing = position({int(point): 1 for point in points}, {0: 15 - 1})
    for roll in range(len(game.rolls)):
        found = game.afterstates_of(standing.position, roll)
        assert len(found.owner) <= game.rules.most_afterstates - BENCHES
        assert len(np.unique(found.positions, axis=0)) == len(found.owner)


def test_the_opening_roll_is_never_a_double() -> None:
    for name in ("backgammon", "hypergammon", "nackgammon"):
        game = find_game(name)
        for roll, chance in zip(game.rolls, game.opening_chances, strict=True):
            assert chance == (0 if roll[0] == roll[1] else pytest.approx(2 / 30))


def test_a_double_is_half_as_likely_as_another_roll() -> None:
    game = find_game("backgammon")
    for roll, chance in zip(game.rolls, game.chances, strict=True):
        assert chance == pytest.approx((1 if roll[0] == roll[1] else 2) / 36)


def test_the_cousins_differ_only_in_how_they_begin() -> None:
    starts = {
        "backgammon": {24: 2, 13: 5, 8: 3, 6: 5},
        "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
        "hypergammon": {24: 1, 23: 1, 22: 1},
    }
    for name, points in starts.items():
        expected = position(points, points, sum(points.values())).position
        assert np.array_equal(find_game(name).start, expected)
