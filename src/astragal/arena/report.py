"""The report of a tournament: one page that needs nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from astragal.arena.estimates import Estimate
from astragal.arena.result import MatchResult
from astragal.games.game import Game

_WIDTH, _LABELS, _ROW, _RIGHT = 760, 240, 34, 90

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #8886; --bar: #2a6f97; --page: #fdfcf9 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --bar: #7cc4ec; --page: #16181a } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--faint) }
th:first-child, td:first-child { text-align: left }
.wide { overflow-x: auto }
svg { width: 100%; height: auto } svg text { fill: var(--ink); font-size: 14px }
svg .grid { stroke: var(--faint) } svg .margin { stroke: var(--bar); stroke-width: 3 }
svg circle { fill: var(--bar) }
"""


def report_page(
    game: Game, standings: Sequence[dict[str, Any]], matches: Sequence[MatchResult]
) -> str:
    """The page as HTML: who is strongest, and each match."""
    title = f"{game.title}: {len(standings)} agents"
    aim, games = matches[0].settings.aim, sum(match.games for match in matches)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{games:,} games in {len(matches)} matches, played for {"points" if aim == "points" else "wins"}.
Elo is 0 on average; lines and ± are 95 % intervals.</p>
{ratings_picture(standings)}
<div class="wide">{_standings_table(standings)}</div>
<h2>Matches</h2>
<div class="wide">{_matches_table(matches)}</div>
</body>
</html>
"""


def ratings_picture(standings: Sequence[dict[str, Any]]) -> str:
    """Each agent's rating as a dot on a line as long as its interval, as SVG."""
    low = min(line["elo"] - line["margin"] for line in standings)
    high = max(line["elo"] + line["margin"] for line in standings)
    scale = (_WIDTH - _LABELS - _RIGHT) / max(high - low, 1e-9)
    height = _ROW * (len(standings) + 1)
    parts = [_grid(elo, _LABELS + (elo - low) * scale, height) for elo in _ticks(low, high)]
    for row, line in enumerate(standings):
        begin, dot, end = (
            _LABELS + (line["elo"] + side * line["margin"] - low) * scale for side in (-1, 0, 1)
        )
        parts.append(_rating(line, _ROW * (row + 0.7), begin, dot, end))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Ratings with intervals">'
        f"{''.join(parts)}</svg>"
    )


def _ticks(low: float, high: float) -> range:
    """Round ratings within the picture, four or so of them."""
    steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
    step = next((step for step in steps if (high - low) / step <= 6), 10_000)
    return range(int(-(-low // step)) * step, int(high) + 1, step)


def _grid(elo: int, x: float, height: int) -> str:
    return (
        f'<line class="grid" x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{height - _ROW * 0.7:.1f}"/>'
        f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{elo:+d}</text>'
    )


def _rating(line: dict[str, Any], y: float, begin: float, dot: float, end: float) -> str:
    return (
        f'<text x="0" y="{y + 5:.1f}">{escape(_shortened(line["agent"]))}</text>'
        f'<line class="margin" x1="{begin:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{y:.1f}"/>'
        f'<circle cx="{dot:.1f}" cy="{y:.1f}" r="6"/>'
        f'<text x="{_WIDTH}" y="{y + 5:.1f}" text-anchor="end">{line["elo"]:+.0f}</text>'
    )


def _shortened(agent: str) -> str:
    return agent if len(agent) <= 30 else f"...{agent[-27:]}"


def _standings_table(standings: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            line["agent"],
            f"{line['elo']:+.0f} ± {line['margin']:.0f}",
            f"{line['games']:,}",
            f"{line['score'] / max(line['games'], 1):.1%}",
        )
        for line in standings
    ]
    return _table(("agent", "Elo", "games", "score"), rows)


def _matches_table(matches: Sequence[MatchResult]) -> str:
    rows = [
        (
            " against ".join(match.agents),
            f"{match.games:,}",
            f"{match.win_rate.mean:.1%}",
            str(match.points_a_game),
            _told(match.adjusted_points),
        )
        for match in matches
    ]
    return _table(("match", "games", "won", "points a game", "luck taken out"), rows)


def _told(points: Estimate | None) -> str:
    return "-" if points is None else str(points)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
