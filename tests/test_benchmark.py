"""What is said of a champion is measured, beside what others had."""

from pathlib import Path

import msgspec
import pytest

from astragal.arena.benchmark import Found, measures_of, milliseconds_a_move
from astragal.arena.estimates import Estimate
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from test_cli import Shell, astragal

__all__ = ["astragal"]


def test_a_champion_is_measured_with_intervals(astragal: Shell, tables: Path) -> None:
    told = astragal("benchmark", "tictactoe", "--share", "0.05", "--json")
    answer = msgspec.json.decode(told.out)
    (measure,) = answer["measures"]
    assert measure["games"] == 100
    assert measure["win_rate"]["mean"] == 0.5  # it never gives anything away
    assert set(answer["milliseconds_a_move"]) == {"champion", "champion@1"}
    table = astragal("benchmark", "tictactoe", "--share", "0.05").out
    assert "against perfect play" in table
    assert "50.00%" in table


def test_what_is_played_for_one_aim_can_be_measured_alone(astragal: Shell, tables: Path) -> None:
    words = ("benchmark", "tictactoe", "--share", "0.02", "--aim")
    assert "against perfect play" in astragal(*words, "points").out
    told = astragal(*words, "win")
    assert told.code == 2
    assert "tictactoe is not measured for 'win': expected points." in told.err


def test_the_same_seed_measures_the_same(astragal: Shell, tables: Path) -> None:
    words = ("benchmark", "tictactoe", "--share", "0.02", "--json", "--seed", "5")
    first, second = (msgspec.json.decode(astragal(*words).out)["measures"] for _ in range(2))
    assert first == second


def test_backgammon_is_measured_against_gnubg_in_all_three_ways() -> None:
    told = [(each.first, each.aim, each.is_points) for each in measures_of(find_game("backgammon"))]
    assert told == [
        ("champion", "win", False),
        ("champion@1", "win", False),
        ("champion", "points", True),
    ]
    assert 0 < milliseconds_a_move(find_game("backgammon"), "champion", 3) < 5_000


@pytest.mark.parametrize("is_solved", [False, True])
def test_it_is_said_whether_the_bearoff_is_known(
    astragal: Shell, is_solved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = object() if is_solved else None
    monkeypatch.setattr("astragal.values.bearoff.bearoff_of", lambda _: known)
    found = Found(measures_of(find_game("backgammon"))[0], Estimate(0.5, 0.1), 20, 1)
    monkeypatch.setattr("astragal.arena.benchmark.found_by", lambda *_: found)
    monkeypatch.setattr("astragal.arena.benchmark.milliseconds_a_move", lambda *_: 1.0)
    answer = msgspec.json.decode(astragal("benchmark", "backgammon", "--json").out)
    assert answer["knows_bearoff"] is is_solved
    said = astragal("benchmark", "backgammon").out
    assert ("the bear-off solved" if is_solved else "the bear-off not solved") in said


def test_what_cannot_be_measured_is_said(astragal: Shell, data_folder: Path) -> None:
    with pytest.raises(InputError, match="expected `astragal solve ur` to be run first"):
        measures_of(find_game("ur"))
    told = astragal("benchmark", "ur:blitz")
    assert told.code == 2
    assert "has no champion" in told.err
