"""Games that are played on the page, each in a file of its own: what was acknowledged is kept.

A game is found by a name in a list of what is there; no text from a request becomes a path.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from astragal.arena.reading import read_games
from astragal.arena.records import Record, format_records, game_of
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
    watchers: int = 0
    """Who waits for news; as long as somebody does, the game stays open."""

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it: it can be opened again."""
        return not self.watchers and not self.lock.locked()

    @property
    def is_slow(self) -> bool:
        """Whether a player looks so far ahead that it may think for seconds."""
        return any(re.search("@[2-9]$", name) for name in self.table.session.players)

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
    """All games that are kept in a folder; few of them are open at a time. Any thread may ask."""

    def __init__(self, folder: Path, players: Players) -> None:
        self._folder, self._players = folder, players
        self._open: OrderedDict[str, Seat] = OrderedDict()
        self._files: OrderedDict[str, Path] = OrderedDict()
        self._lock = threading.Lock()
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
        with self._lock:
            return list(reversed(self._files))

    def create(self, game: Game, players: tuple[str, str], seed: int | None) -> Seat:
        """A new game, kept at once, or InputError."""
        for name in players:
            if name != HUMAN:
                self._players.find(game, name)
        self._make_room()
        dice = secrets.randbits(48) if seed is None else seed
        seat = Seat(secrets.token_hex(_NAME_BYTES), self._table(Session(game, players, dice)))
        with self._lock:
            self._files[seat.id] = self._folder / f"{seat.id}.jsonl"
        try:
            self.keep(seat)
        except InputError:
            with self._lock:
                self._files.pop(seat.id, None)
            raise
        return self._put(seat)

    def opened(self, name: str) -> Seat | None:
        """The game of this name if it is open; others are closed before it."""
        with self._lock:
            seat = self._open.get(name)
            if seat is not None:
                self._open.move_to_end(name)
            return seat

    def find(self, name: str) -> Seat:
        """The game of this name, or NotFoundError."""
        seat = self.opened(name)
        if seat is not None:
            return seat
        return self._put(Seat(name, self._table(Session.of(_read(self._path(name)), 0))))

    def keep(self, seat: Seat) -> None:
        """Writes the game down; only then may what was done be acknowledged."""
        path = self._path(seat.id)
        try:
            write_text(path, format_records([seat.table.session.record()]))
        except OSError as fault:
            with self._lock:
                self._open.pop(seat.id, None)  # what the file still holds is what counts
            raise InputError(
                f"The game cannot be kept ({fault.strerror}): expected room in the data folder."
            ) from fault
        with self._lock:
            if seat.id in self._files:
                self._files.move_to_end(seat.id)

    def forget(self, name: str) -> None:
        """Removes a game, or NotFoundError."""
        path = self._path(name)
        with self._lock:
            self._files.pop(name, None)
            self._open.pop(name, None)
        with suppress(OSError):
            path.unlink()

    def listed(self, most: int) -> Iterator[tuple[str, Record, float]]:
        """The games that were played last, as they are kept; what cannot be read is left out."""
        for name in self.names()[:most]:
            path = self._files.get(name)
            with suppress(OSError, InputError):
                if path is not None:
                    record = _read(path)
                    game_of(record)
                    yield name, record, path.stat().st_mtime

    def _table(self, session: Session) -> Table:
        return Table(session, self._players.find, self._players.judge)

    def _path(self, name: str) -> Path:
        path = self._files.get(name)
        if path is None:
            raise NotFoundError(f"{quote(name)} is no game here: expected the name of one.")
        return path

    def _put(self, seat: Seat) -> Seat:
        """The one open seat of the game, which is this unless another was quicker."""
        with self._lock:
            self._path(seat.id)  # nobody has deleted it meanwhile
            found = self._open.setdefault(seat.id, seat)
            self._open.move_to_end(seat.id)
            self._close_some(found)
            return found

    def _close_some(self, wanted: Seat) -> None:
        many = len(self._open) - MOST_OPEN
        if many > 0:
            others = [each for each in self._open.values() if each.is_idle and each is not wanted]
            for seat in others[:many]:
                del self._open[seat.id]

    def _make_room(self) -> None:
        """Drops the oldest games that nobody began to play, or TooMuchError."""
        names = self.names()
        if len(names) < MOST_GAMES:
            return
        for name in reversed(names):
            with suppress(OSError, InputError):
                if not _read(self._path(name)).turns:
                    self.forget(name)
                    return
        raise TooMuchError(f"{MOST_GAMES:,} games are kept: expected some to be deleted first.")


def _read(path: Path) -> Record:
    record = next(iter(read_games(path)), None)
    if record is None:
        raise InputError(f"{quote(path, 200)} is empty: expected a game.")
    return record
