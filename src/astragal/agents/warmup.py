"""Every compiled function that agents choose with, called once, so that it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from astragal.agents.specs import parse_agent
from astragal.games.catalogue import find_game
from astragal.values.feature_sets import features
from astragal.values.network import NetworkValues, random_layers


def warmup_tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile: a name for people, and a call that compiles it."""
    game = find_game("tictactoe")
    yield "look-ahead", lambda: _choose("pips@2")
    yield "pip counts", lambda: _choose("pips", "ur")
    chosen = features(game, "lines")
    net = NetworkValues(chosen, random_layers([chosen.size, 2, 1], np.random.default_rng(0), 0.1))
    yield "nets", lambda: net.chances(game.start[np.newaxis])


def _choose(spec: str, name: str = "tictactoe") -> None:
    game = find_game(name)
    luck = np.random.default_rng(0)
    parse_agent(game, spec).choose(game.start[np.newaxis], np.zeros(1, np.int64), luck)
