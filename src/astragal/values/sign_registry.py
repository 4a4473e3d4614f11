"""Where the signs of each game (values/signs.py) are registered, with who writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from astragal.games.kernels import registering

F = TypeVar("F", bound=Callable[..., Any])


class Sign(NamedTuple):
    """What a sign tells, and how high it can be."""

    meaning: str
    highest: int


WRITERS: dict[type, Callable[..., Any]] = {}
SIGNS: dict[type, tuple[Sign, ...]] = {}
PHASES: dict[type, int] = {}


def signs_for(rules: type, signs: tuple[Sign, ...], phase: int | None = None) -> Callable[[F], F]:
    """Registers how to write the signs of a board under rules of this type, and what they tell.

    Which of them tells the phase of the game is said too, if one does.
    """
    SIGNS[rules] = signs
    if phase is not None:
        PHASES[rules] = phase
    return registering(WRITERS, rules)
