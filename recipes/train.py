"""Trains the net of a recipe, and before it those that it needs; the same command goes on.

    python recipes/train.py recipes/backgammon.toml

A recipe whose start or one of whose peers is runs/NAME/latest.safetensors needs the net of
NAME.toml beside it.
Each has its run in runs/NAME under the current folder; what is finished is not trained again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from astragal.errors import InputError
from astragal.learning.settings_file import read_settings


def main(recipe: Path) -> int:
    """Trains one after the other; the exit code of the last that was tried."""
    try:
        parts = parts_of(recipe)
    except InputError as fault:
        print(fault, file=sys.stderr)
        return 2
    for part in parts:
        run = Path("runs") / part.stem
        is_begun = (run / "settings.toml").exists()
        what = ("--resume", run) if is_begun else ("--settings", part, "--out", run)
        command = [sys.executable, "-m", "astragal", "train", *map(str, what)]
        code = subprocess.run(command).returncode
        if code != 0:
            return code
    return 0


def parts_of(recipe: Path) -> list[Path]:
    """The recipe, and before it those whose nets it needs, the first of all first."""
    settings = read_settings(recipe)
    nets = [Path(file) for file in (settings.start, *settings.lookahead.peers) if file]
    needed = [recipe.parent / f"{net.parent.name}.toml" for net in nets]
    earlier = [part for each in needed if each.exists() for part in parts_of(each)]
    return [*dict.fromkeys(earlier), recipe]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{len(sys.argv) - 1} arguments were given: expected one, the file of a recipe.")
    sys.exit(main(Path(sys.argv[1])))
