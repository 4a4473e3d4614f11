"""How people write backgammon: position IDs, XGIDs, and moves such as `24/18 13/11*`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.games.backgammon_reading import read_move
from astragal.games.game import Afterstates, Positions, Standing
from astragal.games.position_id import format_position_id, parse_position_id
from astragal.games.xgid import PREFIX, format_xgid, parse_xgid, told_dice

ROLLS = tuple(f"{larger}{smaller}" for larger in range(1, 7) for smaller in range(1, larger + 1))

Step = tuple[int, int]  # from a place to a place, by one die


@dataclass(frozen=True)
class BackgammonNotation:
    """The position ID of the player on roll is written; an XGID is read too."""

    checkers: int

    def parse_position(self, text: str) -> Standing:
        """The position that the text tells; a position ID does not say which side is on roll."""
        if text.startswith(PREFIX):
            return parse_xgid(text, self.checkers)
        return Standing(parse_position_id(text, self.checkers), 0)

    def format_position(self, position: Positions, side: int) -> str:
        """The position ID of the player on roll."""
        return format_position_id(position)

    def format_moves(
        self, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> list[str]:
        """The plays, rear checkers first; a stop on the way is told only where something is hit."""
        dice = int(ROLLS[roll][0]), int(ROLLS[roll][1])
        before = position.tolist()
        return [_format_play(before, after, dice) for after in afterstates.positions.tolist()]

    def parse_move(
        self, text: str, position: Positions, side: int, roll: int, afterstates: Afterstates
    ) -> int:
        """Which of the afterstates a move leads to, in any of the spellings that people use."""
        moves = self.format_moves(position, side, roll, afterstates)
        return read_move(text, position, afterstates, moves)

    def roll_told_with(self, text: str) -> str | None:
        """The dice of an XGID, if they have been thrown."""
        return told_dice(text) if text.startswith(PREFIX) else None

    def other_forms(self, position: Positions, side: int) -> dict[str, str]:
        """The XGID, which also tells the side on roll."""
        return {"xgid": format_xgid(position, side)}


def _format_play(before: Sequence[int], after: Sequence[int], dice: tuple[int, int]) -> str:
    mine = after[HALF:]
    hit = {BAR - place for place in range(1, BAR) if after[place] < before[HALF + place]}
    if dice[0] == dice[1]:
        steps = _steps_of_double(before[:HALF], mine, dice[0])
    else:
        steps = _steps_of_two(before[:HALF], mine, dice, hit)
    trips = Counter(_trips(steps, hit))
    hits_left = set(hit)
    written = []
    for trip, times in sorted(trips.items(), reverse=True):
        written.append(_format_trip(trip, hits_left) + (f"({times})" if times > 1 else ""))
    return " ".join(written) or "pass"


def _steps_of_double(before: Sequence[int], after: Sequence[int], die: int) -> list[Step]:
    """The steps of equal length that lead from one row to the other; there is only one set."""
    leaving = [0] * (BAR + die + 1)
    for place in range(BAR, OFF, -1):
        leaving[place] = before[place] - after[place] + leaving[place + die]
    return [
        (place, max(place - die, OFF))
        for place in range(BAR, OFF, -1)
        for _ in range(leaving[place])
    ]


def _steps_of_two(
    before: Sequence[int], after: Sequence[int], dice: tuple[int, int], hit: set[int]
) -> list[Step]:
    """A step by each die, or by one alone, that leads from one row to the other with these hits."""
    for order in (dice, dice[::-1]):
        for steps in _ways(before, after, order):
            if hit <= {target for _, target in steps}:
                return steps
    for die in dice:
        for steps in _ways(before, after, (die,)):
            return steps
    return []


def _ways(before: Sequence[int], after: Sequence[int], dice: Sequence[int]) -> Iterator[list[Step]]:
    """The sequences of steps by these dice that lead from one row to the other."""
    if not dice:
        if list(before) == list(after):
            yield []
        return
    for place in range(BAR, OFF, -1):
        # A step from where nothing is missing afterwards is followed by one that fills the place.
        if before[place] == 0:
            continue
        target = max(place - dice[0], OFF)
        between = list(before)
        between[place] -= 1
        between[target] += 1
        for rest in _ways(between, after, dice[1:]):
            yield [(place, target), *rest]


def _trips(steps: list[Step], hit: set[int]) -> list[tuple[int, ...]]:
    """The steps put together into the way of each checker, with the stops at which it hits."""
    trips: list[list[int]] = []
    for source, target in sorted(steps, reverse=True):
        for trip in trips:
            if trip[-1] == source:
                trip.append(target)
                break
        else:
            trips.append([source, target])
    return [(trip[0], *(stop for stop in trip[1:-1] if stop in hit), trip[-1]) for trip in trips]


def _format_trip(trip: tuple[int, ...], hits_left: set[int]) -> str:
    """The places of a trip; a hit is marked the first time that a checker lands on it."""
    words = [_format_place(trip[0])]
    for stop in trip[1:]:
        words.append(_format_place(stop) + ("*" if stop in hits_left else ""))
        hits_left.discard(stop)
    return "/".join(words)


def _format_place(place: int) -> str:
    return {OFF: "off", BAR: "bar"}.get(place, str(place))
