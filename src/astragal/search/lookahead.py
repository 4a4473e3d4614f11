"""Look-ahead: the expectation over all rolls of what the best reply leads to.

It takes a value function and is one, so it nests: one ply over a net, one ply over that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions
from astragal.search.rows import best_of_groups, distinct_rows, kept_of_groups
from astragal.values.values import (
    Aim,
    Chances,
    Values,
    chances_by_rules,
    chances_for_mover,
    score_for,
)

_USUAL_PLAYS = 20
_ROWS_AT_ONCE = 200_000  # afterstates, so that a deep search does not fill the memory


class Filter(NamedTuple):
    """Which plays are worth a deeper look: so many of the best, if not too far behind."""

    keep: int = 8
    margin: float = 0.16
    """In what the aim counts, between the best play and the last that is kept."""


ALL_PLAYS = Filter(keep=1_000_000, margin=np.inf)
USUAL = Filter()
REPLIES = Filter(keep=2, margin=0.04)  # of the plays that follow, only what may well be best


@dataclass(frozen=True)
class Lookahead:
    """One ply over `inner`; replies that `scout` finds far behind are not looked at."""

    inner: Values
    aim: Aim = "points"
    scout: Values | None = None
    """Chooses which replies `inner` looks at; without it, all."""
    only: Filter = USUAL

    @property
    def game(self) -> Game:
        """The game of the values that it looks ahead with."""
        return self.inner.game

    @property
    def name(self) -> str:
        """What it looks ahead with, and how far."""
        if not isinstance(self.inner, Lookahead):
            return f"{self.inner.name}@1"
        base, _, ply = self.inner.name.rpartition("@")
        return f"{base}@{int(ply) + 1}"

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, K] of unfinished positions for the player about to roll."""
        rolls = len(self.game.rolls)
        outcomes = len(self.game.outcomes)
        best = self.chances_by_roll(positions).reshape(len(positions), rolls, outcomes)
        result: Chances = np.einsum("nrk,r->nk", best, self.game.chances)
        return result

    def chances_by_roll(self, positions: Positions) -> Chances:
        """The chances [N * R, K] after the best play of every roll, for the player who rolls."""
        rolls = len(self.game.rolls)
        chunk = max(1, _ROWS_AT_ONCE // (rolls * _USUAL_PLAYS))
        parts = [
            self._best_replies(positions[begin : begin + chunk])
            for begin in range(0, len(positions), chunk)
        ]
        return np.concatenate(parts or [np.empty((0, len(self.game.outcomes)))])

    def _best_replies(self, positions: Positions) -> Chances:
        rolls = len(self.game.rolls)
        groups = len(positions) * rolls
        found = self.game.afterstates(
            np.repeat(positions, rolls, axis=0), np.tile(np.arange(rolls), len(positions))
        )
        plays = value_plays(found, groups, self.inner, self.aim, self.scout, self.only)
        return plays.chances(best_of_groups(plays.scores, plays.owner, groups))


class ValuedPlays(NamedTuple):
    """Plays that were looked at, M in all; boards that come more than once are valued once."""

    rows: NDArray[np.int64]  # [M] which afterstates they are
    owner: NDArray[np.int64]  # [M] which position and roll each belongs to
    scores: NDArray[np.float64]  # [M] for the mover, by what counts
    turn_passes: NDArray[np.bool_]  # [M]
    kinds: NDArray[np.int64]  # [M] which of the distinct boards each leads to
    of_kinds: Chances  # [U, K] of the distinct boards, for whoever rolls next

    def chances(self, plays: NDArray[np.int64]) -> Chances:
        """The chances [P, K] of some plays [P], for the mover."""
        return chances_for_mover(self.of_kinds[self.kinds[plays]], self.turn_passes[plays])


def value_plays(
    found: Afterstates,
    groups: int,
    values: Values,
    aim: Aim,
    scout: Values | None = None,
    only: Filter = ALL_PLAYS,
) -> ValuedPlays:
    """What the values say of afterstates, or of those only that the scout finds good enough."""
    if scout is None:
        return _valued(found, np.arange(len(found.owner)), values, aim)
    scores = value_plays(found, groups, scout, aim).scores
    mask = kept_of_groups(scores, found.owner, groups, only.keep, only.margin)
    return _valued(found, np.flatnonzero(mask), values, aim)


def _valued(found: Afterstates, rows: NDArray[np.int64], values: Values, aim: Aim) -> ValuedPlays:
    positions, outcome = found.positions[rows], found.outcome[rows]
    turn_passes = found.turn_passes[rows]
    firsts, kinds = distinct_rows(positions)
    chances = chances_by_rules(values, positions[firsts], outcome[firsts])
    scores = (chances @ score_for(values.game, aim))[kinds]
    scores = np.where(turn_passes, -scores, scores)
    return ValuedPlays(rows, found.owner[rows], scores, turn_passes, kinds, chances)


def look_ahead(values: Values, plies: int, aim: Aim = "points", only: Filter = USUAL) -> Values:
    """The values with so many plies of look-ahead; the deeper ones only where it is worth it."""
    result = values
    for ply in range(plies):
        result = Lookahead(result, aim, scout=values if ply > 0 else None, only=only)
    return result
