"""A game that is being played: it can be taken back, kept in a file and gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from astragal.arena.records import Record, Step, choice_step, game_of, make_step, replay
from astragal.arena.writing import write_games
from astragal.errors import InputError
from astragal.games.game import Game, Standing

HUMAN = "human"
_DICE, _PLAYERS = 0, 1  # what a seed is used for


class Session:
    """The turns of a game so far, and the dice, which are the same again after a turn is undone."""

    def __init__(self, game: Game, players: tuple[str, str], seed: int) -> None:
        self.game, self.players, self.seed = game, players, seed
        self.steps: list[Step] = []
        self._resigned: int | None = None  # the points that side 0 has by it
        self._rolls: list[int] = []
        self._told: Record | None = None  # what it was gone on with

    @staticmethod
    def of(record: Record, seed: int) -> Session:
        """The game of a record, to be gone on with; the seed is for dice that it does not tell."""
        told = seed if record.seed is None else record.seed
        session = Session(game_of(record), record.agents, told)
        session._told = record
        session.steps = list(replay(record))
        session._rolls = [step.roll for step in session.steps]
        if record.given_up:
            session._resigned = record.outcome
        return session

    def record(self) -> Record:
        """All that has been played."""
        told = self._told
        cube = [] if told is None else [each for each in told.cube if each[0] <= len(self.steps)]
        return Record(
            number=1 if told is None else told.number,
            cube=cube,
            game=self.game.name,
            version=self.game.version,
            agents=self.players,
            turns=[(self.game.rolls[step.roll], step.move) for step in self.steps],
            outcome=self.points,
            seed=self.seed,
            given_up=self._resigned is not None,
        )

    @property
    def standing(self) -> Standing:
        """The position, and whose turn it is."""
        return self.steps[-1].after if self.steps else Standing(self.game.start, 0)

    @property
    def side(self) -> int:
        """Whose turn it is."""
        return self.standing.side

    @property
    def points(self) -> int | None:
        """What the game counts for side 0 if it is over."""
        if self._resigned is not None:
            return self._resigned
        return self.steps[-1].points if self.steps else None

    @property
    def is_over(self) -> bool:
        """Whether nobody is to move any more."""
        return self.points is not None

    @property
    def roll(self) -> int:
        """What is rolled at this turn, however often it is played."""
        turn = len(self.steps)
        if turn == len(self._rolls):
            luck = np.random.default_rng([self.seed, _DICE, turn])
            self._rolls.append(int(self.game.draw(luck, 1, opening=turn == 0)[0]))
        return self._rolls[turn]

    @property
    def players_luck(self) -> np.random.Generator:
        """What a player that plays by chance draws from at this turn."""
        return np.random.default_rng([self.seed, _PLAYERS, len(self.steps)])

    def moves(self) -> list[str]:
        """The plays of this turn, as people write them."""
        standing, roll = self.standing, self.roll
        found = self.game.afterstates_of(standing.position, roll)
        return self.game.notation.format_moves(*standing, roll, found)

    def play(self, move: str) -> Step:
        """Plays a move as people write it, or InputError."""
        step = make_step(self.game, self.standing, self.roll, move)
        self.steps.append(step)
        return step

    def take(self, choice: int) -> Step:
        """Plays one of the afterstates of this turn, by its number."""
        step = choice_step(self.game, self.standing, self.roll, choice)
        self.steps.append(step)
        return step

    def undo(self, sides: Sequence[int]) -> bool:
        """Goes back to the last choice that one of these sides had; whether there was one.

        To have given up was such a choice.
        """
        if self._resigned is not None:
            self._resigned = None
            return True
        for turn in reversed(range(len(self.steps))):
            step = self.steps[turn]
            if step.standing.side in sides and len(step.moves) > 1:
                del self.steps[turn:]
                return True
        return False

    def resign(self, side: int, points: int) -> None:
        """Ends the game with so many points for the other side, or InputError."""
        if points not in self.game.outcomes or points < 1:
            known = ", ".join(str(count) for count in self.game.outcomes if count > 0)
            raise InputError(f"{points} cannot be resigned: expected {known}.")
        self._resigned = points if side == 1 else -points

    def save(self, path: Path) -> None:
        """Writes the game to a file, or InputError."""
        write_games(path, [self.record()])
