"""The page's interface for programs: whole games by it alone, and what it refuses."""

from __future__ import annotations

import asyncio
import io
import random
import re
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent

import httpx
import msgspec
import pytest
from starlette.applications import Starlette

from astragal.agents.specs import parse_agent
from astragal.arena.asking import evaluate, rank_plays, rank_rolls
from astragal.arena.mat import parse_mat
from astragal.arena.reading import games_in
from astragal.arena.records import Record
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from astragal.games.plays import legal_plays
from astragal.play.session import Session
from astragal.serve import games as games_module
from astragal.serve.app import application
from astragal.serve.desk import Desk, ServeSettings
from astragal.serve.endpoints import ENDPOINTS, Endpoint
from astragal.serve.guard import MOST_BYTES

HOST = "http://localhost:8000"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
NOBODY = [
    "net:/etc/passwd",
    "run:../../x",
    "run:/etc",
    "temperature:1:net:x",
    "temperature:1:champion",
    "rollout:36:pips",
    "first\n",
    "champion@3",
    "champion@9",
    "net:x@0",
    "",
    "@1",
    "x" * 60,
]


@pytest.fixture
def settings(tmp_path: Path, tables: Path) -> ServeSettings:
    return ServeSettings(data=tmp_path / "data", runs=tmp_path / "runs")


class Client:
    """Asks an application of its own without any sockets."""

    def __init__(self, settings: ServeSettings, host: str = HOST) -> None:
        self.desk = Desk(settings)
        app = application(settings, self.desk)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=host, timeout=60)
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._client.aclose())
        self._loop.close()
        self.desk.close()

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """The whole answer."""
        return self._loop.run_until_complete(self._client.request(method, path, **more))

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def delete(self, path: str, **more: Any) -> httpx.Response:
        return self.request("DELETE", path, **more)


@pytest.fixture
def client(settings: ServeSettings) -> Iterator[Client]:
    with Client(settings) as client:
        yield client


def post(client: Client, path: str, **asked: Any) -> Any:
    answer = client.post(f"/api/{path}", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def get(client: Client, path: str, **asked: Any) -> Any:
    answer = client.get(f"/api/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: Any, status: int = 400) -> str:
    """The sentence with which something is refused."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert list(told) == ["error"]
    sentence: str = told["error"]
    assert sentence.endswith(".")
    return sentence


def begin(client: Client, game: str = "ur", *players: str, seed: int = 1) -> dict[str, Any]:
    told: dict[str, Any] = post(
        client, "games", game=game, players=players or ("human", "pips"), seed=seed
    )
    return told


def move(client: Client, kept: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """The game after any legal move."""
    shown = kept["shown"]
    chosen = luck.choice(shown["choices"]["plays"])["move"]
    told: dict[str, Any] = post(
        client, f"games/{kept['id']}/moves", turn=shown["turn"], move=chosen
    )
    return told


def play_on(client: Client, kept: dict[str, Any], moves: int = 10_000) -> dict[str, Any]:
    """The game after so many moves of a person, or at its end."""
    luck = random.Random(1)
    for _ in range(moves):
        if kept["shown"]["points"] is not None:
            break
        kept = move(client, kept, luck)
    return kept


# Games


@pytest.mark.parametrize("game", ["ur", "backgammon", "tictactoe"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_is_played(client: Client, game: str, seat: int) -> None:
    players = ("human", "champion")[:: 1 - 2 * seat]
    kept = begin(client, game, *players)
    assert kept["shown"]["players"] == list(players)
    assert kept["shown"]["side"] == seat
    kept = play_on(client, kept)
    whole = get(client, f"games/{kept['id']}")["shown"]
    assert whole["roll"] is None
    assert whole["choices"] is None
    assert whole["points"] in find_game(game).outcomes
    assert len(whole["turns"]) == whole["turn"]
    for before, after in zip(whole["turns"], whole["turns"][1:], strict=False):
        assert before["after"] == after["before"]
    sentence = refused(
        client.post(f"/api/games/{kept['id']}/moves", json={"turn": whole["turn"], "move": "pass"})
    )
    assert "over" in sentence


def test_only_the_turns_since_are_told(client: Client) -> None:
    kept = play_on(client, begin(client), 3)
    told = get(client, f"games/{kept['id']}", since=2)["shown"]
    assert told["first_turn"] == 2
    assert len(told["turns"]) == told["turn"] - 2


def test_agents_among_themselves_are_advanced_turn_by_turn(client: Client) -> None:
    kept = begin(client, "ur:2", "pips", "random")
    assert kept["shown"]["turn"] == 0
    while kept["shown"]["points"] is None:
        turn = kept["shown"]["turn"]
        kept = post(client, f"games/{kept['id']}/advance", turn=turn)
        assert kept["shown"]["turn"] == turn + 1
    assert not kept["shown"]["can_undo"]


def test_a_move_taken_back_can_be_made_again_with_the_same_dice(client: Client) -> None:
    kept = play_on(client, begin(client, "backgammon"), 2)
    before = get(client, f"games/{kept['id']}")["shown"]
    after = post(client, f"games/{kept['id']}/undo", turn=before["turn"])["shown"]
    assert after["turn"] < before["turn"]
    assert after["roll"] == before["turns"][after["turn"]]["roll"]
    again = before["turns"][after["turn"]]["move"]
    now = post(client, f"games/{kept['id']}/moves", turn=after["turn"], move=again)["shown"]
    turns = get(client, f"games/{kept['id']}")["shown"]["turns"]
    assert turns == before["turns"][: now["turn"]]


def test_other_moves_after_one_taken_back_are_those_of_the_new_position(
    client: Client,
) -> None:
    kept = begin(client, "tictactoe", "human", "human")
    path = f"games/{kept['id']}"
    for first, second in (("0", "4"), ("8", "1")):
        for turn, cell in enumerate((first, second)):
            kept = post(client, f"{path}/moves", turn=turn, move=cell)
        plays = {play["move"] for play in kept["shown"]["choices"]["plays"]}
        assert len(plays) == 7
        assert not plays & {first, second}
        post(client, f"{path}/undo", turn=2)
        post(client, f"{path}/undo", turn=1)


def test_moves_are_read_in_other_spellings(client: Client) -> None:
    kept = begin(client, "backgammon", "human", "human", seed=_seed_of("31"))
    after = post(client, f"games/{kept['id']}/moves", turn=0, move="6/5  8/5")["shown"]
    assert after["turns"][0]["move"] == "8/5 6/5"


def _seed_of(roll: str) -> int:
    """A seed with which backgammon begins so."""
    game = find_game("backgammon")
    sessions = (Session(game, ("human", "human"), seed) for seed in range(1000))
    return next(each.seed for each in sessions if game.rolls[each.roll] == roll)


def test_a_person_resigns(client: Client) -> None:
    kept = begin(client, "backgammon")
    path = f"/api/games/{kept['id']}/resign"
    refused(client.post(path, json={"turn": 0, "points": 4}))
    told = client.post(path, json={"turn": 0, "points": 2}).json()["shown"]
    assert told["points"] == -2
    assert told["given_up"]
    assert "gave up" in told["status"]
    refused(client.post(path, json={"turn": 0}))
    assert "2" in refused(
        client.post(f"/api/games/{begin(client)['id']}/resign", json={"turn": 0, "points": 2})
    )


def test_what_came_too_late_is_a_conflict_and_changes_nothing(client: Client) -> None:
    kept = play_on(client, begin(client), 2)
    before = get(client, f"games/{kept['id']}")
    chosen = kept["shown"]["choices"]["plays"][0]["move"]
    for deed, more in (
        ("moves", {"move": chosen}),
        ("advance", {}),
        ("undo", {}),
        ("resign", {}),
    ):
        for turn in (0, before["shown"]["turn"] + 1):
            answer = client.post(f"/api/games/{kept['id']}/{deed}", json={"turn": turn, **more})
            assert "gone on" in refused(answer, 409)
    assert get(client, f"games/{kept['id']}") == before


def test_a_hint_is_what_the_judge_says(client: Client) -> None:
    kept = begin(client, "ur:3")
    hint = get(client, f"games/{kept['id']}/hint")
    game = find_game("ur:3")
    roll = game.parse_roll(kept["shown"]["roll"])
    agent = parse_agent(game, "perfect", "points")
    told = rank_plays(agent, Standing(game.start, 0), roll, "points")
    assert hint["judge"] == "perfect"
    assert hint["plays"] == msgspec.to_builtins(told["plays"])


def test_a_game_is_judged_as_far_as_it_has_been_played(client: Client) -> None:
    kept = begin(client, "ur:3")
    for moves in (1, 2):
        kept = play_on(client, kept, moves)
        told = get(client, f"games/{kept['id']}/analysis")
        assert len(told["turns"]) == kept["shown"]["turn"]
    record = client.get(f"/api/games/{kept['id']}/record").json()
    assert post(client, "analyse", record=record)["turns"] == told["turns"]
    sentence = refused(client.post("/api/analyse", json={"record": record, "agent": "pips@2"}))
    assert "too far" in sentence


@pytest.mark.parametrize("game", ["ur", "backgammon", "tictactoe"])
def test_a_record_is_read_back(client: Client, game: str) -> None:
    kept = play_on(client, begin(client, game, "human", "random"))
    shown = get(client, f"games/{kept['id']}")["shown"]
    answer = client.get(f"/api/games/{kept['id']}/record")
    assert "attachment" in answer.headers["content-disposition"]
    (record,) = games_in(io.BytesIO(answer.content), "file")
    assert record.turns == [(turn["roll"], turn["move"]) for turn in shown["turns"]]
    assert record.outcome == shown["points"]
    (opened,) = post(client, "records", text=answer.text)
    assert opened["turns"] == shown["turns"]
    assert opened["record"]["turns"] == [list(turn) for turn in record.turns]


def test_a_match_file_is_read_back(client: Client) -> None:
    kept = play_on(client, begin(client, "backgammon", "human", "random"))
    path = f"/api/games/{kept['id']}/record"
    written = client.get(path, params={"form": "mat"}).text
    (record,) = parse_mat(written, "file")
    plain = msgspec.json.decode(client.get(path).content, type=Record)
    assert len(record.turns) == len(plain.turns)
    (opened,) = post(client, "records", text=written)
    assert len(opened["turns"]) == len(plain.turns)
    refused(client.get(path, params={"form": "exe"}))
    other = begin(client, "ur")
    refused(client.get(f"/api/games/{other['id']}/record", params={"form": "mat"}))


def test_files_that_hold_too_much_or_nothing_are_refused(client: Client) -> None:
    refused(client.post("/api/records", json={"text": ""}))
    refused(client.post("/api/records", json={"text": "nothing\x00 of the kind"}))
    kept = begin(client, "tictactoe")
    line = client.get(f"/api/games/{kept['id']}/record").text
    assert len(post(client, "records", text=line * 100)) == 100
    assert "too many" in refused(client.post("/api/records", json={"text": line * 101}))
    turns = [["-", "0"]] * 501
    record = msgspec.json.decode(line) | {"turns": turns}
    assert "too long" in refused(client.post("/api/analyse", json={"record": record}))


def test_games_are_listed_and_deleted(client: Client) -> None:
    first, second = begin(client, "ur"), begin(client, "tictactoe")
    play_on(client, first, 1)
    listed = get(client, "games")
    assert [each["id"] for each in listed] == [first["id"], second["id"]]
    assert listed[1]["game"] == "tictactoe"
    assert client.delete(f"/api/games/{first['id']}").status_code == 200
    assert [each["id"] for each in get(client, "games")] == [second["id"]]
    for answer in (
        client.delete(f"/api/games/{first['id']}"),
        client.get(f"/api/games/{first['id']}"),
        client.get(f"/api/games/{first['id']}/events"),
        client.post(f"/api/games/{first['id']}/undo", json={"turn": 0}),
    ):
        refused(answer, 404)


def test_a_game_is_the_same_for_another_server(client: Client, settings: ServeSettings) -> None:
    names = [play_on(client, begin(client, game), 3)["id"] for game in ("ur", "backgammon")]
    kept = begin(client, "backgammon")
    post(client, f"games/{kept['id']}/resign", turn=0, points=3)
    with Client(settings) as other:
        assert get(other, "games") == get(client, "games")
        for name in (*names, kept["id"]):
            before = get(client, f"games/{name}")
            assert get(other, f"games/{name}") == before
        play_on(other, get(other, f"games/{names[0]}"))


def test_closed_games_are_opened_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_module, "MOST_OPEN", 2)
    kept = [play_on(client, begin(client, "ur", seed=seed), 2) for seed in range(5)]
    shown = [get(client, f"games/{each['id']}") for each in kept]
    assert [get(client, f"games/{each['id']}") for each in kept] == shown
    for each in kept:
        play_on(client, each, 2)


def test_no_more_games_are_kept_than_there_is_room_for(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games_module, "MOST_GAMES", 3)
    untouched = begin(client)
    played = [play_on(client, begin(client), 1) for _ in range(3)]
    refused(client.get(f"/api/games/{untouched['id']}"), 404)
    answer = client.post("/api/games", json={"game": "ur", "players": ["human", "human"]})
    assert "3 games" in refused(answer, 429)
    client.delete(f"/api/games/{played[0]['id']}")
    begin(client)


def test_a_move_that_cannot_be_kept_is_not_made(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    kept = play_on(client, begin(client), 1)
    before = get(client, f"games/{kept['id']}")
    shown = kept["shown"]
    asked = {"turn": shown["turn"], "move": shown["choices"]["plays"][0]["move"]}
    with monkeypatch.context() as patch:
        patch.setattr(games_module, "write_text", fail)
        answer = client.post(f"/api/games/{kept['id']}/moves", json=asked)
        assert "No space left" in refused(answer)
        refused(client.post("/api/games", json={"game": "ur", "players": ["human", "pips"]}))
    assert get(client, f"games/{kept['id']}") == before
    assert len(get(client, "games")) == 1
    post(client, f"games/{kept['id']}/moves", **asked)


@pytest.mark.parametrize("name", NOBODY)
def test_only_agents_that_are_there_play_or_judge(client: Client, name: str) -> None:
    asked = {"game": "backgammon", "players": ["human", name]}
    assert "root" not in refused(client.post("/api/games", json=asked))
    assert get(client, "games") == []
    for question in ("evaluate", "best", "rolls", "jobs"):
        if question == "rolls" and name.startswith("champion@"):
            continue  # which is asked less deeply
        if question == "jobs" and name == "champion@3":
            continue  # which may be that deep
        if name == "":
            continue  # whoever knows best
        asked = {"game": "backgammon", "agent": name, "roll": "31"}
        refused(client.post(f"/api/{question}", json=asked))


# Positions


def test_the_catalogue_tells_who_can_be_played(client: Client) -> None:
    told = get(client, "catalogue")
    assert {"ur", "backgammon", "tictactoe"} <= {each["game"] for each in told}
    for each in told:
        assert get(client, f"stages/{each['game']}")
        for opponent in each["opponents"]:
            begin(client, each["game"], "human", opponent["agent"])


@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe", "hypergammon", "ur:blitz"])
def test_a_position_is_the_same_in_every_form(client: Client, name: str) -> None:
    kept = play_on(client, begin(client, name, "human", "human"), 3)["shown"]
    told = {key: kept[key] for key in ("position", "halves", "side")}
    by_halves = post(client, "position", game=name, halves=told["halves"], side=told["side"])
    by_text = post(client, "position", game=name, position=told["position"], side=told["side"])
    assert by_halves == by_text
    assert {key: by_text[key] for key in told} == told
    for form in by_text["forms"].values():
        assert post(client, "position", game=name, position=form)["halves"] == told["halves"]
    assert post(client, "position", game=name)["side"] == 0


def test_an_xgid_tells_its_roll(client: Client) -> None:
    told = post(client, "position", game="backgammon", position=XGID)
    assert told["roll"] == "31"
    assert len(told["choices"]["plays"]) == 16
    assert post(client, "legal", game="backgammon", position=XGID)["roll"] == "31"
    refused(client.post("/api/position", json={"game": "ur", "position": XGID}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"halves": [[1]]},
        {"halves": [[0] * 16, [0] * 16]},
        {"halves": [[-1] * 16, [0] * 16]},
        {"halves": [[2**63] * 16, [0] * 16]},
        {"halves": [[0] * 65, [0] * 16]},
        {"halves": [[1.5] * 16, [0] * 16]},
        {"halves": [[5, 2] + [0] * 14, [7] + [0] * 15]},
        {"halves": [[7] + [0] * 15, [5, 2] + [0] * 14], "side": 1},
        {"halves": [[7] * 16, [7] * 16]},
        {"game": "backgammon", "roll": "21", "halves": [[15] * 26, [15] * 26]},
        {"game": "backgammon", "roll": "21", "halves": [[0] * 25 + [1], [14] + [0] * 24 + [1]]},
        {"game": "tictactoe", "halves": [[1] + [0] * 8, [1] + [0] * 8]},
        {"game": "tictactoe", "halves": [[2] + [0] * 8, [0] * 9]},
        {"position": "nowhere"},
        {"position": "\x00"},
        {"position": "x" * 201},
        {"position": 1},
        {"roll": "9"},
        {"side": 2},
        {"game": "chess"},
        {"game": "../ur"},
        {"game": "ur:999999999"},
        {"surplus": 1},
    ],
)
def test_what_is_no_position_is_refused(client: Client, wrong: dict[str, Any]) -> None:
    refused(client.post("/api/position", json={"game": "ur"} | wrong))
    refused(client.post("/api/best", json={"game": "ur", "roll": "1"} | wrong))


@pytest.mark.parametrize(
    ("name", "agent"), [("ur:3", "perfect"), ("backgammon", "champion"), ("ur", "pips@1")]
)
def test_answers_are_those_of_the_library(client: Client, name: str, agent: str) -> None:
    shown = play_on(client, begin(client, name, "human", "human"), 4)["shown"]
    game = find_game(name)
    standing = Standing(game.notation.parse_position(shown["position"]).position, shown["side"])
    roll = game.parse_roll(shown["roll"])
    place = {"game": name, "position": shown["position"], "side": shown["side"]}
    turn = place | {"roll": shown["roll"]}
    asked = {"agent": agent, "aim": "points"}
    theirs = parse_agent(game, agent, "points")

    def plain(told: Any) -> Any:
        return msgspec.json.decode(msgspec.json.encode(told))

    value = post(client, "evaluate", **place, **asked)
    assert value | plain(evaluate(theirs, standing)) == value
    best = post(client, "best", **turn, **asked)
    assert best["plays"] == plain(rank_plays(theirs, standing, roll, "points")["plays"])
    rolls = post(client, "rolls", **place, **asked)["rolls"]
    assert rolls == plain(rank_rolls(theirs, standing, "points"))
    legal = post(client, "legal", **turn)["plays"]
    assert legal == plain([play._asdict() for play in legal_plays(game, standing, roll)])


def test_a_position_that_is_over_is_shown_and_not_played(client: Client) -> None:
    kept = play_on(client, begin(client, "tictactoe", "human", "human"))["shown"]
    place = {"game": "tictactoe", "halves": kept["halves"], "side": kept["side"]}
    assert post(client, "position", **place)["points"] == kept["points"]
    for question in ("legal", "best", "rolls", "jobs"):
        assert "over" in refused(client.post(f"/api/{question}", json=place))


# Slow questions and runs


def test_a_slow_question_is_answered_or_given_up(client: Client) -> None:
    job = post(client, "jobs", game="ur:3", kind="evaluate", agent="pips@3")
    endless = post(client, "jobs", game="backgammon", agent="champion@2", games=10_000)
    answer = client.get(f"/api/jobs/{job['id']}/events")
    lines = [line for line in answer.text.splitlines() if line.startswith("data: ")]
    told = msgspec.json.decode(lines[-1].removeprefix("data: "))
    assert told["state"] == "done"
    assert 0 < told["answer"]["win"] < 1
    assert get(client, f"jobs/{job['id']}") == told
    stopped = client.delete(f"/api/jobs/{endless['id']}")
    assert stopped.json()["state"] == "stopped"
    refused(client.get("/api/jobs/nothing"), 404)
    refused(client.delete("/api/jobs/nothing"), 404)
    refused(client.post("/api/jobs", json={"game": "ur", "games": 10_001}))


def test_questions_in_a_line_are_limited(client: Client) -> None:
    asked = {"game": "backgammon", "agent": "champion@2", "games": 10_000}
    answers = [client.post("/api/jobs", json=asked) for _ in range(12)]
    assert {answer.status_code for answer in answers} == {200, 429}
    refused(answers[-1], 429)


def test_runs_that_are_not_there_are_not_found(client: Client) -> None:
    assert get(client, "runs") == []
    for name in ("nothing", "..", "%2e%2e", "a%00b", percent("../../etc", safe="")):
        for path in ("", "/picture", "/events"):
            refused(client.get(f"/api/runs/{name}{path}"), 404)
        refused(client.post(f"/api/runs/{name}/stop"), 404)


@pytest.mark.parametrize(
    "wrong", [{"hidden": []}, {"hidden": [513]}, {"games": 1}, {"learner": "x"}, {"alpha": 0}]
)
def test_a_run_that_cannot_be_is_not_begun(client: Client, wrong: dict[str, Any]) -> None:
    refused(client.post("/api/runs", json={"game": "ur", **wrong}))
    assert get(client, "runs") == []


# Who may ask


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost.evil.example:8000"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "[::2]"},
        {"Host": "["},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://127.0.0.1:8000"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_sites_are_refused(client: Client, headers: dict[str, str]) -> None:
    refused(client.get("/api/games", headers=headers), 403)
    asked = {"game": "ur", "players": ["human", "pips"]}
    refused(client.post("/api/games", json=asked, headers=headers), 403)
    assert get(client, "games") == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": HOST, "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Host": "[::1]:8000"},
        {"Host": "127.0.0.1"},
        {"Host": "LOCALHOST:1"},
    ],
)
def test_the_page_itself_may_ask(client: Client, headers: dict[str, str]) -> None:
    assert client.get("/api/games", headers=headers).status_code == 200


def test_a_link_from_elsewhere_leads_to_the_page(client: Client) -> None:
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_other_names_are_those_that_were_given(settings: ServeSettings) -> None:
    named = ServeSettings(data=settings.data, runs=settings.runs, names=("board.example",))
    with Client(named, "http://board.example") as client:
        assert client.get("/api/games").status_code == 200
        refused(client.get("/api/games", headers={"Host": "other.example"}), 403)


# What may be asked


def test_too_large_a_body_is_refused_announced_or_not(client: Client) -> None:
    large = b'{"text": "' + b"x" * MOST_BYTES + b'"}'
    assert "too large" in refused(client.post("/api/records", content=large), 413)

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]

    assert "too large" in refused(client.post("/api/records", content=pieces()), 413)
    refused(client.post("/api/records", content=b"", headers={"Content-Length": "-1"}), 413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"null",
        b"[]",
        b'"ur"',
        b"{",
        b'{"game": "ur"}',
        b'{"game": 1, "players": ["human", "pips"]}',
        b'{"game": "ur", "players": ["human"]}',
        b'{"game": "ur", "players": ["human", null]}',
        b'{"game": "ur", "players": ["human", "pips"], "seed": -1}',
        b'{"game": "ur", "players": ["human", "pips"], "seed": 1e400}',
        b'{"game": "ur", "players": ["human", "pips"], "seed": 9007199254740992}',
        b'{"game": "ur", "players": ["human", "pips"], "seed": 1.5}',
        b'{"game": "ur", "players": ["human", "pips"], "folder": "/"}',
        b'{"game": "\xff", "players": ["human", "pips"]}',
        b'{"game": "\\ud800", "players": ["human", "pips"]}',
        b'{"game": ' + b"[" * 100_000,
    ],
)
def test_what_cannot_be_read_is_refused(client: Client, body: bytes) -> None:
    refused(client.post("/api/games", content=body))


def test_a_sentence_does_not_repeat_all_that_was_sent(client: Client) -> None:
    answer = client.post("/api/games", content=msgspec.json.encode({"x" * 500_000: 1}))
    assert len(refused(answer)) < 1000


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: f"{each.method} {each.path}")
def test_every_endpoint_answers_nonsense_with_a_sentence(
    client: Client, endpoint: Endpoint
) -> None:
    path = endpoint.path.replace("{name}", "nothing")
    nonsense = {"nonsense": [1, {"x": None}]}
    if endpoint.method == "POST":
        refused(client.post(path, json=nonsense))
        refused(client.post(path, content=b"\xff\x00"))
    else:
        refused(client.request(endpoint.method, path, params={"nonsense": "1"}))
    other = client.request("PATCH", path)
    assert "PATCH" in refused(other, 405)
    assert endpoint.method in other.headers["allow"]


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/games/", "/nothing", "/../etc/passwd", "/x//y"]
)
def test_unknown_paths_are_not_found(client: Client, path: str) -> None:
    refused(client.get(path, follow_redirects=False), 404)
    refused(client.get("/static/%2e%2e/app.py"), 404)


def test_every_answer_tells_a_browser_what_it_may_do(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(desk: Desk) -> None:
        raise RuntimeError("a fault of ours")

    kept = begin(client)
    answers = [
        client.get("/"),
        client.get("/api/schema"),
        client.get("/api/games"),
        client.get(f"/api/games/{kept['id']}/record"),
        client.get("/nothing"),
        client.request("PUT", "/api/games"),
        client.post("/api/games", content=b"{"),
        client.get("/", headers={"Host": "evil.example"}),
    ]
    monkeypatch.setattr(games_module.Games, "listed", fail)
    answers.append(client.get("/api/games"))
    assert "fault of ours" not in refused(answers[-1], 500)
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers


# The schema


def test_the_schema_tells_every_endpoint(client: Client) -> None:
    told = get(client, "schema")
    listed = {(method.upper(), path) for path, each in told["paths"].items() for method in each}
    assert listed == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    for operations in told["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert {"200", "400"} <= set(operation["responses"])


def test_what_the_schema_refers_to_is_there(client: Client) -> None:
    told = client.get("/api/schema")
    known = told.json()["components"]["schemas"]
    found = set(re.findall(r'"#/components/schemas/([^"]+)"', told.text))
    assert found <= set(known)
    assert {"NewGame", "Move", "KeptGame", "Fault"} <= found


# Events


class Listener:
    """A stream of events, straight from the application."""

    def __init__(self, app: Starlette, path: str) -> None:
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._gone = asyncio.Event()
        headers = [(b"host", b"localhost")]
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path}
        scope |= {"headers": headers, "query_string": b"", "http_version": "1.1"}
        scope["asgi"] = {"spec_version": "2.3"}
        self._task = asyncio.ensure_future(app(scope, self._receive, self._send))

    async def next(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.heard.get(), 30)

    async def leave(self) -> None:
        self._gone.set()
        await asyncio.wait_for(self._task, 30)

    async def ended(self) -> None:
        await asyncio.wait_for(self._task, 30)

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        data = message.get("body", b"")
        if data.startswith(b"data: "):
            self.heard.put_nowait(msgspec.json.decode(data.removeprefix(b"data: ")))


def test_who_listens_is_told_of_every_move(
    settings: ServeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games_module, "MOST_OPEN", 1)
    desk = Desk(settings)
    app = application(settings, desk)

    async def work() -> None:
        made = [
            await desk.think(lambda: desk.games.create(find_game("ur"), ("human", "human"), 1))
            for _ in range(3)
        ]
        name = made[0].id
        listeners = [Listener(app, f"/api/games/{name}/events") for _ in range(2)]
        for listener in listeners:
            assert await listener.next() == {"turn": 0, "is_over": False}
        assert desk.streams == 2
        for other in made[1:]:  # a game that somebody listens to stays open
            await desk.think(partial(desk.games.find, other.id))
        run = {each.run.__name__: each for each in ENDPOINTS}
        asked = run["resign"].takes(turn=0)
        await run["resign"].run(desk, name, asked)
        for listener in listeners:
            assert await listener.next() == {"turn": 0, "is_over": True}
        await listeners[0].leave()
        assert desk.streams == 1
        await run["forget"].run(desk, name, run["forget"].takes())
        await listeners[1].ended()
        assert desk.streams == 0

    try:
        asyncio.run(work())
    finally:
        desk.close()


def test_so_many_may_listen(settings: ServeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("astragal.serve.app.MOST_STREAMS", 1)
    with Client(settings) as client:
        kept = begin(client)
        client.desk.streams += 1
        refused(client.get(f"/api/games/{kept['id']}/events"), 429)
