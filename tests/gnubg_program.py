"""The real GNU Backgammon, where it is installed: commands in, what it printed out."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PROGRAM = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")

needs_gnubg = pytest.mark.skipif(PROGRAM is None, reason="GNU Backgammon is not installed here")


def run_gnubg(commands: Sequence[str], folder: Path, seconds: float = 60) -> str:
    """What gnubg prints when it is given the commands, in a folder that is also its home.

    They come on standard input: gnubg plays no turns of its own between the lines of a file that it
    is given with `-c`.
    """
    assert PROGRAM is not None
    done = subprocess.run(
        [PROGRAM, "-t", "-q", "-r"],
        input="\n".join([*commands, "quit", "y", ""]),
        cwd=folder,
        env=os.environ | {"HOME": str(folder), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=True,
    )
    return done.stdout + done.stderr
