"""One command trains the net of a recipe, and those before it, and goes on where it was stopped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import crown
import pytest
import train as train_recipe

from astragal.learning.run import Run

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


def test_peers_are_trained_before_who_learns_from_them(tmp_path: Path) -> None:
    nets = [f"runs/{name}/latest.safetensors" for name in ("first", "second")]
    third = f"{SECOND}[lookahead]\ntargets = 'peers'\npeers = {nets}\n"
    for name, text in (("first", FIRST), ("second", SECOND), ("third", third)):
        (tmp_path / f"{name}.toml").write_text(text)
    found = train_recipe.parts_of(tmp_path / "third.toml")
    assert [part.stem for part in found] == ["first", "second", "third"]


def test_a_recipe_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text('game = "chess"')
    for arguments in (["odd.toml"], ["missing.toml"], []):
        done = train(tmp_path, *arguments)
        assert done.returncode != 0
        assert "expected" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_card_tells_what_was_measured_and_how_the_net_came_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first.toml").write_text(FIRST)
    (tmp_path / "second.toml").write_text(SECOND)
    assert train(tmp_path, "second.toml").returncode == 0
    measured = {
        "measures": [
            {
                "measure": "against perfect play",
                "games": 2000,
                "judge": "perfect",
                "win_rate": {"mean": 0.4902, "interval": [0.49, 0.4904]},
            },
            {
                "measure": "for money",
                "games": 10,
                "judge": "champion",
                "points": {"mean": -0.25, "interval": [-0.5, 0.0]},
            },
        ],
        "milliseconds_a_move": {"champion": 0.163, "champion@1": 12.4},
    }
    monkeypatch.chdir(tmp_path)
    run = Run.open(Path("runs/second"))
    told = crown.card(run, "recipes/second.toml", "astragal benchmark tictactoe", measured)
    assert "| against perfect play | wins 49.02% ± 0.02% | 2,000 | `perfect` |" in told
    assert "| for money | -0.2500 ± 0.2500 points a game | 10 | `champion` |" in told
    assert "A move takes 0.16 ms with `champion` and 12 ms with `champion@1`." in told
    assert "600 games," in told
    assert "`astragal benchmark tictactoe`, luck taken out" in told
    assert "| [`first.toml`](../../../recipes/first.toml) | 4, auto, win | 300 |" in told
    assert told.index("python recipes/train.py recipes/second.toml") > told.index("600 games")
