"""What a program can set in UBGI: keys, and the names that its first version has for them."""

from __future__ import annotations

from typing import get_args

from astragal.agents.agent import Agent
from astragal.agents.champions import usual_agent
from astragal.agents.specs import parse_agent
from astragal.engine.refusing import unsupported
from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.values.values import Aim

VARIANT, AGENT, AIM = "game.variant", "engine.agent", "engine.aim"
OPTIONS = {"variant": VARIANT, "agent": AGENT, "aim": AIM}
AIMS: tuple[Aim, ...] = get_args(Aim)


class Keys:
    """Which game it is, who is asked, and what counts."""

    def __init__(self, game: Game, spec: str | None, aim: Aim) -> None:
        self.game = game
        self._spec = spec
        self.aim = aim
        self.agent = self._find(spec, aim)
        self._at_first = {key: self.value(key) for key in OPTIONS.values()}

    def key_lines(self) -> list[str]:
        """All keys, as the draft tells them: type, what is allowed, what it is at first."""
        first = self._at_first
        return [
            f"key {VARIANT} enum {self.game.name} {first[VARIANT]}",
            f"key {AGENT} string * {first[AGENT]}",
            f"key {AIM} enum {'|'.join(AIMS)} {first[AIM]}",
        ]

    def option_lines(self) -> list[str]:
        """The same as the first version of the draft tells them."""
        first = self._at_first
        combo = " ".join(f"var {aim}" for aim in AIMS)
        return [
            f"option name Variant type combo default {first[VARIANT]} var {self.game.name}",
            f"option name Agent type string default {first[AGENT]}",
            f"option name Aim type combo default {first[AIM]} {combo}",
        ]

    def value(self, key: str) -> str:
        """What a key is set to."""
        values = {
            VARIANT: self.game.name,
            AGENT: self._spec or usual_agent(self.game, self.aim),
            AIM: self.aim,
        }
        if key not in values:
            known = ", ".join(values)
            raise unsupported(f"{quote(key)} is not a key: expected one of {known}.")
        return values[key]

    def set(self, key: str, value: str) -> None:
        """Sets a key; what cannot be leaves everything as it was."""
        self.value(key)
        if key == VARIANT:
            self._check_variant(value)
        elif key == AGENT:
            self.agent = self._find(value, self.aim)
            self._spec = value
        else:
            aim = _parse_aim(value)
            self.agent = self._find(self._spec, aim)
            self.aim = aim

    def _check_variant(self, value: str) -> None:
        if value != self.game.name:
            raise InputError(
                f"{quote(value)} is not played here: expected {self.game.name}; "
                "another game is another `astragal engine`."
            )

    def _find(self, spec: str | None, aim: Aim) -> Agent:
        return parse_agent(self.game, spec or usual_agent(self.game, aim), aim)


def _parse_aim(text: str) -> Aim:
    for aim in AIMS:
        if aim == text:
            return aim
    raise InputError(f"{quote(text)} is not an aim: expected one of {', '.join(AIMS)}.")
