"""Which games there are, by name; a new game is one line in GAMES."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game

# A game's module is imported when the game is asked for: the rules bring Numba with them, which
# takes longer to import than everything else together.
GAMES: Mapping[str, str] = {
    "ur": "astragal.games.ur:ur",
    "backgammon": "astragal.games.backgammon:backgammon",
    "hypergammon": "astragal.games.backgammon:hypergammon",
    "nackgammon": "astragal.games.backgammon:nackgammon",
    "tictactoe": "astragal.games.tictactoe:tictactoe",
}

# The rule sets that have a name of their own, for lists and for compiling everything beforehand.
VARIANTS = (*GAMES, "ur:blitz", "ur:masters", "ur:aseb")


@functools.cache
def find_game(name: str) -> Game:
    """The game of this name: `ur`, `ur:blitz`, `ur:3` (three stones), `backgammon`..."""
    base, *options = name.split(":")
    if base not in GAMES:
        raise InputError(f"{quote(name)} is not a game: expected one of {', '.join(VARIANTS)}.")
    module, _, factory = GAMES[base].partition(":")
    make: Callable[..., Game] = getattr(importlib.import_module(module), factory)
    return make(**_settings(name, options, list(inspect.signature(make).parameters)))


def games_of_each_kind() -> list[Game]:
    """One game for each kind of rules: what is compiled for it serves the others of its kind."""
    kinds: dict[type, Game] = {}
    for name in GAMES:
        game = find_game(name)
        kinds.setdefault(type(game.rules), game)
    return list(kinds.values())


def _settings(name: str, options: list[str], known: list[str]) -> dict[str, str | int]:
    """Options of a name as what a game is made with: a word is its rules, a number its stones."""
    settings: dict[str, str | int] = {}
    for option in options:
        is_number = re.fullmatch("-?[0-9]{1,9}", option) is not None
        setting = "stones" if is_number else "rules"
        if setting not in known or setting in settings or "stones" in settings:
            form = ":".join([name.split(":")[0], *(f"[:{word.upper()}]" for word in known)])
            raise InputError(f"{quote(name)} is not a game: expected {form.replace(':[', '[')}.")
        settings[setting] = int(option) if is_number else option
    return settings
