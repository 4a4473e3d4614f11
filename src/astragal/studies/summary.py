"""What the cells of a study say together: means over seeds, with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from astragal.arena.estimates import Estimate, estimate
from astragal.studies.folder import Result, StudyFolder, identity_of
from astragal.studies.study import Cell, Measure

Line = dict[str, Any]


@dataclass(frozen=True)
class Group:
    """The cells that differ in their seeds alone."""

    name: str
    cells: Sequence[Cell]
    curves: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    """By opponent and games of training, the win rates of all seeds."""
    regrets: dict[int, list[float]] = field(default_factory=dict)
    """By games of training, what a decision gave away, of all seeds."""
    results: Sequence[Result] = ()

    @property
    def final(self) -> Estimate | None:
        """The win rate of the last nets against the first opponent."""
        return mean_of(self.finals) if self.finals else None

    @property
    def finals(self) -> list[float]:
        """The same of every seed that has come as far."""
        return next((curve[max(curve)] for curve in self.curves.values() if curve), [])

    def last(self, opponent: str) -> Estimate | None:
        """The win rate of the last nets against one opponent."""
        curve = self.curves.get(opponent)
        return mean_of(curve[max(curve)]) if curve else None

    @property
    def regret(self) -> Estimate | None:
        """What a decision of the last nets gave away."""
        return mean_of(self.regrets[max(self.regrets)]) if self.regrets else None

    @property
    def seconds(self) -> float | None:
        """How long training took on average."""
        told = [result.seconds for result in self.results]
        return sum(told) / len(told) if told else None

    def measure(self, measure: Measure) -> Estimate | None:
        """What came out of a measure."""
        found = [result.measures.get(identity_of(measure)) for result in self.results]
        rates = [float(each["win_rate"]) for each in found if each is not None]
        if len(rates) == 1:
            (only,) = [each for each in found if each is not None]
            return Estimate(rates[0], float(only["margin"]))
        return mean_of(rates) if rates else None


def mean_of(numbers: Sequence[float]) -> Estimate:
    """The mean over seeds, with its 95 % interval; of one seed there is none."""
    return estimate(np.array(numbers), np.arange(len(numbers)))


def groups_of(folder: StudyFolder, cells: Sequence[Cell]) -> list[Group]:
    """The groups of cells, in order, with what is known of them."""
    by_name: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_name[cell.name].append(cell)
    return [_group(folder, name, group) for name, group in by_name.items()]


def _group(folder: StudyFolder, name: str, cells: Sequence[Cell]) -> Group:
    curves: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    regrets: dict[int, list[float]] = defaultdict(list)
    for cell in cells:
        for games, each in _assessments(folder.metrics(cell)):
            curves[each["against"]][games].append(float(each["win_rate"]))
            if each.get("judge") == "perfect" and each.get("lost_a_decision") is not None:
                regrets[games].append(float(each["lost_a_decision"]))
    results = [result for cell in cells if (result := folder.result(cell)) is not None]
    plain = {opponent: dict(curve) for opponent, curve in curves.items()}
    return Group(name, cells, plain, dict(regrets), results)


def _assessments(lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
    for line in lines:
        for each in line.get("assessments") or ():
            yield int(line["games"]), each


def by_setting(groups: Sequence[Group], key: str) -> list[tuple[Any, Estimate]]:
    """The mean final strength for each value of a setting, over all cells that have it."""
    values: dict[Any, list[float]] = {}
    for group in groups:
        told = group.cells[0].changes.get(key)
        value = tuple(told) if isinstance(told, list) else told
        if value is not None:
            values.setdefault(value, []).extend(group.finals)
    return [(value, mean_of(rates)) for value, rates in values.items() if rates]
