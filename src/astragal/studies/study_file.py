"""A study as a TOML file: read whole, with a sentence and a line for everything that is wrong."""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from astragal.errors import InputError, quote
from astragal.games.catalogue import find_game
from astragal.learning.loop import check_start
from astragal.learning.settings import SECTIONS, TrainSettings, check
from astragal.learning.settings_file import changed
from astragal.studies.study import Cell, Changes, Measure, Range, Search, Study, change_name

MOST_CELLS = 10_000
MOST_SEEDS = 1_000
_DRAWS = 20  # for each cell of a sample, before it is taken that there are no more
PARTS = ("title", "about", "seeds", "train", "grid", "cells", "sample", "search", "measure")


def read_study(path: Path) -> Study:
    """The study in a file, or InputError."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is not text"
        raise InputError(f"{quote(path, 200)} cannot be read ({why}): expected a study.") from fault
    return parse_study(text, str(path))


def parse_study(text: str, name: str) -> Study:
    """The study that the text tells; InputError tells all that is wrong with it."""
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise InputError(f"{quote(name, 200)} is not TOML: {fault}.") from fault
    reader = _Reader(text, told)
    study = reader.study()
    if reader.faults:
        raise InputError("\n".join([f"{quote(name, 200)} cannot be used.", *reader.faults]))
    assert study is not None
    return study


def cells_of(
    base: TrainSettings, seeds: Sequence[int], name: str, changes: Changes
) -> tuple[list[Cell], list[str]]:
    """A cell for each seed, and what is wrong with what they are told."""
    settings, faults = changed(base, _nested(changes))
    # Cells share the cores; how many processes play for one makes no difference to what it learns.
    settings = replace(settings, workers=settings.workers or 1)
    if not faults:
        try:
            check(settings, find_game(settings.game))
            if settings.start:
                check_start(find_game(settings.game), settings)
        except InputError as fault:
            faults = str(fault).splitlines()
    return [Cell(name, changes, replace(settings, seed=seed)) for seed in seeds], faults


def _nested(changes: Changes) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in changes.items():
        section, _, setting = key.rpartition(".")
        if key == "net.hidden" and isinstance(value, int):
            value = [value]
        if section in SECTIONS:
            nested.setdefault(section, {})[setting] = value
        else:
            nested[key] = value
    return nested


@dataclass
class _Reader:
    """Reads the parts of a study, and notes what is wrong on the way."""

    text: str
    told: Mapping[str, Any]
    faults: list[str] = field(default_factory=list)

    def study(self) -> Study | None:
        for key in self.told:
            if key not in PARTS:
                self._note(key, f"{key} is no part of a study: expected {', '.join(PARTS)}.")
        base, seeds = self._base(), self._seeds()
        if base is None:
            return None
        measures, search = tuple(self._measures()), self._search()
        changes = self._all_changes(len(seeds))
        if search is not None and len(changes) > 0:
            self._note("search", "A guided search has no other cells: expected [search] alone.")
        if search is None and not changes and not self.faults:
            changes = [("as it is", {})]
        cells = tuple(self._cells(base, seeds, changes))
        self._check_measures(base, measures)
        return Study(
            title=str(self.told.get("title", base.game)),
            base=base,
            seeds=seeds,
            cells=cells,
            measures=measures,
            search=search,
            text=self.text,
            about=str(self.told.get("about", "")),
        )

    def _note(self, key: str, sentence: str) -> None:
        line = line_of(self.text, key)
        told = f"Line {line}: {sentence}" if line else sentence
        if told not in self.faults:
            self.faults.append(told)

    def _base(self) -> TrainSettings | None:
        told = self.told.get("train")
        if not isinstance(told, Mapping) or "game" not in told:
            self._note("train", 'There is nothing to train: expected [train] with game = "...".')
            return None
        if "seed" in told:
            self._note("train.seed", "seed is told for all cells: expected seeds = ... instead.")
        settings, faults = changed(TrainSettings(str(told["game"])), told)
        for fault in faults:
            self._note(fault.split(" ", 1)[0], fault)
        try:
            find_game(settings.game)
        except InputError as fault:
            self._note("train.game", str(fault))
            return None
        return settings

    def _seeds(self) -> tuple[int, ...]:
        told = self.told.get("seeds", 1)
        seeds = list(range(told)) if type(told) is int and 0 < told <= MOST_SEEDS else told
        is_list = isinstance(seeds, list) and len(seeds) == len(set(map(str, seeds)))
        if (
            not is_list
            or not seeds
            or not all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds)
        ):
            self._note(
                "seeds", f"seeds cannot be {quote(told)}: expected how many, or a list of numbers."
            )
            return (0,)
        return tuple(seeds)

    # The cells

    def _all_changes(self, seeds: int) -> list[tuple[str, Changes]]:
        """The name and the changes of every cell."""
        listed = list(self._listed())
        sizes = [self._grid_size(), len(listed), self._sample_size()]
        if sum(sizes) * seeds > MOST_CELLS:
            where = ("grid", "cells", "sample")[int(np.argmax(sizes))]
            count = sum(sizes) * seeds
            self._note(
                where, f"There are {count:,} cells: expected {MOST_CELLS:,} at most, seeds counted."
            )
            return []
        return [*self._grid(), *listed, *self._sampled()]

    def _grid_size(self) -> int:
        grid = self.told.get("grid")
        if grid is None:
            return 0
        if not isinstance(grid, Mapping) or not grid:
            self._note("grid", "The grid is empty: expected a list of values for some setting.")
            return 0
        for key, values in grid.items():
            if not isinstance(values, list) or not values:
                self._note(f"grid.{key}", f"{key} has no values: expected a list of some.")
                return 0
        return math.prod(len(values) for values in grid.values())

    def _grid(self) -> Iterator[tuple[str, Changes]]:
        grid = self.told.get("grid")
        if isinstance(grid, Mapping) and self._grid_size():
            for values in itertools.product(*grid.values()):
                changes = dict(zip(grid, values, strict=True))
                yield change_name(changes), changes

    def _listed(self) -> Iterator[tuple[str, Changes]]:
        listed = self.told.get("cells", [])
        if not isinstance(listed, list) or not all(isinstance(cell, Mapping) for cell in listed):
            self._note("cells", "cells cannot be so: expected [[cells]] with settings under it.")
            return
        for cell in listed:
            changes = {key: value for key, value in flat(cell).items() if key != "name"}
            yield str(cell.get("name", change_name(changes))), changes

    def _sample_size(self) -> int:
        told = self.told.get("sample")
        if told is None:
            return 0
        count = told.get("count") if isinstance(told, Mapping) else None
        if type(count) is not int or count < 1:
            self._note("sample", "A sample has a size: expected count = 20 or so under [sample].")
            return 0
        return count

    def _sampled(self) -> Iterator[tuple[str, Changes]]:
        told = self.told.get("sample")
        if not isinstance(told, Mapping) or not self._sample_size():
            return
        seed = told.get("seed", 0)
        if type(seed) is not int or seed < 0:
            self._note("sample.seed", f"seed cannot be {quote(seed)}: expected a number from 0 on.")
            return
        luck = np.random.default_rng(seed)
        space = self._space("sample", told, ("count", "seed"))
        if not space:
            return
        seen: dict[str, Changes] = {}
        for _ in range(_DRAWS * self._sample_size()):  # the same is not drawn twice
            changes = {key: drawn(values, luck) for key, values in space.items()}
            seen.setdefault(change_name(changes), changes)
            if len(seen) == self._sample_size():
                break
        yield from seen.items()

    def _space(
        self, part: str, told: Mapping[str, Any], own: Sequence[str]
    ) -> dict[str, Range | tuple[Any, ...]]:
        space: dict[str, Range | tuple[Any, ...]] = {}
        for key, value in flat(told, ends=("from", "to")).items():
            if key in own:
                continue
            if isinstance(value, list) and value:
                space[key] = tuple(value)
            elif (found := _range(value)) is not None:
                space[key] = found
            else:
                self._note(
                    f"{part}.{key}",
                    f"{key} cannot be {quote(value)}: expected a list of values, or "
                    "{ from = 0.001, to = 0.1, log = true }.",
                )
        if not space:
            self._note(part, f"[{part}] tries nothing: expected a setting with values.")
        return space

    def _search(self) -> Search | None:
        told = self.told.get("search")
        if told is None:
            return None
        trials = told.get("trials") if isinstance(told, Mapping) else None
        if type(trials) is not int or not 1 <= trials <= MOST_CELLS:
            self._note("search", "A search has so many trials: expected trials = 30 or so.")
            return None
        own = ("trials", "at_once", "seed")
        at_once, seed = told.get("at_once", 4), told.get("seed", 0)
        if type(at_once) is not int or at_once < 1 or type(seed) is not int or seed < 0:
            self._note("search.at_once", "at_once and seed are numbers: expected 4 and 0 or so.")
            return None
        space = self._space("search", told, own)
        search = Search(trials, space, at_once, seed)
        base = self._base()
        if base is None:
            return search
        for changes in _corners(space) if space else ():
            _, faults = cells_of(base, (0,), change_name(changes), changes)
            for fault in faults:
                self._note(fault.split(" ", 1)[0], fault)
        return search

    def _cells(
        self, base: TrainSettings, seeds: Sequence[int], changes: Sequence[tuple[str, Changes]]
    ) -> Iterator[Cell]:
        names: dict[str, int] = {}
        identities: dict[str, str] = {}
        for name, each in changes:
            names[name] = names.get(name, 0) + 1
            if names[name] == 2:
                self._note("cells", f"Two cells are called {quote(name)}: expected one of each.")
            cells, faults = cells_of(base, seeds, name, each)
            if "seed" in each:
                faults.append("seed cannot differ from cell to cell: expected seeds = ... instead.")
            for fault in faults:
                self._note(fault.split(" ", 1)[0], fault)
            for cell in cells:
                other = identities.setdefault(cell.identity, name)
                if other != name and not faults:
                    self._note(
                        "cells", f"{quote(other)} and {quote(name)} are the same: expected one."
                    )
            yield from cells

    # What is measured

    def _measures(self) -> Iterator[Measure]:
        told = self.told.get("measure", [])
        if not isinstance(told, list):
            self._note("measure", "measure cannot be so: expected [[measure]] with a name.")
            return
        names = set()
        for each in told:
            try:
                measure = msgspec.convert(each, Measure)
            except msgspec.ValidationError as fault:
                self._note("measure", f"A measure cannot be {quote(each)}: {fault}.")
                continue
            unknown = set(each) - set(Measure.__dataclass_fields__)
            for key in sorted(unknown):
                known = ", ".join(Measure.__dataclass_fields__)
                self._note(f"measure.{key}", f"{key} is not of a measure: expected {known}.")
            if measure.name in names:
                self._note("measure", f"Two measures are called {quote(measure.name)}.")
            names.add(measure.name)
            yield measure

    def _check_measures(self, base: TrainSettings, measures: Sequence[Measure]) -> None:
        from astragal.studies.measuring import check_measure

        for measure in measures:
            try:
                check_measure(find_game(base.game), measure)
            except InputError as fault:
                self._note("measure", f"{quote(measure.name)}: {fault}")


def _corners(space: Mapping[str, Range | tuple[Any, ...]]) -> Iterator[Changes]:
    """Every value that a search may try, and both ends of every range, one setting at a time."""
    first = {
        key: values[0] if isinstance(values, tuple) else _end(values, values.low)
        for key, values in space.items()
    }
    for key, values in space.items():
        ends = values if isinstance(values, tuple) else (values.low, values.high)
        for value in ends:
            told = value if isinstance(values, tuple) else _end(values, value)
            yield {**first, key: told}


def _end(values: Range, number: float) -> float:
    return round(number) if values.whole else number


def flat(told: Mapping[str, Any], ends: Sequence[str] = ()) -> dict[str, Any]:
    """Sections within sections as dotted names; a table with these keys is left as it is."""
    found: dict[str, Any] = {}
    for key, value in told.items():
        if isinstance(value, Mapping) and not any(end in value for end in ends):
            found |= {f"{key}.{name}": each for name, each in flat(value, ends).items()}
        else:
            found[key] = value
    return found


def _range(told: object) -> Range | None:
    if not isinstance(told, Mapping) or set(told) - {"from", "to", "log", "whole"}:
        return None
    low, high, log = told.get("from"), told.get("to"), told.get("log", False)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    if not -math.inf < low < high < math.inf or (log and low <= 0):
        return None
    whole = told.get("whole", isinstance(low, int) and isinstance(high, int))
    return Range(float(low), float(high), bool(log), bool(whole))


def drawn(values: Range | tuple[Any, ...], luck: np.random.Generator) -> Any:
    """One of the values, by lot."""
    if isinstance(values, tuple):
        return values[int(luck.integers(len(values)))]
    if values.log:
        number = math.exp(luck.uniform(math.log(values.low), math.log(values.high)))
    else:
        number = luck.uniform(values.low, values.high)
    return round(number) if values.whole else float(f"{number:.4g}")


def line_of(text: str, key: str) -> int | None:
    """The line on which a setting is told, or its section begins, counted from 1."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        heading = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        told = re.match(r"""\s*["']?([\w.]+)["']?\s*=""", line)
        if heading:
            section = heading[1].replace('"', "")
            if section in (key, f"train.{key}"):
                return number
        elif told:
            names = {told[1], f"{section}.{told[1]}".strip(".")}
            if names & {key, f"train.{key}", f"grid.{key}", f"sample.{key}", f"search.{key}"}:
                return number
    return None
