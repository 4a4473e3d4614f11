"""Games from a file, whatever form they are in: our own lines of JSON, or a `.mat` match."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from astragal.arena.mat import is_mat, parse_mat
from astragal.arena.records import Record, read_records
from astragal.errors import InputError, quote

MOST_BYTES = 64 * 1024 * 1024
"""Of a `.mat` file, which is read as a whole."""
_GLANCE = 4096


def read_games(path: Path) -> Iterator[Record]:
    """The games in the file, in order; InputError names the place that cannot be read."""
    try:
        with path.open("rb") as file:
            glance = file.read(_GLANCE)
            size = path.stat().st_size
    except OSError as fault:
        raise InputError(f"{quote(path, 200)} cannot be read: {fault.strerror}.") from fault
    if glance.lstrip().startswith(b"{"):
        yield from read_records(path)
    elif is_mat(glance.decode("latin-1")):
        if size > MOST_BYTES:
            raise InputError(f"{quote(path, 200)} is too large: expected 64 MB at most.")
        yield from parse_mat(path.read_bytes().decode("utf-8", errors="replace"), path.name)
    else:
        held = (
            f"it begins with {quote(glance[:40].decode(errors='replace'))}" if glance else "empty"
        )
        raise InputError(
            f"{quote(path, 200)} is not a game record ({held}): expected lines of JSON such as "
            "`astragal match --records` writes, or a .mat file."
        )
