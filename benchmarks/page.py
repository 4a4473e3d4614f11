"""The page under load: 200 games at once over real sockets, against the champion.

Every player thinks for a second on average before a move, exponentially distributed. Exit code 1 if
a request fails or fewer than 95 % of the moves are answered within 250 ms. Then the same while a
roll-out and a training run go on beside a few games, and how many moves a second are played by
players who do not think at all. Client and server share the cores; timings want a quiet machine.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

GAMES = ("ur", "backgammon")
AT_ONCE, FEW, CLOSED = 200, 20, 8
THINK_SECONDS = 1.0
PLAY_SECONDS, BUSY_SECONDS, CLOSED_SECONDS = 60.0, 15.0, 10.0
SHARE, BAR_SECONDS = 0.95, 0.25
IDLE_SECONDS = 3.0  # after five the server ends a connection on which nothing is asked


@dataclass
class Tally:
    """What happened to the requests of some games."""

    games: int = 0
    finished: int = 0
    seconds: float = 0.0
    moves: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def slow(self) -> float:
        """The time within which 95 % of the moves were answered."""
        return float(np.quantile(self.moves, SHARE)) if self.moves else float("inf")

    @property
    def is_missed(self) -> bool:
        """Whether a bar is missed."""
        return bool(self.errors) or self.slow > BAR_SECONDS

    def told(self) -> str:
        """A line with all figures."""
        middle = float(np.median(self.moves)) if self.moves else float("inf")
        page = f", / {1e3 * float(np.quantile(self.pages, SHARE)):.0f} ms" if self.pages else ""
        return (
            f"{self.games} games ({self.finished} to the end), {len(self.moves):,} moves, "
            f"{len(self.errors)} errors; a move takes {1e3 * middle:.0f} ms in the middle, "
            f"{1e3 * self.slow:.0f} ms at {SHARE:.0%}{page}; "
            f"{len(self.moves) / self.seconds:.0f} moves/s"
        )


class Client:
    """One connection that is kept: as a browser has, and cheap, for it shares the machine."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._pipes: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, or RuntimeError with what the server said instead."""
        if self._pipes is None or time.perf_counter() - self._used > IDLE_SECONDS:
            self.close()
            self._pipes = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._pipes
        data = b"" if body is None else msgspec.json.encode(body)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        told = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        found = re.search(r"content-length: (\d+)", told)
        answer = await reader.readexactly(int(found[1]) if found else 0)
        self._used = time.perf_counter()
        if not told.startswith("http/1.1 200"):
            raise RuntimeError(f"{told[:15]} {answer[:200]!r}")
        return msgspec.json.decode(answer) if "application/json" in told else answer

    def close(self) -> None:
        """Ends the connection."""
        if self._pipes is not None:
            self._pipes[1].close()


async def play(port: int, game: str, think: float, until: float, tally: Tally, seed: int) -> None:
    """Random moves in one game, to its end or until the time is up."""
    luck, client = random.Random(seed), Client(port)
    try:
        await asyncio.sleep(luck.random() * think)
        body = {"game": game, "players": ["human", "champion"], "seed": seed}
        kept = await client.ask("POST", "/api/games", body)
        tally.games += 1
        while kept["shown"]["points"] is None and time.perf_counter() < until:
            await asyncio.sleep(luck.expovariate(1 / think) if think else 0)
            if time.perf_counter() > until:
                break
            shown = kept["shown"]
            move = luck.choice(shown["choices"]["plays"])["move"]
            began = time.perf_counter()
            path = f"/api/games/{kept['id']}/moves"
            kept = await client.ask("POST", path, {"turn": shown["turn"], "move": move})
            tally.moves.append(time.perf_counter() - began)
        tally.finished += kept["shown"]["points"] is not None
    except (OSError, EOFError, RuntimeError) as fault:
        tally.errors.append(repr(fault))
    finally:
        client.close()


async def look(port: int, until: float, tally: Tally) -> None:
    """Asks for the page again and again."""
    client = Client(port)
    while time.perf_counter() < until:
        began = time.perf_counter()
        await client.ask("GET", "/")
        tally.pages.append(time.perf_counter() - began)
        await asyncio.sleep(0.1)
    client.close()


async def crowd(port: int, places: int, think: float, seconds: float) -> Tally:
    """So many games at once, another in the place of each that ends."""
    tally, until = Tally(), time.perf_counter() + seconds

    async def sit(place: int) -> None:
        number = 0
        while time.perf_counter() < until and not tally.errors:
            game = GAMES[place % len(GAMES)]
            await play(port, game, think, until, tally, 1_000_000 * number + place)
            number += 1

    await asyncio.gather(look(port, until, tally), *(sit(place) for place in range(places)))
    tally.seconds = seconds
    return tally


@asynccontextmanager
async def slow_work(port: int) -> AsyncIterator[Callable[[], Any]]:
    """While it lasts, roll-outs and a training run go on; what comes back tells how they stand."""
    client = Client(port)
    job = {"game": "backgammon", "agent": "champion@1", "games": 10_000}
    jobs = [await client.ask("POST", "/api/jobs", job) for _ in range(3)]
    run = await client.ask("POST", "/api/runs", {"game": "backgammon", "games": 1_000_000})

    async def states() -> list[str]:
        told = [await client.ask("GET", f"/api/jobs/{each['id']}") for each in jobs]
        told.append(await client.ask("GET", f"/api/runs/{run['name']}"))
        return [each["state"] for each in told]

    try:
        await asyncio.sleep(5)  # for the processes to begin
        yield states
    finally:
        for each in jobs:
            await client.ask("DELETE", f"/api/jobs/{each['id']}")
        await client.ask("POST", f"/api/runs/{run['name']}/stop")
        client.close()


@contextmanager
def serving() -> Iterator[int]:
    """The port of a server in a process of its own, with data of its own."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "astragal", "serve", "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"ASTRAGAL_DATA": folder},
        )
        assert process.stdout is not None
        try:
            told = re.search(r":(\d+)/", process.stdout.readline())
            assert told is not None, "the server did not start"
            _wait_for(int(told[1]))
            yield int(told[1])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _wait_for(port: int) -> None:
    """Returns when the server takes connections."""
    for _ in range(100):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)


async def measure(port: int) -> bool:
    """Prints everything; whether a bar is missed."""
    await crowd(port, 2, 0.0, 2.0)  # compiled and loaded
    quiet = await crowd(port, AT_ONCE, THINK_SECONDS, PLAY_SECONDS)
    print(f"{AT_ONCE} at once: {quiet.told()}", flush=True)
    async with slow_work(port) as states:
        busy = await crowd(port, FEW, THINK_SECONDS, BUSY_SECONDS)
        print(f"{FEW} at once beside slow work ({', '.join(await states())}): {busy.told()}")
    closed = await crowd(port, CLOSED, 0.0, CLOSED_SECONDS)
    print(f"{CLOSED} at once that never think: {closed.told()}")
    for fault in (*quiet.errors, *busy.errors, *closed.errors)[:10]:
        print(fault)
    return quiet.is_missed or busy.is_missed or bool(closed.errors)


def main() -> int:
    """Prints each figure; the bars are said above."""
    with serving() as port:
        return int(asyncio.run(measure(port)))


if __name__ == "__main__":
    sys.exit(main())
