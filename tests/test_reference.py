"""The rule books of the three games, as far as the reference engines must know them."""

from reference import Play, Row, backgammon, tictactoe, ur

CLOSED_BOARD = dict.fromkeys(range(1, 7), 2)


def side(text: str) -> Row:
    """One side of an Ur position in the text form, such as `6..o...........0`."""
    squares = (int(square == "o") for square in text[1:-1])
    return (int(text[0]), *squares, int(text[-1]))


def checkers(points: dict[int, int], bar: int = 0) -> Row:
    """One side of a backgammon position; of fifteen checkers, the others are borne off."""
    on_points = [points.get(point, 0) for point in range(1, 25)]
    return (15 - sum(on_points) - bar, *on_points, bar)


def positions(plays: set[Play]) -> set[Row]:
    return {play.position for play in plays}


def test_a_zero_passes_the_turn_in_ur() -> None:
    mine, theirs = side("6o.............0"), side("7..............0")
    assert ur.plays(mine + theirs, "0", ur.FINKEL) == {Play(theirs + mine, True, None)}


def test_a_rosette_gives_another_roll() -> None:
    mine, theirs = side("6...o..........0"), side("7..............0")
    plays = ur.plays(ur.FINKEL.start(), "4", ur.FINKEL)
    assert plays == {Play(mine + theirs, turn_passes=False, outcome=None)}


def test_a_stone_on_the_shared_rosette_is_safe_under_finkel_rules() -> None:
    mine, theirs = side("0....o.........6"), side("0.......o......6")
    assert ur.plays(mine + theirs, "3", ur.FINKEL) == {Play(theirs + mine, True, None)}


def test_a_stone_on_a_rosette_is_captured_under_masters_rules() -> None:
    mine, theirs = side("0....o...........6"), side("0.......o........6")
    captured = side("0.......o........6") + side("1................6")
    assert ur.plays(mine + theirs, "3", ur.MASTERS) == {Play(captured, False, None)}


def test_stones_that_walk_the_last_block_in_opposite_directions_meet() -> None:
    mine, theirs = side("0..........o.....6"), side("0..............o.6")
    moved, captured = side("0............o...6"), side("1................6")
    expected_masters = {Play(captured + moved, turn_passes=True, outcome=None)}
    expected_blitz = {Play(moved + captured, turn_passes=False, outcome=None)}
    assert ur.plays(mine + theirs, "2", ur.MASTERS) == expected_masters
    assert ur.plays(mine + theirs, "2", ur.BLITZ) == expected_blitz


def test_a_stone_cannot_land_on_a_stone_of_its_own() -> None:
    mine, theirs = side("5o.o...........0"), side("7..............0")
    first = side("4ooo...........0")
    third = side("5o...o.........0")
    expected = {Play(theirs + third, True, None), Play(theirs + first, True, None)}
    assert ur.plays(mine + theirs, "2", ur.FINKEL) == expected


def test_a_stone_leaves_the_board_by_an_exact_throw_only() -> None:
    mine, theirs = side("0............o.6"), side("7..............0")
    home = side("0..............7")
    assert ur.plays(mine + theirs, "3", ur.FINKEL) == {Play(theirs + mine, True, None)}
    assert ur.plays(mine + theirs, "2", ur.FINKEL) == {Play(theirs + home, True, -1)}


def test_checkers_on_the_bar_enter_first() -> None:
    mine, theirs = checkers({13: 1}, bar=1), checkers({3: 2})
    plays = backgammon.plays(mine + theirs, "31")
    assert positions(plays) == {
        theirs + checkers({21: 1, 13: 1}),
        theirs + checkers({24: 1, 10: 1}),
    }


def test_a_player_who_cannot_enter_passes() -> None:
    mine, theirs = checkers({13: 1}, bar=1), checkers(CLOSED_BOARD)
    for roll in backgammon.ROLLS:
        assert backgammon.plays(mine + theirs, roll) == {Play(theirs + mine, True, None)}


def test_both_dice_must_be_played_if_one_order_allows_it() -> None:
    mine, theirs = checkers({10: 1, 3: 1}), checkers({25 - 6: 2})
    plays = backgammon.plays(mine + theirs, "42")
    assert positions(plays) == {theirs + checkers({4: 1, 3: 1})}


def test_the_larger_die_must_be_played_when_only_one_can() -> None:
    mine, theirs = checkers({13: 1}), checkers({25 - 2: 2})
    plays = backgammon.plays(mine + theirs, "65")
    assert positions(plays) == {theirs + checkers({7: 1})}


def test_a_double_is_played_four_times_or_as_far_as_possible() -> None:
    mine, theirs = checkers({13: 2}), checkers({25 - 3: 2})
    assert positions(backgammon.plays(mine + theirs, "55")) == {theirs + checkers({8: 2})}
    assert positions(backgammon.plays(mine + theirs, "44")) == {
        theirs + checkers({5: 2}),
        theirs + checkers({9: 1, 1: 1}),
    }


def test_a_blot_that_is_hit_goes_to_the_bar() -> None:
    mine, theirs = checkers({13: 1}), checkers({25 - 10: 1, 1: 2})
    plays = backgammon.plays(mine + theirs, "63")
    assert positions(plays) == {
        checkers({1: 2}, bar=1) + checkers({4: 1}),
        theirs + checkers({4: 1}),
    }


def test_a_larger_die_bears_off_from_the_highest_point_only() -> None:
    mine, theirs = checkers({4: 1, 2: 1}), checkers({1: 1})
    plays = backgammon.plays(mine + theirs, "61")
    assert positions(plays) == {theirs + checkers({1: 1}), theirs + checkers({2: 1})}


def test_no_checker_is_borne_off_while_another_is_outside_the_home_board() -> None:
    mine, theirs = checkers({8: 1, 1: 1}), checkers({1: 1})
    plays = backgammon.plays(mine + theirs, "21")
    assert positions(plays) == {theirs + checkers({5: 1, 1: 1}), theirs + checkers({6: 1})}


def test_a_gammon_counts_two_and_a_backgammon_three() -> None:
    winner = checkers({})
    assert backgammon.outcome(checkers({18: 14}) + winner) == -1
    assert backgammon.outcome(checkers({18: 15}) + winner) == -2
    assert backgammon.outcome(checkers({18: 14, 19: 1}) + winner) == -3
    assert backgammon.outcome(checkers({18: 14}, bar=1) + winner) == -3


def test_three_in_a_row_wins_and_a_full_board_draws() -> None:
    crosses, noughts = (1, 1, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 1, 1, 0, 0, 0, 0)
    line = (1, 1, 1, 0, 0, 0, 0, 0, 0)
    won = Play(noughts + line, turn_passes=True, outcome=-1)
    assert won in tictactoe.plays(crosses + noughts, "-")
    crosses, noughts = (1, 0, 1, 1, 0, 0, 0, 1, 1), (0, 1, 0, 0, 1, 1, 1, 0, 0)
    assert tictactoe.outcome(noughts + crosses) == 0
