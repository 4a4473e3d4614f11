"""Makes the pictures of `how-it-learns.md` again, from short runs: `python docs/pictures.py`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from astragal import find_game
from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.files import write_text
from astragal.games.game import Game
from astragal.learning.loop import train
from astragal.learning.run import Run
from astragal.learning.settings import AssessSettings, TdSettings, TrainSettings
from astragal.show.axis import Chart, Point, Series
from astragal.show.chart import line_chart
from astragal.show.scene import picture
from astragal.values.checkpoint import load_net
from astragal.values.values import win_chance

DOCS = Path(__file__).parent
LAMBDAS = (0.0, 0.7, 1.0)

LAST_STONES = "0.............o0/0.............o0 r"  # each side needs a 1, and red rolls
EXACT = 4 / 7

VALUE_GAMES, VALUE_EVERY = 10_000, 250
CURVE_GAMES, CURVE_EVERY, CURVE_MATCH = 4_000, 500, 200

Measure = Callable[[Path], tuple[float, float | None]]  # what a net in a file is worth, and margin


def main() -> None:
    """Writes all pictures beside the page."""
    write_text(DOCS / "last-stones.svg", picture("ur:1", LAST_STONES).svg())
    write_text(DOCS / "learning-value.svg", line_chart(_values()))
    write_text(DOCS / "learning-lambda.svg", line_chart(_curves()))


def _values() -> Chart:
    """What nets say of one position, whose value is known, while they learn."""
    game = find_game("ur:1")
    position, _ = game.notation.parse_position(LAST_STONES)

    def said(path: Path) -> tuple[float, float | None]:
        chances = load_net(path, game).chances(position.reshape(1, -1))
        return float(win_chance(game, chances)[0]), None

    series = [_grown(game, lam, VALUE_GAMES, VALUE_EVERY, said, Point(0, 0.5)) for lam in LAMBDAS]
    ends = [Point(0, EXACT), Point(VALUE_GAMES, EXACT)]
    return Chart(
        "What the net says of the last two stones",
        "games of training",
        "chance of winning",
        [*series, Series("exact", ends)],
        is_share=True,
    )


def _curves() -> Chart:
    """How often nets win while they learn."""
    game, settings = find_game("ur"), MatchSettings(CURVE_MATCH, seed=1, workers=1)

    def won(path: Path) -> tuple[float, float | None]:
        rate = play_match(game, (f"net:{path}", "pips"), settings).win_rate
        return rate.mean, rate.margin

    return Chart(
        "Ur: games won against pips, with 95 % intervals",
        "games of training",
        "games won",
        [_grown(game, lam, CURVE_GAMES, CURVE_EVERY, won) for lam in LAMBDAS],
        is_share=True,
    )


def _grown(
    game: Game, lam: float, games: int, every: int, measure: Measure, *first: Point
) -> Series:
    """A run with this lambda, measured now and then."""
    settings = TrainSettings(
        game.name,
        games=games,
        seed=1,
        stretch=every,
        td=TdSettings(lam=lam, decay="linear"),
        assess=AssessSettings(every=every),
    )
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(Path(folder), settings)
        train(game, run, lambda path: [_told(*measure(path))])
        points = list(_points(run.metrics()))
    return Series(f"lambda {lam:g}", [*first, *points])


def _told(worth: float, margin: float | None) -> dict[str, Any]:
    return {"win_rate": worth, "margin": margin}


def _points(metrics: list[dict[str, Any]]) -> Iterator[Point]:
    for line in metrics:
        for found in line.get("assessments", []):
            yield Point(line["games"], found["win_rate"], found["margin"])


if __name__ == "__main__":
    main()
