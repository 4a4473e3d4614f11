"""The rule book of the Royal Game of Ur, a rule a test."""

import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.plays import Play, legal_plays

START = "7..............0/7..............0 r"


def plays(position: str, roll: str, rules: str = "ur") -> dict[str, Play]:
    """The plays by their moves."""
    game = find_game(rules)
    found = legal_plays(game, game.notation.parse_position(position), game.parse_roll(roll))
    return {play.move: play for play in found}


def test_a_stone_enters_on_the_square_that_was_thrown() -> None:
    play = plays(START, "3")["e3"]
    assert play == Play("e3", "6..o...........0/7..............0 b", True, None)


def test_a_throw_of_zero_is_a_pass() -> None:
    assert plays(START, "0") == {"pass": Play("pass", START[:-1] + "b", True, None)}


def test_a_rosette_gives_another_turn() -> None:
    play = plays(START, "4")["e3"]
    assert play == Play("e3", "6...o..........0/7..............0 r", False, None)


@pytest.mark.parametrize(("square", "stone"), [(4, "e3"), (8, "a3"), (14, "f2")])
def test_rosettes_are_the_fourth_eighth_and_fourteenth_squares(square: int, stone: str) -> None:
    row = ["."] * 14
    if square > 4:
        row[square - 5] = "o"
    position = f"{6 if square > 4 else 7}{''.join(row)}0/7..............0 r"
    assert not plays(position, "4")[stone].turn_passes


def test_no_two_own_stones_on_a_square() -> None:
    assert "e3" not in plays("6..o...........0/7..............0 r", "3")


def test_landing_on_a_stone_in_the_middle_row_sends_it_back() -> None:
    play = plays("6...o..........0/6.....o........0 r", "2")["a3"]
    assert play.position == "6.....o........0/7..............0 b"


def test_stones_in_private_rows_do_not_meet() -> None:
    play = plays("7..............0/6o.............0 r", "1")["e3"]
    assert play.position == "6o.............0/6o.............0 b"


def test_the_shared_rosette_is_safe() -> None:
    assert "a3" not in plays("6...o..........0/6.......o......0 r", "4")


def test_a_stone_goes_home_by_an_exact_throw() -> None:
    position = "6............o.0/7..............0 r"
    assert plays(position, "2")["h3"].position == "6..............1/7..............0 b"
    assert "h3" not in plays(position, "3")


def test_the_last_stone_home_wins() -> None:
    play = plays("0.............o6/7..............0 r", "1")["g3"]
    assert play == Play("g3", "0..............7/7..............0 b", True, 1)


def test_a_pass_is_the_only_play_when_nothing_can_move() -> None:
    position = "0............oo5/7..............0 r"
    assert list(plays(position, "4")) == ["pass"]
    assert "pass" not in plays(position, "1")


def test_blue_walks_its_own_row() -> None:
    play = plays("7..............0/7..............0 b", "2")["e1"]
    assert play.position == "7..............0/6.o............0 r"


def test_masters_counts_three_dice_and_a_zero_as_four() -> None:
    game = find_game("ur:masters")
    assert dict(zip(game.rolls, game.chances.tolist(), strict=True)) == {
        "1": 3 / 8,
        "2": 3 / 8,
        "3": 1 / 8,
        "4": 1 / 8,
    }


def test_the_last_block_of_masters_is_walked_in_opposite_directions() -> None:
    # Red's square 12 is g1, which is blue's square 16.
    position = "6..........o.....0/6...............o0 r"
    play = plays(position, "1", "ur:masters")["g2"]
    assert play.position == "6...........o....0/7................0 r"


def test_rosettes_are_not_safe_in_blitz() -> None:
    play = plays("4...o............0/4.......o........0 r", "4", "ur:blitz")["a3"]
    assert play.position == "4.......o........0/5................0 r"


def test_a_capture_rolls_again_in_blitz_but_not_in_masters() -> None:
    assert not plays("4...o............0/4.....o..........0 r", "2", "ur:blitz")["a3"].turn_passes
    assert plays("6...o............0/6.....o..........0 r", "2", "ur:masters")["a3"].turn_passes


def test_aseb_goes_straight_along_its_long_row() -> None:
    play = plays("4...............o0/5................0 r", "1", "ur:aseb")["l2"]
    assert play.position == "4................1/5................0 b"


def test_any_number_of_stones_from_one_to_seven_can_be_played() -> None:
    for stones in range(1, 8):
        assert int(find_game(f"ur:{stones}").start.sum()) == 2 * stones
    for wrong in ("ur:0", "ur:8"):
        with pytest.raises(InputError, match="expected 1 to 7"):
            find_game(wrong)


def test_a_finished_game_has_no_plays() -> None:
    with pytest.raises(InputError, match="is over"):
        plays("0..............7/7..............0 b", "1")
