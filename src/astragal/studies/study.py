"""What a study is: settings that all its cells share, and those in which they differ.

A cell is one run of training with its seed. Its identity is what it is trained with, so a cell that
is finished is known again in whatever study it comes up.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from astragal.learning.settings import TrainSettings, written
from astragal.learning.settings_file import format_settings
from astragal.values.values import Aim

Changes = Mapping[str, Any]
"""Settings by their names, such as td.alpha, and what they are in a cell."""


@dataclass(frozen=True)
class Cell:
    """One run of the study."""

    name: str
    """That of its changes; cells that differ in their seeds alone share it."""
    changes: Changes
    settings: TrainSettings

    @cached_property
    def identity(self) -> str:
        """A short name for all that decides what comes out, the files of other nets too."""
        # How many processes play makes no difference.
        digest = hashlib.sha256(format_settings(replace(self.settings, workers=1)).encode())
        for path in _files_of(self.settings):
            digest.update(path.read_bytes() if path.is_file() else b"")
        return digest.hexdigest()[:16]

    @property
    def told(self) -> str:
        """The cell as people read it."""
        return f"{self.name}, seed {self.settings.seed}"


@dataclass(frozen=True)
class Measure:
    """A match that is played with the last net of every cell."""

    name: str
    """What people call it."""
    first: str = "net"
    """An agent, in which net stands for the net that was trained, such as net@1."""
    second: str = "champion"
    """Its opponent; net stands for the same net here too."""
    games: int = 1_000
    judge: str = "auto"
    """Whose values take the luck out; auto for the exact table or the champion, none for nobody."""
    aim: Aim = "win"


@dataclass(frozen=True)
class Range:
    """Numbers from which one is drawn."""

    low: float
    high: float
    log: bool = False
    """Whether their logarithms are evenly spread."""
    whole: bool = False
    """Whether they are whole numbers."""


@dataclass(frozen=True)
class Search:
    """A guided search: what was found so far decides what is tried next."""

    trials: int
    space: Mapping[str, Range | tuple[Any, ...]]
    """For each setting, the numbers or the values to try."""
    at_once: int = 4
    """Trials between two looks at what came out."""
    seed: int = 0


@dataclass(frozen=True)
class Study:
    """All of it."""

    title: str
    base: TrainSettings
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]
    measures: tuple[Measure, ...]
    search: Search | None
    text: str
    """The file, as it was."""
    about: str = ""
    """What it is for, in a few sentences."""


def _files_of(settings: TrainSettings) -> list[Path]:
    """The files of nets that a run depends on."""
    specs = [f"net:{settings.start}"] if settings.start else []
    specs += settings.assess.against
    specs += [settings.mc.opponent] if settings.learner == "mc" else []
    return [Path(name) for spec in specs for name in re.findall("net:([^@]+)", spec)]


def setting_of(settings: TrainSettings, key: str) -> Any:
    """What a setting is, by the name that people write."""
    section, _, name = key.rpartition(".")
    part = getattr(settings, section) if section else settings
    names = {written(each.name): each.name for each in fields(part)}
    return getattr(part, names[name])


def change_name(changes: Changes) -> str:
    """What a cell with these changes is called."""
    parts = [f"{key.rpartition('.')[2]} {_told(value)}" for key, value in changes.items()]
    return ", ".join(parts) or "as it is"


def _told(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "-".join(map(str, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)
