"""The arrows between rooms point one way, and the rules touch nothing but data."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import astragal

SOURCE = Path(astragal.__file__).parent

# What each room may import beside itself and the ground floor (errors, files...).
GROUND = {"errors", "background", "compiling", "files", "memory", "workers"}
MAY_IMPORT = {
    "errors": set[str](),
    "background": set[str](),
    "compiling": set[str](),
    "files": set[str](),
    "memory": set[str](),
    "workers": {"background", "errors"},
    "games": {"errors", "compiling"},
    "values": {"games"},
    "search": {"games", "values"},
    "agents": {"games", "values", "search"},
    "arena": {"games", "values", "search", "agents"},
    "learning": {"games", "values", "search", "agents"},
    "solving": {"games", "values"},
    "show": {"games"},
    "gym": {"games"},
    "engine": {"games", "values", "search", "agents", "arena"},
    "play": {"games", "values", "search", "agents", "arena", "solving", "show"},
    "notebook": {"games", "values", "search", "agents", "arena", "solving", "show", "play"},
    "studies": {"games", "values", "search", "agents", "arena", "learning", "show"},
    "serve": {
        "games",
        "values",
        "search",
        "agents",
        "arena",
        "learning",
        "solving",
        "show",
        "play",
        "studies",
    },
    "cli": {
        "games",
        "values",
        "search",
        "agents",
        "arena",
        "learning",
        "solving",
        "show",
        "engine",
        "play",
        "studies",
        "serve",
    },
}
GAMES_MAY_IMPORT = {
    "__future__", "astragal", "base64", "collections", "dataclasses", "functools", "importlib",
    "inspect", "llvmlite", "math", "numba", "numpy", "re", "typing",
}  # fmt: skip


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative name"
            yield node.module or ""


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = [path for path in SOURCE.rglob("*.py") if room_of(path) not in ("__init__", "__main__")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_arrow_points_up(path: Path) -> None:
    room = room_of(path)
    ground = GROUND if room not in GROUND | {"games"} else set()
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "astragal" and len(parts) > 1:
            assert parts[1] in {room} | MAY_IMPORT[room] | ground, f"{path} imports {name}"


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) == "games"], ids=lambda path: path.name
)
def test_rules_touch_no_file_clock_chance_or_screen(path: Path) -> None:
    assert {name.split(".")[0] for name in imports(path)} <= GAMES_MAY_IMPORT
    names = {
        node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
    }
    assert not names & {"open", "print", "input"}
    assert set(re.findall(r"np\.random\.(\w+)", path.read_text())) <= {"Generator", "default_rng"}


def test_every_module_begins_with_a_sentence() -> None:
    for path in FILES:
        doc = ast.get_docstring(ast.parse(path.read_text()))
        assert doc, f"{path} has no docstring"
        assert doc.split("\n\n")[0].endswith((".", ":"))
