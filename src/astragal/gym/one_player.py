"""A game for one learner against somebody, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games.game import Game, Positions
from astragal.gym.dice import Dice, parse_script
from astragal.gym.meanings import meaning_of
from astragal.gym.session import Plays, Session
from astragal.gym.spaces import action_space, checked_mode, metadata, observation_space

# Given a position [W] of its own view and the index of its roll, the index of an afterstate.
Choose: TypeAlias = Callable[[Positions, int], int]
Observation: TypeAlias = dict[str, NDArray[np.int8]]


class OnePlayer(gymnasium.Env):  # type: ignore[misc]
    """One game at a time; the other side plays within a step. The reward is points, at the end."""

    def __init__(
        self,
        game: Game,
        opponent: Choose | None = None,
        side: int | None = None,
        replace_illegal: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if side not in (None, 0, 1):
            raise InputError(f"{quote(side)} is not a side: expected 0, 1 or None for either.")
        self.game = game
        self.metadata = metadata(game)
        self.render_mode = checked_mode(render_mode)
        self._opponent, self._asked_side = opponent, side
        self._replace_illegal = replace_illegal
        self._meaning = meaning_of(game)
        self.observation_space = observation_space(game, self._meaning)
        self.action_space = action_space(self._meaning)
        self.side = side or 0
        """The learner's side in this game."""
        self._session: Session | None = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a new game, with luck from this seed, and dice from `options["rolls"]` if told."""
        super().reset(seed=seed)
        dice = Dice(self.game, self.np_random, parse_script(self.game, options))
        if self._asked_side is None:
            self.side = int(self.np_random.integers(2))
        self._session = Session(self.game, self._meaning, dice)
        self._let_opponent_play(self._session)
        return self._session.observation(self.side), {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes the play with this number, and the other side's plays until it is our turn.

        An action that is not legal is refused with an InputError, and nothing changes, unless it
        is to be replaced. What was played is told as `action` in the dictionary at the end.
        """
        session = self._begun()
        if session.is_over or session.side != self.side:
            raise InputError("The game is over, or was broken off: expected reset() first.")
        if self._replace_illegal and not session.is_legal(action):
            action = self.np_random.choice(session.plays.actions)
        session.play(action)
        self._let_opponent_play(session)
        points = float(session.points_of(self.side))
        told = {"action": int(action)}
        return session.observation(self.side), points, session.is_over, False, told

    def _let_opponent_play(self, session: Session) -> None:
        while not session.is_over and session.side != self.side:
            session.play_nth(self._chosen(session))

    def _chosen(self, session: Session) -> int:
        count = len(session.plays.actions)
        if self._opponent is None:
            return int(self.np_random.integers(count))
        assert session.roll is not None
        chosen = int(self._opponent(session.position.copy(), session.roll))
        if not 0 <= chosen < count:
            raise InputError(
                f"The opponent chose {quote(chosen)} in {session}: expected 0 to {count - 1}."
            )
        return chosen

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, under the name that masking learners ask for."""
        return self._begun().observation(self.side)["action_mask"].astype(np.bool_)

    def afterstates(self) -> Plays:
        """Where the plays open to us lead, and the action of each; none when the game is over."""
        return self._begun().plays

    def moves(self) -> dict[int, str]:
        """How people write the play of each legal action."""
        return self._begun().moves()

    def render(self) -> str | None:
        """The position as people write it and the roll, if that was asked for."""
        return str(self._begun()) if self.render_mode == "ansi" else None

    def _begun(self) -> Session:
        if self._session is None:
            raise InputError("No game has begun: expected reset() first.")
        return self._session
