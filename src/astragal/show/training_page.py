"""The report of a training run: one page that needs nothing from elsewhere."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from astragal.show.axis import Chart, Point, Series
from astragal.show.chart import line_chart
from astragal.show.page import page, table
from astragal.show.svg import Markup, words

Line: TypeAlias = Mapping[str, Any]  # one line of metrics

GAMES = "games of training"

_STYLE = "th:nth-child(2), td:nth-child(2) { text-align: left }\n"


def training_page(title: str, settings: str, metrics: Sequence[Line], command: str) -> str:
    """The page as HTML: how strong it became, how it learned, and how to do it again."""
    figures = "\n".join(f"<figure>{line_chart(chart)}</figure>" for chart in _charts(metrics))
    body = f"""<p>{words(_summary(metrics))}</p>
<p>To do it again:</p>
<pre>{_verbatim(command)}</pre>
{figures}
<h2>Assessments</h2>
{_assessments(metrics)}
<h2>Settings</h2>
<pre>{_verbatim(settings)}</pre>"""
    return page(title, body, _STYLE)


def _verbatim(text: str) -> Markup:
    return Markup("\n".join(map(words, text.expandtabs().splitlines())))


def _charts(metrics: Sequence[Line]) -> Iterator[Chart]:
    """The charts for which there is anything to show."""
    curves = learning_curves(metrics)
    if curves:
        yield Chart("Win rate, with its 95 % interval", GAMES, "games won", curves, is_share=True)
    for key, name in (("loss", "loss"), ("turns_a_game", "turns a game")):
        points = [Point(line["games"], line[key]) for line in metrics if line.get(key) is not None]
        if points:
            yield Chart(name.capitalize(), GAMES, name, [Series(name, points)])


def learning_curves(metrics: Sequence[Line]) -> list[Series]:
    """For each opponent, and each judge where luck was taken out, the win rates as it learned."""
    curves: dict[str, list[Point]] = {}
    for line in metrics:
        for found in line.get("assessments") or ():
            point = Point(line["games"], found["win_rate"], found.get("margin"))
            curves.setdefault(_told_opponent(found), []).append(point)
    return [Series(name, points) for name, points in curves.items()]


def _told_opponent(found: Line) -> str:
    judge = found.get("judge")
    return f"{found['against']}, judged by {judge}" if judge else str(found["against"])


def _summary(metrics: Sequence[Line]) -> str:
    """How much was played, how long that took, and how fast it was."""
    if not metrics:
        return "Nothing has been played yet."
    last = metrics[-1]
    told = f"{last['games']:,} games"
    if last.get("seconds") is not None:
        told += f" in {told_time(last['seconds'])}"
    # The middle one: the first also counts what was compiled, and others what was assessed.
    speeds = [line["games_per_second"] for line in metrics if line.get("games_per_second")]
    return f"{told}, {statistics.median(speeds):,.0f} a second as a rule." if speeds else f"{told}."


def told_time(seconds: float) -> str:
    """A duration in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} seconds"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"{minutes // 60} h {minutes % 60} min"


def _assessments(metrics: Sequence[Line]) -> str:
    rows = [
        (
            f"{line['games']:,}",
            str(found["against"]),
            _told_rate(found),
            f"{found['games']:,}",
            str(found.get("judge") or "-"),
        )
        for line in metrics
        for found in line.get("assessments") or ()
    ]
    if not rows:
        return "<p>It was not assessed.</p>"
    return table(("after games", "against", "won", "games", "judge"), rows)


def _told_rate(found: Line) -> str:
    margin = found.get("margin")
    return f"{found['win_rate']:.1%}" + ("" if margin is None else f" ± {margin:.1%}")
