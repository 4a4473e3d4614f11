"""eXtreme Gammon's XGID: the board as 26 letters, then whose turn it is, the dice and the match.

Letters go from the bottom player's view: the top player's bar, points 1 to 24, the bottom player's
bar. `A` to `O` are one to fifteen checkers of the bottom player, `a` to `o` of the top player.
"""

from __future__ import annotations

import re

from astragal.errors import InputError, quote
from astragal.games.game import Positions, Standing
from astragal.games.position_id import check_board

PREFIX = "XGID="
_EXAMPLE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
_FIELDS = re.compile(r"[0-9]+:-?[0-9]+:(1|-1):(00|[1-6][1-6]|[DBR])(:-?[0-9]+)*")


def parse_xgid(text: str, checkers: int) -> Standing:
    """The position of the player whose turn it is; the bottom player is side 0."""
    board, _, rest = text.removeprefix(PREFIX).partition(":")
    if re.fullmatch("[-a-oA-O]{26}", board) is None:
        raise InputError(
            f"{quote(text)} is not a position: expected an XGID with 26 of '-', a to o and A to O "
            f"after {PREFIX}, not {len(board)} letters, such as {quote(_EXAMPLE)}."
        )
    fields = _FIELDS.fullmatch(rest)
    if fields is None:
        raise InputError(
            f"{quote(text)} is not a position: expected an XGID whose board is followed by the "
            f"cube, its owner, the turn (1 or -1) and the dice, such as {quote(_EXAMPLE)}."
        )
    if board[0].isupper() or board[25].islower():
        raise InputError(
            f"{quote(text)} is not a position: expected the top player's bar (a to o) as the first "
            "letter and the bottom player's (A to O) as the last."
        )
    bottom = [_count(letter, "A") for letter in board[1:]]
    top = [_count(letter, "a") for letter in reversed(board[:25])]
    if fields[1] == "1":
        return Standing(check_board(text, bottom, top, checkers), 0)
    return Standing(check_board(text, top, bottom, checkers), 1)


def told_dice(text: str) -> str | None:
    """The dice that an XGID tells, or None where none have been thrown."""
    fields = _FIELDS.fullmatch(text.partition(":")[2])
    return fields[2] if fields and fields[2].isdecimal() and fields[2] != "00" else None


def _count(letter: str, one: str) -> int:
    """How many checkers the letter stands for, if it is of the player who has `one` for one."""
    return ord(letter) - ord(one) + 1 if one <= letter <= chr(ord(one) + 14) else 0


def format_xgid(position: Positions, side: int, roll: str = "00") -> str:
    """The XGID of a position [52] in a money game with the cube in the middle."""
    bottom, top = position.reshape(2, -1)[:: 1 if side == 0 else -1]
    letters = ["-"] * 26
    for place in range(1, 26):
        if bottom[place]:
            letters[place] = chr(ord("A") + int(bottom[place]) - 1)
        if top[place]:
            letters[25 - place] = chr(ord("a") + int(top[place]) - 1)
    turn = "1" if side == 0 else "-1"
    return f"{PREFIX}{''.join(letters)}:0:0:{turn}:{roll}:0:0:0:0:10"
