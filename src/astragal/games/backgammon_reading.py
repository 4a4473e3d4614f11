"""Backgammon moves as people write them: in any order, with or without stops, hits and commas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games.backgammon_places import BAR, HALF, OFF
from astragal.games.game import Afterstates, Positions

MOST_LETTERS = 80  # no play needs as many
PASSES = ("", "pass", "dance", "cannot move", "no move")

_PLACES = {"bar": BAR, "off": OFF}
_TRIP = re.compile(
    r"(bar|off|[0-9]{1,2})\*?((?:/(?:bar|off|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?", re.IGNORECASE
)


class _Told(NamedTuple):
    """What the text of a move says."""

    half: list[int]  # [HALF] the mover's after it
    landings: set[int]  # where one of the mover's checkers touches down


def read_move(text: str, position: Positions, found: Afterstates, moves: Sequence[str]) -> int:
    """Which of the afterstates the text leads to; `moves` are their usual spellings.

    A checker hits wherever the text says that it stops. Where it must hit on its way and there is
    one way only, the stop need not be told.
    """
    wanted = " ".join(text.lower().replace(",", " ").split())
    if wanted in PASSES:
        wanted = "pass"
    if wanted in moves:
        return list(moves).index(wanted)
    told = _parse(text, wanted, position[:HALF].tolist())
    fits = np.flatnonzero((found.positions[:, HALF:] == np.array(told.half)).all(axis=1))
    if len(fits) == 0:
        raise InputError(f"{quote(text)} is not a legal play: expected one such as {moves[0]}.")
    exact = [int(i) for i in fits if _hits(position, found.positions[i]) == _blots(position, told)]
    if len(exact) == 1 or len(fits) == 1:
        return exact[0] if exact else int(fits[0])
    ways = " or ".join(moves[int(i)] for i in fits)
    raise InputError(f"{quote(text)} can be played in {len(fits)} ways: expected {ways}.")


def _parse(text: str, wanted: str, half: list[int]) -> _Told:
    """The mover's half after the trips of a move, and all landings; InputError if there are none.

    A trip may begin where another one ends, so they are added up before anything is checked.
    """
    trips = [_TRIP.fullmatch(word) for word in wanted.split()]
    if len(wanted) > MOST_LETTERS or not trips or None in trips:
        raise InputError(
            f"{quote(text)} is not a move: expected one such as '24/18 13/11', 'bar/20*' or "
            "'6/off(2)'."
        )
    landings: set[int] = set()
    for trip in trips:
        assert trip is not None
        stops = [_place(text, word) for word in re.split("[/*]+", trip[1] + trip[2]) if word]
        times = int(trip[3] or 1)
        half[stops[0]] -= times
        half[stops[-1]] += times
        landings |= set(stops[1:])
    return _Told(half, landings)


def _place(text: str, word: str) -> int:
    place = _PLACES.get(word)
    place = int(word) if place is None else place
    if place > BAR:
        raise InputError(f"{quote(text)} is not a move: expected points from 1 to 24, not {place}.")
    return place


def _hits(position: Positions, after: Positions) -> set[int]:
    """The points, as the mover counts them, on which the other side lost a checker."""
    lost: NDArray[np.intp] = np.flatnonzero(after[1:BAR] < position[HALF + 1 : HALF + BAR])
    return {BAR - 1 - int(place) for place in lost}


def _blots(position: Positions, told: _Told) -> set[int]:
    """The points on which the text says that a lone checker is hit."""
    points = told.landings - {OFF, BAR}
    return {point for point in points if position[HALF + BAR - point] == 1}
