"""Every compiled function of the rules, called once, so that it is in the cache from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from astragal.games import kernels
from astragal.games.catalogue import GAMES, find_game
from astragal.games.game import Game
from astragal.games.luck import scripted
from astragal.games.perft import count_tree


def warmup_tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile: a name for people, and a call that compiles it."""
    seen = set()
    for name in GAMES:
        game = find_game(name)
        if type(game.rules) not in seen:
            seen.add(type(game.rules))
            yield from _tasks(game)


def _tasks(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    luck = np.random.default_rng(0)
    yield f"afterstates of {game.name}", lambda: game.afterstates_of(game.start, 0)
    yield f"outcomes of {game.name}", lambda: game.outcome_of(game.start)
    yield f"rolls of {game.name}", lambda: (game.draw(luck, 1), game.draw(scripted([0]), 1))
    yield f"random games of {game.name}", lambda: kernels.random_games(game.rules, 1, luck)
    yield f"perft of {game.name}", lambda: count_tree(game, game.start, 3)
