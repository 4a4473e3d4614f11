"""One command trains the net of a recipe, and those before it, and goes on where it was stopped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).parents[1] / "recipes" / "train.py"
FIRST = """game = "tictactoe"
games = 300
[net]
hidden = [4]
activation = "relu"
[assess]
games = 2
"""
SECOND = FIRST.replace("[4]", "[6]").replace(
    "[net]", 'start = "runs/first/latest.safetensors"\n[net]'
)


def train(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TRAIN), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_what_a_recipe_begins_with_is_trained_first_and_once(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text(FIRST)
    (tmp_path / "second.toml").write_text(SECOND)
    done = train(tmp_path, "second.toml")
    assert done.returncode == 0, done.stderr
    nets = [tmp_path / "runs" / name / "latest.safetensors" for name in ("first", "second")]
    before = [net.read_bytes() for net in nets]
    assert train(tmp_path, "second.toml").returncode == 0
    assert [net.read_bytes() for net in nets] == before


def test_a_recipe_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text('game = "chess"')
    for arguments in (["odd.toml"], ["missing.toml"], []):
        done = train(tmp_path, *arguments)
        assert done.returncode != 0
        assert "expected" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()
