"""What the routes work with: games, players, runs, slow questions, and hands to think."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from astragal.serve.faults import TooMuchError
from astragal.serve.games import Games, Seat
from astragal.serve.jobs import Jobs
from astragal.serve.players import Players
from astragal.serve.runs import Runs
from astragal.values.table_file import data_folder
from astragal.workers import cores

T = TypeVar("T")

MOST_WAITING = 1_000
MOST_PONDERING = 50
_QUICK_HANDS = 4  # more than cores: a move also waits for its file to be written
MOST_STREAMS = 200


@dataclass(frozen=True)
class ServeSettings:
    """How the page is served."""

    host: str = "127.0.0.1"
    """The address that it listens on; others than this machine's own let others in."""
    port: int = 8000
    """0 takes any that is free."""
    runs: Path = Path("runs")
    """Where training runs are."""
    data: Path | None = None
    """Where games are kept; None for the user's data folder."""
    names: tuple[str, ...] = ()
    """Names by which it may be called beside those of the address."""


class Desk:
    """Everything behind the routes; made once, closed at the end."""

    def __init__(self, settings: ServeSettings) -> None:
        folder = settings.data or data_folder()
        self.runs = Runs(settings.runs)
        self.players = Players(self.runs)
        self.games = Games(folder / "page", self.players)
        self.jobs = Jobs()
        self.streams = 0
        self.is_leaving = False
        # Compiled code leaves other threads alone, so the page is served while it is thought.
        self._quick = _Hands("thinking", _QUICK_HANDS, MOST_WAITING)
        self._slow = _Hands("pondering", cores(), MOST_PONDERING)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    async def think(self, work: Callable[[], T]) -> T:
        """What the work gives, done in a thread; TooMuchError if too much is waiting already."""
        return await self._quick.do(work)

    async def ponder(self, work: Callable[[], T]) -> T:
        """The same for work that may take seconds, which moves in other games do not wait for."""
        return await self._slow.do(work)

    @asynccontextmanager
    async def holding(self, name: str) -> AsyncIterator[Seat]:
        """The game of this name, with which nobody else does anything meanwhile."""
        while True:
            seat = self.games.opened(name)
            if seat is None:
                seat = await self.think(lambda: self.games.find(name))
            async with seat.lock:
                # While it was waited for, the game may have been deleted, or closed and opened.
                if self.games.opened(name) is seat:
                    yield seat
                    return

    def leave(self) -> None:
        """Has those go who listen, which they would do for ever; any thread may say so."""
        self.is_leaving = True

    def close(self) -> None:
        """Stops what still works."""
        self.jobs.close()
        self.runs.close()
        self._quick.close()
        self._slow.close()


class _Hands:
    """Some threads, and so much work at most that waits for them."""

    def __init__(self, name: str, threads: int, most_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, name)
        self._waiting, self._most_waiting = 0, most_waiting

    async def do(self, work: Callable[[], T]) -> T:
        """What the work gives, or TooMuchError."""
        if self._waiting >= self._most_waiting:
            raise TooMuchError("Too much is asked at once: expected some patience.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Lets go of what has not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
