"""The options of `astragal train`, made from the settings: one for each, with its own words."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import keyword
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer

from astragal.learning import settings as module
from astragal.learning.settings import LEARNERS, SECTIONS, TrainSettings, written

_OTHERWISE = {"assess.games": "assess-games", "assess.every": "assess-every"}
_LEFT_OUT = {"game"}


def option_of(section: str, name: str) -> str:
    """How the setting is called on the command line."""
    plain = _OTHERWISE.get(f"{section}.{name}", written(name))
    return plain.replace("_", "-")


@functools.cache
def words() -> dict[tuple[str, str], str]:
    """What is written under each setting, by its class and its name."""
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            for field, below in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                    told = getattr(below.value, "value", "")
                    found[node.name, getattr(field.target, "id", "")] = " ".join(told.split())
    return found


def parameters() -> Iterator[inspect.Parameter]:
    """A parameter for each option, all of them text; those of several learners come once."""
    seen: set[str] = set()
    for section, part in _parts():
        for each in fields(part):
            option = option_of(section, each.name)
            if is_dataclass(getattr(part, each.name)) or each.name in _LEFT_OUT or option in seen:
                continue
            seen.add(option)
            yield _parameter(section, part, each.name, option)


def _word(option: str) -> str:
    """The option as the name of a parameter."""
    name = option.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def option_named(word: str) -> str:
    """The option that a parameter of this name stands for."""
    return word.rstrip("_").replace("_", "-")


def _parts() -> Iterator[tuple[str, Any]]:
    settings = TrainSettings("")
    yield "", settings
    for section in SECTIONS:
        yield section, getattr(settings, section)


def _parameter(section: str, part: Any, name: str, option: str) -> inspect.Parameter:
    default = getattr(part, name)
    info = typer.Option(
        f"--{option}",
        help=words().get((type(part).__name__, name), "") + _usual(name, section),
        metavar=_metavar(part, name),
        rich_help_panel=_PANELS[section],
        show_default=False,
    )
    kind = list[str] if isinstance(default, tuple) and name != "hidden" else str
    return inspect.Parameter(
        _word(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, info],
    )


_PANELS = {
    "": "The run",
    "net": "The net",
    "td": "Learning with td",
    "mc": "Learning with mc",
    "lookahead": "Learning with lookahead",
    "assess": "Measuring",
}


def _usual(name: str, section: str) -> str:
    """What the setting usually is: of each learner that has it, where several do."""
    parts = dict(_parts())
    if section in LEARNERS:
        told = {each: _as_text(getattr(parts[each], name, "")) for each in LEARNERS}
        values = [f"{value} with {each}" for each, value in told.items() if value]
        return f" Usually {', '.join(values)}." if values else ""
    told_value = _as_text(getattr(parts[section], name))
    return f" Usually {told_value}." if told_value else ""


def _metavar(part: Any, name: str) -> str:
    kind = get_type_hints(type(part))[name]
    kinds = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    literals = [word for each in kinds for word in get_args(each) if isinstance(word, str)]
    if literals and float not in kinds:
        return "|".join(literals)
    if name == "hidden":
        return "UNITS[,UNITS...]"
    plain = {int: "WHOLE", float: "NUMBER"}
    return next((plain[each] for each in kinds if each in plain), "TEXT")


def _as_text(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default)


def told_settings(options: Mapping[str, Any], learner: str) -> tuple[dict[str, Any], list[str]]:
    """The options that were given, as the tree of settings; and those that the learner has not."""
    told: dict[str, Any] = {}
    known: set[str] = set()
    for section, part in _parts():
        if section not in ("", "net", "assess", learner):
            continue
        for each in fields(part):
            option = _word(option_of(section, each.name))
            known.add(option)
            value = options.get(option)
            if value is not None:
                place = told.setdefault(section, {}) if section else told
                place[written(each.name)] = _parsed(getattr(part, each.name), each.name, value)
    strange = [name for name, value in options.items() if value is not None and name not in known]
    return told, [option_named(name) for name in strange]


def _parsed(usual: Any, name: str, value: Any) -> Any:
    """What was typed, as a number where the setting can be one."""
    if name == "hidden":
        return [_number(word) for word in str(value).split(",")]
    is_number = not isinstance(usual, str | tuple) or usual == "auto"
    return _number(value) if is_number and name not in ("features", "judge") else value


def _number(text: str) -> int | float | str:
    """The number that the text tells, or the text."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
