"""Dice in the caller's hand: drawn from a generator, or written down beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from astragal.errors import InputError, quote
from astragal.games.game import Game


class Dice:
    """The rolls of one game, one after the other."""

    def __init__(self, game: Game, luck: np.random.Generator, script: Sequence[int] | None) -> None:
        self._game, self._luck, self._script = game, luck, script
        self._thrown = 0

    def throw(self) -> int:
        """The index of the next roll, or InputError where the script has no more."""
        roll = self._drawn() if self._script is None else self._next_of(self._script)
        self._thrown += 1
        return roll

    def _drawn(self) -> int:
        return int(self._game.draw(self._luck, 1, opening=self._thrown == 0)[0])

    def _next_of(self, script: Sequence[int]) -> int:
        if self._thrown == len(script):
            raise InputError(
                f"The script of {len(script)} rolls has come to its end before the game: "
                "expected a roll for every turn."
            )
        return script[self._thrown]


def parse_script(game: Game, options: Mapping[str, Any] | None) -> list[int] | None:
    """The rolls that the options of a reset tell, as people write them, or None."""
    told = (options or {}).get("rolls")
    if told is None:
        return None
    if isinstance(told, str) or not isinstance(told, Sequence) or not told:
        raise InputError(
            f"{quote(told)} is not a script of rolls: "
            f"expected a list such as {[*game.rolls[:2], game.rolls[-1]]}."
        )
    script = [game.parse_roll(str(roll)) for roll in told]
    if game.opening_chances[script[0]] == 0:
        possible = [game.rolls[roll] for roll in np.flatnonzero(game.opening_chances)]
        raise InputError(
            f"{quote(told[0])} cannot be the first roll of {game.name}: "
            f"expected one of {', '.join(possible)}."
        )
    return script
