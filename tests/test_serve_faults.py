"""The server as a process: killed in the middle of games, interrupted, started where it cannot."""

from __future__ import annotations

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

PATIENCE = 60.0
PLAYERS, MOVES = 4, 40
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")


class Server:
    """A server over a data folder of its own."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        words = ["-m", "astragal", "serve", "--no-browser", "--port", str(port)]
        environment = os.environ | {"ASTRAGAL_DATA": str(folder / "data")}
        self.process = subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = 0

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        told = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert told is not None, line
        self.port = int(told[1])
        wait_until(self._takes_connections)

    def _takes_connections(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        return True

    def ask(self, method: str, path: str, **asked: Any) -> Any:
        """The answer, or AssertionError, or OSError if the server is gone."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            line.request(method, f"/api/{path}", msgspec.json.encode(asked) if asked else None)
            answer = line.getresponse()
            body = answer.read()
            assert answer.status == 200, body
            return msgspec.json.decode(body)
        except http.client.HTTPException as fault:
            raise ConnectionError from fault
        finally:
            line.close()

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """The exit code after a signal, and what was said meanwhile."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Starts servers over the same data, one after the other."""
    servers: list[Server] = []

    def begin() -> Server:
        server = Server(tmp_path)
        servers.append(server)
        server.wait_until_ready()
        return server

    yield begin
    for server in servers:
        server.process.kill()
        server.process.communicate()


class Player(threading.Thread):
    """Plays one game after another, and remembers what was acknowledged."""

    def __init__(self, server: Server, seed: int) -> None:
        super().__init__()
        self._server, self._luck = server, random.Random(seed)
        self.known: dict[str, list[dict[str, Any]]] = {}
        self.moves = 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            while True:
                self._play()
        except OSError:
            return
        except BaseException as fault:
            self.fault = fault

    def _play(self) -> None:
        game = self._luck.choice(["ur", "backgammon", "tictactoe"])
        players = self._luck.sample(["human", "pips" if game != "tictactoe" else "random"], 2)
        kept = self._server.ask("POST", "games", game=game, players=players)
        turns = self.known[kept["id"]] = kept["shown"]["turns"]
        while kept["shown"]["points"] is None:
            kept = play_any(self._server, kept, self._luck)
            turns += kept["shown"]["turns"]
            self.moves += 1


def play_any(server: Server, kept: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """The game after any legal move, with the turns since."""
    shown = kept["shown"]
    move = luck.choice(shown["choices"]["plays"])["move"]
    told: dict[str, Any] = server.ask(
        "POST", f"games/{kept['id']}/moves", turn=shown["turn"], move=move
    )
    return told


@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_acknowledged_is_there_after_a_kill(
    start: Callable[[], Server], seed: int
) -> None:
    server = start()
    players = [Player(server, PLAYERS * seed + number) for number in range(PLAYERS)]
    for player in players:
        player.start()
    wait_until(lambda: any(p.fault for p in players) or sum(p.moves for p in players) >= MOVES)
    code, _ = server.end(signal.SIGKILL)
    assert code == -signal.SIGKILL
    for player in players:
        player.join(PATIENCE)
        assert player.fault is None
    server = start()
    known = {name: turns for player in players for name, turns in player.known.items()}
    assert len(known) >= PLAYERS
    luck = random.Random(seed)
    for name, turns in known.items():
        kept = server.ask("GET", f"games/{name}")
        assert kept["shown"]["turns"][: len(turns)] == turns
        for _ in range(3):
            if kept["shown"]["points"] is None:
                kept = play_any(server, kept, luck)


def test_an_interrupted_server_ends_quietly_though_somebody_listens(
    start: Callable[[], Server],
) -> None:
    server = start()
    kept = server.ask("POST", "games", game="ur", players=["human", "pips"])
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as line:
        path = f"/api/games/{kept['id']}/events"
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        heard = b""
        while b"is_over" not in heard:
            piece = line.recv(4096)
            assert piece, heard
            heard += piece
        began = time.monotonic()
        code, said = server.end(signal.SIGINT)
    assert code == 0, said
    assert time.monotonic() - began < 15
    assert "Traceback" not in said
    assert "ERROR" not in said
    assert said.strip() == "astragal: the page is closed; games are kept."


def test_an_interrupted_server_ends_its_slow_work(start: Callable[[], Server]) -> None:
    server = start()
    asked = {"game": "backgammon", "agent": "champion@2", "games": 10_000}
    job = server.ask("POST", "jobs", **asked)
    wait_until(lambda: server.ask("GET", f"jobs/{job['id']}")["state"] == "working")
    code, said = server.end(signal.SIGINT)
    assert (code, said.count("Traceback")) == (0, 0)


def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = Server(tmp_path, taken.getsockname()[1])
        told, said = server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 2
    assert told == ""
    assert re.fullmatch(r"astragal: '127\.0\.0\.1:\d+' cannot be listened on .*\.\n", said)
