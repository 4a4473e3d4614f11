"""Backgammon and its cousins, which differ only in how they begin.

A half of a position has 26 numbers: checkers borne off, the points 1 to 24 as their owner counts
them, checkers on the bar. Its owner moves downwards; the other's point q is one's own 25 - q.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from astragal.games.backgammon_moves import BENCHES, BackgammonRules
from astragal.games.backgammon_notation import ROLLS, BackgammonNotation
from astragal.games.backgammon_places import HALF
from astragal.games.game import Game

VERSION = 1


def backgammon() -> Game:
    """The game as it is played everywhere."""
    return _game("backgammon", "Backgammon", {24: 2, 13: 5, 8: 3, 6: 5})


def nackgammon() -> Game:
    """Nack Ballard's start, with two more checkers back."""
    return _game("nackgammon", "Nackgammon", {24: 2, 23: 2, 13: 4, 8: 3, 6: 4})


def hypergammon() -> Game:
    """Three checkers a side, on the three points farthest from home."""
    return _game("hypergammon", "Hypergammon", {24: 1, 23: 1, 22: 1})


def _game(name: str, title: str, start: Mapping[int, int]) -> Game:
    checkers = sum(start.values())
    half = np.zeros(HALF, np.int8)
    half[list(start)] = list(start.values())
    dice = [(int(roll[0]), int(roll[1])) for roll in ROLLS]
    throws = [dice.index((max(a, b), min(a, b))) for a in range(1, 7) for b in range(1, 7)]
    opening = [throw for throw in throws if dice[throw][0] != dice[throw][1]]
    rules = BackgammonRules(
        start=np.concatenate([half, half]),
        throws=np.array(throws, np.int8),
        opening=np.array(opening, np.int8),
        roll_count=len(ROLLS),
        most_afterstates=_most_afterstates(checkers),
        dice=np.array(dice, np.uint64),
        pieces=checkers,
    )
    return Game(
        name=name,
        title=title,
        version=VERSION,
        rules=rules,
        sides=("white", "black"),
        rolls=ROLLS,
        outcomes=(-3, -2, -1, 1, 2, 3),
        notation=BackgammonNotation(checkers),
    )


def _most_afterstates(checkers: int) -> int:
    """An upper bound, with the rows that serve as work benches.

    A double is four steps shared out among the checkers. Two dice are a checker for each, or one
    checker for both in three ways: hitting nothing on the way, or at either of two points.
    """
    return max(math.comb(checkers + 3, 4), checkers * (checkers + 2)) + BENCHES
