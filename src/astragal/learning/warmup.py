"""Every compiled function that learners need, called once, so that it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from astragal.games.catalogue import find_game, games_of_each_kind
from astragal.games.game import Game
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.labels import Labeller
from astragal.learning.settings import NetSettings, TrainSettings
from astragal.learning.td import TdLearner
from astragal.values.signs import with_signs

_NET, _DEEP = NetSettings(hidden=(8,)), NetSettings(hidden=(8, 8))


def warmup_tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile: a name for people, and a call that compiles it."""
    for game in games_of_each_kind():
        yield f"online TD of {game.name}", partial(_learn, game)
        yield f"look-ahead targets of {game.name}", partial(_label, game)
        yield f"signs of {game.name}", partial(with_signs, game, game.start[np.newaxis].copy())
    yield "steps", lambda: _read(find_game("tictactoe"))


def _learn(game: Game) -> None:
    settings = TrainSettings(game.name, games=1, net=_NET)
    TdLearner(game, settings, fresh_net(game, _NET, seed=0)).learn(0, 0, 1)


def _label(game: Game) -> None:
    for net in (_NET, _DEEP):
        Labeller(fresh_net(game, net, seed=0)).label(game.start[np.newaxis])


def _read(game: Game) -> None:
    net = fresh_net(game, _NET, seed=0)
    net.features.dense(game.start[np.newaxis])
    BatchTrainer(net).step(game.start[np.newaxis], np.full((1, 1), 0.5, np.float32), 0.0)
