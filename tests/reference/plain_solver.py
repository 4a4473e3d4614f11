"""Solves any small game: what every position that the start leads to is worth, by plain sweeps.

It knows of a game only what `Game.afterstates_of` says.
"""

from collections.abc import Iterator

import numpy as np

from astragal.games.game import Game
from astragal.games.kernels import UNFINISHED

from . import Play, Row

Plays = dict[Row, list[list[Play]]]
"""All plays of each position that can be reached, for each roll; what comes after comes first."""


def all_plays(game: Game) -> Plays:
    """Every unfinished position that the start leads to, and all its plays."""
    found: Plays = {}
    order: dict[Row, None] = {}
    waiting: list[Row] = [tuple(game.start.tolist())]
    while waiting:
        position = waiting[-1]
        if position in found:
            order[waiting.pop()] = None
            continue
        found[position] = [list(_plays(game, position, roll)) for roll in range(len(game.rolls))]
        after = {play.position for each in found[position] for play in each if play.outcome is None}
        waiting += [position for position in after if position not in found]
    return {position: found[position] for position in order}


def _plays(game: Game, position: Row, roll: int) -> Iterator[Play]:
    found = game.afterstates_of(np.array(position, np.int8), roll)
    columns = found.positions.tolist(), found.turn_passes.tolist(), found.outcome.tolist()
    for after, passes, outcome in zip(*columns, strict=True):
        yield Play(tuple(after), passes, None if outcome == UNFINISHED else outcome)


def worth_of(game: Game, plays: Plays, precision: float = 1e-12) -> dict[Row, float]:
    """The expected points of the player about to roll when both sides play for them."""
    worth, odds, change = dict.fromkeys(plays, 0.0), game.chances.tolist(), 1.0
    while change > precision:
        change = 0.0
        for position, rolls in plays.items():
            best = [max([_worth(worth, play) for play in each]) for each in rolls]
            mean = sum([chance * value for chance, value in zip(odds, best, strict=True)])
            change = max(change, abs(mean - worth[position]))
            worth[position] = mean
    return worth


def _worth(worth: dict[Row, float], play: Play) -> float:
    """What a play is worth to the mover."""
    position, turn_passes, outcome = play
    points = worth[position] if outcome is None else outcome
    return -points if turn_passes else points


def chances_of(
    game: Game, plays: Plays, worth: dict[Row, float], precision: float = 1e-12
) -> dict[Row, list[float]]:
    """The chances of each outcome for the player about to roll, when the best plays are made."""
    chosen = {
        position: [max(each, key=lambda play: _worth(worth, play)) for each in rolls]
        for position, rolls in plays.items()
    }
    chances = {position: [0.0] * len(game.outcomes) for position in plays}
    change = 1.0
    while change > precision:
        change = 0.0
        for position, best in chosen.items():
            rows = [_row(game, chances, play) for play in best]
            mean = [float(game.chances @ column) for column in zip(*rows, strict=True)]
            pairs = zip(mean, chances[position], strict=True)
            change = max(change, *(abs(new - old) for new, old in pairs))
            chances[position] = mean
    return chances


def _row(game: Game, chances: dict[Row, list[float]], play: Play) -> list[float]:
    """The chances of a play for the mover."""
    if play.outcome is None:
        row = chances[play.position]
    else:
        row = [float(points == play.outcome) for points in game.outcomes]
    return row[::-1] if play.turn_passes else row
