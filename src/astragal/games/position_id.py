"""GNU Backgammon's position ID: both sides' checkers as 80 bits in 14 letters.

For each side, the player on roll last, a place is as many ones as it has checkers and then a zero:
the points from the ace point on, then the bar. Bits fill bytes from the lowest, bytes are base 64.
"""

from __future__ import annotations

import base64
import re

import numpy as np

from astragal.errors import InputError, quote
from astragal.games.game import Positions

_BITS = 80
_LETTERS = 14
_PLACES = 25  # the points and the bar
_EXAMPLE = "4HPwATDgc/ABMA"


def format_position_id(position: Positions) -> str:
    """The ID of a position [52]."""
    mine, theirs = position.reshape(2, -1)
    bits = _bits(theirs) + _bits(mine)
    number = int(bits.ljust(_BITS, "0")[::-1], 2)
    return base64.b64encode(number.to_bytes(_BITS // 8, "little")).decode()[:_LETTERS]


def _bits(half: Positions) -> str:
    return "".join("1" * int(count) + "0" for count in half[1:])


def parse_position_id(text: str, checkers: int) -> Positions:
    """The position [52] of an ID, of the game with so many checkers a side."""
    if re.fullmatch(f"[A-Za-z0-9+/]{{{_LETTERS}}}", text) is None:
        raise InputError(
            f"{quote(text)} is not a position: expected a position ID of {_LETTERS} letters, "
            f"digits, + and /, such as {quote(_EXAMPLE)}, or an XGID."
        )
    number = int.from_bytes(base64.b64decode(text + "=="), "little")
    counts = [len(ones) for ones in f"{number:0{_BITS}b}"[::-1].split("0")]
    places = counts[: 2 * _PLACES]
    if any(counts[2 * _PLACES :]) or len(places) < 2 * _PLACES:
        raise InputError(
            f"{quote(text)} is not a position: expected a position ID, "
            "but its bits do not make up two sides of 24 points and the bar."
        )
    position = check_board(text, places[_PLACES:], places[:_PLACES], checkers)
    written = format_position_id(position)
    if written != text:
        raise InputError(
            f"{quote(text)} is not a position: expected a position ID as it is written, "
            f"{quote(written)}."
        )
    return position


def check_board(text: str, mine: list[int], theirs: list[int], checkers: int) -> Positions:
    """The position [52] with these checkers on the points and the bar, the rest borne off."""
    for side, places in (("the player on roll", mine), ("the other player", theirs)):
        if sum(places) > checkers:
            raise InputError(
                f"{quote(text)} is not a position: {side} has {sum(places)} checkers, "
                f"expected at most {checkers}."
            )
    for point in range(24):
        if mine[point] and theirs[23 - point]:
            raise InputError(
                f"{quote(text)} is not a position: expected checkers of one side only on each "
                f"point, but point {point + 1} of the player on roll has some of both."
            )
    if not sum(mine) and not sum(theirs):
        raise InputError(
            f"{quote(text)} is not a position: expected checkers on the board, but there are none."
        )
    rows = [[checkers - sum(places), *places] for places in (mine, theirs)]
    return np.array(rows, np.int8).ravel()
