"""Games from a file, whatever form they are in: our own lines of JSON, or a `.mat` match."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from astragal.arena.mat import is_mat, parse_mat
from astragal.arena.records import Record, read_records
from astragal.errors import InputError, quote

MOST_BYTES = 64 * 1024 * 1024
"""Of a `.mat` file, which is read as a whole."""
_MARK = b"\xef\xbb\xbf"  # that some programs put before text


def read_games(path: Path) -> Iterator[Record]:
    """The games in the file, in order; InputError names the place that cannot be read."""
    try:
        with path.open("rb") as file:
            yield from games_in(file, str(path))
    except (OSError, ValueError) as fault:
        if isinstance(fault, InputError):
            raise
        why = getattr(fault, "strerror", None) or str(fault)
        raise InputError(f"{quote(path, 200)} cannot be read: {why}.") from fault


def games_in(file: IO[bytes], name: str) -> Iterator[Record]:
    """The games in an open file of this name, in order, or InputError."""
    begin = file.read(1024)
    if begin.removeprefix(_MARK).lstrip().startswith(b"{"):
        whole: IO[bytes] = io.BufferedReader(_Again(begin.removeprefix(_MARK), file))
        yield from read_records(whole, name)
        return
    data = begin + file.read(MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise InputError(f"{quote(name, 200)} is too large: expected 64 MB at most.")
    text = data.decode("utf-8-sig", errors="replace").expandtabs()
    if is_mat(text):
        yield from parse_mat(text, Path(name).name)
        return
    held = f"it begins with {quote(text[:40])}" if text else "it is empty"
    raise InputError(
        f"{quote(name, 200)} is not a game record ({held}): expected lines of JSON such as "
        "`astragal match --records` writes, or a .mat file."
    )


class _Again(io.RawIOBase):
    """What has been read of a file, and then the rest of it: a pipe cannot be read twice."""

    def __init__(self, begin: bytes, rest: IO[bytes]) -> None:
        self._begin, self._rest = io.BytesIO(begin), rest

    def readable(self) -> bool:
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        data = self._begin.read(len(room)) or self._rest.read(len(room))
        room[: len(data)] = data
        return len(data)
