"""The learner of online TD(lambda)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.game import Game
from astragal.games.random_play import random_positions
from astragal.learning.kernels.changes import changes_of
from astragal.learning.kernels.plays import Net, laid_out, new_scratch
from astragal.learning.kernels.td import ITSELF, Plan, Pool, td_games
from astragal.learning.learner import Learned, State, luck_of
from astragal.learning.schedules import scheduled
from astragal.learning.settings import TrainSettings
from astragal.values.features import Features
from astragal.values.network import Layer, NetworkValues

_VISITS = 10  # to a position until its old value is forgotten, with alpha auto
_POSITIONS = 1000


class TdLearner:
    """Changes its weights after every move."""

    def __init__(self, game: Game, settings: TrainSettings, net: NetworkValues) -> None:
        self._game, self._settings, self._first = game, settings, net
        self._changes = changes_of(net.features)
        self._units = net.layers[0].units
        self._net = laid_out(net)
        self._scratch = new_scratch(game.rules, self._units)
        self._deeper = new_scratch(game.rules, self._units)
        td = settings.td
        self._alpha = usual_alpha(net.features) if td.alpha == "auto" else td.alpha
        if td.decay != "none" and td.alpha_end > self._alpha:
            raise InputError(
                f"td.alpha_end cannot be {td.alpha_end:g}: expected at most td.alpha, "
                f"which auto makes {self._alpha:.4g} here."
            )
        self._pool = _empty_pool(self._net)

    @property
    def net(self) -> NetworkValues:
        """The net as it is now."""
        weights = self._net.weights[:, : self._units]
        first = Layer(weights[:-1].copy(), weights[-1].copy())
        out = self._net.out[: self._units + 1].copy()
        last = Layer(out[:-1, np.newaxis], out[-1:])
        return NetworkValues(self._first.features, (first, last), self._first.activation)

    def learn(self, number: int, first: int, games: int) -> Learned:
        """Plays a stretch of games and learns at every move."""
        luck = luck_of(self._settings.seed, number)
        plan = self._plan(np.arange(first, first + games), luck)
        told = td_games(
            self._game.rules,
            self._changes,
            self._net,
            self._pool,
            self._scratch,
            self._deeper,
            plan,
            luck,
        )
        self._keep_self(first, games)
        loss = math.sqrt(told.squares / max(told.turns, 1))
        return Learned(games, told.turns, loss, told.beginner_wins / games, told.turns)

    def _plan(self, games: NDArray[np.int64], luck: np.random.Generator) -> Plan:
        td, total, count = self._settings.td, self._settings.games, len(games)
        opens = luck.random(count) < td.starts
        rivals = len(self._pool.out)
        has_rival = (luck.random(count) < td.pool_share) & (rivals > 0)
        rival = luck.integers(0, max(rivals, 1), count)
        return Plan(
            scheduled(td.decay, self._alpha, td.alpha_end, games, total).astype(np.float32),
            scheduled(td.decay, td.epsilon, td.epsilon_end, games, total),
            np.where(opens, luck.integers(1, td.starts_turns + 1, count), 0),
            np.where(has_rival, rival, ITSELF),
            np.float32(td.lam),
            td.plies,
            td.view == "own",
            self._game.chances.astype(np.float32),
        )

    def _keep_self(self, first: int, games: int) -> None:
        """Adds to the pool what it is now, and drops the oldest, when it is time to."""
        td = self._settings.td
        if td.pool == 0 or first // td.pool_every == (first + games) // td.pool_every:
            return
        weights = np.concatenate([self._pool.weights, self._net.weights[np.newaxis]])
        out = np.concatenate([self._pool.out, self._net.out[np.newaxis]])
        self._pool = self._pool._replace(
            weights=np.ascontiguousarray(weights[-td.pool :]),
            out=np.ascontiguousarray(out[-td.pool :]),
        )

    def state(self) -> State:
        """The weights, and those of earlier selves; between games there are no traces."""
        return {
            "weights": self._net.weights,
            "out": self._net.out,
            "pool weights": self._pool.weights,
            "pool out": self._pool.out,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on with these weights."""
        self._net.weights[:] = state["weights"]
        self._net.out[:] = state["out"]
        self._pool = self._pool._replace(weights=state["pool weights"], out=state["pool out"])

    def close(self) -> None:
        """Nothing has been started."""


def _empty_pool(net: Net) -> Pool:
    return Pool(
        np.zeros((0, *net.weights.shape), np.float32),
        np.zeros((0, *net.out.shape), np.float32),
        np.zeros_like(net.pending),
    )


def usual_alpha(features: Features) -> float:
    """1 / (10 E|x|^2), with which a linear net forgets an old value in about ten visits."""
    positions = random_positions(features.game, _POSITIONS, np.random.default_rng(0))
    lengths = (features.dense(positions) ** 2).sum(axis=1)
    return 1 / (_VISITS * float(lengths.mean()))
