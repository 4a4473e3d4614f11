"""Games in step: where each stands, who is about to roll, and who won.

Letters for shapes: G games, B of them still going on, N plays of all of those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import first_of_each
from astragal.games.game import Afterstates, Game, Positions, Rolls
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import draw_each_below

MOST_TURNS = 2_000
"""After which a game is left unfinished: nets that have learned little can go round for ever."""


class Table:
    """So many games from the start, a share of them after some turns that are drawn by lot.

    The first of them may be given other positions to begin with.
    """

    def __init__(
        self,
        game: Game,
        games: int,
        luck: np.random.Generator,
        starts: float = 0.0,
        starts_turns: int = 1,
        given: Positions | None = None,
    ) -> None:
        self._game, self._luck = game, luck
        self.rows = np.arange(games)
        """[B] which of the games are still going on."""
        self.positions: Positions = np.repeat(game.start[np.newaxis], games, axis=0)
        """[B, W] where they stand."""
        self.is_second = np.zeros(games, np.bool_)
        """[B] whether the one who did not begin is about to roll."""
        self.points = np.zeros(games)
        """[G] what each finished game counts for who began."""
        self._is_first_turn = np.ones(games, np.bool_)
        self._turns = 0
        turns = luck.integers(1, starts_turns + 1, games)
        turns = np.where(luck.random(games) < starts, turns, 0)
        if given is not None:
            self.positions[: len(given)] = given
            self._is_first_turn[: len(given)] = False
            turns[: len(given)] = 0
        self._open(turns)

    def _open(self, turns: NDArray[np.int64]) -> None:
        """Plays so many turns [G] by lot; a game that would end so stays where it is."""
        for turn in range(int(turns.max(initial=0))):
            found = self._game.afterstates(self.positions, self.rolls())
            chosen = self.by_lot(found)
            moves = (turn < turns) & (found.outcome[chosen] == UNFINISHED)
            after = found.positions[chosen]
            self.positions = np.where(moves[:, np.newaxis], after, self.positions)
            self.is_second = self.is_second ^ (moves & found.turn_passes[chosen])
            self._is_first_turn &= ~moves

    def rolls(self) -> Rolls:
        """A roll for each of the games [B]."""
        count = len(self.rows)
        rolls = self._game.draw(self._luck, count)
        if not self._is_first_turn.any():
            return rolls
        openings = self._game.draw(self._luck, count, opening=True)
        return np.where(self._is_first_turn, openings, rolls)

    def by_lot(self, found: Afterstates) -> NDArray[np.int64]:
        """Of each game's plays one [B], by its number among all [N]."""
        first = first_of_each(found.owner, len(self.rows))
        return first + draw_each_below(self._luck, np.diff(first, append=len(found.owner)))

    def explored(
        self, found: Afterstates, chosen: NDArray[np.int64], epsilon: float
    ) -> NDArray[np.int64]:
        """The chosen plays [B], but now and then one by lot."""
        explores = self._luck.random(len(chosen)) < epsilon
        return np.where(explores, self.by_lot(found), chosen)

    def advance(self, found: Afterstates, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Plays the chosen plays [B]; which of the games go on [B]."""
        outcome = found.outcome[chosen]
        is_second = self.is_second ^ found.turn_passes[chosen]
        goes_on = outcome == UNFINISHED
        points = np.where(is_second, -outcome.astype(np.int64), outcome)
        self.points[self.rows[~goes_on]] = points[~goes_on]
        self._turns += 1
        if self._turns >= MOST_TURNS:
            goes_on[:] = False
        self.rows, self.is_second = self.rows[goes_on], is_second[goes_on]
        self.positions = found.positions[chosen[goes_on]]
        self._is_first_turn = np.zeros(len(self.rows), np.bool_)
        return goes_on

    @property
    def beginner_wins(self) -> float:
        """How many of the finished games were won by who began; a draw counts half."""
        return float(((1 + np.sign(self.points)) / 2).sum())
