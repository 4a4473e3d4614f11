"""Positions to measure with: those that random play meets, or that an agent does."""

from __future__ import annotations

import numpy as np

from astragal.agents.agent import first_of_each
from astragal.agents.specs import parse_agent
from astragal.games.game import Game, Positions, Rolls
from astragal.games.kernels import UNFINISHED


def some_positions(game: Game, games: int, turns: int, seed: int) -> tuple[Positions, Rolls]:
    """The positions of games after so many turns, with rolls; a finished game begins anew."""
    luck = np.random.default_rng(seed)
    positions = np.repeat(game.start[np.newaxis], games, axis=0)
    for _ in range(turns):
        found = game.afterstates(positions, game.draw(luck, games))
        counts = np.bincount(found.owner)
        choice = np.cumsum(counts) - counts + luck.integers(counts)
        is_over = found.outcome[choice, np.newaxis] != UNFINISHED
        positions = np.where(is_over, game.start, found.positions[choice])
    return positions, game.draw(luck, games)


def played_positions(game: Game, agent: str, games: int, turns: int, seed: int) -> Positions:
    """All positions of the first turns of games of an agent against itself."""
    luck, player = np.random.default_rng(seed), parse_agent(game, agent)
    positions, seen = np.repeat(game.start[np.newaxis], games, axis=0), []
    for _ in range(turns):
        seen.append(positions)
        rolls = game.draw(luck, games)
        found = game.afterstates(positions, rolls)
        choice = first_of_each(found.owner, games) + player.choose(positions, rolls, luck)
        is_over = found.outcome[choice, np.newaxis] != UNFINISHED
        positions = np.where(is_over, game.start, found.positions[choice])
    return np.concatenate(seen)
