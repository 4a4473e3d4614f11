"""Games that are played on the page, each in a file of its own: what was acknowledged is kept.

A game is found by a name in a list of what is there; no text from a request becomes a path.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from astragal.arena.reading import read_games
from astragal.arena.records import Record, format_records
from astragal.errors import InputError, quote
from astragal.files import write_text
from astragal.games.game import Game
from astragal.play.session import HUMAN, Session
from astragal.play.table import Table
from astragal.serve.faults import ConflictError, NotFoundError, TooMuchError
from astragal.serve.players import Players

MOST_GAMES = 10_000
MOST_OPEN = 400
_NAME_BYTES = 9


@dataclass
class Seat:
    """A game on the table: one deed at a time, and news for whoever watches."""

    id: str
    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def check_turn(self, turn: int) -> None:
        """ConflictError if another deed came first."""
        played = len(self.table.session.steps)
        if turn != played:
            raise ConflictError(f"The game has gone on: {played} turns are played, not {turn}.")

    def tell(self) -> None:
        """Wakes whoever waits for news."""
        self.news.set()
        self.news = asyncio.Event()


class Games:
    """All games that are kept in a folder; few of them are open at a time."""

    def __init__(self, folder: Path, players: Players) -> None:
        self._folder, self._players = folder, players
        self._open: OrderedDict[str, Seat] = OrderedDict()
        self._files: OrderedDict[str, Path] = OrderedDict()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            paths = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        except OSError as fault:
            raise InputError(
                f"{quote(folder, 200)} cannot be used ({fault.strerror}): expected a folder that "
                "games can be kept in, such as ASTRAGAL_DATA may name."
            ) from fault
        self._files.update((path.stem, path) for path in paths)

    def names(self) -> list[str]:
        """The games that are kept, the last played first."""
        return list(reversed(self._files))

    def create(self, game: Game, players: tuple[str, str], seed: int | None) -> Seat:
        """A new game, kept at once, or InputError."""
        for name in players:
            if name != HUMAN:
                self._players.find(game, name)
        self._make_room()
        dice = secrets.randbits(48) if seed is None else seed
        seat = Seat(secrets.token_hex(_NAME_BYTES), self._table(Session(game, players, dice)))
        self._files[seat.id] = self._folder / f"{seat.id}.jsonl"
        try:
            self.keep(seat)
        except InputError:
            del self._files[seat.id]
            raise
        self._put(seat)
        return seat

    def find(self, name: str) -> Seat:
        """The game of this name, or NotFoundError."""
        seat = self._open.get(name)
        if seat is None:
            path = self._files.get(name)
            if path is None:
                raise NotFoundError(f"{quote(name)} is no game here: expected the name of one.")
            seat = Seat(name, self._table(Session.of(_read(path), 0)))
        self._put(seat)
        return seat

    def keep(self, seat: Seat) -> None:
        """Writes the game down; only then may what was done be acknowledged."""
        path = self._files[seat.id]
        try:
            write_text(path, format_records([seat.table.session.record()]))
        except OSError as fault:
            raise InputError(
                f"The game cannot be kept ({fault.strerror}): expected room in the data folder."
            ) from fault
        self._files.move_to_end(seat.id)

    def forget(self, name: str) -> None:
        """Removes a game, or NotFoundError."""
        path = self._files.pop(name, None)
        if path is None:
            raise NotFoundError(f"{quote(name)} is no game here: expected the name of one.")
        self._open.pop(name, None)
        with suppress(OSError):
            path.unlink()

    def listed(self, most: int) -> Iterator[tuple[str, Record, float]]:
        """The games that were played last, as they are kept; what cannot be read is left out."""
        for name in self.names()[:most]:
            path = self._files.get(name)
            with suppress(OSError, InputError):
                if path is not None:
                    yield name, _read(path), path.stat().st_mtime

    def _table(self, session: Session) -> Table:
        return Table(session, self._players.find, self._players.judge)

    def _put(self, seat: Seat) -> None:
        self._open[seat.id] = seat
        self._open.move_to_end(seat.id)
        while len(self._open) > MOST_OPEN:
            idle = next((each for each in self._open.values() if not each.lock.locked()), None)
            if idle is None:
                return
            del self._open[idle.id]

    def _make_room(self) -> None:
        """Drops the oldest games that nobody began to play, or TooMuchError."""
        if len(self._files) < MOST_GAMES:
            return
        for name, path in list(self._files.items()):
            with suppress(OSError, InputError):
                if not _read(path).turns:
                    self.forget(name)
                    return
        raise TooMuchError(f"{MOST_GAMES:,} games are kept: expected some to be deleted first.")


def _read(path: Path) -> Record:
    record = next(iter(read_games(path)), None)
    if record is None:
        raise InputError(f"{quote(path, 200)} is empty: expected a game.")
    return record
