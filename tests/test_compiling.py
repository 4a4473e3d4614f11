"""Compiled code is kept, and never outlives the source that it was made from."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import astragal
from astragal.compiling import source_digest

PACKAGE = Path(astragal.__file__).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    target = tmp_path / "astragal"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


@pytest.mark.parametrize(
    "file", ["compiling.py", "games/ur.py", "games/bits.py", "games/ur_notation.py"]
)
def test_an_edit_in_any_compiled_file_names_another_cache(copy: Path, file: str) -> None:
    before = source_digest(copy)
    edited = copy / file
    edited.write_text(edited.read_text() + "\n")
    assert source_digest(copy) != before


def test_an_edit_elsewhere_keeps_the_cache(copy: Path) -> None:
    before = source_digest(copy)
    edited = copy / "cli" / "main.py"
    edited.write_text(edited.read_text() + "\n")
    assert source_digest(copy) == before


def test_every_room_that_compiles_is_part_of_the_digest(copy: Path) -> None:
    for path in sorted(copy.rglob("*.py")):
        if "numba" in path.read_text() and path.name != "background.py":
            before = source_digest(copy)
            path.write_text(path.read_text() + "\n")
            assert source_digest(copy) != before, path


def run(code: str, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {"NUMBA_CACHE_DIR": str(cache), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


COMMANDS = """
import contextlib
import os
from astragal.cli.main import main
from astragal.compiling import announce
for words in (
    ["warmup"], ["legal", "ur", "7..............0/7..............0 r", "1"],
    ["random", "backgammon"], ["perft", "ur", "--depth", "6"],
    ["perft", "tictactoe", "--depth", "5"], ["legal", "tictactoe", "........."],
    ["show", "hypergammon"],
    ["demo", "--games", "100", "--out", os.environ["NUMBA_CACHE_DIR"] + "/demo"],
):
    with contextlib.suppress(SystemExit):
        main(words)
    if words == ["warmup"]:
        announce(lambda name: print("COMPILED", name))
"""


@pytest.mark.slow
def test_after_warming_up_no_command_compiles(tmp_path: Path) -> None:
    done = run(COMMANDS, tmp_path)
    assert "everything is compiled" in done.stderr
    assert "COMPILED" not in done.stdout


DRAW = """
from astragal.compiling import announce
announce(print)
from astragal.games.luck import draw_below, scripted
draw_below(scripted([0]), 1)
"""


def test_a_second_process_finds_what_the_first_compiled(tmp_path: Path) -> None:
    assert run(DRAW, tmp_path).stdout == "_draw_below\n"
    assert run(DRAW, tmp_path).stdout == ""


def test_without_a_place_for_a_cache_it_still_runs(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert run(DRAW, blocked).stdout == "_draw_below\n"
