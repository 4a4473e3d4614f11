"""Compile with Numba, and keep what was compiled where no edit can make it stale.

Numba's own cache looks only at the file in which a function stands, so an edit in another file
leaves the old code running. Ours lives in a folder named after a digest of every room that holds
compiled code: a changed source is another folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_FOLDERS_KEPT = 4
_COMPILES = re.compile(rb"^(from|import) numba|import (compiled|inlined|summing)", re.MULTILINE)


def compiled(function: F) -> F:
    """The function compiled on its first call for each kind of argument, and cached on disk."""
    folder = cache_folder()
    if folder is None:
        return _njit(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return _njit(function, cache=True)
    finally:
        config.CACHE_DIR = before


def inlined(function: F) -> F:
    """The function compiled as a part of each compiled function that calls it.

    Worth it for a helper of an inner loop: rules and buffers are passed by value, as some eighty
    machine words, which costs more than a short function does.
    """
    return _njit(function, forceinline=True)


def summing(function: F) -> F:
    """The function inlined, its sums taken in any order, so that eight numbers are added at once.

    The order is that of the machine code, and so the same in every call.
    """
    return _njit(function, forceinline=True, fastmath={"contract", "nsz", "reassoc"})


def _njit(function: F, **options: Any) -> F:
    # A product and a sum may be one instruction, which is faster and rounds once instead of twice.
    freedom = {"fastmath": {"contract"}}
    return numba.njit(function, nogil=True, error_model="numpy", **(freedom | options))


@functools.cache
def cache_folder() -> Path | None:
    """The folder for what these sources compile to, or None where nothing can be written."""
    home = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(home) / "astragal" if home else user_cache_path("astragal") / "compiled"
    folder = root / source_digest(_PACKAGE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _drop_old_folders(root)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def source_digest(package: Path) -> str:
    """Names the compiled code of the package: it changes with every file of a room that compiles.

    All files of the room, since a constant from any of them may have been compiled in.
    """
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__}".encode())
    rooms: dict[Path, list[tuple[Path, bytes]]] = {}
    for path in sorted(package.rglob("*.py")):
        # On the ground floor each file is a room of its own.
        room = path if path.parent == package else path.parent
        rooms.setdefault(room, []).append((path, path.read_bytes()))
    for files in rooms.values():
        if any(_COMPILES.search(text) for _, text in files):
            for path, text in files:
                digest.update(path.relative_to(package).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:16]


def _drop_old_folders(root: Path) -> None:
    with contextlib.suppress(OSError):  # another process may be at the same work
        folders = sorted(root.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for folder in folders[_FOLDERS_KEPT:]:
            shutil.rmtree(folder, ignore_errors=True)


class _Announcer(event.Listener):
    """Calls back with the name of each function of ours whose compilation begins."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._depth = 0

    def on_start(self, event: Any) -> None:
        self._depth += 1
        function = event.data["dispatcher"].py_func
        if self._depth == 1 and function.__module__.startswith("astragal."):
            self._tell(function.__name__)

    def on_end(self, event: Any) -> None:
        self._depth -= 1


@functools.cache
def announce(tell: Callable[[str], None]) -> None:
    """From now on `tell` is called with a function's name whenever one has to be compiled."""
    event.register("numba:compile", _Announcer(tell))
