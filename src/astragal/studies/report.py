"""The report of a study: one page that needs nothing from elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from astragal.arena.estimates import Estimate
from astragal.show.axis import Chart, Point, Series
from astragal.show.chart import line_chart
from astragal.show.page import page, table
from astragal.show.svg import Markup, words
from astragal.studies.folder import StudyFolder
from astragal.studies.study import Cell, Study
from astragal.studies.summary import Group, by_setting, groups_of, mean_of

_MOST_LINES = 6  # in one chart, beyond which nobody can tell them apart
_GAMES = "games of training"
_STYLE = "td:first-child, th:first-child { text-align: left }\n"


def report_page(study: Study, folder: StudyFolder, cells: Sequence[Cell], file: str) -> str:
    """The page as HTML."""
    groups = groups_of(folder, cells)
    figures = [f"<figure>{line_chart(chart)}</figure>" for chart in charts(study, groups)]
    done = sum(folder.is_finished(cell) for cell in cells)
    failed = [(cell.told, error) for cell in cells if (error := folder.error(cell))]
    body = "\n".join(
        [
            *(f"<p>{words(part)}</p>" for part in study.about.strip().split("\n\n") if part),
            f"<p>{done} of {len(cells)} cells are finished; means over {len(study.seeds)} "
            f"seed{'s' if len(study.seeds) > 1 else ''}, with 95 % intervals.</p>",
            *figures,
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


def _verbatim(text: str) -> Markup:
    return Markup("\n".join(map(words, text.expandtabs().splitlines())))


def charts(study: Study, groups: Sequence[Group]) -> Iterator[Chart]:
    """Learning curves, regret if it is known, and the final strength by each setting."""
    opponents = list(dict.fromkeys(name for group in groups for name in group.curves))
    for opponent in opponents:
        for title, some in _parted(study, groups):
            series = [_curve(group.name, group.curves.get(opponent, {})) for group in some]
            name = f"Win rate against {opponent}{title}"
            yield Chart(name, _GAMES, "games won", series, is_share=True)
    if any(group.regrets for group in groups):
        for title, some in _parted(study, groups):
            series = [_curve(group.name, group.regrets) for group in some]
            yield Chart(f"What a decision gives away{title}", _GAMES, "points", series)
    for key in _numeric(study, groups):
        points = [Point(float(value), *rate) for value, rate in _numbers(groups, key)]
        series = [Series(key, [_drawable(point) for point in points])]
        yield Chart(f"Final win rate by {key}", key, "games won", series, is_share=True)


def _drawable(point: Point) -> Point:
    known = point.margin is not None and point.margin == point.margin
    return point if known else Point(point.x, point.y)


def _curve(name: str, curve: dict[int, list[float]]) -> Series:
    rates = {games: mean_of(numbers) for games, numbers in sorted(curve.items())}
    return Series(name, [_drawable(Point(games, *rate)) for games, rate in rates.items()])


def _parted(study: Study, groups: Sequence[Group]) -> list[tuple[str, Sequence[Group]]]:
    """The groups as they are, or by the values of the first setting where there are too many."""
    if len(groups) <= _MOST_LINES or not study.swept:
        best = sorted(groups, key=lambda group: -(group.final or Estimate(0, 0)).mean)
        return [("", best[:_MOST_LINES])]
    parts: dict[str, list[Group]] = {}
    for group in groups:
        parts.setdefault(str(group.cells[0].changes.get(study.swept[0])), []).append(group)
    return [(f", {study.swept[0]} {value}", some[:_MOST_LINES]) for value, some in parts.items()]


def _numeric(study: Study, groups: Sequence[Group]) -> list[str]:
    """The settings of which there is more than one value, all of them numbers."""
    return [key for key in study.swept if len(_numbers(groups, key)) > 1]


def _numbers(groups: Sequence[Group], key: str) -> list[tuple[float, Estimate]]:
    found = by_setting(groups, key)
    single = [
        (value[0] if isinstance(value, tuple) and len(value) == 1 else value, rate)
        for value, rate in found
    ]
    if not all(isinstance(value, int | float) for value, _ in single):
        return []
    return sorted(single, key=lambda pair: pair[0])


def results_table(study: Study, groups: Sequence[Group]) -> Markup:
    """A row for each group, the strongest first."""
    ordered = sorted(groups, key=lambda group: -(group.final or Estimate(-1, 0)).mean)
    names = ["", "seeds", "wins", *(measure.name for measure in study.measures)]
    has_regret = any(group.regret for group in groups)
    names += ["gives away a decision"] if has_regret else []
    rows = []
    for group in ordered:
        cells = [group.name, str(len(group.results)), _share(group.final)]
        cells += [_share(group.measure(measure)) for measure in study.measures]
        cells += [_points(group.regret)] if has_regret else []
        seconds = group.seconds
        rows.append([*cells, "-" if seconds is None else f"{seconds:,.0f}"])
    return table([*names, "seconds"], rows)


def _share(rate: Estimate | None) -> str:
    if rate is None:
        return "-"
    return f"{rate.mean:.1%}" + ("" if rate.margin != rate.margin else f" ± {rate.margin:.1%}")


def _points(rate: Estimate | None) -> str:
    if rate is None:
        return "-"
    return f"{rate.mean:.5f}" + ("" if rate.margin != rate.margin else f" ± {rate.margin:.5f}")
