"""The report of a study: one page that needs nothing from elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from astragal.arena.estimates import Estimate
from astragal.show.axis import Chart, Point, Series
from astragal.show.chart import line_chart
from astragal.show.page import page, table
from astragal.show.svg import Markup, words
from astragal.studies.folder import StudyFolder
from astragal.studies.study import Cell, Measure, Study, change_name, setting_of
from astragal.studies.summary import Curve, Group, by_setting, groups_of, mean_of, swept

_MOST_LINES = 6  # in one chart, beyond which nobody can tell them apart
_GAMES = "games of training"
_STYLE = "td:first-child, th:first-child { text-align: left }\n"


def report_page(study: Study, folder: StudyFolder, cells: Sequence[Cell], file: str) -> str:
    """The page as HTML."""
    groups = groups_of(folder, cells)
    figures = [f"<figure>{line_chart(chart)}</figure>" for chart in charts(groups)]
    done = sum(folder.is_finished(cell) for cell in cells)
    failed = [(cell.told, error) for cell in cells if (error := folder.error(cell))]
    body = "\n".join(
        [
            *(f"<p>{words(part)}</p>" for part in study.about.strip().split("\n\n") if part),
            f"<p>{done} of {len(cells)} cells are finished. {_told_intervals(study)}</p>",
            *figures,
            *(["<h2>By setting</h2>", settings_table(groups)] if swept(groups) else []),
            "<h2>All of them</h2>",
            results_table(study, groups),
            *([f"<h2>What went wrong</h2>{table(('cell', 'error'), failed)}"] if failed else []),
            "<h2>To do it again</h2>",
            f"<pre>{words(f'astragal study {shlex.quote(file)}')}</pre>",
            "<h2>The study</h2>",
            f"<pre>{_verbatim(study.text)}</pre>",
        ]
    )
    return page(study.title, body, _STYLE)


def _told_intervals(study: Study) -> str:
    if len(study.seeds) == 1:
        return "There is one seed; 95 % intervals are those of its games."
    return f"Means over {len(study.seeds)} seeds, with 95 % intervals."


def _verbatim(text: str) -> Markup:
    return Markup("\n".join(map(words, text.expandtabs().splitlines())))


def charts(groups: Sequence[Group]) -> Iterator[Chart]:
    """Learning curves, regret if it is known, and the final strength by each setting."""
    opponents = list(dict.fromkeys(name for group in groups for name in group.curves))
    for opponent in opponents:
        for title, some in _parted(groups):
            series = [_curve(group.name, group.curves.get(opponent, {})) for group in some]
            name = f"Win rate against {opponent}{title}"
            yield Chart(name, _GAMES, "games won", series, is_share=True)
    if any(group.regrets for group in groups):
        for title, some in _parted(groups):
            series = [_curve(group.name, group.regrets) for group in some]
            yield Chart(f"What a decision gives away{title}", _GAMES, "points", series)
    for key in swept(groups):
        numbers = _numbers(by_setting(groups, key))
        if numbers:
            points = [_drawable(Point(value, *rate)) for value, rate in numbers]
            series = [Series(key, points)]
            yield Chart(f"Final win rate by {key}", key, "games won", series, is_share=True)


def _drawable(point: Point) -> Point:
    known = point.margin is not None and point.margin == point.margin
    return point if known else Point(point.x, point.y)


def _curve(name: str, curve: Curve) -> Series:
    rates = {games: mean_of(found) for games, found in sorted(curve.items())}
    return Series(name, [_drawable(Point(games, *rate)) for games, rate in rates.items()])


def _parted(groups: Sequence[Group]) -> list[tuple[str, Sequence[Group]]]:
    """The groups as they are, or by the values of the first setting where there are too many."""
    keys = swept(groups)
    if len(groups) <= _MOST_LINES or not keys:
        return [_best("", groups)]
    parts: dict[str, list[Group]] = {}
    for group in groups:
        value = setting_of(group.cells[0].settings, keys[0])
        parts.setdefault(change_name({keys[0]: value}), []).append(group)
    return [_best(f", {value}", some) for value, some in parts.items()]


def _best(title: str, groups: Sequence[Group]) -> tuple[str, Sequence[Group]]:
    """As many of the groups as can be told apart, the best of them if there are more."""
    if len(groups) <= _MOST_LINES:
        return title, groups
    ordered = sorted(groups, key=lambda group: -(group.final or Estimate(-1, 0)).mean)
    return f"{title} (the best {_MOST_LINES} of {len(groups)})", ordered[:_MOST_LINES]


def _numbers(found: Sequence[tuple[Any, Estimate]]) -> list[tuple[float, Estimate]]:
    """The values in order if all are numbers, or lists of one number; else nothing."""
    single = [
        (value[0] if isinstance(value, tuple) and len(value) == 1 else value, rate)
        for value, rate in found
    ]
    if not all(isinstance(value, int | float) for value, _ in single):
        return []
    return sorted(((float(value), rate) for value, rate in single), key=lambda pair: pair[0])


def settings_table(groups: Sequence[Group]) -> Markup:
    """The final strength by each value of each setting."""
    rows = [
        (change_name({key: value}), told_share(rate))
        for key in swept(groups)
        for value, rate in by_setting(groups, key)
    ]
    return table(("all cells with", "wins"), rows)


def results_table(study: Study, groups: Sequence[Group]) -> Markup:
    """A row for each group, the strongest first."""
    ordered = sorted(groups, key=lambda group: -(group.final or Estimate(-1, 0)).mean)
    columns: list[tuple[str, Callable[[Group], str]]] = [
        ("seeds", lambda group: str(len(group.results))),
        ("wins", lambda group: told_share(group.final)),
    ]
    for measure in study.measures:
        columns.append((measure.name, partial(_measured, measure)))
        if measure.judge == "perfect":
            columns.append((f"{measure.name}: gives away", partial(_given_away, measure)))
    if any(group.regret for group in groups):
        columns.append(("gives away a decision", lambda group: told_points(group.regret)))
    columns.append(("seconds", _seconds))
    rows = [[group.name, *(told(group) for _, told in columns)] for group in ordered]
    return table(["", *(name for name, _ in columns)], rows)


def _measured(measure: Measure, group: Group) -> str:
    if measure.aim == "points":
        return told_points(group.measure(measure, "points"))
    return told_share(group.measure(measure))


def _given_away(measure: Measure, group: Group) -> str:
    return told_points(group.measure(measure, "lost_a_decision"))


def _seconds(group: Group) -> str:
    return "-" if group.seconds is None else f"{group.seconds:,.0f}"


def told_share(rate: Estimate | None) -> str:
    """A share with its interval, if it has one."""
    if rate is None:
        return "-"
    return f"{rate.mean:.1%}" + ("" if rate.margin != rate.margin else f" ± {rate.margin:.1%}")


def told_points(rate: Estimate | None) -> str:
    """An amount of points with its interval, if it has one."""
    if rate is None:
        return "-"
    return f"{rate.mean:.5f}" + ("" if rate.margin != rate.margin else f" ± {rate.margin:.5f}")
