"""Plays of backgammon as other programs read them: one step a die, in an order to be played in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from astragal.games.backgammon_places import BAR, OFF
from astragal.games.game import Positions, other_view

HOME = 6  # the highest point from which, with all checkers there or nearer, some may be borne off

Step = tuple[int, int]


class Halves(NamedTuple):
    """Both sides' checkers, each as their owner counts the places."""

    mine: tuple[int, ...]
    theirs: tuple[int, ...]


class Moment(NamedTuple):
    """How far a turn has come: the checkers, and the dice that are left, the larger first."""

    halves: Halves
    dice: tuple[int, ...]


Ways = dict[Moment, dict[Step, Moment]]


def halves_of(position: Positions) -> Halves:
    """The halves of a position [W], that of the player whose view it is first."""
    mine, theirs = position.reshape(2, -1).tolist()
    return Halves(tuple(mine), tuple(theirs))


def format_steps(position: Positions, after: Positions, roll: str) -> str:
    """The play from a position [52] to one of its afterstates, such as `24/18 18/13`.

    No play at all is an empty text.
    """
    dice = int(roll[0]), int(roll[1])
    return " ".join(
        f"{_format_place(source)}/{_format_place(target)}"
        for source, target in _steps(position, after, dice)
    )


def ways_through(position: Positions, roll: str) -> Ways:
    """Every moment of every legal play of a position [52], with the steps that go on from it.

    The position itself comes first, and each moment before those that it leads to; one without
    steps ends a play.
    """
    levels, ways = _levels(_first_moment(position, roll))
    # Of two dice that cannot both be used the larger has to be: the smaller is what is left.
    least = min(moment.dice for moment in levels[-1])
    # The last checker may leave by one die, even where it could also leave by both.
    kept = {moment for moment in levels[-1] if moment.dice == least} | set(filter(_has_left, ways))
    for moment in reversed(ways):
        ways[moment] = {step: after for step, after in ways[moment].items() if after in kept}
        if ways[moment]:
            kept.add(moment)
    return {moment: steps for moment, steps in ways.items() if moment in kept}


def _first_moment(position: Positions, roll: str) -> Moment:
    dice = int(roll[0]), int(roll[1])
    return Moment(halves_of(position), dice * 2 if dice[0] == dice[1] else dice)


def _levels(first: Moment) -> tuple[list[list[Moment]], Ways]:
    """The moments after no step, one, two... as long as there are any, and all steps from them."""
    levels, ways = [[first]], Ways()
    while True:
        ways.update((moment, _steps_from(moment)) for moment in levels[-1])
        further = dict.fromkeys(after for moment in levels[-1] for after in ways[moment].values())
        if not further:
            return levels, ways
        levels.append(list(further))


def _steps_from(moment: Moment) -> dict[Step, Moment]:
    """Each step by one of the dice that are left, and where it leads.

    Where either die bears off the same checker it is the larger: the one that is left is then
    at least as high as every other checker, so that it makes no difference later.
    """
    steps: dict[Step, Moment] = {}
    for die in dict.fromkeys(moment.dice):
        at = moment.dice.index(die)
        left = moment.dice[:at] + moment.dice[at + 1 :]
        for step in _legal_steps(moment.halves, die, BAR):
            if step not in steps:
                steps[step] = Moment(_moved(moment.halves, step), left)
    return steps


def _has_left(moment: Moment) -> bool:
    """Whether the mover has borne off everything."""
    return not any(moment.halves.mine[OFF + 1 :])


def _steps(position: Positions, after: Positions, dice: tuple[int, int]) -> list[Step]:
    before, wanted = halves_of(position), halves_of(other_view(after))
    is_double = dice[0] == dice[1]
    for order in [dice * 2] if is_double else [dice, dice[::-1]]:
        way = _way(before, wanted, order, BAR, is_double)
        if way is not None:
            return way
    raise ValueError(f"{after.tolist()} is not an afterstate of {position.tolist()} with {dice}")


def _way(
    halves: Halves, wanted: Halves, dice: tuple[int, ...], highest: int, is_double: bool
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


def _legal_steps(halves: Halves, die: int, highest: int) -> Iterator[Step]:
    rear = max(place for place in range(BAR + 1) if halves.mine[place] or place == OFF)
    lowest = BAR if halves.mine[BAR] else OFF + 1
    for source in range(min(rear, highest), lowest - 1, -1):
        target = max(source - die, OFF)
        may_leave = rear <= HOME and source in (die, rear)
        is_open = may_leave if target == OFF else halves.theirs[BAR - target] < 2
        if halves.mine[source] and is_open:
            yield source, target


def _moved(halves: Halves, step: Step) -> Halves:
    mine, theirs = list(halves.mine), list(halves.theirs)
    source, target = step
    mine[source] -= 1
    mine[target] += 1
    if target > OFF and theirs[BAR - target]:
        theirs[BAR - target] -= 1
        theirs[BAR] += 1
    return Halves(tuple(mine), tuple(theirs))


def _format_place(place: int) -> str:
    return {OFF: "off", BAR: "bar"}.get(place, str(place))
