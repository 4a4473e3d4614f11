"""A game for two learners in turn, as a PettingZoo environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.gym.dice import Dice, parse_script
from astragal.gym.meanings import meaning_of
from astragal.gym.session import Plays, Session
from astragal.gym.spaces import action_space, checked_mode, metadata, observation_space

PLAYERS = ("player_0", "player_1")


class TwoPlayers(AECEnv):  # type: ignore[misc]
    """One game at a time; player_0 begins, and whose turn comes next the rules decide.

    Rewards are points, given to both when the game ends.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game
        self.metadata = metadata(game)
        self.render_mode = checked_mode(render_mode)
        self.possible_agents = list(PLAYERS)
        self.agents: list[str] = []
        self._meaning = meaning_of(game)
        self.observation_spaces = {
            player: observation_space(game, self._meaning) for player in PLAYERS
        }
        self.action_spaces = {player: action_space(self._meaning) for player in PLAYERS}
        self._luck = np.random.default_rng()
        self._session: Session | None = None

    def observation_space(self, agent: str) -> Any:
        """The space of what the player sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of what the player can do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begins a new game, with dice from this seed or with `options["rolls"]`.

        Without either, the dice go on as they were.
        """
        script = parse_script(self.game, options)
        if seed is not None:
            self._luck = np.random.default_rng(seed)
        self._session = Session(self.game, self._meaning, Dice(self.game, self._luck, script))
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {player: {} for player in PLAYERS}
        self.agent_selection = PLAYERS[0]

    def step(self, action: Any) -> None:
        """Makes the play with this number for the player whose turn it is.

        An action that is not legal is refused with an InputError, and nothing changes. When the
        game is over, each player takes the step None, as always in PettingZoo.
        """
        session = self._begun()
        if session.is_over:
            self._leave(action)
            return
        session.play(action)
        for side, player in enumerate(PLAYERS):
            self.rewards[player] = float(session.points_of(side))
            self.terminations[player] = session.is_over
        self._accumulate_rewards()
        self.agent_selection = PLAYERS[session.side]

    def _leave(self, action: Any) -> None:
        if action is not None or not self.agents:
            raise InputError(
                f"The game is over, and {quote(action)} is not an action any more: "
                f"expected {'None' if self.agents else 'reset()'}."
            )
        self._was_dead_step(action)

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """The position and the roll as this player sees them, and its legal actions."""
        if agent not in PLAYERS:
            raise InputError(f"{quote(agent)} is not a player: expected {' or '.join(PLAYERS)}.")
        return self._begun().observation(PLAYERS.index(agent))

    def afterstates(self) -> Plays:
        """Where the plays of the player whose turn it is lead, and the action of each.

        None when the game is over.
        """
        return self._begun().plays

    def moves(self) -> dict[int, str]:
        """How people write the play of each legal action."""
        return self._begun().moves()

    def render(self) -> str | None:
        """The position as people write it and the roll, if that was asked for."""
        return str(self._begun()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: there is nothing to give back."""

    def _begun(self) -> Session:
        if self._session is None:
            raise InputError("No game has begun: expected reset() first.")
        return self._session
