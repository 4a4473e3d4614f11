"""GNU Backgammon's own evaluation and choices, and pubeval's, through `gnubg-nn`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import best_of_each
from astragal.errors import InputError
from astragal.games.game import Game, Positions, Rolls
from astragal.games.luck import Luck
from astragal.search.lookahead import USUAL, value_plays
from astragal.values.values import Aim, Chances


def _engine() -> Any:
    try:
        import gnubg_nn
    except ImportError as fault:
        raise InputError(
            "GNU Backgammon is not installed here: expected the package gnubg-nn, "
            "which `pip install 'astragal[gnubg]'` brings."
        ) from fault
    return gnubg_nn


def _board(position: Positions) -> list[list[int]]:
    """The engine's board: the other side first, each its points and then its bar."""
    mine, theirs = position.reshape(2, -1)[:, 1:].tolist()
    return [theirs, mine]


@dataclass(frozen=True)
class GnubgValues:
    """The chances that GNU Backgammon's nets give, cubeless."""

    game: Game
    plies: int = 0

    @property
    def name(self) -> str:
        """The spec that names it."""
        return f"gnubg@{self.plies}"

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, 6] for the player about to roll."""
        engine = _engine()
        told = [engine.probabilities(_board(position), self.plies) for position in positions]
        win, gammon, backgammon, lost_gammon, lost_backgammon = np.array(told).T
        loss = 1 - win
        columns = [
            lost_backgammon,
            lost_gammon - lost_backgammon,
            loss - lost_gammon,
            win - gammon,
            gammon - backgammon,
            backgammon,
        ]
        chances: Chances = np.clip(np.stack(columns, axis=1), 0, 1)
        return chances


@dataclass(frozen=True)
class GnubgAgent:
    """Plays as GNU Backgammon does, cubeless: for money, with its own move filter, or to win."""

    game: Game
    plies: int = 0
    aim: Aim = "points"

    @property
    def name(self) -> str:
        """The spec that names it."""
        return f"gnubg@{self.plies}"

    @property
    def values(self) -> GnubgValues:
        """What it thinks of positions."""
        return GnubgValues(self.game, self.plies)

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        if self.aim == "win":
            return self._choose_to_win(positions, rolls)
        engine = _engine()
        found = self.game.afterstates(positions, rolls)
        choice = np.zeros(len(positions), np.int64)
        for i, (position, roll) in enumerate(zip(positions, rolls, strict=True)):
            dice = self.game.rolls[roll]
            _, key = engine.best_move(
                _board(position), int(dice[0]), int(dice[1]), n=self.plies, b=1
            )
            # The key tells the mover's side first; our afterstates the other's, which rolls next.
            after = np.array(engine.board_from_position_key(key), np.int8)[::-1]
            ours = found.positions[found.owner == i].reshape(-1, 2, 26)[:, :, 1:]
            choice[i] = np.flatnonzero((ours == after).all(axis=(1, 2)))[0]
        return choice

    def _choose_to_win(self, positions: Positions, rolls: Rolls) -> NDArray[np.int64]:
        """The engine chooses for money only; its chances of winning are chosen by here."""
        found = self.game.afterstates(positions, rolls)
        scout = GnubgValues(self.game) if self.plies else None
        plays = value_plays(found, len(positions), self.values, self.aim, scout, USUAL)
        return best_of_each(plays.scores, found, len(positions), plays.rows)


@dataclass(frozen=True)
class PubevalAgent:
    """Tesauro's public evaluator, a linear benchmark from 1993."""

    game: Game
    name: str = "pubeval"

    def choose(self, positions: Positions, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
        """Which of its own afterstates each position takes [B]."""
        engine = _engine()
        found = self.game.afterstates(positions, rolls)
        scores = np.array([engine.pub_eval_score(_board(after)) for after in found.positions])
        for i, (position, roll) in enumerate(zip(positions, rolls, strict=True)):
            dice = self.game.rolls[roll]
            steps = engine.pub_best_move(_board(position), int(dice[0]), int(dice[1]))
            # It tells which checkers move; of plays that differ in what they hit, the score tells.
            is_it = (found.positions[:, 26:] == _moved(position, steps)).all(axis=1)
            scores[is_it & (found.owner == i)] += 1e9
        return best_of_each(scores, found, len(positions))


def _moved(position: Positions, steps: list[int]) -> Positions:
    """The mover's half after steps from point to point, which the engine counts from 0."""
    half = position[:26].copy()
    for source, target in zip(steps[::2], steps[1::2], strict=True):
        half[source + 1] -= 1
        half[max(target + 1, 0)] += 1
    return half
