"""Games small enough to be worked out in full, by best play or by a given player's."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from astragal.games.game import Afterstates, Game, Positions, for_mover
from astragal.games.kernels import UNFINISHED
from astragal.values.values import (
    Chances,
    Values,
    chances_by_rules,
    chances_of_winning,
    score_for,
)
from reference import Row, tictactoe, ur


@cache
def minimax(position: Row) -> int:
    """What tic-tac-toe is worth to the player about to move."""
    return max(
        -(minimax(play.position) if play.outcome is None else play.outcome)
        for play in tictactoe.plays(position, "-")
    )


def unfinished_tictactoe() -> list[Row]:
    """Every position of tic-tac-toe that can be reached and goes on."""
    seen, waiting = {tictactoe.START}, [tictactoe.START]
    while waiting:
        plays = tictactoe.plays(waiting.pop(), "-")
        new = {play.position for play in plays if play.outcome is None} - seen
        seen |= new
        waiting += new
    return sorted(seen)


def one_stone_ur() -> float:
    """What Ur with one stone a side is worth at the start, where nobody ever has a choice."""
    rules = ur.FINKEL.with_stones(1)
    odds = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
    worth: dict[Row, float] = {rules.start(): 0.0}
    for _ in range(60):
        for position in list(worth):
            total = 0.0
            for roll, share in zip(rules.rolls, odds, strict=True):
                (play,) = ur.plays(position, roll, rules)
                known = worth.setdefault(play.position, 0.0) if play.outcome is None else 0.0
                points = known if play.outcome is None else play.outcome
                total += share * (-points if play.turn_passes else points)
            worth[position] = total
    return worth[rules.start()]


@dataclass(frozen=True)
class SmallGame:
    """Every unfinished position of a game, and every play."""

    game: Game
    positions: Positions  # [N, W]
    plays: Afterstates  # of each position with each roll
    number: NDArray[np.int64]  # where a play's afterstate stands among the positions, if it goes on

    def best(self) -> NDArray[np.float64]:
        """What each position [N] is worth, in points, if both sides play as well as can be."""
        return self._solve(np.arange(len(self.number)), self._first_of_rolls())

    def greedy(self, values: Values) -> NDArray[np.float64]:
        """What each position [N] is worth if both sides take what the values like best at once."""
        chances = chances_by_rules(values, self.plays.positions, self.plays.outcome)
        scores = for_mover(chances @ score_for(self.game, "points"), self.plays.turn_passes)
        ends = [*self._first_of_rolls()[1:], len(scores)]
        chosen = [
            begin + int(np.argmax(scores[begin:end]))
            for begin, end in zip(self._first_of_rolls(), ends, strict=True)
        ]
        return self._solve(np.array(chosen), np.arange(len(chosen)))

    def _first_of_rolls(self) -> NDArray[np.int64]:
        rolls = len(self.positions) * len(self.game.rolls)
        return np.searchsorted(self.plays.owner, np.arange(rolls))

    def _solve(
        self, allowed: NDArray[np.int64], first_of_rolls: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Value iteration with some of the plays, of which those of each roll begin as said."""
        outcome, passes = self.plays.outcome[allowed], self.plays.turn_passes[allowed]
        worth, change = np.zeros(len(self.positions)), 1.0
        while change > 1e-12:
            points = np.where(outcome == UNFINISHED, worth[self.number[allowed]], outcome)
            highest = np.maximum.reduceat(for_mover(points, passes), first_of_rolls)
            before, worth = worth, highest.reshape(len(worth), -1) @ self.game.chances
            change = float(np.abs(worth - before).max())
        return worth


def small_game(game: Game) -> SmallGame:
    """All of a game, found from the start."""
    numbers, new = {game.start.tobytes(): 0}, game.start[np.newaxis]
    while len(new):
        found = _all_plays(game, new)
        reached = found.positions[found.outcome == UNFINISHED]
        fresh = {row.tobytes(): row for row in reached if row.tobytes() not in numbers}
        numbers |= {key: len(numbers) + i for i, key in enumerate(fresh)}
        new = np.array(list(fresh.values()), np.int8).reshape(-1, game.width)
    positions = np.frombuffer(b"".join(numbers), np.int8).reshape(-1, game.width)
    plays = _all_plays(game, positions)
    number = np.array([numbers.get(row.tobytes(), 0) for row in plays.positions])
    return SmallGame(game, positions, plays, number)


def _all_plays(game: Game, positions: Positions) -> Afterstates:
    rolls = len(game.rolls)
    return game.afterstates(
        np.repeat(positions, rolls, axis=0), np.tile(np.arange(rolls), len(positions))
    )


class KnownValues:
    """Values that know what every position of a small game is worth, in points of 1."""

    name = "known"

    def __init__(self, solved: SmallGame, worth: NDArray[np.float64]) -> None:
        self.game = solved.game
        keys = [position.tobytes() for position in solved.positions]
        self._worth = dict(zip(keys, worth.tolist(), strict=True))

    def chances(self, positions: Positions) -> Chances:
        """The chances [N, 2] of the player about to roll."""
        points = np.array([self._worth[position.tobytes()] for position in positions])
        return chances_of_winning(self.game, (1 + points) / 2)
