"""One game between two agents, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from astragal.agents.agent import Agent
from astragal.games.game import Game, Standing
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import Luck


class Turn(NamedTuple):
    """Who rolled what, what was played, and where it led."""

    side: int
    roll: int
    move: str
    after: Standing


def play_game(game: Game, agents: Sequence[Agent], luck: Luck) -> Iterator[Turn]:
    """The turns of a whole game; the first agent begins."""
    position, side = game.start, 0
    rolls = game.draw(luck, 1, opening=True)
    while True:
        choice = int(agents[side].choose(position[np.newaxis], rolls, luck)[0])
        found = game.afterstates(position[np.newaxis], rolls)
        move = game.notation.format_moves(position, side, int(rolls[0]), found)[choice]
        after = Standing(found.positions[choice], side ^ int(found.turn_passes[choice]))
        yield Turn(side, int(rolls[0]), move, after)
        if found.outcome[choice] != UNFINISHED:
            return
        position, side = after
        rolls = game.draw(luck, 1)
