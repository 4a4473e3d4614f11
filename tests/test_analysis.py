"""A game looked at afterwards: what moves gave away, how lucky rolls were, and who says so."""

import json
import os
import re
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from astragal.agents.gnubg import GnubgValues
from astragal.arena.analysis import Analysis, Share, analyse, error_name, shares_of, worst_turns
from astragal.arena.match import play_match
from astragal.arena.records import Record, format_records, replay
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.settings import NetSettings
from astragal.values.checkpoint import save_net
from test_cli import Shell, astragal

__all__ = ["astragal"]  # a fixture


def played(game: str, *players: str, games: int = 6, judge: str | None = None) -> list[Record]:
    settings = MatchSettings(games, 5, keeps_records=True, judge=judge, workers=1)
    return play_match(find_game(game), (players[0], players[1]), settings).records()


def tictactoe(*moves: int, outcome: int | None) -> Record:
    turns = [("-", str(move)) for move in moves]
    return Record("tictactoe", find_game("tictactoe").version, ("ann", "bob"), turns, outcome)


def test_before_the_first_roll_the_chance_is_that_of_first_rolls() -> None:
    # The opening roll of backgammon is never a double, which would be worth more than others.
    game = find_game("backgammon")
    record = Record("backgammon", game.version, ("a", "b"), [("31", "8/5 6/5")], None)
    begin = analyse(record, "gnubg@0").begin
    worth = []
    for roll in range(len(game.rolls)):
        found = game.afterstates_of(game.start, roll)
        chances = parse_values("gnubg@0").chances(found.positions)
        worth.append((1 - chances[:, 3:].sum(axis=1)).max())
    assert begin == pytest.approx(float(np.array(worth) @ game.opening_chances), abs=1e-6)
    assert begin < float(np.array(worth) @ game.chances) - 0.005


def parse_values(spec: str) -> GnubgValues:
    return GnubgValues(find_game("backgammon"), int(spec[-1]))


def test_a_game_that_did_not_end_counts_no_points() -> None:
    record, other, *_ = played("ur", "pips", "random", games=2)
    cut = msgspec.structs.replace(record, turns=record.turns[:9], outcome=None)
    share = analyse(cut, "pips").share(0)
    assert (share.finished, share.points, share.adjusted) == (0, 0.0, None)
    both = shares_of([analyse(cut, "pips"), analyse(other, "pips")])
    assert [share.finished for share in both] == [1, 1]
    alone = {share.name: share for share in shares_of([analyse(other, "pips")])}
    assert [share.adjusted for share in both] == [alone[s.name].adjusted for s in both]


def test_a_judge_that_tells_no_gammons_judges_wins_alone(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    (record, *_) = played("backgammon", "pips", "greedy", games=2)
    path.write_text(format_records([record]))
    net = tmp_path / "net.safetensors"
    save_net(net, fresh_net(find_game("backgammon"), NetSettings(hidden=(4,)), 1))
    judge = f"net:{net}"
    told = astragal("analyse", str(path), "--judge", judge, "--json").json
    assert told["games"][0]["aim"] == "win"
    assert abs(told["players"][0]["points"]) == 1
    for other in ("gnubg@0", "champion"):
        told = astragal("analyse", str(path), "--judge", other, "--json").json
        assert told["games"][0]["aim"] == "points"
    assert "gammons" in astragal("analyse", str(path), "--judge", judge).out
    asked = "best", "backgammon", "4HPwATDgc/ABMA", "31"
    assert "tells no gammons" in astragal(*asked, "--agent", judge).out
    assert "tells no gammons" not in astragal(*asked, "--agent", "champion").out


def test_tic_tac_toe_is_judged_exactly_without_being_asked(
    astragal: Shell, tmp_path: Path, data_folder: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(format_records([tictactoe(1, 2, outcome=None)]))
    (game,) = astragal("analyse", str(path), "--json").json["games"]
    assert game["judge"] == "perfect"
    assert [turn["lost"] for turn in game["turns"]] == pytest.approx([0, 0], abs=1e-6)


def test_equal_games_and_pipes_are_read(astragal: Shell, tmp_path: Path) -> None:
    (record, *_) = played("ur:2", "pips", "random", games=2)
    path = tmp_path / "games.jsonl"
    path.write_text(format_records([record, record]))
    assert len(astragal("analyse", str(path), "--judge", "pips", "--json").json["games"]) == 2
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(path.read_text()))
    writer.start()
    assert len(astragal("analyse", str(pipe), "--judge", "pips", "--json").json["games"]) == 2
    writer.join()


@pytest.mark.parametrize("name", ["[/foo]", "[red]", "\x1b[2J", "a\nb"])
def test_a_name_cannot_disturb_a_terminal(astragal: Shell, tmp_path: Path, name: str) -> None:
    (record, *_) = played("ur:2", "pips", "random", games=2)
    record.agents = (name, "b")
    path = tmp_path / "games.jsonl"
    path.write_text(format_records([record]))
    told = astragal("analyse", str(path), "--judge", "pips")
    assert told.code == 0
    assert "\x1b" not in told.out
    assert "[" not in name or name.lstrip("\x1b") in told.out


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"outcome": 100, "given_up": True}, "cannot end with '100' points"),
        ({"outcome": 0, "given_up": True}, "cannot end with '0' points|by giving up"),
        ({"cube": [(1, "take")]}, "doubles that cannot be"),
        ({"seed": -1}, "has the seed -1"),
    ],
)
def test_a_record_tells_nothing_that_cannot_be(changes: dict[str, Any], complaint: str) -> None:
    (record, *_) = played("ur:2", "pips", "random", games=2)
    short = msgspec.structs.replace(record, turns=record.turns[:2], outcome=None)
    with pytest.raises(InputError, match=complaint):
        list(replay(msgspec.structs.replace(short, **changes)))


@pytest.mark.usefixtures("tables")
def test_a_known_blunder_costs_the_game() -> None:
    # In the corner against the centre nothing is lost; an edge against it loses.
    analysis = analyse(tictactoe(4, 1, 0, 8, 6, outcome=None), "perfect")
    assert [turn.lost for turn in analysis.turns] == pytest.approx([0, 1, 0, 0, 0], abs=1e-6)
    assert analysis.turns[1].error == "very bad"
    assert analysis.turns[1].best in "0268"
    assert analysis.turns[0].best == "4"
    assert [turn.luck for turn in analysis.turns] == pytest.approx([0] * 5)
    assert [analysis.begin, *(turn.win for turn in analysis.turns)] == pytest.approx(
        [0.5, 0.5, 1, 1, 1, 1]
    )
    assert [analysis.share(side).decisions for side in (0, 1)] == [3, 2]


@pytest.mark.usefixtures("tables")
def test_with_exact_values_luck_and_mistakes_make_up_the_whole_result() -> None:
    for record in played("ur:3", "random", "greedy", games=20):
        analysis = analyse(record, "perfect")
        assert analysis.points is not None
        first, second = analysis.share(0), analysis.share(1)
        fair = 2 * analysis.begin - 1
        assert fair + first.luck - first.lost + second.lost == pytest.approx(
            analysis.points, abs=1e-4
        )
        assert second.luck == -first.luck


@pytest.mark.parametrize("game", ["ur", "backgammon"])
def test_a_game_is_judged_as_matches_are(game: str) -> None:
    settings = MatchSettings(6, 5, keeps_records=True, judge="pips", workers=1)
    result = play_match(find_game(game), ("pips", "greedy"), settings)
    for row, record in enumerate(result.records()):
        analysis = analyse(record, "pips")
        seats = (0, 1) if row % 2 == 0 else (1, 0)
        lost = [analysis.share(side).lost for side in seats]
        assert lost == pytest.approx(result.played.lost[row].tolist(), abs=1e-6)
        assert analysis.share(seats[0]).luck == pytest.approx(result.played.luck[row], abs=1e-6)


def test_a_player_loses_nothing_in_its_own_eyes() -> None:
    for record in played("ur", "champion@1", "random", games=4):
        analysis = analyse(record, "champion@1")
        share = next(s for s in shares_of([analysis]) if s.name == "champion@1")
        assert share.lost == 0
        assert share.rating == "supernatural"
        assert all(turn.best == turn.move for turn in analysis.turns if turn.lost == 0)


def test_shares_of_several_games_add_up_by_name() -> None:
    records = played("ur", "pips", "random", games=6)
    analyses = [analyse(record, "pips") for record in records]
    shares = {share.name: share for share in shares_of(analyses)}
    assert set(shares) == {"pips", "random"}
    assert sum(share.points for share in shares.values()) == 0
    assert shares["pips"].games == 6
    lost = sum(turn.lost for analysis in analyses for turn in analysis.turns)
    assert sum(share.lost for share in shares.values()) == pytest.approx(lost)
    worst = worst_turns(analyses, 3)
    assert [turn.lost for _, turn in worst] == sorted(
        (turn.lost for analysis in analyses for turn in analysis.turns), reverse=True
    )[:3]


@pytest.mark.parametrize(
    ("lost", "name"),
    [
        (0.0, None),
        (0.029, None),
        (0.03, "doubtful"),
        (0.06, "bad"),
        (0.119, "bad"),
        (2, "very bad"),
    ],
)
def test_errors_have_the_names_that_gnubg_gives_them(lost: float, name: str | None) -> None:
    assert error_name(lost) == name


@pytest.mark.parametrize(
    ("rate", "rating"),
    [(0.0019, "supernatural"), (0.002, "world class"), (0.0119, "advanced"), (0.035, "awful")],
)
def test_ratings_have_the_names_that_gnubg_gives_them(rate: float, rating: str) -> None:
    assert Share("ann", decisions=1000, lost=1000 * rate).rating == rating


@pytest.mark.parametrize(
    ("judge", "game"),
    [("rollout:36:pips", "ur:2"), ("tree:50:pips", "ur:2"), ("gnubg@0", "backgammon")],
)
def test_anyone_with_values_can_judge(judge: str, game: str) -> None:
    (record, *_) = played(game, "greedy", "greedy", games=2)
    analysis = analyse(msgspec.structs.replace(record, turns=record.turns[:6], outcome=None), judge)
    assert isinstance(analysis, Analysis)
    assert np.isfinite([turn.lost + turn.luck for turn in analysis.turns]).all()


# The command


def test_analyse_answers_in_json(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(played("ur:3", "pips", "random", games=4)))
    answer = astragal("analyse", str(path), "--judge", "pips", "--json").json
    assert [game["number"] for game in answer["games"]] == [1, 2, 3, 4]
    assert {player["name"] for player in answer["players"]} == {"pips", "random"}
    assert len(answer["worst"]) == 3
    assert answer["fault"] is None
    turn = answer["games"][0]["turns"][0]
    assert turn["position"] == "3..............0/3..............0 r"
    one = astragal("analyse", str(path), "--judge", "pips", "--game", "3", "--json").json
    assert one["games"] == [answer["games"][2]]


def test_people_get_every_turn_the_players_and_the_worst_boards(
    astragal: Shell, tmp_path: Path
) -> None:
    path, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    path.write_text(format_records(played("ur", "pips", "random", games=2)))
    told = astragal("analyse", str(path), "--judge", "pips", "--html", str(page))
    assert told.code == 0
    for words in ("gave away a decision", "supernatural", "Game 2, turn", "luck taken out"):
        assert words in told.out
    pictures = re.findall("<svg.*?</svg>", page.read_text(), re.DOTALL)
    titles = [ElementTree.fromstring(picture)[0].text for picture in pictures]
    assert ["Royal Game of Ur" in str(title) for title in titles] == [True] * 3 + [False] * 2
    assert titles[3] == "The chance of pips (red) to win"


def test_names_cannot_disturb_the_page(astragal: Shell, tmp_path: Path) -> None:
    (record, *_) = played("ur:2", "pips", "random", games=2)
    record.agents = ("<script>alert(1)</script>", "\x1b[31mred")
    path, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    path.write_text(format_records([record]))
    assert astragal("analyse", str(path), "--judge", "pips", "--html", str(page)).code == 0
    assert "<script" not in page.read_text()
    assert "\x1b" not in page.read_text()


def spoiled(turn: int) -> list[Record]:
    """Four games, of which the third has an illegal move at this turn."""
    records = played("ur", "random", "random", games=4)
    roll, _ = records[2].turns[turn - 1]
    records[2].turns[turn - 1] = roll, "z9"
    return records


def test_an_illegal_move_is_named_and_the_games_before_it_are_analysed(
    astragal: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(spoiled(17)))
    answer = astragal("analyse", str(path), "--judge", "pips", "--json")
    assert answer.code == 2
    assert len(answer.json["games"]) == 2
    assert "Game 3, turn 17" in answer.json["fault"]
    assert "Game 3, turn 17" in answer.err


def test_a_file_that_is_cut_off_is_analysed_as_far_as_it_goes(
    astragal: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(played("ur:2", "random", "random", games=3))[:-40])
    answer = astragal("analyse", str(path), "--judge", "pips", "--json")
    assert answer.code == 2
    assert len(answer.json["games"]) == 2
    assert "Line 3 of" in answer.err


RECORD = {
    "game": "ur", "version": 1, "agents": ["a", "b"], "turns": [["4", "e3"]], "outcome": None
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is not a game record"),
        (b"hello\n", "begins with 'hello"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not a game record"),
        (b'{"game": "ur"}\n', "Line 1 of"),
        (json.dumps({**RECORD, "game": "chess"}).encode(), "'chess' is not a game"),
        (json.dumps({**RECORD, "version": 9}).encode(), "version 9"),
        (json.dumps({**RECORD, "game": "backgammon"}).encode(), "'4' is not a roll of backgammon"),
        (json.dumps({**RECORD, "outcome": 1}).encode(), "still going on"),
        (json.dumps({**RECORD, "agents": ["a"]}).encode(), "Line 1 of"),
    ],
)
@pytest.mark.parametrize("command", ["analyse", "replay"])
def test_a_file_that_is_no_record_is_refused(
    astragal: Shell, tmp_path: Path, command: str, content: bytes, complaint: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    answer = astragal(command, str(path))
    assert answer.code == 2
    assert complaint in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["analyse", "nowhere.jsonl"], "cannot be read"),
        (["analyse", "."], "cannot be read"),
        (["analyse", "GAMES", "--game", "9"], "has no game 9"),
        (["analyse", "GAMES", "--judge", "random"], "has no values"),
        (["analyse", "GAMES", "--judge", "nobody"], "is not an agent"),
        (["analyse", "GAMES", "--html", "/nowhere/page.html"], "cannot be written"),
        (["replay", "GAMES", "--turn", "999"], "expected --turn up to"),
        (["replay", "GAMES", "--save", "x.mat"], "expected backgammon in a .mat file"),
    ],
)
def test_what_cannot_be_done_is_said(
    astragal: Shell, tmp_path: Path, words: list[str], complaint: str
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(played("ur:2", "random", "random", games=2)))
    answer = astragal(*[str(path) if word == "GAMES" else word for word in words])
    assert answer.code == 2
    assert complaint in answer.err


def test_replay_draws_every_turn_and_the_end(astragal: Shell, tmp_path: Path) -> None:
    (record, *_) = played("tictactoe", "onestep", "random", games=2)
    path = tmp_path / "game.jsonl"
    path.write_text(format_records([record]))
    told = astragal("replay", str(path)).out
    assert told.count("Tic-tac-toe:") == len(record.turns) + 1
    assert f"Turn {len(record.turns)} of {len(record.turns)}" in told
    lines = astragal("replay", str(path), "--json", "--turn", "2").lines
    assert [line["turn"] for line in lines] == list(range(2, len(record.turns) + 1))
    assert [line["move"] for line in lines] == [move for _, move in record.turns[1:]]


def test_replay_writes_games_in_another_form(astragal: Shell, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(played("backgammon", "pips", "greedy", games=2)))
    assert astragal("replay", str(path), "--save", str(tmp_path / "games.mat")).code == 0
    back = tmp_path / "back.jsonl"
    assert astragal("replay", str(tmp_path / "games.mat"), "--save", str(back)).code == 0
    before, after = (
        [json.loads(line)["turns"] for line in file.read_text().splitlines()]
        for file in (path, back)
    )
    assert len(after) == len(before) == 2
    answers = [
        [line["leads_to"] for line in astragal("replay", str(file), "--json").lines]
        for file in (path, back)
    ]
    assert answers[0] == answers[1]
