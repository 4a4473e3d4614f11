"""Games played on from positions, many in step, with the luck of each roll taken out.

Whatever the values are worth, what they call luck is nothing on average over the rolls, so taking
it out changes no expectation; the better the values, the less is left to chance.
Letters for shapes: N positions, G games from each, C games still going on, K outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.game import Afterstates, Positions, Rolls
from astragal.games.kernels import UNFINISHED
from astragal.search.lookahead import REPLIES, USUAL, Lookahead, look_ahead, value_plays
from astragal.search.rows import best_of_groups, distinct_rows
from astragal.values.values import Aim, Chances, Values, certain, chances_for_mover


@dataclass(frozen=True)
class RolloutSettings:
    """How the games are played, and when there are enough of them."""

    games: int = 360
    """The most that are played from each position."""
    depth: int | None = None
    """After so many turns the values say how a game would end; None plays to the end."""
    plies: int = 0
    """How far the players look ahead."""
    aim: Aim = "points"
    """What the players play for, and what the errors are errors of."""
    seed: int = 0
    """The roll of a turn follows from this, the game's number and the turn's, and nothing else."""
    variance_reduction: bool = True
    """Takes the luck of each roll out of the result."""
    target_error: float = 0.0
    """No more games from a position once the standard error of its score is this small."""
    clear: float = 2.33
    """No more games for a play that is so many standard errors behind the best one."""
    batch: int = 36
    """Games between two looks at whether there are enough."""

    def __post_init__(self) -> None:
        if min(self.games, self.batch) < 1:
            raise InputError(
                f"{min(self.games, self.batch)} games are too few: expected 1 or more."
            )
        if min(self.seed, self.plies, self.depth or 0) < 0:
            raise InputError("A roll-out has no negative seed, plies or depth: expected 0 or more.")


class _Copies(NamedTuple):
    """Games that are still going on."""

    row: NDArray[np.int64]  # [C] which of the N * G games
    positions: Positions  # [C, W]
    is_ours: NDArray[np.bool_]  # [C] whether whoever was to roll at first is about to roll


@dataclass(frozen=True)
class Playouts:
    """Games in which both sides play by the same values."""

    values: Values
    settings: RolloutSettings

    @cached_property
    def _player(self) -> Values:
        return look_ahead(self.values, self.settings.plies, self.settings.aim, REPLIES)

    def play_out(self, positions: Positions, begin: int, end: int) -> Chances:
        """What the games with numbers `begin` up to `end` say: chances [N, G, K].

        They are for the player about to roll in the position [N, W], and each may lie outside 0
        to 1 when luck is taken out: only their mean means something.
        """
        games, outcomes = end - begin, len(self.values.game.outcomes)
        count = len(positions) * games
        told = np.zeros((count, outcomes))
        repeated = np.repeat(positions, games, axis=0)
        copies = _Copies(np.arange(count), repeated, np.ones(count, np.bool_))
        turn = 0
        while len(copies.row) and turn != self.settings.depth:
            rolls = self.rolls(turn, end)[begin + copies.row % games]
            copies = self._play_turn(copies, rolls, told)
            turn += 1
        if len(copies.row):
            opinion = self.values.chances(copies.positions)
            told[copies.row] += chances_for_mover(opinion, ~copies.is_ours)
        return told.reshape(len(positions), games, outcomes)

    def rolls(self, turn: int, games: int) -> Rolls:
        """The rolls [G] of this turn in the first so many games, whatever the position was."""
        return self.values.game.draw(np.random.default_rng([self.settings.seed, turn]), games)

    def _play_turn(self, copies: _Copies, rolls: Rolls, told: Chances) -> _Copies:
        """The copies that go on; the turn's luck and the finished games go into what is told."""
        game = self.values.game
        if self.settings.variance_reduction and len(game.rolls) > 1:
            luck = self._luck(copies.positions, rolls)
            told[copies.row] -= chances_for_mover(luck, ~copies.is_ours)
        found = game.afterstates(copies.positions, rolls)
        chosen = self._choose(found, len(rolls))
        is_ours = copies.is_ours ^ found.turn_passes[chosen]
        outcomes = found.outcome[chosen]
        # An unfinished game has none of the outcomes, and so adds nothing.
        told[copies.row] += chances_for_mover(certain(game, outcomes), ~is_ours)
        goes_on = outcomes == UNFINISHED
        return _Copies(copies.row[goes_on], found.positions[chosen[goes_on]], is_ours[goes_on])

    def _choose(self, found: Afterstates, groups: int) -> NDArray[np.int64]:
        scout = self.values if self.settings.plies > 1 else None
        plays = value_plays(found, groups, self._player, self.settings.aim, scout, USUAL)
        best: NDArray[np.int64] = plays.rows[best_of_groups(plays.scores, plays.owner, groups)]
        return best

    def _luck(self, positions: Positions, rolls: Rolls) -> Chances:
        """How much better than expected each roll is, as chances [C, K] for who rolled."""
        firsts, kinds = distinct_rows(positions)
        by_roll = Lookahead(self.values, self.settings.aim).chances_by_roll(positions[firsts])
        by_roll = by_roll.reshape(len(firsts), len(self.values.game.rolls), -1)
        expected = np.einsum("nrk,r->nk", by_roll, self.values.game.chances)
        luck: Chances = by_roll[kinds, rolls] - expected[kinds]
        return luck
