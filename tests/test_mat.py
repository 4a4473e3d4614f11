"""Matches as `.mat` files: ours read back, gnubg reads ours, and we read gnubg's."""

import re
from pathlib import Path

import msgspec
import pytest

from astragal.arena.mat import format_mat, is_mat, parse_mat, plain_name
from astragal.arena.match import play_match
from astragal.arena.reading import read_games
from astragal.arena.records import Record, replay
from astragal.arena.settings import MatchSettings
from astragal.arena.writing import write_games
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from gnubg_program import needs_gnubg, run_gnubg

AUTOMATIC = [
    "set display off",
    *(f"set automatic {what} on" for what in ("game", "roll", "move", "bearoff")),
    *(f"set player {player} gnubg" for player in (0, 1)),
    *(
        f"set player {player} {what} evaluation plies 0"
        for player in (0, 1)
        for what in ("chequerplay", "cubedecision")
    ),
    "set rng mersenne",
]


def played(games: int, seed: int = 1) -> list[Record]:
    settings = MatchSettings(games, seed, keeps_records=True, workers=1)
    return play_match(find_game("backgammon"), ("pips", "greedy"), settings).records()


def told(record: Record) -> tuple[object, ...]:
    """What a `.mat` file keeps of a game."""
    names = tuple(map(plain_name, record.agents))
    moves = [(step.roll, step.move) for step in replay(record)]
    return names, moves, record.outcome, record.given_up, record.cube


def test_games_read_back_as_they_were_written(tmp_path: Path) -> None:
    records = played(30)
    write_games(tmp_path / "games.mat", records)
    again = list(read_games(tmp_path / "games.mat"))
    assert [told(record) for record in again] == [told(record) for record in records]
    assert [record.number for record in again] == list(range(1, 31))


def test_scores_add_up_from_game_to_game() -> None:
    records = played(6)
    text = format_mat(records)
    scores = [tuple(map(int, pair)) for pair in re.findall(r"pips : (\d+) +greedy : (\d+)", text)]
    assert len(scores) == 6
    points = {"pips": 0, "greedy": 0}
    for record, score in zip(records, scores, strict=True):
        assert score == (points["pips"], points["greedy"])
        assert record.outcome is not None
        points[record.agents[record.outcome < 0]] += abs(record.outcome)


CUBE = """ 5 point match

 Game 1
 ann : 0                          bob : 0
  1)                              31: 8/5 6/5
  2) 43: 24/21 13/9               Doubles => 2
  3) Takes                        52: 13/8 13/11
  4) Doubles => 4                 Drops
      Wins 2 points
"""


def test_doubles_are_kept_beside_the_moves_and_written_again() -> None:
    (record,) = parse_mat(CUBE, "cube.mat")
    assert record.agents == ("bob", "ann")
    assert record.cube == [(2, "take"), (3, "drop")]
    assert (record.stake, record.outcome, record.given_up) == (2, -1, True)
    (again,) = parse_mat(format_mat([record]), "again.mat")
    assert told(again) == told(record)


def test_a_game_that_is_cut_off_is_not_over() -> None:
    (record,) = parse_mat("\n".join(CUBE.splitlines()[:6]), "cut.mat")
    assert (record.outcome, record.given_up, len(record.turns)) == (None, False, 2)
    assert len(list(replay(record))) == 2


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("8/5 6/5", "8/5 6/1", "Game 1, turn 1, .*: '8/5 6/1' is not a legal play"),
        ("8/5 6/5", "8/5 6/x", "'8/5 6/x' is not a move"),
        ("  1)        ", "  1) hello ", r"Game 1, line 5 of f.mat: '1\) hello .* is not a turn"),
        ("Takes", "Perhaps", "is not a turn"),
        (" Game 1", " Game one", "before the first game"),
        ("ann : 0", "ann", "names no players"),
        ("  2) 43: 24/21 13/9               Doubles => 2\n", "", "'Takes' answers no double"),
        ("                              31", " 11: 6/1                       31", "is not a legal"),
        ("Wins 2 points", "Wins 2 points\n  5) 31: 8/5 6/5", "after the end of the game"),
        ("Wins 2 points", "Wins 99 points", "cannot be won with 99 points: expected 2 to 6"),
        ("Wins 2 points", "Wins 0 points", "cannot be won with 0 points"),
        (" 5 point match", ' ; [Variation "Tapa"]\n 5 point match', "'Tapa' is not played here"),
        (" ann : 0", " " * 600 + "ann : 0", "has 635 letters|letters: expected 500"),
    ],
)
def test_a_spoiled_match_names_its_place(old: str, new: str, complaint: str) -> None:
    assert CUBE.count(old) == 1
    with pytest.raises(InputError, match=complaint):
        [list(replay(record)) for record in parse_mat(CUBE.replace(old, new), "f.mat")]


def test_nackgammon_is_not_taken_for_backgammon() -> None:
    text = CUBE.replace(" 5 point match", '; [Variation "NackGammon"]\n 5 point match')
    (record,) = parse_mat(text, "nack.mat")
    assert record.game == "nackgammon"
    assert len(list(replay(record))) == 3


def test_two_who_are_called_nearly_the_same_stay_two() -> None:
    records = played(4)
    names = ("net:runs/experiment/a.safetensors", "net:runs/experiment/b.safetensors")
    for record in records:
        record.agents = names if record.agents[0] == "pips" else names[::-1]
    again = list(parse_mat(format_mat(records), "f.mat"))
    assert len(set(again[0].agents)) == 2
    assert [r.agents[0] == again[0].agents[0] for r in again] == [True, False, True, False]
    assert [r.outcome for r in again] == [r.outcome for r in records]


def test_a_player_against_itself_has_a_score_of_each_column() -> None:
    records = played(4)
    for record in records:
        record.agents = ("pips", "pips")
    scores = re.findall(r"pips : (\d+) +pips : (\d+)", format_mat(records))
    last = records[0]
    assert last.outcome is not None
    expected = (abs(last.outcome), 0) if last.outcome > 0 else (0, abs(last.outcome))
    assert tuple(map(int, scores[1])) == expected


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\r\n", b"; " + b"x" * 400 + b"\n"])
def test_what_some_programs_put_before_a_match_does_no_harm(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "match.mat"
    path.write_bytes(mark * (1 if mark[:1] == b"\xef" else 30) + CUBE.encode())
    (record,) = read_games(path)
    assert len(record.turns) == 3


def test_only_one_pair_of_players_and_only_backgammon_fit_into_a_file() -> None:
    first, second = played(2)
    other = msgspec.structs.replace(second, agents=("pips", "random"))
    with pytest.raises(InputError, match="same two in all games"):
        format_mat([first, other])
    with pytest.raises(InputError, match="is one of ur: expected backgammon"):
        format_mat([msgspec.structs.replace(first, game="ur")])


@pytest.mark.parametrize("text", ["", "hello", "{}", "\x00\xff" * 50, "7 point mat"])
def test_what_is_no_match_does_not_look_like_one(text: str) -> None:
    assert not is_mat(text)


@needs_gnubg
def test_gnubg_reads_what_we_write(tmp_path: Path) -> None:
    records = played(5, seed=3)
    write_games(tmp_path / "ours.mat", records)
    said = run_gnubg(["import mat ours.mat", "export match mat theirs.mat"], tmp_path)
    assert "rror" not in said
    again = list(read_games(tmp_path / "theirs.mat"))
    assert [told(record)[:3] for record in again] == [told(record)[:3] for record in records]


@needs_gnubg
def test_we_read_what_gnubg_writes(tmp_path: Path) -> None:
    run_gnubg(
        [*AUTOMATIC, "set seed 7", "new match 5", *["play"] * 400, "export match mat match.mat"],
        tmp_path,
    )
    records = list(read_games(tmp_path / "match.mat"))
    assert sum(abs(record.outcome or 0) * record.stake for record in records) >= 5
    assert any(record.cube for record in records)
    assert sum(len(list(replay(record))) for record in records) > 60
