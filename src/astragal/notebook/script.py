"""The page's own modules as one script: a notebook takes a single module that imports nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import astragal

STATIC = Path(astragal.__file__).parent / "serve" / "static"
_OWN = Path(__file__).parent
_PARTS = (STATIC / "dom.js", STATIC / "board.js", STATIC / "dice.js", _OWN / "widget.js")

_IMPORT = re.compile(r'^import\s+(?:\{([^}]*)\}\s+from\s+)?"([^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?(?:function|class|const|let)\s+(\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import\b(?!\s*\()|export\b).*", re.MULTILINE)
_DEFAULT = "export default "


def script() -> str:
    """The widget's module, with all that it needs in it."""
    return joined([(path.name, path.read_text(encoding="utf-8")) for path in _PARTS])


def style() -> str:
    """The widget's style sheet, which touches nothing outside of it."""
    parts = (STATIC / "board.css", _OWN / "widget.css")
    inner = "".join(path.read_text(encoding="utf-8") for path in parts)
    return f".astragal-table {{\n{inner}}}\n"


def joined(modules: Sequence[tuple[str, str]]) -> str:
    """One module out of several, each with its file's name; it exports what the last one does.

    Each but the last is a function that gives what it exports, so that their other names may be
    the same. A module can use those before it. ValueError for what cannot be told apart by the
    beginning of a line, such as a default that is not at the end.
    """
    names = [_variable(name) for name, _ in modules]
    *others, (last, text) = modules
    parts = [_wrapped(name, text, names) for name, text in others]
    body, default, end = text.rpartition(f"\n{_DEFAULT}")
    return "\n".join([*parts, _plain(last, body, names) + default + end])


def _variable(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _wrapped(name: str, text: str, names: Sequence[str]) -> str:
    exported = ", ".join(found[2] for found in _EXPORT.finditer(text))
    body = _plain(name, text, names)
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _plain(name: str, text: str, names: Sequence[str]) -> str:
    """The text with names from other modules as constants, and without exports."""

    def taken(found: re.Match[str]) -> str:
        module = _variable(Path(found[2]).name)
        if module not in names[: names.index(_variable(name))]:
            raise ValueError(f"{name} imports {found[2]}, which does not come before it")
        return f"const {{ {', '.join(_renamed(found[1]))} }} = {module};" if found[1] else ""

    plain = _EXPORT.sub(r"\1", _IMPORT.sub(taken, text))
    left = _LEFT.search(plain)
    if left is not None:
        raise ValueError(f"{name} cannot be joined to others: {left[0]}")
    return plain


def _renamed(imported: str) -> Iterator[str]:
    """Each of the names that an import lists, as a constant takes it from an object."""
    for each in filter(None, map(str.strip, imported.split(","))):
        yield re.sub(r"\s+as\s+", ": ", each)
