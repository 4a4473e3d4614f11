"""Plays of backgammon as other programs read them: one step a die, in an order to be played in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.games.game import Positions

HOME = 6  # the highest point from which, with all checkers there or nearer, some may be borne off

Step = tuple[int, int]


class _Halves(NamedTuple):
    """Both sides' checkers, each as their owner counts the places."""

    mine: tuple[int, ...]
    theirs: tuple[int, ...]


def format_steps(position: Positions, after: Positions, roll: str) -> str:
    """The play from a position [52] to one of its afterstates, such as `24/18 18/13`.

    No play at all is an empty text.
    """
    dice = int(roll[0]), int(roll[1])
    return " ".join(
        f"{_format_place(source)}/{_format_place(target)}"
        for source, target in _steps(position, after, dice)
    )


def _steps(position: Positions, after: Positions, dice: tuple[int, int]) -> list[Step]:
    halves = position.tolist()
    before = _Halves(tuple(halves[:HALF]), tuple(halves[HALF:]))
    halves = after.tolist()
    wanted = _Halves(tuple(halves[HALF:]), tuple(halves[:HALF]))
    is_double = dice[0] == dice[1]
    for order in [dice * 2] if is_double else [dice, dice[::-1]]:
        way = _way(before, wanted, order, BAR, is_double)
        if way is not None:
            return way
    raise ValueError(f"{halves} is not an afterstate of {position.tolist()} with {dice}")


def _way(
    halves: _Halves, wanted: _Halves, dice: tuple[int, ...], highest: int, is_double: bool
) -> list[Step] | None:
    """Steps by these dice, or the first of them, that lead from some halves to others.

    The steps of a double can always be taken from the rear to the front, so only those from the
    place of the step before on are tried.
    """
    if halves == wanted:
        return []
    if not dice:
        return None
    for step in _legal_steps(halves, dice[0], highest):
        rest = _way(
            _moved(halves, step), wanted, dice[1:], step[0] if is_double else BAR, is_double
        )
        if rest is not None:
            return [step, *rest]
    return None


def _legal_steps(halves: _Halves, die: int, highest: int) -> Iterator[Step]:
    rear = max(place for place in range(BAR + 1) if halves.mine[place] or place == OFF)
    lowest = BAR if halves.mine[BAR] else OFF + 1
    for source in range(min(rear, highest), lowest - 1, -1):
        target = max(source - die, OFF)
        may_leave = rear <= HOME and source in (die, rear)
        is_open = may_leave if target == OFF else halves.theirs[BAR - target] < 2
        if halves.mine[source] and is_open:
            yield source, target


def _moved(halves: _Halves, step: Step) -> _Halves:
    mine, theirs = list(halves.mine), list(halves.theirs)
    source, target = step
    mine[source] -= 1
    mine[target] += 1
    if target > OFF and theirs[BAR - target]:
        theirs[BAR - target] -= 1
        theirs[BAR] += 1
    return _Halves(tuple(mine), tuple(theirs))


def _format_place(place: int) -> str:
    return {OFF: "off", BAR: "bar"}.get(place, str(place))
