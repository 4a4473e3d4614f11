"""An analysis as a page: who played how well, how the chances went, the worst mistakes drawn."""

from __future__ import annotations

from collections.abc import Sequence

from astragal.arena.analysis import Analysis, JudgedTurn, shares_of, worst_turns
from astragal.play.analysis_text import ending, mistake_scene, share_rows
from astragal.show.axis import Chart, Point, Series
from astragal.show.chart import line_chart
from astragal.show.page import page, table
from astragal.show.svg import words

_STYLE = """
td:nth-child(-n+5), th:nth-child(-n+5) { text-align: left }
.players td:nth-child(n+2), .players th:nth-child(n+2) { text-align: right }
details { margin: 1rem 0 } summary { cursor: pointer }
"""


def analysis_page(analyses: Sequence[Analysis], worst: int = 3) -> str:
    """The page as HTML."""
    first = analyses[0]
    title = f"{first.game.title}: {' against '.join(first.record.agents)}"
    parts = [
        f"<p>{words(_summary(analyses))}</p>",
        f'<div class="players">{_players(analyses)}</div>',
    ]
    mistakes = worst_turns(analyses, worst)
    if mistakes:
        parts.append("<h2>What cost most</h2>")
    parts += [f"<figure>{mistake_scene(*mistake).svg()}</figure>" for mistake in mistakes]
    parts += [_game(analysis, is_open=len(analyses) == 1) for analysis in analyses]
    return page(title, "\n".join(parts), _STYLE)


def _summary(analyses: Sequence[Analysis]) -> str:
    first = analyses[0]
    count = f"{len(analyses)} games" if len(analyses) > 1 else "One game"
    cube = any(analysis.record.cube for analysis in analyses)
    doubles = " Doubles are not judged, and points are those without the cube." if cube else ""
    return (
        f"{count}, judged by {first.judge}. A decision is a turn with more than one play; what it "
        "gave away is in points. Luck is what a roll was worth beyond the average of all rolls."
        + doubles
    )


def _players(analyses: Sequence[Analysis]) -> str:
    shares = shares_of(analyses)
    rows = share_rows(shares, len(analyses[0].game.rolls) > 1)
    names = ("", *(share.name for share in shares))
    return table(names, [(name, *cells) for name, cells in rows])


def _game(analysis: Analysis, *, is_open: bool) -> str:
    heading = words(f"{analysis.record.place}: {ending(analysis)}")
    turns = table(
        ("", "", "roll", "move", "better", "gave away", "", "luck", "", "wins"),
        [_cells(analysis, turn) for turn in analysis.turns],
    )
    opened = " open" if is_open else ""
    return (
        f"<h2>{heading}</h2><figure>{line_chart(_curve(analysis))}</figure>"
        f"<details{opened}><summary>Every turn</summary>{turns}</details>"
    )


def _curve(analysis: Analysis) -> Chart:
    """How likely the side that began was to win, after each turn."""
    points = [Point(0, analysis.begin)]
    points += [Point(turn.number, turn.win) for turn in analysis.turns]
    name = analysis.game.sides[0]
    who = f"{analysis.record.agents[0]} ({name})"
    series = [Series(who, points)]
    return Chart(f"The chance of {who} to win", "turn", "wins", series, is_share=True)


def _cells(analysis: Analysis, turn: JudgedTurn) -> tuple[str, ...]:
    game = analysis.game
    return (
        str(turn.number),
        game.sides[turn.standing.side],
        game.rolls[turn.roll],
        turn.move,
        "" if turn.best == turn.move else turn.best,
        f"{turn.lost:.4f}" if turn.lost else "",
        turn.error or "",
        f"{turn.luck:+.3f}",
        turn.luck_name or "",
        f"{turn.win:.1%}",
    )
