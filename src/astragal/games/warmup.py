"""Every compiled function of the rules, called once, so that it is in the cache from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from astragal.games.catalogue import games_of_each_kind
from astragal.games.game import Game
from astragal.games.luck import draw_below, draw_each_below, scripted
from astragal.games.perft import new_walk, walk_on
from astragal.games.random_play import random_games


def warmup_tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile: a name for people, and a call that compiles it."""
    for game in games_of_each_kind():
        yield from _tasks(game)


def _tasks(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    luck = np.random.default_rng(0)
    yield f"afterstates of {game.name}", lambda: game.afterstates_of(game.start, 0)
    yield f"outcomes of {game.name}", lambda: game.outcome_of(game.start)
    yield f"rolls of {game.name}", lambda: (game.draw(luck, 1), game.draw(scripted([0]), 1))
    yield "draws", lambda: (draw_below(luck, 1), draw_below(scripted([0]), 1))
    yield "many draws", lambda: draw_each_below(luck, np.ones(1, np.int64))
    yield f"random games of {game.name}", lambda: random_games(game.rules, 1, luck)
    yield f"perft of {game.name}", lambda: walk_on(game.rules, new_walk(game, game.start, 1), 1)
