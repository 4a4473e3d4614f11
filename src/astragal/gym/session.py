"""One game in progress: whose turn it is, the roll, and the plays open to it, under numbers."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games.game import Afterstates, Game, Positions, other_view
from astragal.games.kernels import UNFINISHED
from astragal.gym.dice import Dice
from astragal.gym.meanings import Actions, Meaning

_MOST_TOLD = 20  # actions that a sentence lists


class Plays(NamedTuple):
    """The plays of a position and a roll."""

    afterstates: Afterstates
    actions: Actions  # [N] the number of the action that leads to each


class Session:
    """A game from its first roll to its end; an error leaves it as it was."""

    def __init__(self, game: Game, meaning: Meaning, dice: Dice) -> None:
        self.game, self._meaning, self._dice = game, meaning, dice
        self.side = 0
        """Whose turn it is, or would be next if the game were not over."""
        self.position: Positions = game.start
        """The position [W], seen by that side."""
        self.roll: int | None = dice.throw()
        """The index of its roll; None when the game is over."""
        self.plays = self._found()
        self._outcome = UNFINISHED

    @property
    def is_over(self) -> bool:
        """Whether nobody has anything left to play."""
        return self.roll is None

    def points_of(self, side: int) -> int:
        """What the game counts for the side; nothing while it goes on."""
        if not self.is_over:
            return 0
        return self._outcome if side == self.side else -self._outcome

    def play(self, action: Any) -> None:
        """Makes the play with this number, and rolls for the next; InputError if not legal."""
        self.play_nth(self._nth_with(action))

    def play_nth(self, nth: int) -> None:
        """Makes the n-th play in the order of the rules, and rolls for the next."""
        found = self.plays.afterstates
        outcome = int(found.outcome[nth])
        self.roll = self._dice.throw() if outcome == UNFINISHED else None
        self.position = found.positions[nth]
        self.side ^= int(found.turn_passes[nth])
        self._outcome = outcome
        self.plays = self._found()

    def _found(self) -> Plays:
        if self.roll is None:
            nothing = np.empty((0, self.game.width), np.int8)
            empty = self.game.afterstates(nothing, np.empty(0, np.int64))
            return Plays(empty, np.empty(0, np.int64))
        afterstates = self.game.afterstates_of(self.position, self.roll)
        actions = self._meaning.actions(self.position, afterstates)
        for array in (*afterstates, actions):
            array.flags.writeable = False  # handed out, and played by later
        return Plays(afterstates, actions)

    def is_legal(self, action: Any) -> bool:
        """Whether there is a play with this number."""
        try:
            return bool((self.plays.actions == operator.index(action)).any())
        except TypeError:
            return False

    def _nth_with(self, action: Any) -> int:
        """Which of the plays has this number."""
        try:
            (found,) = np.flatnonzero(self.plays.actions == operator.index(action))
        except (TypeError, ValueError) as fault:
            raise InputError(
                f"{quote(action)} is not a legal action in {self}: expected {self._told_actions()}."
            ) from fault
        return int(found)

    def _told_actions(self) -> str:
        actions = np.sort(self.plays.actions)
        if len(actions) > _MOST_TOLD:
            return f"one of {actions[0]} to {actions[-1]}"
        return f"one of {', '.join(map(str, actions))}" if len(actions) > 1 else str(actions[0])

    def observation(self, side: int) -> dict[str, NDArray[np.int8]]:
        """What the side sees: the position, the roll if it is its turn, and which actions it has.

        The position [W] is seen by this side, the roll [R] is 1 in the place of its index; the
        actions that are legal are 1 in the mask. When it is not its turn, both have zeros only.
        """
        is_its_turn = side == self.side and not self.is_over
        position = self.position if side == self.side else other_view(self.position)
        roll = np.zeros(len(self.game.rolls), np.int8)
        mask = np.zeros(self._meaning.action_count, np.int8)
        if is_its_turn:
            roll[self.roll] = 1
            mask[self.plays.actions] = 1
        return {"observation": np.concatenate([position, roll]), "action_mask": mask}

    def moves(self) -> dict[int, str]:
        """How people write the play of each action."""
        if self.roll is None:
            return {}
        told = self.game.notation.format_moves(
            self.position, self.side, self.roll, self.plays.afterstates
        )
        return dict(zip(self.plays.actions.tolist(), told, strict=True))

    def __str__(self) -> str:
        """The position as people write it, and the roll."""
        text = self.game.notation.format_position(self.position, self.side)
        return text if self.roll is None else f"{text}, roll {self.game.rolls[self.roll]}"
