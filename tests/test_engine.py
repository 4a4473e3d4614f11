"""Other programs ask: UBGI line by line, and GNU Backgammon through a socket."""

import io
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astragal.agents.specs import parse_agent
from astragal.arena.asking import evaluate, rank_plays
from astragal.arena.backgammon_steps import format_steps
from astragal.engine.external import ExternalPlayer
from astragal.engine.fibs_board import parse_fibs_board
from astragal.engine.lines import LONGEST_LINE, read_lines
from astragal.engine.server import Server, listen
from astragal.engine.ubgi import Session, converse
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Positions, Standing, other_view
from gnubg_program import needs_gnubg, run_gnubg
from positions import scattered_backgammon, walked
from test_cli import COMMAND, Shell, astragal, without_compiling

__all__ = ["astragal"]

BACKGAMMON = find_game("backgammon")
OPENING = "4HPwATDgc/ABMA"
PAGE = (Path(__file__).parents[1] / "docs" / "engine.md").read_text()


def said(session: Session, *lines: str) -> list[str]:
    """What a session answers to these lines, all of it."""
    told: list[str] = []
    converse(session, io.BytesIO("\n".join(lines).encode()), told.append)
    return told


# UBGI


def sessions_of_the_page() -> list[str]:
    return re.findall(r"```console\n\$ (astragal engine .*?\n>.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("shown", sessions_of_the_page())
def test_a_session_goes_as_the_page_shows_it(astragal: Shell, shown: str) -> None:
    command, *lines = shown.splitlines()
    sent = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    answer = astragal(*command.split()[1:], stdin="\n".join(sent).encode())
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == [line for line in lines if not line.startswith("> ")]


def test_the_page_shows_two_sessions() -> None:
    assert len(sessions_of_the_page()) == 2


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "backgammon", "hypergammon", "tictactoe"])
def test_the_best_move_is_the_first_of_the_ranking(name: str) -> None:
    game, luck = find_game(name), np.random.default_rng(5)
    agent, session = parse_agent(game, "pips"), Session(game, "pips")
    for roll in game.draw(luck, 30):
        text = said(session, "show")[0].split(maxsplit=1)[1].removeprefix("gnubgid ")
        standing = game.notation.parse_position(text)
        if game.outcome_of(standing.position) is not None:
            said(session, "newgame")
            continue
        best = rank_plays(agent, standing, int(roll), "points")["plays"][0]
        told = said(session, f"dice {' '.join(game.rolls[roll])}", "go")
        assert told[0].startswith(f"info multipv 1 eq {best['points']:+.4f} pwin {best['win']:.4f}")
        assert len(told) <= 4
        (after,) = said(session, told[-1].replace("bestmove", "play"), "show")
        assert after.endswith(f" {best['position']}")


def test_the_aim_decides_what_is_best() -> None:
    for aim in ("points", "win"):
        session = Session(BACKGAMMON, "gnubg@0")
        told = said(
            session, f"set engine.aim {aim}", f"position gnubgid {OPENING}", "dice 64", "go"
        )
        agent = parse_agent(BACKGAMMON, "gnubg@0", cast(Any, aim))
        standing = BACKGAMMON.notation.parse_position(OPENING)
        plays = rank_plays(agent, standing, BACKGAMMON.parse_roll("64"), cast(Any, aim))["plays"]
        assert f"eq {plays[0]['points']:+.4f} pwin {plays[0]['win']:.4f}" in told[0]
        assert f"loss {plays[2]['loss']:.4f}" in told[2]


def test_a_position_is_worth_what_evaluate_says() -> None:
    told = evaluate(parse_agent(BACKGAMMON, "gnubg@0"), Standing(BACKGAMMON.start, 0))
    (line,) = said(Session(BACKGAMMON, "gnubg@0"), "eval")
    words = line.split()
    numbers = dict(zip(words[1::2], map(float, words[2::2]), strict=True))
    assert list(numbers) == ["eq", "pwin", "pgammon", "pbg", "plosegammon", "plosebg"]
    assert numbers["eq"] == pytest.approx(told["points"], abs=1e-4)
    assert numbers["pgammon"] == pytest.approx(told["outcomes"][2] + told["outcomes"][3], abs=1e-4)
    assert said(Session(find_game("tictactoe"), "pips"), "position xxxoo....", "eval") == [
        "eval eq -1.0000 pwin 0.0000"
    ]


def test_an_agent_without_values_plays_and_tells_nothing() -> None:
    session = Session(find_game("ur"), "first")
    assert said(session, "newgame", "roll 4", "go") == ["bestmove e3"]
    (error,) = said(session, "eval")
    assert error.startswith("error bad_value 'first' has no values: expected")


def test_plays_lead_from_position_to_position() -> None:
    session = Session(find_game("ur"), "pips")
    lines = ["dice 4", "play e3", "show", "dice 1", "play e3", "show"]
    assert said(session, *lines) == [
        "position 6...o..........0/7..............0 r",  # the rosette gives another turn
        "position 5o..o..........0/7..............0 b",
    ]
    session = Session(BACKGAMMON, "pips")
    assert said(session, "dice 3 1", "play 8/5 6/5", "show") == ["position gnubgid sGfwATDgc/ABMA"]
    session = Session(find_game("tictactoe"), "pips")
    assert said(session, "play 4", "play 0", "show") == ["position o...x...."]


def test_an_xgid_tells_position_and_dice() -> None:
    session = Session(BACKGAMMON, "pips")
    for prefix in ("XGID=", ""):
        text = f"{prefix}-b----E-C---eE---c-e----B-:0:0:1:61:0:0:0:0:10"
        assert said(session, f"position xgid {text}", "show") == [
            f"position gnubgid {OPENING}",
            "dice 61",
        ]


def test_a_position_wants_a_roll_of_its_own() -> None:
    session = Session(BACKGAMMON, "pips")
    told = said(session, "dice 3 1", f"position gnubgid {OPENING}", "go")
    assert told == ["error bad_state No roll is known: expected one first, such as dice 66."]


def test_keys_are_set_and_told() -> None:
    session = Session(find_game("tictactoe"), "pips")
    assert said(session, "set engine.agent material@1", "get engine.agent", "get engine.aim") == [
        "value engine.agent material@1",
        "value engine.aim points",
    ]
    told = said(session, "setoption name Aim value win", "get engine.aim", "keys")
    assert told[0] == "value engine.aim win"
    assert told[-1] == "key engine.aim enum points|win points"
    assert (
        said(session, "set game.variant tictactoe", "setoption name Variant value tictactoe") == []
    )
    (error,) = said(session, "set engine.agent nobody")
    assert error.startswith("error bad_value 'nobody' is not an agent for tictactoe: expected")
    assert said(session, "get engine.agent") == ["value engine.agent material@1"]


def test_the_usual_agent_is_asked_where_none_is_named() -> None:
    assert said(Session(BACKGAMMON), "get engine.agent") == ["value engine.agent champion@1"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "bad_command 'hello' is not a command: expected one of ubgi,"),
        ("GO", "bad_command 'GO' is not a command: expected"),
        ("isready now", "bad_command 'isready now' is too much: expected isready."),
        ("go cube", "unsupported go cube cannot be: there is no cube"),
        ("go role turn", "unsupported go role turn cannot be: there is no cube"),
        ("go movetime 100", "unsupported 'go movetime 100' cannot be: expected go chequer"),
        ("setcube value 2 owner p0", "unsupported 'setcube value 2 owner p0' changes nothing"),
        ("position", "bad_value '' is not a position: expected"),
        ("position gnubgid", "bad_value '' is not a position: expected"),
        ("position gnubgid 4HPwATDgc/ABM", "bad_value '4HPwATDgc/ABM' is not a position: expected"),
        ("position xgid nonsense", "bad_value 'XGID=nonsense' is not a position: expected"),
        ("dice", "bad_value '' is not a roll of backgammon: expected"),
        ("dice 7 1", "bad_value '71' is not a roll of backgammon: expected"),
        ("dice 3 1 1", "bad_value '311' is not a roll of backgammon: expected"),
        ("go", "bad_state No roll is known: expected"),
        ("play 8/5", "bad_state No roll is known: expected"),
        ("set engine.agent", "bad_command 'engine.agent' sets nothing: expected set KEY VALUE."),
        ("set engine.depth 3", "unsupported 'engine.depth' is not a key: expected one of game"),
        ("set engine.aim chess", "bad_value 'chess' is not an aim: expected one of points, win."),
        ("set game.variant hypergammon", "bad_value 'hypergammon' is not played here: expected"),
        ("setoption name Agent", "bad_command 'name Agent' sets nothing: expected setoption name"),
        ("get", "unsupported '' is not a key: expected"),
    ],
)
def test_what_cannot_be_answered_is_one_line_that_says_what_was_expected(
    line: str, error: str
) -> None:
    session = Session(BACKGAMMON, "pips")
    told, ready = said(session, line, "isready")
    assert told.startswith(f"error {error}")
    assert ready == "readyok"


def test_a_finished_game_is_not_played_on() -> None:
    session = Session(find_game("tictactoe"), "pips")
    (told,) = said(session, "position xxxoo....", "go")
    assert told == "error bad_state 'xxxoo....' is over: expected another position."


def test_illegal_plays_change_nothing() -> None:
    session = Session(BACKGAMMON, "pips")
    error, *rest = said(session, "dice 31", "play 8/1", "show")
    assert error.startswith("error bad_value '8/1' is not a legal play: expected")
    assert rest == [f"position gnubgid {OPENING}", "dice 31"]


WORDS = """position gnubgid xgid dice roll go set setoption name value get play eval show pips win
engine.aim engine.agent game.variant 3 1 31 4HPwATDgc/ABMA XGID=- 8/5 6/5 \0 \xe9 @1""".split()
PHRASES = st.lists(st.sampled_from(WORDS), max_size=5).map(lambda words: " ".join(words).encode())


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=80) | PHRASES)
def test_any_line_is_answered_in_the_words_of_the_protocol(line: bytes) -> None:
    told: list[str] = []
    converse(Session(BACKGAMMON, "pips"), io.BytesIO(line + b"\nisready\n"), told.append)
    known = {"id", "error", "readyok", "key", "option", "proto", "ubgiok", "value", "info", "eval"}
    known |= {"bestmove", "position", "dice"}
    assert all(answer.isascii() and answer.split()[0] in known for answer in told)
    assert "\nquit" in f"\n{line.decode(errors='replace')}" or told[-1] == "readyok"


def test_a_line_of_a_megabyte_is_refused_and_the_next_is_served() -> None:
    told: list[str] = []
    stream = io.BytesIO(b"x" * 1_000_000 + b"\nisready\n" + b" " * LONGEST_LINE + b"\nisready")
    converse(Session(BACKGAMMON, "pips"), stream, told.append)
    assert len(told) == 3
    assert told[0].startswith("error bad_value 'xxx")
    assert told[0].endswith("is too long: expected 4,096 bytes in a line at most.")
    assert told[1:] == ["readyok", "readyok"]


class Endless:
    """A stream of so many bytes in one line, never more of them at once than asked for."""

    def __init__(self, size: int) -> None:
        self.left = size

    def readline(self, limit: int) -> bytes:
        taken = min(self.left, limit)
        self.left -= taken
        return b"x" * taken


def test_a_line_without_end_is_refused_at_once_and_takes_no_memory() -> None:
    stream = Endless(50_000_000)
    lines = read_lines(cast(BinaryIO, stream))
    assert not next(lines).is_whole
    assert stream.left > 49_000_000
    assert list(lines) == []


def test_quit_ends_a_session_and_so_does_the_end_of_what_is_sent() -> None:
    assert said(Session(BACKGAMMON, "pips"), "quit", "isready") == []
    assert said(Session(BACKGAMMON, "pips"), "stop", "", "isready") == ["readyok"]


@pytest.mark.parametrize("game", ["ur", "backgammon", "tictactoe"])
def test_the_command_answers_every_game(astragal: Shell, game: str) -> None:
    answer = astragal("engine", game, "--agent", "pips", stdin=b"ubgi\nisready\n")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == f"id name Astragal {game}"
    assert lines[-2:] == ["ubgiok", "readyok"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["ur", "--agent", "nobody"], "'nobody' is not an agent for ur: expected one of"),
        (["chess"], "'chess' is not a game: expected one of"),
        (["ur", "--socket", "0"], "--socket is for backgammon: expected that as GAME, not ur."),
        (["ur", "--host", "localhost"], "--host 'localhost' is for sockets: expected --socket"),
        (
            ["backgammon", "--agent", "pips", "--socket", "0", "--host", "192.0.2.1"],
            "port 0 of '192.0.2.1' (Cannot assign requested address): expected an address",
        ),
    ],
)
def test_a_wrong_call_is_answered_with_one_sentence(
    astragal: Shell, words: list[str], complaint: str
) -> None:
    answer = astragal("engine", *words)
    assert (answer.code, answer.out) == (2, "")
    assert complaint in answer.err
    assert answer.err.count("\n") == 1


def test_a_port_in_use_is_told_in_a_sentence(astragal: Shell) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        answer = astragal("engine", "backgammon", "--agent", "pips", "--socket", str(port))
    assert answer.code == 2
    assert f"on port {port} of '127.0.0.1' (Address already in use): expected" in answer.err


def engine(*words: str, **options: Any) -> subprocess.Popen[str]:
    """The command in a process of its own, with pipes."""
    return subprocess.Popen(
        [*COMMAND, "engine", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_answers_come_at_once_and_a_closed_pipe_ends_quietly() -> None:
    with engine("tictactoe", "--agent", "pips") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == "readyok\n"
        process.stdout.close()
        process.stdin.write("isready\n" * 1000)
        process.stdin.close()
        assert process.wait(20) == 0
        assert without_compiling(process.stderr.read()) == ""


@pytest.mark.parametrize("words", [["tictactoe"], ["backgammon", "--socket", "0"]])
def test_an_interruption_while_it_waits_ends_quietly(words: list[str]) -> None:
    with engine(*words, "--agent", "pips") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("isready\n")
        process.stdin.flush()
        if "--socket" in words:
            next(line for line in process.stderr if "listening" in line)
        else:
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert without_compiling(process.stderr.read()) == ""


# Moves as other programs read them


def replayed(position: Positions, text: str, roll: str) -> Positions:
    """Where single steps lead, each checked by the rules as people know them; seen by the mover."""
    mine, theirs = position.reshape(2, 26).astype(int)
    dice = [int(roll[0]), int(roll[1])] * (2 if roll[0] == roll[1] else 1)
    for step in text.split():
        source, target = (
            int({"bar": "25", "off": "0"}.get(word, word)) for word in step.split("/")
        )
        rear = int(np.flatnonzero(mine)[-1])
        exact = source - target in dice
        die = source - target if exact else max(dice)
        dice.remove(die)
        assert mine[source] > 0
        assert source == 25 or mine[25] == 0
        assert target > 0 or rear <= 6
        assert exact or (target == 0 and die > source == rear)
        assert target == 0 or theirs[25 - target] < 2
        mine[source] -= 1
        mine[target] += 1
        if target and theirs[25 - target]:
            theirs[25 - target] -= 1
            theirs[25] += 1
    return np.concatenate([mine, theirs]).astype(np.int8)


def test_steps_are_single_dice_in_an_order_that_can_be_played() -> None:
    cases = walked(BACKGAMMON, 300, seed=8) + scattered_backgammon(BACKGAMMON, 300, seed=9)
    for row, roll in cases:
        position = np.array(row, np.int8)
        found = BACKGAMMON.afterstates_of(position, BACKGAMMON.parse_roll(roll))
        for after in found.positions:
            steps = format_steps(position, after, roll)
            assert (replayed(position, steps, roll) == other_view(after)).all(), steps


@pytest.mark.parametrize(
    ("position", "roll", "words"),
    [
        ("Np7BQSCYZ/AAWA", "53", "bestmove bar/"),
        ("/z0AADDeaxsAAA", "55", "/off"),
        (OPENING, "65", "24/18 18/13"),
        (OPENING, "33", "8/5 8/5 6/3 6/3"),
    ],
)
def test_steps_are_written_in_words_and_one_by_one(position: str, roll: str, words: str) -> None:
    told = said(Session(BACKGAMMON, "gnubg@0"), f"position {position}", f"dice {roll}", "go")
    assert words in told[-1]
    assert not re.search(r"[*()]|\b(25|0)\b", told[-1])


def test_nothing_to_move_is_a_pass() -> None:
    text = "XGID=-BBBBBB-----------bbbbbb-A:0:0:1:66:0:0:0:0:10"
    (told,) = said(Session(BACKGAMMON, "first"), f"position xgid {text}", "go")
    assert told == "bestmove pass"


# GNU Backgammon's boards


def fibs_board(
    position: Positions,
    roll: str | None = None,
    turn: int = 1,
    doubled: int = 0,
    match: Sequence[int] = (0, 0, 0),
    cube: int = 1,
) -> str:
    """The board as GNU Backgammon writes it, for a position seen by the side on turn."""
    mine, theirs = position.reshape(2, 26).astype(int)[:: 1 if turn == 1 else -1]
    points = [mine[point] - theirs[25 - point] for point in range(1, 25)]
    dice = [int(die) for die in (roll or "00")] * 2
    numbers = [*match, -theirs[25], *points, mine[25], turn, *dice, cube, 1, 1, doubled, 1, -1]
    numbers += [0, 25, mine[0], theirs[0], 0, 0, 0, 0, 0, 1]
    return ":".join(["board", "you", "other", *map(str, numbers)])


def player(spec: str = "pips") -> ExternalPlayer:
    return ExternalPlayer(parse_agent(BACKGAMMON, spec), np.random.default_rng(1))


def test_a_board_that_gnubg_sent_is_read() -> None:
    board = parse_fibs_board(
        "board:root:gnubg:7:1:4:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
        "-1:4:1:4:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
    )
    assert (board.position == BACKGAMMON.start).all()
    assert board[1:] == ("41", False, False)


def test_boards_are_read_as_they_are_written_for_either_side() -> None:
    for row, roll in walked(BACKGAMMON, 200, seed=3):
        position = np.array(row, np.int8)
        for turn in (1, -1):
            board = parse_fibs_board(fibs_board(position, roll, turn))
            assert (board.position == position).all()
            assert board.roll == roll
        mirrored = fibs_board(position, roll).split(":")
        mirrored[6:32] = mirrored[6:32][::-1]
        mirrored[42] = "1"  # the other direction
        assert (parse_fibs_board(":".join(mirrored)).position == position).all()


def changed(number: int, value: str) -> str:
    fields = fibs_board(BACKGAMMON.start, "31").split(":")
    fields[number] = value
    return ":".join(fields)


@pytest.mark.parametrize(
    ("board", "complaint"),
    [
        ("board:", "expected 'board', two names and 50 numbers between colons, not 2 fields"),
        (fibs_board(BACKGAMMON.start)[:-2], "not 52 fields"),
        (changed(6, "x"), "expected a number between colons, not 'x'"),
        (changed(6, "1"), "expected each bar to hold checkers of its own side"),
        (changed(31, "-1"), "expected each bar to hold checkers of its own side"),
        (changed(31, "1"), "the player on roll has 16 checkers, expected at most 15"),
        (changed(12, "4"), "the player on turn has 14 checkers on it and 0 off, expected 15"),
        (changed(46, "3"), "the other player has 15 checkers on it and 3 off, expected 15"),
        (changed(32, "0"), "expected 1 or -1 as its turn, not 0"),
        (changed(41, "2"), "expected 1 or -1 as its colour, not 2"),
        (changed(42, "0"), "expected 1 or -1 as its direction, not 0"),
        (changed(33, "7"), "expected dice from 1 to 6, not 7 and 1"),
        (changed(34, "0"), "expected dice from 1 to 6, not 3 and 0"),
        (
            fibs_board(np.array([15, *[0] * 25, 14, 1, *[0] * 24], np.int8)),
            "is over: expected a game that is still going on",
        ),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_a_reason(board: str, complaint: str) -> None:
    with pytest.raises(InputError) as fault:
        player().answer(board)
    assert complaint in str(fault.value)
    assert len(str(fault.value)) < 240


@settings(deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(st.integers(-16, 16), min_size=50, max_size=50).map(
        lambda numbers: ":".join(["board", "a", "b", *map(str, numbers)])
    )
    | st.tuples(st.integers(3, 52), st.integers(-30, 30)).map(lambda c: changed(c[0], str(c[1])))
)
def test_any_line_is_answered_or_refused(line: str) -> None:
    try:
        player("first").answer(line)
    except InputError as fault:
        assert "expected" in str(fault)


def test_the_agent_chooses_the_move() -> None:
    for roll, turn in (("31", 1), ("13", -1)):
        move = player("gnubg@0").answer(fibs_board(BACKGAMMON.start, roll, turn))
        assert sorted((move or "").split()) == ["6/5", "8/5"]


def raced(ahead: bool) -> Positions:
    """A race in which the side on roll is far ahead, or far behind."""
    near = np.array([9, 2, 2, 2, *[0] * 22], np.int8)
    far = np.array([0, 0, 0, 0, 5, 5, 5, *[0] * 19], np.int8)
    return np.concatenate([near, far] if ahead else [far, near])


def test_players_may_have_any_name() -> None:
    board = fibs_board(BACKGAMMON.start, "31").replace("you:other", "J. D. \xe9 resignation 1:")
    assert player().answer(board)


def test_it_never_doubles() -> None:
    assert player().answer(fibs_board(raced(ahead=True))) == "roll"


def test_it_takes_where_that_costs_no_more_than_to_drop() -> None:
    assert player().answer(fibs_board(BACKGAMMON.start, doubled=1)) == "take"
    assert player().answer(fibs_board(raced(ahead=False), doubled=1)) == "take"
    for turn in (1, -1):
        assert player().answer(fibs_board(raced(ahead=True), turn=turn, doubled=1)) == "drop"


def test_it_does_not_drop_the_match() -> None:
    # The side on turn doubles; the positive side has 3 of 5 points, the other 1.
    lost, match = raced(ahead=True), (5, 3, 1)
    assert player().answer(fibs_board(lost, None, 1, 1, match, cube=2)) == "take"
    assert player().answer(fibs_board(lost, None, -1, 1, match, cube=2)) == "drop"
    assert player().answer(fibs_board(lost, None, 1, 1, match, cube=1)) == "drop"


def test_it_accepts_a_resignation_that_costs_nothing() -> None:
    assert player().answer(f"{fibs_board(raced(ahead=True))} resignation 1") == "accept"
    # None of fifteen checkers can come home before the other side's last one is off: a gammon.
    lost = np.array([0, *[0] * 22, 15, 0, 0, 14, 1, *[0] * 24], np.int8)
    board = f"fibsboard {fibs_board(lost)}"
    assert player("gnubg@0").answer(f"{board} resignation 1") == "reject"
    assert player("gnubg@0").answer(f"{board} resignation 3") == "accept"


def test_evaluations_come_in_six_numbers() -> None:
    board = fibs_board(BACKGAMMON.start)
    told = player("gnubg@0").answer(f"evaluation fibsboard {board} cubeless")
    numbers = [float(word) for word in (told or "").split()]
    answer = evaluate(parse_agent(BACKGAMMON, "gnubg@0"), Standing(BACKGAMMON.start, 0))
    assert len(numbers) == 6
    assert numbers[0] == pytest.approx(answer["win"], abs=1e-5)
    assert numbers[5] == pytest.approx(answer["points"], abs=1e-5)
    assert numbers[1] > numbers[2] > 0


@pytest.mark.parametrize(
    "line", ["set debug on", "evaluation fibsboard board: plies 2", "fibsboard"]
)
def test_other_questions_are_refused(line: str) -> None:
    with pytest.raises(InputError, match="expected"):
        player().answer(line)


def test_it_says_who_it_is_and_goodbye() -> None:
    assert (player().answer("version") or "").startswith("astragal ")
    assert player().answer("exit") is None


def test_boards_of_whole_games_follow_each_other() -> None:
    """Both sides seen by players that see their own turns only, with cube questions between."""
    luck = np.random.default_rng(4)
    for _ in range(5):
        players = [player("random"), player("random")]
        position, side = BACKGAMMON.start, 0
        roll = int(BACKGAMMON.draw(luck, 1, opening=True)[0])
        is_first = True
        while BACKGAMMON.outcome_of(position) is None:
            turn = (1, -1)[side]
            if not is_first:
                assert players[1 - side].answer(fibs_board(position, None, turn, 1)) == "take"
                assert players[side].answer(fibs_board(position, None, turn)) == "roll"
            text = players[side].answer(fibs_board(position, BACKGAMMON.rolls[roll], turn))
            found = BACKGAMMON.afterstates_of(position, roll)
            played = BACKGAMMON.notation.parse_move(text or "", position, 0, roll, found)
            position, side, is_first = found.positions[played], 1 - side, False
            roll = int(BACKGAMMON.draw(luck, 1)[0])


def test_a_board_that_no_legal_play_leads_to_is_refused_once() -> None:
    asked = player()
    asked.answer(fibs_board(BACKGAMMON.start, "31"))
    elsewhere = raced(ahead=True)
    with pytest.raises(InputError, match="cannot come next: expected a legal play since"):
        asked.answer(fibs_board(elsewhere, "31"))
    assert asked.answer(fibs_board(elsewhere, "31"))


@pytest.mark.parametrize(
    ("next_board", "fits"),
    [
        ("a reply", True),
        ("a double where we left it", True),
        ("the same again", True),
        ("a new game", True),
        ("a new game that they began", True),
        ("a reply and one step more", False),
        ("the same with other dice", False),
        ("a double elsewhere", False),
        ("a new game with a double", False),
    ],
)
def test_what_can_come_next(next_board: str, fits: bool) -> None:
    asked, start = player("first"), BACKGAMMON.start
    asked.answer(fibs_board(start, "31"))
    left = BACKGAMMON.afterstates_of(start, BACKGAMMON.parse_roll("31")).positions[0]
    reply = BACKGAMMON.afterstates_of(left, BACKGAMMON.parse_roll("64")).positions[0]
    cheated = BACKGAMMON.afterstates_of(other_view(reply), BACKGAMMON.parse_roll("66")).positions[0]
    begun = BACKGAMMON.afterstates_of(start, BACKGAMMON.parse_roll("21")).positions[0]
    boards = {
        "a reply": fibs_board(reply, "52"),
        "a double where we left it": fibs_board(left, doubled=1),
        "the same again": fibs_board(start, "31"),
        "a new game": fibs_board(start, "62"),
        "a new game that they began": fibs_board(begun, "55"),
        "a reply and one step more": fibs_board(cheated, "52"),
        "the same with other dice": fibs_board(start, "33"),
        "a double elsewhere": fibs_board(reply, doubled=1),
        "a new game with a double": fibs_board(start, "11"),
    }
    if fits:
        assert asked.answer(boards[next_board])
    else:
        with pytest.raises(InputError, match="cannot come next"):
            asked.answer(boards[next_board])


def test_questions_that_stand_alone_may_be_about_any_board() -> None:
    asked = player()
    for row, roll in walked(BACKGAMMON, 20, seed=6):
        assert asked.answer(f"fibsboard {fibs_board(np.array(row, np.int8), roll)}") is not None


# The socket


@pytest.fixture
def server() -> tuple[tuple[str, int], list[str]]:
    """Where a server listens in this process, and what it logs."""
    logged: list[str] = []
    listener = listen("127.0.0.1", 0)
    serve = Server(parse_agent(BACKGAMMON, "pips"), logged.append).serve
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    return listener.getsockname(), logged


def asked(address: tuple[str, int], *questions: bytes) -> list[bytes]:
    """The answers that a client gets, one after the other."""
    with socket.create_connection(address, timeout=20) as client, client.makefile("rb") as stream:
        answers = []
        for question in questions:
            client.sendall(question)
            answers.append(stream.readline())
        return answers


MOVE = fibs_board(BACKGAMMON.start, "31").encode() + b"\n\0"


def test_clients_are_served_one_after_the_other_and_at_once(
    server: tuple[tuple[str, int], list[str]],
) -> None:
    address, _ = server
    assert asked(address, MOVE) == asked(address, MOVE)
    with socket.create_connection(address) as idle:
        assert asked(address, MOVE, b"version\n")[1].startswith(b"astragal ")
        idle.sendall(b"version\n")
        assert idle.recv(100).startswith(b"astragal ")


def test_garbage_is_answered_with_an_error_and_the_client_goes_on(
    server: tuple[tuple[str, int], list[str]],
) -> None:
    address, logged = server
    garbage = bytes(range(256)).replace(b"\n", b"") + b"\n"
    first, second, third, move = asked(
        address, garbage, b"x" * 1_000_000 + b"\n", changed(6, "1").encode() + b"\n", MOVE
    )
    for answer in (first, second, third):
        assert answer.startswith(b"Error: ")
        assert len(answer) < 256
    assert not move.startswith(b"Error")
    assert sum("expected" in line for line in logged) == 3


def test_a_client_that_goes_in_the_middle_disturbs_nobody(
    server: tuple[tuple[str, int], list[str]],
) -> None:
    address, _ = server
    for begun in (MOVE[:40], b"x" * 500_000, b"", MOVE * 50, b"\xff\0"):
        with socket.create_connection(address) as client:
            client.sendall(begun)
    assert asked(address, b"exit\n") == [b""]
    assert not asked(address, MOVE)[0].startswith(b"Error")


# The real GNU Backgammon


def played_games(text: str) -> list[str]:
    """The games of an exported match."""
    return re.split(r"^ Game \d+$", text, flags=re.MULTILINE)[1:]


def moves_of(text: str) -> Iterator[tuple[int, str, str]]:
    """Who rolled what and played what in a game of an exported match: side, roll, move."""
    for line in text.splitlines():
        for told in re.finditer(r"([1-6]{2}):((?: [0-9]+/[0-9]+\*?)*)", line):
            yield int(told.start() > 20), told[1], told[2].strip()


def check_game(text: str) -> None:
    """All plays of a game are legal, and it ended as it counts."""
    position, last = BACKGAMMON.start, None
    for side, roll, move in moves_of(text):
        assert side != last
        number = BACKGAMMON.parse_roll(roll)
        found = BACKGAMMON.afterstates_of(position, number)
        position = found.positions[BACKGAMMON.notation.parse_move(move, position, 0, number, found)]
        last = side
    cube = max(map(int, re.findall(r"Doubles => (\d+)", text)), default=1)
    won = re.search(r"Wins (\d+) point", text)
    assert won
    outcome = BACKGAMMON.outcome_of(position)
    if "Drops" in text:
        assert int(won[1]) == cube // 2
    else:
        assert outcome is not None
        assert int(won[1]) == -outcome * cube


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where `astragal engine backgammon --socket 0` listens."""
    with engine("backgammon", "--socket", "0", "--agent", "pips") as process:
        assert process.stderr
        line = next(line for line in process.stderr if "compiling" not in line)
        address = re.fullmatch(r"astragal: listening on 127\.0\.0\.1:(\d+)\n", line)
        assert address
        yield int(address[1])
        process.terminate()
        assert "Error" not in process.stderr.read()


def check_match(commands: list[str], folder: Path) -> str:
    """What was printed and exported of a match, all of whose games have been checked."""
    printed = run_gnubg(["set display off", *commands, "export match mat match.mat"], folder)
    assert "has won the match" in printed
    assert "Error" not in printed
    exported = (folder / "match.mat").read_text()
    games = played_games(exported)
    assert games
    for game in games:
        assert len(list(moves_of(game))) > 5
        check_game(game)
    return printed + exported


@needs_gnubg
@pytest.mark.parametrize(
    ("ours", "length", "cube", "seed"),
    [(0, 3, "off", 1), (1, 3, "on", 2), (0, 5, "on", 3), (1, 1, "off", 4), (0, 1, "off", 5)],
)
def test_gnubg_plays_whole_matches_against_it(
    port: int, tmp_path: Path, ours: int, length: int, cube: str, seed: int
) -> None:
    theirs = 1 - ours
    told = check_match(
        [
            "set rng mersenne",
            f"set seed {seed}",
            f"set player {theirs} gnubg",
            f"set player {theirs} chequerplay evaluation plies 0",
            f"set player {theirs} cubedecision evaluation plies 0",
            f"set player {ours} external localhost:{port}",
            "set automatic game on",
            f"set cube use {cube}",
            f"new match {length}",
        ],
        tmp_path,
    )
    assert ("Doubles" in told) == (cube == "on")


@needs_gnubg
def test_gnubg_plays_as_the_page_says(port: int, tmp_path: Path) -> None:
    (commands,) = re.findall(r"```gnubg\n(.*?)```", PAGE, re.DOTALL)
    printed = check_match(commands.replace("4321", str(port)).splitlines(), tmp_path)
    assert "Unknown" not in printed
    assert "must specify" not in printed


@needs_gnubg
def test_gnubg_stops_where_a_board_is_refused(port: int, tmp_path: Path) -> None:
    printed = run_gnubg(
        [
            "set display off",
            f"set player 0 external localhost:{port}",
            "set player 1 human",
            "new session",
            "set turn 0",
            "set dice 31",
            "play",
            "set board /z0AADDeaxsAAA",
            "set turn 0",
            "set dice 31",
            "play",
        ],
        tmp_path,
    )
    assert "cannot come next: expected a legal play since the last board" in printed


@needs_gnubg
def test_it_can_be_both_players(port: int, tmp_path: Path) -> None:
    players = [f"set player {player} external localhost:{port}" for player in (0, 1)]
    check_match([*players, "set automatic game on", "new match 3"], tmp_path)
