"""What can be told of a whole position beside what stands on each place: its signs.

A sign is a small number, such as how many rolls hit a blot. A net reads signs as it reads places:
those of a position stand behind its places. As with the rules, a game supplies a function for the
type of its rules, and generic kernels find it by that type while they are compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from astragal.compiling import compiled
from astragal.games.bits import address_of, copy_bytes
from astragal.games.game import Game, Positions
from astragal.games.kernels import INLINED, found_by_type
from astragal.values import backgammon_signs, ur_signs
from astragal.values.sign_registry import PHASES, SIGNS, WRITERS, Sign

# Those who write signs must be known before anything is compiled that asks for them.
__all__ = [
    "Sign",
    "backgammon_signs",
    "phase_sign_of",
    "phases_of",
    "signs_of",
    "ur_signs",
    "with_signs",
    "write_signs",
]


def signs_of(game: Game) -> tuple[Sign, ...]:
    """The signs of a game; some have none."""
    return SIGNS.get(type(game.rules), ())


def phase_sign_of(game: Game) -> int | None:
    """The number of the sign that tells the phase of a game, if one does."""
    return PHASES.get(type(game.rules))


def phases_of(game: Game) -> int:
    """How many phases of a game are told apart; 1 if none are."""
    sign = phase_sign_of(game)
    return 1 if sign is None else signs_of(game)[sign].highest + 1


def write_signs(rules: Any, board: Any, signs: Any) -> None:
    """Writes the signs of the board at an address to another address, a byte each."""
    raise TypeError("write_signs is called from compiled code only")


def _write_none(rules: Any, board: Any, signs: Any) -> None:
    """Of a game without signs."""


@overload(write_signs, jit_options=INLINED)
def _write_by_type(rules: Any, board: Any, signs: Any) -> Any:
    return found_by_type(WRITERS, rules) or _write_none


@compiled
def _with_signs(rules: Any, positions: Any, signs: int) -> Any:
    width = np.uint64(positions.shape[1])
    length = width + np.uint64(signs)
    longer = np.empty((len(positions), positions.shape[1] + signs), np.int8)
    for n in range(np.uint64(len(positions))):
        board, target = address_of(positions) + n * width, address_of(longer) + n * length
        copy_bytes(target, board, width)
        write_signs(rules, board, target + width)
    return longer


def with_signs(game: Game, positions: Positions) -> Positions:
    """Positions [N, W + signs], the signs behind the places."""
    found: Positions = _with_signs(game.rules, np.ascontiguousarray(positions), len(signs_of(game)))
    return found
