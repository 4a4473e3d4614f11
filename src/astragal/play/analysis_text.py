"""An analysis as people read it in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from astragal.arena.analysis import ERRORS, Analysis, JudgedTurn, Share
from astragal.show.scene import Scene

_COLUMNS = ("turn", "side", "roll", "move", "better", "gave away", "", "luck", "")
_LEAST = 0.00005  # what is less than this is told as nothing
_SERIOUS = {"very bad": "bold red", "bad": "red", "doubtful": "yellow"}


def turns_table(analysis: Analysis, side: int | None = None, at_least: float = 0.0) -> Table | None:
    """The turns, of one side if that is told, that gave away so much; None if there are none."""
    turns = [
        turn
        for turn in analysis.turns
        if side in (None, turn.standing.side) and turn.lost >= at_least
    ]
    if not turns:
        return None
    rows = [_turn_cells(analysis, turn) for turn in turns]
    shown = [i for i in range(len(_COLUMNS)) if any(row[i] for row in rows)]
    table = Table(box=None)
    for i in shown:
        right = _COLUMNS[i] in ("turn", "gave away", "luck")
        table.add_column(_COLUMNS[i], justify="right" if right else "left")
    for row in rows:
        table.add_row(*(row[i] for i in shown))
    return table


def _turn_cells(analysis: Analysis, turn: JudgedTurn) -> list[str | Text]:
    game, error = analysis.game, turn.error
    return [
        str(turn.number),
        game.sides[turn.standing.side],
        game.rolls[turn.roll] if len(game.rolls) > 1 else "",
        turn.move,
        "" if turn.best == turn.move or turn.lost < _LEAST else turn.best,
        f"{turn.lost:.4f}" if turn.lost >= _LEAST else "",
        Text(error or "", _SERIOUS.get(error or "", "")),
        f"{turn.luck:+.4f}" if abs(turn.luck) >= _LEAST else "",
        turn.luck_name or "",
    ]


def ending(analysis: Analysis) -> str:
    """How the game ended, in a sentence."""
    outcome, record = analysis.record.outcome, analysis.record
    if outcome is None:
        return f"not over after {len(record.turns)} turns"
    if outcome == 0:
        return "drawn"
    winner, loser = record.agents if outcome > 0 else record.agents[::-1]
    points = abs(outcome) * record.stake
    counted = (
        f" {points} point{'s' if points > 1 else ''}" if max(analysis.game.outcomes) > 1 else ""
    )
    how = f", {loser} gave up" if record.given_up else ""
    return f"{winner} won{counted}{how}"


def shares_table(shares: Sequence[Share], has_dice: bool) -> Table:
    """The players beside each other."""
    table = Table(box=None)
    table.add_column("")
    for share in shares:
        table.add_column(Text(share.name), justify="right")
    for name, cells in share_rows(shares, has_dice):
        table.add_row(name, *cells)
    return table


def share_rows(shares: Sequence[Share], has_dice: bool) -> Iterator[tuple[str, list[str]]]:
    """What there is to say of players, and what it is for each of them."""
    yield "games", [f"{share.games:,}" for share in shares]
    yield "points", [f"{share.points:+.0f}" if share.finished else "-" for share in shares]
    if has_dice:
        yield "luck", [f"{share.luck:+.4f}" for share in shares]
        adjusted = [share.adjusted for share in shares]
        told = ["-" if points is None else f"{points:+.4f}" for points in adjusted]
        yield "points, luck taken out", told
    yield "decisions", [f"{share.decisions:,}" for share in shares]
    yield "gave away", [f"{share.lost:.4f}" for share in shares]
    yield "gave away a decision", [_rate(share) for share in shares]
    yield "rating", [share.rating or "-" for share in shares]
    for i, (name, _) in enumerate(ERRORS):
        yield name, [str(share.errors[i]) for share in shares]


def _rate(share: Share) -> str:
    rate = share.lost_a_decision
    return "-" if rate is None else f"{rate:.5f}"


def share_sentences(analysis: Analysis, side: int) -> list[str]:
    """What one side did, and what its dice did."""
    share, name = analysis.share(side), analysis.game.sides[side]
    rate = share.lost_a_decision
    if rate is None:
        told = f"{name} had no choice in this game."
    else:
        told = (
            f"{name} gave away {share.lost:.3f} points in {share.decisions} decisions, "
            f"{rate:.4f} each: {share.rating}."
        )
    if len(analysis.game.rolls) == 1:
        return [told]
    way = "lucky" if share.luck >= 0 else "unlucky"
    adjusted = share.adjusted
    told_result = (
        ""
        if adjusted is None
        else f"; with the luck taken out, {share.points:+.0f} becomes {adjusted:+.2f}"
    )
    return [told, f"Its dice were {way}: {share.luck:+.3f} points{told_result}."]


def mistake_scene(analysis: Analysis, turn: JudgedTurn) -> Scene:
    """The board before a mistake, with what was wrong under it."""
    place = f"{analysis.record.place}, turn {turn.number}"
    name = f" ({turn.error})" if turn.error else ""
    player = analysis.record.agents[turn.standing.side]
    caption = (
        f"{place}: {player} played {turn.move}; {turn.best} is worth {turn.lost:.4f} more{name}."
    )
    marks = places_of(turn.best)
    return Scene(analysis.game, *turn.standing, roll=turn.roll, marks=marks, caption=caption)


def places_of(move: str) -> frozenset[str]:
    """The squares, points or cells that a move names."""
    return frozenset(re.findall("bar|off|[a-z][0-9]|[0-9]+", re.sub(r"\([0-9]\)", "", move)))
