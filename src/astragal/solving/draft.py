"""A table in the making: its numbers in a file, and a note of which parts are done.

A part counts once its numbers are in the file and its checksum is in the note, so whatever happens,
at most the part that was at work is lost; and since a part comes out the same whenever it is
solved, so does the table.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.files import write_bytes
from astragal.games.game import Game
from astragal.values.table_file import (
    HEADER_BYTES,
    KINDS,
    Header,
    as_numbers,
    check_room,
    checksum,
    unit,
    write_header,
)

FULL = 4  # bytes a number; a smaller table is made from a full one


class Part(msgspec.Struct, frozen=True):
    """A part that is done."""

    checksum: str
    change: float


class Note(msgspec.Struct):
    """What is being made, and how far it is."""

    game: str
    game_version: int
    rows: int
    precision: float
    parts: dict[str, Part]


class Draft:
    """The file and the note of one table; rows of one number each."""

    def __init__(self, path: Path, game: Game, rows: int, precision: float) -> None:
        self._path, self._game = path, game
        self._file = path.with_name(f"{path.name}.partial")
        self._note_file = path.with_name(f"{path.name}.progress")
        self._note = Note(game.name, game.version, rows, precision, {})
        self._bytes = HEADER_BYTES + rows * FULL

    @contextlib.contextmanager
    def opened(self) -> Iterator[Draft]:
        """The draft, gone on with where there is one like it, and for this process alone."""
        check_room(self._file, 0)
        with _for_one_alone(self._file) as file:
            check_room(self._file, self._bytes - _taken(self._file))
            self._note = self._read_note() or self._note
            _take_room(self._file, file, self._bytes)
            kind, rows = KINDS[FULL], self._note.rows
            self.numbers: NDArray[Any] = np.memmap(self._file, kind, "r+", HEADER_BYTES, rows)
            yield self

    def _read_note(self) -> Note | None:
        """The note that was left, if it is one of the same table."""
        with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
            note = msgspec.json.decode(self._note_file.read_bytes(), type=Note)
            same = (note.game, note.game_version, note.rows, note.precision)
            wanted = self._note
            if same == (wanted.game, wanted.game_version, wanted.rows, wanted.precision):
                return note
        return None

    def has(self, name: str, slices: Sequence[slice]) -> bool:
        """Whether the part in these rows is done and whole."""
        part = self._note.parts.get(name)
        return part is not None and part.checksum == self._checksum(slices)

    def put(
        self, name: str, chances: Sequence[NDArray[np.float64]], slices: Sequence[slice],
        change: float,
    ) -> None:  # fmt: skip
        """Keeps a part."""
        for part, rows in zip(chances, slices, strict=True):
            self.numbers[rows] = as_numbers(part, FULL)
        self.numbers.flush()  # type: ignore[attr-defined]
        self._note.parts[name] = Part(self._checksum(slices), change)
        write_bytes(self._note_file, msgspec.json.encode(self._note))

    def chances(self, rows: slice) -> NDArray[np.float64]:
        """The chances in some rows."""
        result: NDArray[np.float64] = self.numbers[rows] * unit(FULL)
        return result

    def _checksum(self, slices: Sequence[slice]) -> str:
        return " ".join(checksum(self.numbers[rows]) for rows in slices)

    def finish(self) -> Header:
        """Makes the draft the table that it was to be."""
        header = Header(
            game=self._game.name,
            game_version=self._game.version,
            contents="values",
            rows=self._note.rows,
            columns=1,
            bytes_each=FULL,
            precision=self._note.precision,
            residual=max(part.change for part in self._note.parts.values()),
            checksum=checksum(self.numbers),
        )
        write_header(self._file, header)
        self._file.replace(self._path)
        self._note_file.unlink(missing_ok=True)
        return header


def _taken(path: Path) -> int:
    """How many bytes of the disk a file takes; one with gaps takes fewer than it has."""
    seen = path.stat()
    return int(getattr(seen, "st_blocks", seen.st_size // 512)) * 512


def _take_room(path: Path, file: Any, size: int) -> None:
    """Gives the file its size, and all of the disk that it will take."""
    try:
        file.truncate(size)
        take = getattr(os, "posix_fallocate", None)
        if take is not None:
            take(file.fileno(), 0, size)
    except OSError as fault:
        raise InputError(
            f"{quote(path, shown=200)} cannot have {size / 2**20:,.0f} MiB: {fault.strerror}."
        ) from fault


@contextlib.contextmanager
def _for_one_alone(path: Path) -> Iterator[Any]:
    """The file, opened for writing; InputError if another process is at it."""
    with path.open("a+b") as file:
        with contextlib.suppress(ImportError):
            locking = importlib.import_module("fcntl")  # not on Windows
            try:
                locking.flock(file, locking.LOCK_EX | locking.LOCK_NB)
            except OSError as fault:
                raise InputError(
                    f"{quote(path, shown=200)} is being written by another process: expected to "
                    "be the only one that solves this game."
                ) from fault
        if not path.exists() or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise InputError(
                f"{quote(path, shown=200)} was finished by another process just now: expected to "
                "be the only one; the table is there."
            )
        yield file
