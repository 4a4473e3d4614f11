"""Settings as a TOML file, and as the options of a command."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from astragal.errors import InputError, quote
from astragal.learning.settings import SECTIONS, TrainSettings, names_of, written


def format_settings(settings: TrainSettings) -> str:
    """The text that `parse_settings` reads; of the learners, only the one that was chosen."""
    lines = [f"{written(name)} = {_value(value)}" for name, value in _plain(settings)]
    for section in ("net", settings.learner, "assess"):
        lines += ["", f"[{section}]"]
        lines += [f"{written(n)} = {_value(v)}" for n, v in _plain(getattr(settings, section))]
    return "\n".join(lines) + "\n"


def _plain(settings: Any) -> Iterator[tuple[str, Any]]:
    for each in fields(settings):
        if not is_dataclass(getattr(settings, each.name)):
            yield each.name, getattr(settings, each.name)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    # JSON is TOML here, but for one character that JSON leaves as it is.
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def read_settings(path: Path) -> TrainSettings:
    """The settings in a file."""
    try:
        return parse_settings(path.read_text(), str(path))
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is not text"
        raise InputError(
            f"{quote(path, shown=200)} cannot be read ({why}): expected a file of settings."
        ) from fault


def parse_settings(text: str, name: str) -> TrainSettings:
    """The settings that the text tells, or InputError that names the file."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise InputError(f"{quote(name, shown=200)} is not TOML: {fault}.") from fault
    if "game" not in told:
        raise InputError(f'{quote(name, shown=200)} names no game: expected game = "...".')
    settings, faults = changed(TrainSettings(str(told["game"])), told)
    if faults:
        raise InputError("\n".join([f"{quote(name, shown=200)} cannot be used.", *faults]))
    return settings


def changed(settings: TrainSettings, told: Mapping[str, Any]) -> tuple[TrainSettings, list[str]]:
    """The settings with others in place of some, and a sentence for each that cannot be taken."""
    faults: list[str] = []
    values: dict[str, Any] = {}
    for key, value in told.items():
        if key in SECTIONS and isinstance(value, Mapping):
            values[key] = _changed_part(getattr(settings, key), value, f"{key}.", faults)
        else:
            values[key] = value
    return _changed_part(settings, values, "", faults), faults


def _changed_part(part: Any, told: Mapping[str, Any], where: str, faults: list[str]) -> Any:
    known = {written(each.name): each.name for each in fields(part)}
    good = {}
    for key, value in told.items():
        if key not in known:
            names = ", ".join(known)
            faults.append(f"{where}{key} is not a setting: expected one of {names}.")
        elif is_dataclass(value):
            good[known[key]] = value
        else:
            _convert(part, known[key], value, f"{where}{key}", good, faults)
    return replace(part, **good)


def _convert(
    part: Any, name: str, value: Any, where: str, good: dict[str, Any], faults: list[str]
) -> None:
    kind = get_type_hints(type(part))[name]
    try:
        good[name] = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        expected = _expected(kind, getattr(part, name))
        faults.append(f"{where} cannot be {_told(value)}: expected {expected}.")


def _expected(kind: Any, usual: Any) -> str:
    """What a setting of this type can be, in words."""
    names = names_of(kind)
    if is_dataclass(usual):
        return "a section"
    if isinstance(usual, int | float):
        return " or ".join([*names, f"a number such as {usual}"])
    if names:
        return f"one of {', '.join(names)}"
    return "a list" if isinstance(usual, tuple) else "text"


def _told(value: Any) -> str:
    return quote(",".join(map(str, value)) if isinstance(value, list) else value)
