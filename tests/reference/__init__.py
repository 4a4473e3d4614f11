"""Plain, slow engines of the three games, against which the fast ones are checked.

A position is a row of small numbers seen by the player about to roll: first that player's half,
then the other player's, each seen by its owner.
"""

from typing import NamedTuple

Row = tuple[int, ...]


class Play(NamedTuple):
    """Where a legal play leads: an afterstate, seen by whoever rolls next."""

    position: Row
    turn_passes: bool
    outcome: int | None
    """Points for whoever would roll next, or None while the game goes on."""


def halves(position: Row) -> tuple[Row, Row]:
    """The half of the player about to roll, and the other player's."""
    middle = len(position) // 2
    return position[:middle], position[middle:]
