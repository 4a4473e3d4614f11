"""Text from people: known forms read right, any other text gets an error that quotes it."""

import re
from collections.abc import Iterator

import gnubg_nn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astragal.errors import InputError, quote
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Standing
from astragal.games.plays import legal_plays
from astragal.games.xgid import format_xgid
from positions import scattered_backgammon, walked
from reference import Row

START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


def test_the_start_of_backgammon_has_its_well_known_id() -> None:
    game = find_game("backgammon")
    assert game.notation.format_position(game.start, 0) == START_ID


def test_an_xgid_of_the_start_is_the_start() -> None:
    game = find_game("backgammon")
    assert np.array_equal(game.notation.parse_position(START_XGID).position, game.start)
    assert format_xgid(game.start, 0) == START_XGID


def test_the_bar_and_both_sides_of_an_xgid_are_read() -> None:
    # The bottom player (A to O) has a checker on its bar, the top player (a to o) rolls.
    text = "XGID=ab----E-C---dE---c-e----AA:0:0:-1:52:0:0:0:0:10"
    position, side = find_game("backgammon").notation.parse_position(text)
    mine, theirs = position.reshape(2, -1)
    assert side == 1
    assert (mine[25], theirs[25]) == (1, 1)
    assert (mine[24], mine[13], mine[8], mine[6]) == (2, 4, 3, 5)
    assert (theirs[24], theirs[13], theirs[8], theirs[6]) == (1, 5, 3, 5)


def backgammon_standings() -> Iterator[Standing]:
    for name in ("backgammon", "hypergammon"):
        game = find_game(name)
        for position, _ in walked(game, 300) + scattered_backgammon(game, 300):
            yield Standing(np.array(position, np.int8), sum(position[:7]) % 2)


def test_an_xgid_reads_back() -> None:
    for position, side in backgammon_standings():
        checkers = int(position.sum()) // 2
        game = find_game("backgammon" if checkers == 15 else "hypergammon")
        again = game.notation.parse_position(format_xgid(position, side))
        assert again.side == side
        assert np.array_equal(again.position, position)


def test_gnubg_agrees_on_position_ids() -> None:
    game = find_game("backgammon")
    for position, _ in walked(game, 500):
        mine, theirs = position[1:26], position[27:]
        expected = gnubg_nn.position_id([list(theirs), list(mine)])
        assert game.notation.format_position(np.array(position, np.int8), 0) == expected


def apply_move(position: Row, move: str) -> Row:
    """The afterstate of a written move, worked out word by word as a person would."""
    mine, theirs = list(position[:26]), list(position[26:])
    for word in move.split() if move != "pass" else ():
        trip, _, times = word.rstrip(")").partition("(")
        stops = trip.split("/")
        mine[place(stops[0])] -= int(times or 1)
        mine[place(stops[-1])] += int(times or 1)
        for stop in stops[1:]:
            if stop.endswith("*"):
                theirs[25 - place(stop)] -= 1
                theirs[25] += 1
    return tuple(theirs + mine)


def place(word: str) -> int:
    word = word.rstrip("*")
    return {"bar": 25, "off": 0}[word] if word.isalpha() else int(word)


def test_a_written_move_leads_where_the_play_does() -> None:
    game = find_game("backgammon")
    for position, roll in walked(game, 600) + scattered_backgammon(game, 900):
        standing = Standing(np.array(position, np.int8), 0)
        for play in legal_plays(game, standing, game.parse_roll(roll)):
            after = game.notation.parse_position(play.position).position
            assert apply_move(position, play.move) == tuple(after.tolist())


@pytest.mark.parametrize(
    ("roll", "move"),
    [("31", "8/5 6/5"), ("65", "24/13"), ("11", "8/7(2) 6/5(2)"), ("66", "24/18(2) 13/7(2)")],
)
def test_opening_moves_are_written_as_players_do(roll: str, move: str) -> None:
    game = find_game("backgammon")
    plays = legal_plays(game, Standing(game.start, 0), game.parse_roll(roll))
    assert move in [play.move for play in plays]


def test_two_dice_are_read_in_either_order() -> None:
    game = find_game("backgammon")
    assert game.parse_roll("13") == game.parse_roll("31")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("ur", "8..............0/7..............0 r", "red has 8 stones, expected 7"),
        ("ur", "7..............0/6..............0 r", "blue has 6 stones, expected 7"),
        ("ur", "6......o.......0/6......o.......0 r", "both sides stand on c2"),
        ("ur:masters", "6...........o....0/6...............o0 r", "both sides stand on g1"),
        ("ur", "0..............7/0..............7 r", "both sides have all their stones home"),
        ("ur", "7..............0/7..............0", "expected RED/BLUE TURN"),
        ("ur:blitz", "5..............0/5..............0 r", "red has 14 squares, expected 16"),
        ("ur", "7.............o/7..............0 r", "14 squares '.' or 'o'"),
        ("backgammon", "4HPwATDgc/ABM", "expected a position ID of 14 letters"),
        ("backgammon", "//////////////", "expected a position ID"),
        ("backgammon", "4HPwATDgc/ABMB", "as it is written, '4HPwATDgc/ABMA'"),
        ("backgammon", START_XGID.replace(":0:0:1", ":x:0:1"), "followed by"),
        ("backgammon", "AAAAAAAAAAAAAA", "there are none"),
        ("hypergammon", START_ID, "has 15 checkers, expected at most 3"),
        ("backgammon", START_XGID.replace("-b", "-f"), "has 19 checkers"),
        ("backgammon", "XGID=nonsense", "26 of '-'"),
        ("backgammon", START_XGID[:35], "followed by"),
        ("backgammon", START_XGID.replace("=-b", "=Ab"), "the top player's bar"),
        ("tictactoe", "xx.......", "2 x and 0 o"),
        ("tictactoe", "xxxooo...", "expected no line"),
        ("tictactoe", "x", "expected nine of"),
        ("tictactoe", "", "expected nine of"),
    ],
)
def test_a_position_that_cannot_be_is_refused(name: str, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=re.escape(complaint)) as caught:
        find_game(name).notation.parse_position(text)
    assert quote(text) in str(caught.value)


def test_checkers_of_both_sides_on_a_point_are_refused() -> None:
    game = find_game("backgammon")
    position = game.start.copy()
    position[[24, 1]] = 1
    text = game.notation.format_position(position, 0)
    with pytest.raises(InputError, match="some of both"):
        game.notation.parse_position(text)


@pytest.mark.parametrize(
    ("name", "roll"), [("ur", "5"), ("ur:masters", "0"), ("backgammon", "70"), ("tictactoe", "1")]
)
def test_a_roll_that_the_game_does_not_have_is_refused(name: str, roll: str) -> None:
    with pytest.raises(InputError, match=f"'{roll}' is not a roll of {name}: expected one of"):
        find_game(name).parse_roll(roll)


def test_a_long_text_is_quoted_in_short() -> None:
    assert len(quote("x" * 1_000_000)) < 100
    assert quote("\x1b[31m\n") == r"'\x1b[31m\n'"


LIKELY = st.text(st.sampled_from("0123456789.o/ rbx-XGID=:aAbEoO+\n"), max_size=60)


@given(st.sampled_from(VARIANTS), st.text(max_size=80) | LIKELY)
@settings(max_examples=1_000, deadline=None)
def test_any_text_gives_a_position_or_an_error_that_quotes_it(name: str, text: str) -> None:
    check_position(find_game(name), text)


@given(st.sampled_from(VARIANTS), st.data())
@settings(max_examples=1_000, deadline=None)
def test_a_good_text_with_a_letter_changed_is_read_or_refused(
    name: str, data: st.DataObject
) -> None:
    game = find_game(name)
    texts = [game.notation.format_position(game.start, 0)]
    if "gammon" in name:
        texts.append(format_xgid(game.start, 0))
    text = data.draw(st.sampled_from(texts))
    at = data.draw(st.integers(0, len(text)))
    check_position(game, text[:at] + data.draw(LIKELY | st.text(max_size=2)) + text[at + 1 :])


def check_position(game: Game, text: str) -> None:
    try:
        standing = game.notation.parse_position(text)
    except InputError as fault:
        assert quote(text) in str(fault)
        assert "expected" in str(fault)
    else:
        again = game.notation.parse_position(game.notation.format_position(*standing))
        assert np.array_equal(again.position, standing.position)


@given(st.sampled_from(VARIANTS), st.text(max_size=20))
def test_any_text_gives_a_roll_or_an_error_that_quotes_it(name: str, text: str) -> None:
    try:
        roll = find_game(name).parse_roll(text)
    except InputError as fault:
        assert quote(text) in str(fault)
    else:
        assert find_game(name).rolls[roll] in (text, text[::-1])


@given(st.text(max_size=40) | st.from_regex(r"\A(ur|backgammon|tictactoe)(:[a-z0-9]*){0,3}\Z"))
@settings(max_examples=500, deadline=None)
def test_any_text_names_a_game_or_gives_an_error(name: str) -> None:
    try:
        game = find_game(name)
    except InputError as fault:
        assert "expected" in str(fault)
    else:
        assert find_game(game.name).name == game.name


@pytest.mark.parametrize("name", ["backgammon", "hypergammon", "ur", "ur:masters", "tictactoe"])
def test_every_move_that_is_written_is_read(name: str) -> None:
    game = find_game(name)
    for number, (row, roll_text) in enumerate(walked(game, 200)):
        position, roll, side = np.array(row, np.int8), game.parse_roll(roll_text), number % 2
        found = game.afterstates_of(position, roll)
        moves = game.notation.format_moves(position, side, roll, found)
        for i, move in enumerate(moves):
            assert game.notation.parse_move(f" {move.upper()} ", position, side, roll, found) == i


def played(text: str, roll: str, position: str = START_ID) -> str:
    """The usual spelling of a move of backgammon."""
    game = find_game("backgammon")
    standing = game.notation.parse_position(position)
    index = game.parse_roll(roll)
    found = game.afterstates_of(standing.position, index)
    moves = game.notation.format_moves(*standing, index, found)
    return moves[game.notation.parse_move(text, *standing, index, found)]


@pytest.mark.parametrize(
    ("text", "roll", "usual"),
    [
        ("6/5 8/5", "31", "8/5 6/5"),
        ("8/5, 6/5", "31", "8/5 6/5"),
        ("24/23 23/20", "31", "24/20"),
        ("24/23/20", "31", "24/20"),
        ("13/11(2) 6/4 6/4", "22", "13/11(2) 6/4(2)"),
        ("24/20 24/20 13/9 13/9", "44", "24/20(2) 13/9(2)"),
    ],
)
def test_a_move_is_read_as_people_spell_it(text: str, roll: str, usual: str) -> None:
    assert played(text, roll) == usual


# White has a checker on its 24-point, black blots on 18 and 20, both on the way to 14.
BLOTS = "XGID=------------------a-a---A-:0:0:1:64:0:0:0:0:10"


@pytest.mark.parametrize(
    ("text", "usual"),
    [("24/18/14", "24/18*/14"), ("24/20 20/14", "24/20*/14"), ("24/20*/14", "24/20*/14")],
)
def test_a_stop_on_the_way_tells_what_is_hit(text: str, usual: str) -> None:
    assert played(text, "64", BLOTS) == usual


def test_a_move_that_could_hit_here_or_there_is_not_guessed() -> None:
    with pytest.raises(InputError, match=r"expected 24/(18|20)\*/14 or 24/(18|20)\*/14"):
        played("24/14", "64", BLOTS)


def test_half_a_play_is_no_play() -> None:
    with pytest.raises(InputError, match="'13/5' is not a legal play"):
        played("13/5", "44")


@pytest.mark.parametrize(
    "text", ["24", "24/", "24/30", "x/y", "24/18/", "24//18", "1" * 999, "4/(2)", "24/18 " * 40]
)
def test_a_move_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        played(text, "31")


@given(st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_move_or_an_error_that_quotes_it(text: str) -> None:
    try:
        played(text, "31")
    except InputError as fault:
        assert quote(text) in str(fault)
