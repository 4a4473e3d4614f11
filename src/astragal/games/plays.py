"""The edge of the rules: positions, rolls and plays as people and other programs write them."""

from __future__ import annotations

from typing import NamedTuple

from astragal.errors import InputError, quote
from astragal.games.game import Game, Standing, for_mover
from astragal.games.kernels import UNFINISHED


class Play(NamedTuple):
    """One legal play of a position and roll."""

    move: str
    position: str
    turn_passes: bool
    outcome: int | None
    """Points for the mover, or None while the game goes on."""


def legal_plays(game: Game, standing: Standing, roll: int) -> list[Play]:
    """The plays that lead to distinct afterstates; a finished game has none and is refused."""
    position, side = standing
    if game.outcome_of(position) is not None:
        text = game.notation.format_position(position, side)
        raise InputError(f"{quote(text)} is over: expected a game that is still going on.")
    found = game.afterstates_of(position, roll)
    moves = game.notation.format_moves(position, side, roll, found)
    points = for_mover(found.outcome, found.turn_passes)
    plays = []
    for i, move in enumerate(moves):
        turn_passes = bool(found.turn_passes[i])
        after = game.notation.format_position(found.positions[i], side ^ turn_passes)
        is_over = found.outcome[i] != UNFINISHED
        plays.append(Play(move, after, turn_passes, int(points[i]) if is_over else None))
    return plays
