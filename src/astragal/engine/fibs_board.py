"""The board of FIBS, the backgammon server, as GNU Backgammon sends it to a player elsewhere.

`board:YOU:OTHER:` and fifty numbers between colons. A board has points 0 to 25, of which the two
ends are the bars; checkers of one side are positive, of the other negative.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from astragal.errors import InputError, quote
from astragal.games.game import Positions
from astragal.games.position_id import check_board

CHECKERS = 15
NAMES = 3  # the word board and two players
UNLIMITED = 9999

_BOARD = slice(3, 29)
_FIELDS = 50


class FibsBoard(NamedTuple):
    """What a board asks: a double to be taken or dropped, else a roll to be played or thrown."""

    position: Positions  # [52] seen by the side on turn
    roll: str | None
    """Such as 31, or None while it has not been thrown."""
    is_doubled: bool
    """Whether the side on turn has doubled, and the other is asked."""
    drop_ends_match: bool
    """Whether to drop that double would lose the match."""


class _Numbers(NamedTuple):
    """The fields after the names that mean something here; `your` is the side of `colour`."""

    length: int
    scores: tuple[int, int]  # yours, the other's
    board: list[int]  # [26]
    turn: int
    dice: tuple[tuple[int, int], tuple[int, int]]
    cube: int
    was_doubled: int
    colour: int
    direction: int
    off: tuple[int, int]


def parse_fibs_board(text: str) -> FibsBoard:
    """The board that the text tells, or InputError where it cannot be one."""
    told = _parse_numbers(text)
    for name, number in (
        ("turn", told.turn),
        ("colour", told.colour),
        ("direction", told.direction),
    ):
        if number not in (1, -1):
            raise InputError(
                f"{quote(text)} is not a board: expected 1 or -1 as its {name}, not {number}."
            )
    is_yours = told.turn == told.colour
    length, doubler = told.length, told.scores[0 if is_yours else 1]
    return FibsBoard(
        _position(text, told, is_yours),
        _roll(text, told.dice if is_yours else told.dice[::-1]),
        told.was_doubled != 0,
        0 < length < UNLIMITED and doubler + told.cube >= length,
    )


def _parse_numbers(text: str) -> _Numbers:
    fields = text.split(":")
    if fields[0] != "board" or len(fields) != NAMES + _FIELDS:
        raise InputError(
            f"{quote(text)} is not a board: expected 'board', two names and {_FIELDS} numbers "
            f"between colons, not {len(fields)} fields."
        )
    n = [_number(text, field) for field in fields[NAMES:]]
    return _Numbers(
        length=n[0],
        scores=(n[1], n[2]),
        board=n[_BOARD],
        turn=n[29],
        dice=((n[30], n[31]), (n[32], n[33])),
        cube=n[34],
        was_doubled=n[37],
        colour=n[38],
        direction=n[39],
        off=(n[42], n[43]),
    )


def _number(text: str, field: str) -> int:
    if re.fullmatch("-?[0-9]{1,6}", field, re.ASCII) is None:
        raise InputError(
            f"{quote(text)} is not a board: expected a number between colons, not {quote(field)}."
        )
    return int(field)


def _position(text: str, told: _Numbers, is_yours: bool) -> Positions:
    """The position [52] of the side on turn."""
    is_forward = (told.direction > 0) == is_yours
    # From here on the side on turn is positive, counts down, and comes in from 25.
    row = [told.turn * count for count in (told.board[::-1] if is_forward else told.board)]
    if row[25] < 0 or row[0] > 0:
        raise InputError(
            f"{quote(text)} is not a board: expected each bar to hold checkers of its own side."
        )
    mine = [max(count, 0) for count in row[1:]]
    theirs = [max(-count, 0) for count in row[24::-1]]
    position = check_board(text, mine, theirs, CHECKERS)
    off = told.off if is_yours else told.off[::-1]
    for side, places, gone in (
        ("the player on turn", mine, off[0]),
        ("the other player", theirs, off[1]),
    ):
        if sum(places) + gone != CHECKERS:
            raise InputError(
                f"{quote(text)} is not a board: {side} has {sum(places)} checkers on it and {gone} "
                f"off, expected {CHECKERS} together."
            )
    if not any(mine) or not any(theirs):
        raise InputError(f"{quote(text)} is over: expected a game that is still going on.")
    return position


def _roll(text: str, dice: tuple[tuple[int, int], ...]) -> str | None:
    """The roll of the side on turn; GNU Backgammon tells it for both sides."""
    first, second = next((pair for pair in dice if any(pair)), (0, 0))
    if first == second == 0:
        return None
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise InputError(
            f"{quote(text)} is not a board: expected dice from 1 to 6, not {first} and {second}."
        )
    return f"{first}{second}"
