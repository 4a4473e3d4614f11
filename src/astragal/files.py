"""Files are written whole or not at all: to a temporary name, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


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
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of the one at the path once all is written."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
