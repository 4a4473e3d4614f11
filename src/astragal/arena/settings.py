"""What a match is played with, refused in one place where it cannot be."""

from __future__ import annotations

from dataclasses import dataclass

from astragal.errors import InputError, quote
from astragal.values.values import Aim
from astragal.workers import check_workers

MOST_GAMES = 10_000_000


@dataclass(frozen=True)
class MatchSettings:
    """How two agents are compared."""

    games: int = 1_000
    """In pairs with the same dice and the seats swapped; the last may be without its partner."""
    seed: int = 0
    """The same seed gives the same games, however many processes play them."""
    aim: Aim = "points"
    """What counts: points, as in a game for money, or winning alone, as in a match to one point."""
    judge: str | None = None
    """The agent whose values say how lucky each roll was; None to leave the luck in."""
    keeps_records: bool = False
    """Whether dice and moves are written down, which takes longer than playing."""
    keeps_mistakes: bool = False
    """Whether the judge notes which of the first agent's choices give something away."""
    workers: int | None = None
    """How many processes play; None for as many as are worth it."""

    def __post_init__(self) -> None:
        """Refuses what cannot be played."""
        _check("the number of games", self.games, 1, MOST_GAMES)
        _check("a seed", self.seed, 0, 2**63 - 1)
        check_workers(self.workers)
        if self.aim not in ("points", "win"):
            raise InputError(f"{quote(self.aim)} is not an aim: expected points or win.")


def _check(what: str, number: int, lowest: int, highest: int) -> None:
    if not lowest <= number <= highest:
        raise InputError(f"{number} cannot be {what}: expected {lowest} to {highest:,}.")
