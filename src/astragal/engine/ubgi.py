"""UBGI, a draft of how programs talk with backgammon engines, spoken for every game.

The draft is docs/ubgi-v0.2-spec.md of https://github.com/bungogood/bgci; what is of its first
version, what is left out and what is ours says docs/engine.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

import numpy as np

import astragal
from astragal.engine.keys import AGENT, OPTIONS, Keys
from astragal.engine.lines import Line, read_lines
from astragal.engine.refusing import bad_command, bad_state, error_line, unsupported
from astragal.engine.telling import is_backgammon, tell_best, tell_worth
from astragal.errors import InputError, quote
from astragal.games.game import Game, Standing
from astragal.games.xgid import PREFIX as XGID
from astragal.values.values import Aim

VERSION = "0.2"

_NO_CUBE = "there is no cube and no match here"
_LEFT_OUT = {
    "newsession": _NO_CUBE,
    "setscore": _NO_CUBE,
    "setcube": _NO_CUBE,
    "setturn": "a position is always that of the player on roll",
}
_CHEQUER = ("", "chequer", "role chequer")
_CUBE = ("cube", "turn", "role cube", "role turn")


def converse(session: Session, stream: BinaryIO, write: Callable[[str], object]) -> None:
    """Answers the lines of a stream, to the end or until the session is over."""
    for line in read_lines(stream):
        for answer in session.answers(line):
            write(answer)
        if session.is_over:
            return


class Session:
    """What one program has told so far, a position, a roll and who is asked, and the answers."""

    def __init__(self, game: Game, spec: str | None = None, aim: Aim = "points") -> None:
        self.is_over = False
        self._keys = Keys(game, spec, aim)
        self._luck = np.random.default_rng()
        self._standing = Standing(game.start, 0)
        self._roll: int | None = None
        self._plain: dict[str, Callable[[], list[str]]] = {
            "ubgi": self._ubgi,
            "isready": lambda: ["readyok"],
            "keys": self._keys.key_lines,
            "newgame": self._new_game,
            "eval": self._evaluate,
            "show": self._show,
            "stop": list,
            "quit": self._quit,
        }
        self._with_words: dict[str, Callable[[str], list[str]]] = {
            "get": self._get,
            "set": self._set,
            "setoption": self._set_option,
            "position": self._set_position,
            "dice": self._set_roll,
            "roll": self._set_roll,
            "go": self._go,
            "play": self._play,
        }

    def answers(self, line: Line) -> list[str]:
        """The lines that answer one; whatever is wrong with it is answered with one."""
        try:
            return self._answers(line.checked())
        except InputError as fault:
            return [error_line(fault)]

    def _answers(self, text: str) -> list[str]:
        command, *rest = text.split(maxsplit=1)
        words = rest[0] if rest else ""
        if command in self._plain:
            if words:
                raise bad_command(f"{quote(text)} is too much: expected {command}.")
            return self._plain[command]()
        if command in self._with_words:
            return self._with_words[command](words)
        if command in _LEFT_OUT:
            raise unsupported(f"{quote(text)} changes nothing: {_LEFT_OUT[command]}.")
        known = ", ".join([*self._plain, *self._with_words])
        raise bad_command(f"{quote(text)} is not a command: expected one of {known}.")

    @property
    def _game(self) -> Game:
        return self._keys.game

    def _ubgi(self) -> list[str]:
        return [
            f"id name Astragal {self._game.name}",
            "id author Astragal's authors",
            f"id version {astragal.__version__}",
            f"proto {VERSION}",
            *self._keys.option_lines(),
            *self._keys.key_lines(),
            "ubgiok",
        ]

    def _quit(self) -> list[str]:
        self.is_over = True
        return []

    def _get(self, words: str) -> list[str]:
        return [f"value {words} {self._keys.value(words)}"]

    def _set(self, words: str) -> list[str]:
        key, _, value = words.partition(" ")
        if not value:
            raise bad_command(f"{quote(words)} sets nothing: expected set KEY VALUE.")
        self._keys.set(key, value.strip())
        return []

    def _set_option(self, words: str) -> list[str]:
        told = re.fullmatch("name +(.+?) +value +(.+)", words)
        if told is None:
            raise bad_command(
                f"{quote(words)} sets nothing: expected setoption name NAME value VALUE."
            )
        self._keys.set(OPTIONS.get(told[1].lower(), told[1]), told[2])
        return []

    def _new_game(self) -> list[str]:
        self._standing, self._roll = Standing(self._game.start, 0), None
        return []

    def _set_position(self, words: str) -> list[str]:
        text, notation = self._position_text(words), self._game.notation
        standing, roll = notation.parse_position(text), notation.roll_told_with(text)
        self._roll = None if roll is None else self._game.parse_roll(roll)
        self._standing = standing
        return []

    def _position_text(self, words: str) -> str:
        form, _, text = words.partition(" ")
        if not is_backgammon(self._game) or form not in ("gnubgid", "xgid"):
            return words
        return XGID + text.strip().removeprefix(XGID) if form == "xgid" else text.strip()

    def _set_roll(self, words: str) -> list[str]:
        self._roll = self._game.parse_roll("".join(words.split()))
        return []

    def _go(self, words: str) -> list[str]:
        wanted = " ".join(words.split())
        if wanted in _CUBE:
            raise unsupported(f"go {wanted} cannot be: {_NO_CUBE}, expected go chequer.")
        if wanted not in _CHEQUER:
            raise unsupported(
                f"{quote('go ' + wanted)} cannot be: expected go chequer; how far it looks ahead "
                f"says {AGENT}."
            )
        roll, keys = self._known_roll(), self._keys
        return tell_best(keys.agent, self._standing, roll, keys.aim, self._luck)

    def _known_roll(self) -> int:
        """The roll to be played, or ProtocolError where there is nothing to play."""
        game, (position, side) = self._game, self._standing
        if game.outcome_of(position) is not None:
            text = game.notation.format_position(position, side)
            raise bad_state(f"{quote(text)} is over: expected another position.")
        if self._roll is None and len(game.rolls) > 1:
            raise bad_state(f"No roll is known: expected one first, such as dice {game.rolls[-1]}.")
        return self._roll or 0

    def _play(self, words: str) -> list[str]:
        roll, (position, side) = self._known_roll(), self._standing
        found = self._game.afterstates_of(position, roll)
        played = self._game.notation.parse_move(words, position, side, roll, found)
        side ^= bool(found.turn_passes[played])
        self._standing, self._roll = Standing(found.positions[played], side), None
        return []

    def _evaluate(self) -> list[str]:
        return tell_worth(self._keys.agent, self._standing)

    def _show(self) -> list[str]:
        form = "gnubgid " if is_backgammon(self._game) else ""
        position = self._game.notation.format_position(*self._standing)
        roll = [] if self._roll is None else [f"dice {self._game.rolls[self._roll]}"]
        return [f"position {form}{position}", *roll]
