"""Asking agents about positions, and the commands of the arena, good input and bad."""

import json
from pathlib import Path

import numpy as np
import pytest

from astragal.agents.specs import parse_agent
from astragal.arena.asking import evaluate
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from positions import walked
from test_cli import START, Shell, astragal

__all__ = ["astragal"]

OPENING = "4HPwATDgc/ABMA"


def test_evaluate_answers_in_the_promised_json(astragal: Shell) -> None:
    answer = astragal("evaluate", "backgammon", OPENING, "--json").json
    assert list(answer) == ["position", "win", "points", "outcomes"]
    assert answer["position"] == OPENING
    chances = {int(points): chance for points, chance in answer["outcomes"].items()}
    assert list(chances) == [-3, -2, -1, 1, 2, 3]
    assert sum(chances.values()) == pytest.approx(1)
    assert answer["win"] == pytest.approx(sum(chances[points] for points in (1, 2, 3)))
    assert answer["points"] == pytest.approx(sum(k * chance for k, chance in chances.items()))


@pytest.mark.parametrize(
    ("position", "win", "points"), [("xxxoo....", 0.0, -1.0), ("xoxxoooxx", 0.0, 0.0)]
)
def test_a_finished_position_takes_the_outcome_of_the_rules(
    astragal: Shell, position: str, win: float, points: float
) -> None:
    answer = astragal("evaluate", "tictactoe", position, "--agent", "material", "--json").json
    assert (answer["win"], answer["points"]) == (win, points)
    assert answer["outcomes"][str(int(points))] == 1.0


def test_best_answers_in_the_promised_json(astragal: Shell) -> None:
    answer = astragal("best", "ur", "5o.o...........0/7..............0 r", "2", "--json").json
    assert list(answer) == ["position", "roll", "plays"]
    assert all(
        list(play) == ["move", "position", "win", "points", "loss"] for play in answer["plays"]
    )
    points = [play["points"] for play in answer["plays"]]
    assert points == sorted(points, reverse=True)
    assert [play["loss"] for play in answer["plays"]] == pytest.approx(
        [points[0] - other for other in points]
    )


def test_best_ranks_all_plays_that_are_legal(astragal: Shell) -> None:
    legal = astragal("legal", "backgammon", OPENING, "64", "--json").json["afterstates"]
    best = astragal("best", "backgammon", OPENING, "64", "--agent", "pips@2", "--json").json
    told = {(play["move"], play["position"]) for play in best["plays"]}
    assert told == {(play["move"], play["position"]) for play in legal}
    assert all(play["loss"] >= 0 for play in best["plays"])
    assert best["plays"][0]["loss"] == 0


def test_gnubg_makes_its_five_point(astragal: Shell) -> None:
    answer = astragal("best", "backgammon", OPENING, "31", "--agent", "gnubg@0", "--json").json
    assert answer["plays"][0]["move"] == "8/5 6/5"


def test_a_winning_play_is_worth_a_win_to_the_mover(astragal: Shell) -> None:
    answer = astragal("best", "ur", "0.............o6/7..............0 r", "1", "--json").json
    assert (answer["plays"][0]["win"], answer["plays"][0]["points"]) == (1.0, 1.0)


def test_what_counts_decides_what_is_given_away(astragal: Shell) -> None:
    words = ["best", "backgammon", OPENING, "31", "--agent", "gnubg@0", "--aim", "win", "--json"]
    plays = astragal(*words).json["plays"]
    for play in plays:
        assert play["loss"] == pytest.approx(2 * (plays[0]["win"] - play["win"]))


def test_many_questions_are_answered_in_order(astragal: Shell) -> None:
    lines = [json.dumps({"position": START, "roll": roll}) for roll in range(1, 5)]
    answer = astragal("best", "ur", "-", stdin="\n".join([*lines, "{"]).encode())
    assert answer.code == 2
    assert [line.get("roll") for line in answer.lines] == ["1", "2", "3", "4", None]
    assert "is not a question" in answer.lines[-1]["error"]
    many = astragal("evaluate", "ur", "-", stdin=(lines[0] + "\n").encode() * 50)
    assert (many.code, len(many.lines)) == (0, 50)


def test_people_get_tables(astragal: Shell) -> None:
    assert "gives away" in astragal("best", "ur", START, "4").out
    assert "wins" in astragal("evaluate", "ur", START).out
    played = astragal("match", "ur:1", "pips", "random", "--games", "20", "--luck-adjusted", "pips")
    assert "luck taken out" in played.out
    assert "Elo" in astragal("tournament", "ur:1", "pips", "random", "--games", "20").out


def test_a_match_answers_in_json_and_writes_its_games(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["match", "ur:2", "pips", "random", "--games", "20", "--seed", "4", "--json"]
    answer = astragal(*words, "--records", str(path)).json
    assert answer["wins"] + answer["draws"] + answer["losses"] == answer["games"] == 20
    low, high = answer["points_a_game"]["interval"]
    assert low < answer["points_a_game"]["mean"] < high
    assert answer["version"] == find_game("ur:2").version
    assert len(path.read_text().splitlines()) == 20
    assert astragal(*words).json["wins"] == answer["wins"]


def test_a_tournament_answers_in_json_and_fills_a_folder(astragal: Shell, tmp_path: Path) -> None:
    words = ["tournament", "ur:1", "random", "greedy", "first", "--games", "20", "--json"]
    answer = astragal(*words, "--out", str(tmp_path), "--records").json
    assert len(answer["matches"]) == 3
    assert sum(line["elo"] for line in answer["standings"]) == pytest.approx(0, abs=1e-6)
    assert {path.name for path in tmp_path.iterdir()} == {
        "matches.jsonl",
        "report.html",
        "games.jsonl",
    }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["match", "ur", "pips", "random", "--games", "0"], "0 cannot be the number of games"),
        (["match", "ur", "pips", "random", "--games", "-3"], "-3 cannot be the number of games"),
        (["match", "ur", "pips", "nobody"], "'nobody' is not an agent for ur: expected one of"),
        (["match", "ur", "pips", "gnubg@0"], "'gnubg@0' is not an agent for ur"),
        (["match", "ur", "pips", "random", "--luck-adjusted", "first"], "'first' has no values"),
        (["match", "ur", "pips", "random", "--records", "/nowhere/x"], "/nowhere/x cannot be"),
        (["tournament", "ur", "pips"], "expected two or more"),
        (["tournament", "ur", "pips", "first", "--records"], "expected --records with --out"),
        (["evaluate", "ur", START, "--agent", "random"], "'random' has no values"),
        (["evaluate", "ur", "x"], "'x' is not a position"),
        (["best", "ur", START, "--agent", "pips"], "No roll was given"),
        (["best", "ur", START, "1", "--agent", "greedy"], "'greedy' ranks no plays"),
        (["best", "tictactoe", "xxxoo....", "-"], "is over"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(
    astragal: Shell, words: list[str], complaint: str
) -> None:
    answer = astragal(*words)
    assert (answer.code, answer.out) == (2, "")
    assert complaint in answer.err
    assert answer.err.count("\n") == 1


def test_roll_outs_tell_their_error_and_chances_that_are_probabilities() -> None:
    game = find_game("backgammon")
    for position, _ in walked(game, 4, seed=21):
        standing = Standing(np.array(position, np.int8), 0)
        answer = evaluate(parse_agent(game, "rollout:12:pips"), standing)
        assert answer["error"] >= 0
        assert min(answer["outcomes"].values()) >= 0
        assert sum(answer["outcomes"].values()) == pytest.approx(1)
    assert "error" not in evaluate(parse_agent(game, "pips"), standing)
