"""A game in the terminal, as a person or a script plays it; and the quiz."""

import itertools
import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from astragal.agents.levels import LEVELS, level_spec
from astragal.agents.specs import parse_agent
from astragal.arena.mat import parse_mat
from astragal.arena.match import play_match
from astragal.arena.reading import read_games
from astragal.arena.records import replay
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.play.quiz import FEWEST_PLAYS, LEAST, Score, Scores, questions, risks_of
from astragal.play.session import Session
from test_cli import COMMAND, Shell, astragal
from test_mat import CUBE

__all__ = ["astragal"]

pytestmark = pytest.mark.usefixtures("data_folder")


def kept(folder: Path) -> Path:
    """The one game that is kept in the data folder."""
    (path,) = (folder / "games").glob("*.jsonl")
    return path


GOING_ON = "".join(CUBE.splitlines(keepends=True)[:7])


# Sessions


def session(game: str = "ur", seed: int = 1) -> Session:
    return Session(find_game(game), ("human", "random"), seed)


def advance(current: Session, turns: int) -> None:
    for _ in range(turns):
        current.play(current.moves()[0])


def test_giving_up_is_taken_back_alone() -> None:
    current = session("ur")
    while len(current.moves()) < 2:
        current.play(current.moves()[0])
    current.play(current.moves()[0])
    turns = len(current.steps)
    current.resign(current.side, 1)
    assert current.is_over
    assert current.undo([0, 1])
    assert not current.is_over
    assert len(current.steps) == turns


@pytest.mark.parametrize("game", ["ur", "backgammon", "tictactoe"])
def test_a_session_kept_and_gone_on_with_is_the_same_game(game: str, tmp_path: Path) -> None:
    whole, cut = session(game), session(game)
    advance(whole, 7)
    advance(cut, 4)
    cut.save(tmp_path / "cut.jsonl")
    (record,) = read_games(tmp_path / "cut.jsonl")
    again = Session.of(record, seed=99)
    advance(again, 3)
    assert again.record() == whole.record()


def test_after_an_undo_the_dice_are_the_same_but_the_choice_is_free() -> None:
    current = session("backgammon")
    advance(current, 4)
    rolls = [step.roll for step in current.steps]
    assert current.undo([0])
    assert len(current.steps) == 2
    current.play(current.moves()[-1])
    advance(current, 1)
    assert [step.roll for step in current.steps] == rolls


def test_undo_goes_back_to_a_choice_of_ones_own() -> None:
    current = session("ur", seed=4)
    advance(current, 12)
    while current.undo([0]):
        assert current.side == 0
        assert len(current.moves()) > 1
    assert not any(step.standing.side == 0 and len(step.moves) > 1 for step in current.steps)


@pytest.mark.parametrize(("game", "points"), [("ur", 2), ("backgammon", 4), ("tictactoe", 0)])
def test_no_more_than_a_game_counts_can_be_resigned(game: str, points: int) -> None:
    with pytest.raises(InputError, match=f"{points} cannot be resigned"):
        session(game).resign(0, points)


# At the terminal


@pytest.mark.parametrize("game", ["ur:3", "backgammon", "hypergammon", "tictactoe"])
def test_a_whole_game_can_be_played_through_a_pipe(
    astragal: Shell, data_folder: Path, game: str
) -> None:
    # The first of the plays by number, or in tic-tac-toe any cell that is free.
    lines = b"1\n" * 400 if game != "tictactoe" else b"4\n0\n1\n2\n3\n5\n6\n7\n8\n" * 9
    told = astragal("play", game, "--against", "first", "--seed", "3", stdin=lines)
    assert (told.code, told.err) == (0, "")
    assert re.search("decisions, .* each|no choice", told.out)
    assert f"astragal analyse {kept(data_folder)}" in told.out
    (record,) = read_games(kept(data_folder))
    assert record.outcome is not None
    assert sum(1 for _ in replay(record)) == len(record.turns)


def test_moves_are_answered_as_people_write_them_and_mistakes_are_explained(
    astragal: Shell,
) -> None:
    lines = b"nonsense\n99\n\nHELP\nhint\nE3\nquit\n"
    told = astragal("play", "ur", "--against", "random", "--seed", "3", stdin=lines).out
    assert "'nonsense' is not a legal play" in told
    assert "expected a number from 1 to" in told
    assert "take your last choice back" in told
    assert "gives away" in told
    assert "--load" in told


def test_the_other_side_and_levels_and_rules_can_be_chosen(astragal: Shell) -> None:
    told = astragal("play", "ur", "--side", "blue", "--level", "beginner", "--rules", "blitz")
    assert "red is beginner, blue is human" in told.out
    assert told.code == 0


def test_two_people_share_a_terminal(astragal: Shell) -> None:
    lines = b"4\n0\n1\n7\n2\n6\nundo\n6\n8\n3\n5\n"
    told = astragal("play", "tictactoe", "--against", "human", stdin=lines).out
    assert (told.count("x> "), told.count("o> ")) == (5, 5)
    assert "o wins" in told
    assert "x gave away" in told
    assert "o gave away" in told


def test_two_agents_can_be_watched(astragal: Shell, data_folder: Path) -> None:
    words = ["play", "ur:2", "--me", "pips", "--against", "greedy", "--delay", "0"]
    told = astragal(*words, "--seed", "1")
    assert told.code == 0
    assert re.search("(red|blue) wins", told.out)
    assert not (data_folder / "games").exists()
    assert astragal(*words, "--seed", "1").out == told.out


def test_a_game_that_was_left_goes_on(astragal: Shell, data_folder: Path, tmp_path: Path) -> None:
    first = ["play", "backgammon", "--against", "first", "--seed", "8"]
    whole = astragal(*first, stdin=b"1\n1\n1\nquit\n")
    path = kept(data_folder)
    (before,) = read_games(path)
    path.unlink()
    astragal(*first, stdin=b"1\nquit\n")
    told = astragal("play", "backgammon", "--continue", stdin=b"1\n1\nquit\n")
    assert told.code == whole.code == 0
    (after,) = read_games(kept(data_folder))
    assert after == before
    elsewhere = tmp_path / "elsewhere.jsonl"
    lines = f"save {elsewhere}\n1\nquit\n".encode()
    astragal("play", "backgammon", "--load", str(kept(data_folder)), stdin=lines)
    (more,) = read_games(elsewhere)
    assert len(more.turns) > len(after.turns)
    lines = f"load {elsewhere}\nboard\nquit\n".encode()
    told = astragal("play", "backgammon", "--against", "first", stdin=lines)
    assert f"goes on, after {len(more.turns)} turns" in told.out


def test_resigning_ends_the_game_and_is_kept(astragal: Shell, data_folder: Path) -> None:
    told = astragal("play", "backgammon", "--seed", "1", stdin=b"1\nresign 5\nresign 2\n")
    assert "5 cannot be resigned" in told.out
    assert "black (the machine) wins 2 points" in told.out
    (record,) = read_games(kept(data_folder))
    assert (record.outcome, record.given_up) == (-2, True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["play", "chess"], "'chess' is not a game"),
        (["play", "ur", "--level", "god"], "'god' is not a level: expected beginner, casual"),
        (["play", "ur", "--against", "god"], "'god' is not an agent"),
        (["play", "ur", "--against", "pips", "--level", "club"], "both given"),
        (["play", "ur", "--side", "green"], "'green' is not a side: expected red or blue"),
        (["play", "ur", "--load", "nowhere.jsonl"], "cannot be read"),
        (["play", "ur", "--continue"], "No game of ur was left"),
        (["play", "ur", "--continue", "--load", "x"], "both given"),
        (["play", "ur", "--continue", "--level", "club"], "tells who plays it"),
        (["play", "ur", "--continue", "--seed", "1"], "tells who plays it"),
        (["play", "ur", "--load", "x.jsonl", "--me", "pips"], "tells who plays it"),
        (["play", "ur", "--save", "."], "cannot be written"),
        (["play", "ur", "--save", "/nowhere/game.jsonl"], "cannot be written"),
        (["play", "backgammon", "--save", "game.mat"], "expected a .jsonl file"),
        (["quiz", "ur:1", "--agent", "pips"], "No choice in 200 games of ur:1 mattered"),
        (["quiz", "ur", "--agent", "random"], "has no values"),
        (["quiz", "chess"], "'chess' is not a game"),
    ],
)
def test_what_cannot_be_played_is_refused(
    astragal: Shell, words: list[str], complaint: str
) -> None:
    answer = astragal(*words, stdin=b"1\n")
    assert answer.code == 2
    assert complaint in answer.err


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("save", "Save where?"),
        ("save /nowhere/at/all.jsonl", "cannot be written"),
        ("load", "Load what?"),
        ("load nowhere.jsonl", "cannot be read"),
        ("resign everything", "'everything' cannot be resigned"),
        ("undo", "no choice of yours"),
        ("x" * 100_000, "is not a legal play"),
        ("save a\0b", "cannot be written"),
        ("load a\0b", "cannot be read"),
        ("\udcff", "is not a legal play"),
    ],
)
def test_a_command_that_fails_leaves_the_game_as_it_was(
    astragal: Shell, line: str, complaint: str
) -> None:
    told = astragal(
        "play", "ur", "--seed", "3", stdin=f"{line}\n1\nquit\n".encode(errors="surrogateescape")
    )
    assert told.code == 0
    assert complaint in told.out
    assert "The game is kept" in told.out
    assert len(told.out) < 20_000


def test_no_file_is_written_over(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("mine")
    answer = astragal("play", "ur", "--save", str(path), stdin=b"1\n")
    assert answer.code == 2
    assert "is there already" in answer.err
    told = astragal("play", "ur", "--seed", "3", stdin=f"save {path}\nquit\n".encode())
    assert "is there already" in told.out
    assert path.read_text() == "mine"


def test_what_is_loaded_and_left_stays_as_it_was(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_text(CUBE)
    told = astragal("play", "backgammon", "--load", str(path), stdin=b"quit\n")
    assert told.code == 2  # its players are nobody's
    assert path.read_text() == CUBE
    text = GOING_ON.replace("ann", "human").replace("bob", "first")
    path.write_text(text)
    assert astragal("play", "backgammon", "--load", str(path), stdin=b"quit\n").code == 0
    assert path.read_text() == text


def test_the_cube_of_a_game_that_goes_on_is_kept() -> None:
    (record,) = parse_mat(GOING_ON, "cube.mat")
    going = Session.of(record, seed=1)
    advance(going, 2)
    assert going.record().cube == [(2, "take")]
    assert going.record().turns[:2] == record.turns[:2]


def test_taking_back_the_first_choice_is_kept(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    words = ["play", "tictactoe", "--against", "first", "--save", str(path)]
    astragal(*words, stdin=b"4\nundo\nquit\n")
    (record,) = read_games(path)
    assert record.turns == []


def test_where_a_game_cannot_be_kept_it_goes_on(
    astragal: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("astragal.arena.writing.write_text", full)
    lines = b"4\n0\n1\n2\n3\n5\n6\n7\n8\n" * 9
    told = astragal("play", "tictactoe", "--against", "first", stdin=lines)
    assert told.code == 0
    assert "No space left on device" in told.out
    assert re.search("wins|drawn", told.out)


def test_a_mat_file_is_a_copy(astragal: Shell, data_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.mat"
    lines = f"1\nsave {path}\n1\nquit\n".encode()
    told = astragal("play", "backgammon", "--seed", "2", "--against", "first", stdin=lines).out
    assert f"A copy is in {path}" in told
    assert f"--load {kept(data_folder)}" in told
    (copy,), (whole,) = read_games(path), read_games(kept(data_folder))
    assert 0 < len(copy.turns) < len(whole.turns)


def test_undo_draws_the_board_once(astragal: Shell) -> None:
    told = astragal("play", "tictactoe", "--against", "first", stdin=b"4\nundo\nquit\n").out
    assert told.count("Tic-tac-toe: x to move") == 3  # at first, after o's move, after the undo


def test_a_game_of_another_kind_cannot_be_loaded(astragal: Shell, tmp_path: Path) -> None:
    session("backgammon").save(tmp_path / "game.jsonl")
    answer = astragal("play", "ur", "--load", str(tmp_path / "game.jsonl"))
    assert answer.code == 2
    assert "holds a game of 'backgammon': expected one of ur" in answer.err


def test_ctrl_c_leaves_quietly_and_keeps_the_game(data_folder: Path) -> None:
    mine, theirs = pty.openpty()
    words = [*COMMAND, "play", "ur", "--seed", "3", "--against", "first"]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm"}
    )
    os.close(theirs)
    _read_until(mine, "> ")
    os.write(mine, b"1\n")
    _read_until(mine, "> ")
    process.send_signal(signal.SIGINT)
    told = _read_until(mine, "--load")
    assert process.wait(30) == 130
    assert "Traceback" not in told
    (record,) = read_games(kept(data_folder))
    assert len(record.turns) >= 1
    os.close(mine)


def _read_until(terminal: int, words: str) -> str:
    text, end = "", time.monotonic() + 60
    while words not in text:
        assert time.monotonic() < end, text
        text += os.read(terminal, 65536).decode(errors="replace")
    return text


def test_a_closed_pipe_ends_the_game_quietly(data_folder: Path) -> None:
    words = [*COMMAND, "play", "ur", "--seed", "3", "--against", "first"]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(b"1\n")
    process.stdin.flush()
    text = b""
    while text.count(b"> ") < 2:
        text += process.stdout.read(1)
    process.stdout.close()
    process.stdin.write(b"1\n" * 200)
    process.stdin.close()
    process.wait(60)
    told = process.stderr.read().decode()
    process.stderr.close()
    assert "Traceback" not in told
    (record,) = read_games(kept(data_folder))
    assert record.turns


# Levels


@pytest.mark.parametrize("game", ["ur", "backgammon", "tictactoe", "ur:blitz", "hypergammon"])
def test_a_stronger_level_beats_a_weaker(game: str) -> None:
    # Two levels apart, which shows in few games; docs/levels.md has all of them.
    settings, found = MatchSettings(100, seed=2, workers=1), find_game(game)
    for upper, lower in itertools.pairwise(LEVELS[-2::-2]):
        specs = level_spec(found, upper), level_spec(found, lower)
        assert play_match(found, specs, settings).win_rate.mean > 0.55


# The quiz


def test_questions_are_about_choices_that_matter() -> None:
    game = find_game("ur")
    judge = parse_agent(game, "champion")
    found = questions(game, judge, "points", seed=1)
    for _ in range(5):
        question = next(found)
        assert len(question.plays) >= FEWEST_PLAYS
        assert question.plays[0]["loss"] == 0
        assert question.plays[1]["loss"] >= LEAST
        assert set(question.deeds) == {play["move"] for play in question.plays}


def test_the_risk_of_a_play_is_the_chance_that_it_can_be_hit() -> None:
    # Blue's stone on b1, its third square from the start... one step behind red's on the row.
    game = find_game("ur")
    standing = game.notation.parse_position("6....o.........0/6...o..........0 r")
    # A roll of 1 by red moves a2 (the fifth square) on to b2, 2 from blue's, or enters another.
    roll = game.parse_roll("1")
    found = game.afterstates_of(standing.position, roll)
    moves = game.notation.format_moves(*standing, roll, found)
    risks = dict(zip(moves, risks_of(game, found), strict=True))
    # Blue stands on its fourth square: it hits the fifth with 1 (4 of 16), the sixth with 2.
    assert risks == pytest.approx({"a2": 6 / 16, "e3": 4 / 16})


def test_the_quiz_asks_explains_and_keeps_a_score(astragal: Shell, data_folder: Path) -> None:
    lines = b"help\nz9\n1\nskip\n1\n1\n"
    told = astragal(
        "quiz", "ur", "--questions", "4", "--seed", "3", "--agent", "champion", stdin=lines
    )
    assert told.code == 0
    assert "'z9' is not a legal play" in told.out
    assert re.search("Right: |Better is ", told.out)
    assert re.search("This time [0-3] of 3 right", told.out)
    scores = json.loads((data_folder / "quiz.json").read_text())
    assert scores["ur"]["asked"] == 3
    again = astragal("quiz", "ur", "--seed", "3", "--agent", "champion", stdin=b"1\nquit\n")
    assert re.search("In all [0-4] of 4 right", again.out)


def test_scores_that_cannot_be_read_are_not_written_over(
    astragal: Shell, data_folder: Path
) -> None:
    data_folder.mkdir()
    path = data_folder / "quiz.json"
    path.write_text('{"ur": 5')
    answer = astragal("quiz", "ur", "--agent", "champion", stdin=b"1\n")
    assert answer.code == 2
    assert "does not hold scores" in answer.err
    assert path.read_text() == '{"ur": 5'


def test_a_score_counts_right_answers_and_what_was_lost(tmp_path: Path) -> None:
    scores = Scores(tmp_path / "new" / "quiz.json")
    other = Scores(tmp_path / "new" / "quiz.json")
    for lost in (0.0, 0.25):  # two people at once lose nothing
        scores.note("ur", lost)
        other.note("ur", lost)
    assert Scores(tmp_path / "new" / "quiz.json").of("ur") == Score(4, 2, 0.5)
