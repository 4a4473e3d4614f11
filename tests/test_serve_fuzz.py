"""Twenty thousand requests, right, nearly right and wrong: each is answered, and nothing is left.

They go straight to the application, by a seed of their own, many at a time. What is asked is made
of what the endpoints take, of what earlier answers told, and of what no one should send.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent
from urllib.parse import unquote

import msgspec
import pytest
from starlette.applications import Starlette

from astragal.arena.records import Record
from astragal.games.catalogue import find_game
from astragal.play.session import Session
from astragal.serve import games as games_module
from astragal.serve.app import application
from astragal.serve.desk import Desk, ServeSettings
from astragal.serve.endpoints import ENDPOINTS, Endpoint
from astragal.serve.runs import Runs

REQUESTS, AT_ONCE = 20_000, 8
SLOWEST = 40.0  # seconds; eight of the slowest questions may wait for each other on a busy machine
WARM_UP = 4_000
MOST_GAMES, MOST_OPEN = 150, 30
GROWTH = 150 * 1024 * 1024

GAMES = ["ur:2", "ur:3", "tictactoe", "hypergammon", "ur", "backgammon", "ur:blitz"]
AGENTS = ["human", "random", "pips", "first", "greedy", "champion", "perfect", "onestep", "casual"]
TRICKS = [
    "",
    "..",
    "../../../etc/passwd",
    "/etc/passwd",
    "%2e%2e%2f",
    "..%5c..%5c",
    "run:../../x",
    "net:/etc/passwd",
    "temperature:1:net:x",
    "rollout:36:pips",
    "champion@9",
    "\x00",
    "a\x00b",
    "\r\nX-Evil: 1",
    "\ud800",
    "\u202e\U0001f3b2",
    "<script>",
    "x" * 300,
    "nan",
    "-0",
    "1e309",
    "NaN",
    "{name}",
    "human ",
    "ur:999999999",
    "ur:-1",
    "ur:0",
    "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10",
    "XGID=" + "-" * 26 + ":0:0:1:00:0:0:0:0:10",
]
NUMBERS = [0, 1, -1, 2, 3, 36, 512, 2**31, 2**53, 2**63, 2**64, 10**30, -(10**30), 1.5, 1e308]


class Asker:
    """Makes requests out of chance and of what it has heard."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.names = ["nothing"]
        self.kept: list[dict[str, Any]] = []
        self.words = [*GAMES, *AGENTS, *TRICKS, "points", "win", "jsonl", "mat", "rollout", "td"]
        self.records = [_record(game) for game in ("ur:2", "tictactoe", "hypergammon")]

    def request(self) -> tuple[Endpoint, str, str, bytes, bytes]:
        """An endpoint, and method, path, query and body of a request that means it, or nearly."""
        luck = self.luck
        endpoint = luck.choice(ENDPOINTS)
        method = endpoint.method
        if luck.random() < 0.02:
            method = luck.choice(["GET", "POST", "PUT", "DELETE", "OPTIONS", "X"])
        path = endpoint.path.replace("{name}", self._name(endpoint))
        if luck.random() < 0.02:
            path = luck.choice([f"{path}/", f"/{path}", f"{path}/..", path.upper(), "/x"])
        fields = self._fields(endpoint)
        query = b""
        if method != "POST":
            pairs = fields.items()
            query = "&".join(f"{_escaped(key)}={_escaped(value)}" for key, value in pairs).encode()
        return endpoint, method, path, query, self._body(fields)

    def hear(self, endpoint: Endpoint, told: Any) -> None:
        """Takes note of what later requests can mean."""
        if not isinstance(told, dict):
            return
        self.names += [told[key] for key in ("id", "name") if isinstance(told.get(key), str)]
        self.names = self.names[-40:]
        if "shown" in told:
            self.kept = [*self.kept, told][-20:]

    def _name(self, endpoint: Endpoint) -> str:
        luck = self.luck
        if endpoint.path.startswith("/api/stages"):
            name = luck.choice([*GAMES, *self.names])
        elif self.kept and luck.random() < 0.7:
            name = luck.choice(self.kept)["id"]
        else:
            name = luck.choice(self.names)
        if luck.random() < 0.1:
            name = luck.choice(TRICKS)
        return _escaped(name) or "x"

    def _fields(self, endpoint: Endpoint) -> dict[str, Any]:
        luck = self.luck
        kept = luck.choice(self.kept) if self.kept else None
        fields = {}
        for field in msgspec.structs.fields(endpoint.takes):
            if field.required or luck.random() < 0.5:
                fields[field.name] = self._value(field.name, kept)
        if luck.random() < 0.3 and fields:
            spoilt = luck.choice(list(fields))
            fields[spoilt] = self._garbage(2)
        if luck.random() < 0.05:
            fields[luck.choice(self.words)] = self._garbage(1)
        return fields

    def _value(self, name: str, kept: dict[str, Any] | None) -> Any:
        luck, shown = self.luck, kept["shown"] if kept else {}
        plays = (shown.get("choices") or {}).get("plays") or [{"move": "pass"}]
        makers: dict[str, Callable[[], Any]] = {
            "game": lambda: shown.get("game") if luck.random() < 0.5 else luck.choice(GAMES),
            "players": lambda: [luck.choice(AGENTS[:5]), luck.choice(AGENTS)],
            "turn": lambda: shown.get("turn", 0) + luck.choice([0, 0, 0, 0, 1, -1]),
            "move": lambda: self._spoilt(luck.choice(plays)["move"]),
            "position": lambda: self._spoilt(shown.get("position", "x")),
            "halves": lambda: self._halves(shown.get("halves") or [[0], [0]]),
            "side": lambda: luck.randrange(2),
            "roll": lambda: luck.choice([shown.get("roll"), "1", "31", "66", "-", "0"]),
            "agent": lambda: luck.choice([None, *AGENTS, "pips@1", "champion@1"]),
            "aim": lambda: luck.choice(["points", "win", None]),
            "record": self._record,
            "text": lambda: self._spoilt(luck.choice(self.records)) * luck.choice([1, 1, 2]),
            "seed": lambda: luck.choice([None, luck.randrange(2**53)]),
            "kind": lambda: luck.choice(["rollout", "evaluate", "best"]),
            "form": lambda: luck.choice(["jsonl", "mat"]),
            "hidden": lambda: [luck.choice([1, 40, 512])] * luck.choice([0, 1, 4]),
            "games": lambda: luck.choice([36, 100, 10_000]),
        }
        return makers[name]() if name in makers else luck.choice(NUMBERS)

    def _record(self) -> Any:
        record = msgspec.json.decode(self.luck.choice(self.records))
        if self.luck.random() < 0.5:
            record[self.luck.choice(list(record))] = self._garbage(2)
        if self.luck.random() < 0.3 and isinstance(record["turns"], list):
            self.luck.shuffle(record["turns"])
        return record

    def _halves(self, halves: list[list[int]]) -> Any:
        made = [list(half) for half in halves]
        for _ in range(self.luck.randrange(3)):
            half = self.luck.choice(made)
            source, target = self.luck.randrange(len(half)), self.luck.randrange(len(half))
            half[source], half[target] = half[source] - 1, half[target] + 1
        return made[:: self.luck.choice([1, -1])]

    def _spoilt(self, text: str) -> str:
        """The text, or with a letter or two changed."""
        luck = self.luck
        if luck.random() < 0.6 or not text:
            return text
        letters = list(text)
        for _ in range(luck.randrange(1, 3)):
            at = luck.randrange(len(letters))
            letters[at] = luck.choice([*"0123456789abBxXoO/:-* \x00", "", "é", letters[at] * 2])
        return "".join(letters)

    def _garbage(self, depth: int) -> Any:
        luck = self.luck
        kind = luck.randrange(7 if depth else 4)
        if kind == 0:
            return luck.choice(NUMBERS)
        if kind == 1:
            return luck.choice(self.words)
        if kind == 2:
            return luck.choice([None, True, False])
        if kind == 3:
            return luck.choice(self.names)
        if kind == 4:
            return {luck.choice(self.words): self._garbage(depth - 1)}
        return [self._garbage(depth - 1) for _ in range(luck.randrange(4))]

    def _body(self, fields: dict[str, Any]) -> bytes:
        luck = self.luck
        body = _encoded(fields)
        if luck.random() < 0.04:
            return luck.choice(
                [
                    b"",
                    b"\xff\xfe",
                    b"null",
                    b"[" * 50_000,
                    b'{"game":' * 5_000,
                    b'{"seed": 1e999, "game": "ur"}',
                    b'{"game": "\\ud800"}',
                    b"\x00" * 100,
                    b'{"text": "' + b"7 " * 100_000 + b'"}',
                    b"x" * 1_100_000,
                    body[: len(body) // 2],
                    body + body,
                ]
            )
        return body


def _record(name: str) -> str:
    """A game of random moves, as a file holds it."""
    session, luck = Session(find_game(name), ("human", "random"), 7), random.Random(7)
    while not session.is_over and len(session.steps) < 60:
        session.play(luck.choice(session.moves()))
    return msgspec.json.encode(session.record()).decode()


def _encoded(fields: Any) -> bytes:
    """JSON even of what should not be in it, such as half a pair of surrogates."""
    return json.dumps(fields).encode()


def _escaped(value: Any) -> str:
    return percent(str(value).encode("utf-8", "surrogatepass"), safe="")


class Answers:
    """What came back to one request."""

    def __init__(self) -> None:
        self.status, self.body = 0, b""
        self.headers: dict[bytes, bytes] = {}

    async def take(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.lower(): value for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


async def ask(
    app: Starlette, method: str, path: str, query: bytes, body: bytes, luck: random.Random
) -> Answers:
    """The answer; of a stream of events, how it begins."""
    answers, step = Answers(), luck.choice([1_000, 100_000])
    pieces = [body[i : i + step] for i in range(0, len(body), step)] or [b""]
    is_cut = luck.random() < 0.01

    async def receive() -> dict[str, Any]:
        if pieces and not (is_cut and len(pieces) == 1):
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces) or is_cut}
        if not is_cut:
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    kind = luck.choice([b"application/json", b"text/plain", b"multipart/form-data", b"\xff"])
    headers = [(b"host", b"localhost"), (b"content-type", kind)]
    if luck.random() < 0.5:
        headers.append((b"content-length", str(len(body)).encode()))
    scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "scheme": "http"}
    scope["method"] = method
    scope |= {"path": unquote(path), "raw_path": path.encode(), "query_string": query}
    scope |= {"headers": headers, "asgi": {"version": "3.0", "spec_version": "2.3"}}
    await asyncio.wait_for(app(scope, receive, answers.take), 2 * SLOWEST)
    return answers


def check(answers: Answers, asked: Any) -> Any:
    """What was told; AssertionError if it is no answer to give."""
    assert 200 <= answers.status < 500, asked
    assert b"content-security-policy" in answers.headers, asked
    kind = answers.headers.get(b"content-type", b"")
    if answers.status >= 400:
        assert kind == b"application/json", asked
        told = msgspec.json.decode(answers.body)
        assert list(told) == ["error"], asked
        assert 0 < len(told["error"]) < 3_000, asked
        return None
    return msgspec.json.decode(answers.body) if kind == b"application/json" else None


def memory() -> int:
    """How many bytes of this process are in memory now."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0


def files_in(folder: Path) -> set[Path]:
    """All files but the marks of tables that were found to be whole."""
    paths = (path for path in folder.rglob("*") if path.suffix != ".checked")
    return {path for path in paths if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk that trains no nets, with room for few games."""
    monkeypatch.setattr(games_module, "MOST_GAMES", MOST_GAMES)
    monkeypatch.setattr(games_module, "MOST_OPEN", MOST_OPEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Runs, "start", lambda self, *settings: "nothing")
    desk = Desk(ServeSettings(data=tmp_path / "data", runs=tmp_path / "runs"))
    # A question is accepted, looked at and given up as usual, but nobody answers it.
    monkeypatch.setattr(desk.jobs, "_begin", lambda: None)
    yield desk
    desk.close()


class Fuzz:
    """Requests, several at a time, and what they showed."""

    def __init__(self, app: Starlette, seed: int) -> None:
        self.app, self.asker = app, Asker(seed)
        self.statuses: dict[int, int] = {}
        self.good: set[str] = set()
        self.slowest = 0.0, ""

    async def run(self, requests: int) -> None:
        """Asks so often, by several at a time."""
        left = iter(range(requests))
        await asyncio.gather(*(self._some(left) for _ in range(AT_ONCE)))

    async def _some(self, left: Iterator[int]) -> None:
        for _ in left:
            endpoint, method, path, query, body = self.asker.request()
            asked = method, path, query, body[:2_000]
            began = time.monotonic()
            answers = await ask(self.app, method, path, query, body, self.asker.luck)
            self.slowest = max(self.slowest, (time.monotonic() - began, str(asked)))
            told = check(answers, asked)
            self.statuses[answers.status] = self.statuses.get(answers.status, 0) + 1
            if answers.status == 200:
                self.good.add(endpoint.path)
                self.asker.hear(endpoint, told)


def test_no_request_of_many_breaks_anything(
    desk: Desk, tmp_path: Path, tables: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = application(ServeSettings(), desk)
    fuzz = Fuzz(app, 20_000)

    async def work() -> int:
        await fuzz.run(WARM_UP)
        before = memory()
        await fuzz.run(REQUESTS - WARM_UP)
        return memory() - before

    elsewhere = files_in(tables)
    with caplog.at_level(logging.WARNING):
        grown = asyncio.run(work())
    assert sum(fuzz.statuses.values()) == REQUESTS
    assert caplog.records == []
    assert fuzz.slowest[0] < SLOWEST, fuzz.slowest
    assert grown < GROWTH
    assert desk.streams == 0
    assert len(desk.games.names()) <= MOST_GAMES
    assert files_in(tmp_path) == {
        tmp_path / "data" / "page" / f"{name}.jsonl" for name in desk.games.names()
    }
    assert files_in(tables) == elsewhere
    # The fuzz is worth something only if much of it is understood.
    assert {200, 400, 404, 405, 409, 413, 429} <= set(fuzz.statuses)
    assert fuzz.statuses[200] > REQUESTS / 10
    assert len(fuzz.good) > 15


def test_every_game_that_is_kept_can_be_read_after_all_that(desk: Desk) -> None:
    fuzz = Fuzz(application(ServeSettings(), desk), 1)
    asyncio.run(fuzz.run(1_000))
    read = [record for _, record, _ in desk.games.listed(MOST_GAMES)]
    assert len(read) == len(desk.games.names()) > 0
    for record in read:
        assert isinstance(record, Record)
        Session.of(record, 0)
