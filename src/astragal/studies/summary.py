"""What the cells of a study say together: means over seeds, with intervals."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from astragal.arena.estimates import Estimate, estimate
from astragal.studies.folder import Result, StudyFolder, identity_of
from astragal.studies.study import Cell, Measure, setting_of

Line = dict[str, Any]
Curve = Mapping[int, Sequence[Estimate]]
"""By games of training, what was measured of each seed that has come so far."""


@dataclass(frozen=True)
class Group:
    """The cells that differ in their seeds alone."""

    name: str
    cells: Sequence[Cell]
    curves: Mapping[str, Curve]
    """The win rates against each opponent."""
    regrets: Curve
    """What a decision gave away against perfect play, if that was asked."""
    finals: Mapping[int, float]
    """By seed, the win rate of the last net against the first opponent."""
    results: Sequence[Result]

    @property
    def final(self) -> Estimate | None:
        """The win rate of the last nets against the first opponent."""
        return next((last_of(curve) for curve in self.curves.values()), None)

    @property
    def regret(self) -> Estimate | None:
        """What a decision of the last nets gave away."""
        return last_of(self.regrets)

    def last(self, opponent: str) -> Estimate | None:
        """The win rate of the last nets against one opponent."""
        return last_of(self.curves.get(opponent, {}))

    @property
    def seconds(self) -> float | None:
        """How long training took on average."""
        told = [result.seconds for result in self.results]
        return sum(told) / len(told) if told else None

    def measure(self, measure: Measure, key: str = "win_rate") -> Estimate | None:
        """What came out of a measure: the win rate, or what else it tells."""
        found = [result.measures.get(identity_of(measure)) for result in self.results]
        margin = "margin" if key == "win_rate" else f"{key}_margin"
        told = [
            Estimate(float(each[key]), _number(each.get(margin)))
            for each in found
            if each is not None and each.get(key) is not None
        ]
        return mean_of(told) if told else None


def _number(told: object) -> float:
    """A number that JSON may have lost: what is no number is null there."""
    return float(told) if isinstance(told, int | float) else float("nan")


def mean_of(found: Sequence[Estimate]) -> Estimate:
    """The mean over seeds, with its 95 % interval; of one seed, what its own games tell."""
    if len(found) == 1:
        return found[0]
    return estimate(np.array([each.mean for each in found]), np.arange(len(found)))


def last_of(curve: Curve) -> Estimate | None:
    """The mean where a curve ends."""
    return mean_of(curve[max(curve)]) if curve else None


def groups_of(folder: StudyFolder, cells: Sequence[Cell]) -> list[Group]:
    """The groups of cells, in order, with what is known of them."""
    by_name: dict[str, dict[str, Cell]] = defaultdict(dict)
    for cell in cells:
        by_name[cell.name][cell.identity] = cell
    return [_group(folder, name, list(group.values())) for name, group in by_name.items()]


def _group(folder: StudyFolder, name: str, cells: Sequence[Cell]) -> Group:
    curves: dict[str, dict[int, list[Estimate]]] = defaultdict(lambda: defaultdict(list))
    regrets: dict[int, list[Estimate]] = defaultdict(list)
    finals: dict[int, float] = {}
    for cell in cells:
        for games, place, each in _assessments(folder.metrics(cell)):
            rate = Estimate(float(each["win_rate"]), _number(each.get("margin")))
            curves[each["against"]][games].append(rate)
            if place == 0:
                finals[cell.settings.seed] = rate.mean
            if place == 0 and each.get("judge") == "perfect":
                regrets[games].append(Estimate(_number(each.get("lost_a_decision")), float("nan")))
    results = [result for cell in cells if (result := folder.result(cell)) is not None]
    plain = {opponent: dict(curve) for opponent, curve in curves.items()}
    return Group(name, cells, plain, dict(regrets), finals, results)


def _assessments(lines: Sequence[Line]) -> Iterator[tuple[int, int, Line]]:
    """Games of training, which opponent it is, and what came out."""
    for line in lines:
        for place, each in enumerate(line.get("assessments") or ()):
            yield int(line["games"]), place, each


def swept(groups: Sequence[Group]) -> list[str]:
    """The settings in which cells differ."""
    told = dict.fromkeys(key for group in groups for key in group.cells[0].changes)
    return [key for key in told if len(_values(groups, key)) > 1]


def _values(groups: Sequence[Group], key: str) -> list[Any]:
    found = (setting_of(group.cells[0].settings, key) for group in groups)
    return list(dict.fromkeys(found))


def by_setting(groups: Sequence[Group], key: str) -> list[tuple[Any, Estimate]]:
    """The mean final strength for each value of a setting, and its interval over seeds.

    Each seed counts once: with its mean over whatever else differs.
    """
    found = []
    for value in _values(groups, key):
        by_seed: dict[int, list[float]] = defaultdict(list)
        for group in groups:
            if setting_of(group.cells[0].settings, key) == value:
                for seed, rate in group.finals.items():
                    by_seed[seed].append(rate)
        rates = [Estimate(statistics.mean(rates), float("nan")) for rates in by_seed.values()]
        if rates:
            found.append((value, mean_of(rates)))
    return found
