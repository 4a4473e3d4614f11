"""Files are written whole or not at all: to a temporary name, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:
    fcntl = None

# Read once, when nobody else writes: it can only be read by changing it, for all threads.
_UMASK = os.umask(0o077)
os.umask(_UMASK)


def write_text(path: Path, text: str) -> None:
    """Puts the text into the file; whatever happens, it holds all of the old or all of the new."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Puts the bytes into the file; whatever happens, it holds all of the old or all of the new.

    What is no plain file, such as a device or a pipe, is written to as it is.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with replacing(path) as file:
        file.write(data)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether no other process has this file to itself; it is ours then, however this one ends.

    Where the system has no such locks, always.
    """
    if fcntl is None:
        yield True
        return
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of the one at the path once all is written."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_UMASK)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
