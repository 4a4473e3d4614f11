"""What charts promise: every point where its numbers say, in SVG, in a terminal and on a page."""

from __future__ import annotations

import html.parser
import itertools
import math
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from astragal.show.axis import Chart, Point, Series, round_ticks, told
from astragal.show.chart import BOTTOM, LEFT, RIGHT, TOP, line_chart
from astragal.show.text_chart import SIGNS, text_chart
from astragal.show.training_page import learning_curves, told_time, training_page

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert('1')</script> & \x1b[31m \x00 ]]> \ud800"
RISING = Series("rising", [Point(0, 0.2, 0.1), Point(50, 0.5, 0.05), Point(100, 0.8, 0.1)])
FLAT = Series("flat", [Point(0, 0.4), Point(100, 0.4)])


def chart(*series: Series, is_share: bool = False) -> Chart:
    return Chart("A title", "games", "won", series, is_share)


def root_of(drawn: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(line_chart(drawn).encode())


def paths(drawn: Chart, part: str, series: int = 0) -> list[list[tuple[float, float]]]:
    """The corners of each path of a series that has corners: its band or its line."""
    found = root_of(drawn).findall(f"{SVG}g[@class='{part}']/{SVG}g[@class='s{series}']/{SVG}path")
    told_corners = [re.findall(r"[ML](-?[\d.]+) ?(-?[\d.]+)", path.attrib["d"]) for path in found]
    return [
        [(float(x), float(y)) for x, y in corners]
        for path, corners in zip(found, told_corners, strict=True)
        if path.get("class") != "mark"
    ]


def ticks(drawn: Chart, axis: str) -> list[str]:
    axes = root_of(drawn).find(f"{SVG}g[@class='axes']/{SVG}g[@class='{axis}']")
    assert axes is not None
    return [tick.text or "" for tick in axes]


NUMBERS = st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda number: round(number, 6))


@example(1e9, 1e9 + 1e-6, 7)
@example(1e9, 1e9 + 2, 7)
@example(0, 1e-6, 7)
@example(0, 0, 7)
@given(NUMBERS, NUMBERS, st.integers(3, 12))
def test_ticks_are_round_evenly_spaced_and_enclose_the_data(
    one: float, other: float, most: int
) -> None:
    low, high = sorted((one, other))
    found = round_ticks(low, high, most)
    slack = 1e-8 * (found[1] - found[0])
    assert 2 <= len(found) <= most
    assert found[0] <= low + slack
    assert found[-1] >= high - slack
    step = found[1] - found[0]
    assert f"{step:.0e}"[0] in "125"
    assert step == pytest.approx(float(f"{step:.0e}"), rel=1e-5)
    assert [later - earlier for earlier, later in itertools.pairwise(found)] == (
        pytest.approx([step] * (len(found) - 1), rel=1e-5)
    )


def test_ticks_of_usual_data() -> None:
    assert round_ticks(500, 30_000) == [0, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000]
    assert round_ticks(0.1, 0.3, 5) == [0.1, 0.15, 0.2, 0.25, 0.3]


@pytest.mark.parametrize(
    ("number", "step", "is_share", "expected"),
    [
        (0.25, 0.05, False, "0.25"),
        (0.5, 0.1, True, "50%"),
        (0.125, 0.005, True, "12.5%"),
        (20_000, 5_000, False, "20,000"),
        (1_500_000, 500_000, False, "1.5M"),
        (0.0, 0.1, True, "0%"),
        (3e-9, 1e-9, False, "3e-09"),
        (2e30, 1e30, False, "2e+30"),
    ],
)
def test_numbers_have_the_decimals_of_their_step(
    number: float, step: float, is_share: bool, expected: str
) -> None:
    assert told(number, step, is_share) == expected


def test_points_land_where_the_ticks_say() -> None:
    drawn = chart(RISING, is_share=True)
    assert ticks(drawn, "x") == ["0", "20", "40", "60", "80", "100"]
    assert ticks(drawn, "y") == ["0%", "20%", "40%", "60%", "80%", "100%"]
    ((first, middle, last),) = paths(drawn, "lines")
    height = BOTTOM - TOP
    assert first == pytest.approx((LEFT, BOTTOM - 0.2 * height), abs=0.01)
    assert middle == pytest.approx(((LEFT + RIGHT) / 2, BOTTOM - 0.5 * height), abs=0.01)
    assert last == pytest.approx((RIGHT, BOTTOM - 0.8 * height), abs=0.01)


def test_a_band_is_as_high_as_the_margins_on_both_sides() -> None:
    ((*high, low_last, low_middle, low_first),) = paths(chart(RISING, is_share=True), "bands")
    height = BOTTOM - TOP
    for above, below, margin in zip(
        high, (low_first, low_middle, low_last), (0.1, 0.05, 0.1), strict=True
    ):
        assert above[0] == below[0]
        assert below[1] - above[1] == pytest.approx(2 * margin * height, abs=0.02)


def test_a_band_of_shares_ends_at_none_and_all() -> None:
    drawn = chart(Series("sure", [Point(0, 0.99, 0.05), Point(1, 0.02, 0.05)]), is_share=True)
    assert ticks(drawn, "y")[0] == "0%"
    assert ticks(drawn, "y")[-1] == "100%"
    ((above, *_),) = paths(drawn, "bands")
    assert above[1] == TOP


def test_a_band_stops_where_the_margin_is_not_known() -> None:
    points = [Point(x, x, None if x == 2 else 1) for x in range(5)]
    assert [len(band) for band in paths(chart(Series("gap", points)), "bands")] == [4, 4]
    assert len(paths(chart(Series("gap", points)), "lines")[0]) == 5


def test_a_single_point_with_a_margin_is_an_upright_line() -> None:
    drawn = chart(Series("one", [Point(5000, 0.5, 0.03)]), is_share=True)
    ((above, below),) = paths(drawn, "bands")
    assert above[0] == below[0]
    assert above[1] < below[1]
    assert len(root_of(drawn).findall(f".//{SVG}path[@class='mark']")) == 1


def test_a_legend_names_the_lines_if_there_are_several() -> None:
    names = [f"opponent {number} with a long name" for number in range(6)]
    several = chart(*(Series(name, RISING.points) for name in names))
    legend = root_of(several).find(f"{SVG}g[@class='legend']")
    assert legend is not None
    assert [entry.findtext(f"{SVG}text") for entry in legend] == names
    assert root_of(chart(RISING)).find(f"{SVG}g[@class='legend']/*") is None


def test_the_legend_tells_the_end_of_a_name_that_is_too_long() -> None:
    legend = root_of(chart(Series("folder/" * 30 + "a@1", RISING.points), FLAT))
    names = [text.text or "" for text in legend.findall(f"{SVG}g[@class='legend']//{SVG}text")]
    assert len(names[0]) == 80
    assert names[0].startswith("...")
    assert names[0].endswith("folder/a@1")


def test_lines_differ_in_dashes_and_marks_and_not_in_colour_alone() -> None:
    root = root_of(chart(*(Series(str(number), RISING.points) for number in range(6))))
    strokes = root.findall(f"{SVG}g[@class='lines']/{SVG}g/{SVG}path[@stroke-dasharray]")
    assert len({stroke.attrib["stroke-dasharray"] for stroke in strokes}) == 6
    marks = root.findall(f"{SVG}g[@class='lines']/{SVG}g/{SVG}path[@class='mark']")
    assert len({mark.attrib["d"] for mark in marks}) == 6


def test_a_chart_needs_nothing_else_and_has_colours_for_the_dark() -> None:
    svg = line_chart(chart(RISING, FLAT))
    assert not re.search(r"href|<script|url\(| id=", svg)
    assert "prefers-color-scheme:dark" in svg


@pytest.mark.parametrize("y", [math.nan, math.inf, -math.inf])
def test_points_that_are_nowhere_are_left_out(y: float) -> None:
    points = [Point(0, 1), Point(1, y), Point(2, 3, y)]
    drawn = chart(Series("a", points))
    assert len(paths(drawn, "lines")[0]) == 2
    assert "nan" not in line_chart(drawn)
    assert "inf" not in line_chart(drawn)


@pytest.mark.parametrize("series", [[], [Series("empty", [])]])
def test_a_chart_of_nothing_is_an_empty_frame(series: list[Series]) -> None:
    assert root_of(chart(*series)).findall(f"{SVG}g[@class='lines']/*") == []
    assert len(str(text_chart(chart(*series), 40, 8)).splitlines()) <= 8


def test_a_hostile_name_is_text_and_nothing_else() -> None:
    hostile = Chart(HOSTILE, HOSTILE, HOSTILE, [Series(HOSTILE, RISING.points), RISING])
    svg = line_chart(hostile)
    ElementTree.fromstring(svg.encode())
    assert "<script" not in svg
    assert "\x1b" not in str(text_chart(hostile, 80, 20))


@pytest.mark.parametrize(("width", "height"), [(40, 8), (78, 20), (120, 40)])
@pytest.mark.parametrize("series", [[RISING], [RISING, FLAT]])
def test_a_text_chart_has_the_size_that_was_asked_for(
    series: list[Series], width: int, height: int
) -> None:
    lines = str(text_chart(chart(*series), width, height)).splitlines()
    assert len(lines) == height
    assert max(map(len, lines)) == width


def test_the_highest_point_is_in_the_top_row_and_the_lowest_in_the_last() -> None:
    peak = Series("peak", [Point(0, 1), Point(50, 3), Point(100, 2)])
    title, *rows, _, _, _ = str(text_chart(chart(peak), 42, 14)).splitlines()
    assert title == "A title"
    fields = [re.split("[┤│]", row)[1] for row in rows]
    width = max(map(len, fields))
    drawn = [[at for at, sign in enumerate(field) if not sign.isspace()] for field in fields]
    assert width // 2 in drawn[0]
    assert drawn[0] == pytest.approx([width / 2] * len(drawn[0]), abs=width / 10)
    assert drawn[-1][0] == 0
    assert (rows[0].split("┤")[0].strip(), rows[-1].split("┤")[0].strip()) == ("3.00", "1.00")


def test_a_text_chart_tells_where_x_begins_and_ends() -> None:
    *_, x, _ = str(text_chart(chart(Series("a", [Point(500, 1), Point(30_000, 2)])), 60, 9)).split(
        "\n"
    )
    assert x.split() == ["500", "games", "30,000"]


def test_lines_of_a_text_chart_are_told_apart_without_colour() -> None:
    plain = str(text_chart(chart(RISING, FLAT, is_share=True), 60, 20))
    *field, legend = plain.splitlines()
    assert legend == f"{SIGNS[0]} rising 80.0% ± 10.0%   {SIGNS[1]} flat 40.0%"
    assert all(any(sign in line for line in field) for sign in SIGNS[:2])


def test_a_level_line_has_a_text_chart_too() -> None:
    assert "●" in str(text_chart(chart(FLAT), 40, 10)).splitlines()[1]


def metrics_line(games: int, **more: Any) -> dict[str, Any]:
    usual = {"seconds": games / 400, "loss": 30 / games, "turns_a_game": 200.0}
    return {"games": games, **usual, "games_per_second": 4000.0, **more}


def assessment(against: str, win_rate: float, judge: str | None = None) -> dict[str, Any]:
    rate = {"win_rate": win_rate, "margin": 0.03}
    return {"against": against, "games": 1000, **rate, "judge": judge}


METRICS = [
    metrics_line(1000),
    metrics_line(2000, assessments=[assessment("pips@1", 0.4), assessment("random", 0.8)]),
    metrics_line(3000, assessments=[]),
    metrics_line(
        4000,
        assessments=[assessment("pips@1", 0.61), assessment("pips@1", 0.58, judge="champion")],
    ),
]


class Page(html.parser.HTMLParser):
    """The tags of a page, and the text in each kind of them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.tags[-1] if self.tags else "", []).append(data)


def test_each_opponent_and_judge_has_a_curve() -> None:
    assert learning_curves(METRICS) == [
        Series("pips@1", [Point(2000, 0.4, 0.03), Point(4000, 0.61, 0.03)]),
        Series("random", [Point(2000, 0.8, 0.03)]),
        Series("pips@1, judged by champion", [Point(4000, 0.58, 0.03)]),
    ]


def test_the_page_of_a_run_shows_all_that_was_measured() -> None:
    page = Page(training_page("A run", "seed = 0", METRICS, "astragal train ur"))
    assert page.tags.count("svg") == 3
    assert {"pips@1", "random", "pips@1, judged by champion"} <= set(page.texts["text"])
    assert page.texts["h1"][0] == "A run"
    assert "4,000 games in 10.0 seconds, 4,000 a second as a rule." in page.texts["p"]
    assert [text for text in page.texts["pre"] if text.strip()] == ["astragal train ur", "seed = 0"]
    cells = page.texts["td"]
    assert cells[:5] == ["2,000", "pips@1", "40.0% ± 3.0%", "1,000", "-"]
    assert len([cell for cell in cells if cell.strip()]) == 4 * 5


@pytest.mark.parametrize("metrics", [METRICS[:1], [METRICS[0], METRICS[2]]])
def test_a_run_that_was_not_assessed_has_a_page(metrics: list[dict[str, Any]]) -> None:
    page = Page(training_page("A run", "", metrics, ""))
    assert page.tags.count("svg") == 2
    assert "It was not assessed." in page.texts["p"]


def test_a_run_without_any_metrics_has_a_page() -> None:
    page = Page(training_page("A run", "", [], ""))
    assert "svg" not in page.tags
    assert "Nothing has been played yet." in page.texts["p"]


def test_a_learner_that_has_no_loss_has_no_chart_of_it() -> None:
    metrics = [metrics_line(1000, loss=None, games_per_second=None)]
    page = Page(training_page("A run", "", metrics, ""))
    assert page.tags.count("svg") == 1


def test_everything_on_the_page_is_escaped() -> None:
    metrics = [metrics_line(1, assessments=[assessment(HOSTILE, 0.5, judge=HOSTILE)])]
    page = training_page(HOSTILE, HOSTILE, metrics, HOSTILE)
    assert "script" not in Page(page).tags
    assert "&lt;script&gt;" in page
    assert not re.search("[\x00\x1b]", page)
    page.encode()


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = training_page("A run", "", METRICS, "")
    assert not re.search(r"src=|href=|url\(|@import", page)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(12.34, "12.3 seconds"), (61, "1 minute"), (3540, "59 minutes"), (5400, "1 h 30 min")],
)
def test_times_in_words(seconds: float, expected: str) -> None:
    assert told_time(seconds) == expected
