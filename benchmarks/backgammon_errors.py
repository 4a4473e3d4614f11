"""Where a net for backgammon errs: how far its chances are from GNU Backgammon's, two plies ahead.

    python benchmarks/backgammon_errors.py 2000 champion runs/backgammon/latest.safetensors

takes so many positions of the champion's games against itself, with some plays by lot, and prints
for each kind of position how far the chance of winning is off on average (root mean square), for
`gnubg@0` and for each net. It judges; nothing is learned from it.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from astragal.agents.champions import champion
from astragal.agents.gnubg import GnubgValues
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.learning.packed import packed
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings
from astragal.values.checkpoint import load_net
from astragal.values.values import Values, win_chance

BACKGAMMON = find_game("backgammon")
GAMES = 400
BY_LOT = 0.02  # of all plays, so that unusual positions come up too
FAR = 19  # from here on a checker is in the other's home board, or on the bar
MANY = 4  # checkers back


def main(count: str, *nets: str) -> None:
    """Prints a table."""
    positions = drawn(int(count))
    judge = win_chance(BACKGAMMON, GnubgValues(BACKGAMMON, 2).chances(positions))
    kinds = kinds_of(positions)
    print("| |", " | ".join(f"{name} ({rows.mean():.0%})" for name, rows in kinds.items()), "|")
    print("| --- |", " | ".join("---:" for _ in kinds), "|")
    for name in ("gnubg@0", *nets):
        off = win_chance(BACKGAMMON, values_of(name).chances(positions)) - judge
        told = (f"{100 * np.sqrt((off[rows] ** 2).mean()):.2f} %" for rows in kinds.values())
        print(f"| {name} |", " | ".join(told), "|")


def values_of(name: str) -> Values:
    """The values of this name: gnubg@0, champion, or a net in a file."""
    if name == "gnubg@0":
        return GnubgValues(BACKGAMMON, 0)
    return champion(BACKGAMMON) if name == "champion" else load_net(Path(name), BACKGAMMON)


def drawn(count: int) -> Positions:
    """Positions of the champion's games, drawn by lot."""
    settings = LookaheadSettings(targets="sample")
    player = packed(champion(BACKGAMMON))
    task = PlayTask("backgammon", player, settings, GAMES, BY_LOT, False, (1,))
    return np.random.default_rng(1).permutation(play_task(task).positions)[:count]


def kinds_of(positions: Positions) -> dict[str, NDArray[np.bool_]]:
    """Which of the positions are of each kind."""
    mine, theirs = positions[:, :HALF], positions[:, HALF:]
    is_race = rearmost(mine) + rearmost(theirs) < BAR
    has_off = (mine[:, 0] > 0) | (theirs[:, 0] > 0)
    back = [half[:, FAR:].sum(axis=1) for half in (mine, theirs)]
    has_many_back = np.maximum(*back) >= MANY
    return {
        "all": np.ones(len(positions), np.bool_),
        "races": is_race,
        "contact, some borne off": ~is_race & has_off,
        "contact, four or more back": ~is_race & ~has_off & has_many_back,
        "other contact": ~is_race & ~has_off & ~has_many_back,
    }


def rearmost(half: Positions) -> NDArray[np.int64]:
    """Where each side's rearmost checker stands, 0 if all are off."""
    is_there = half[:, 1:][:, ::-1] > 0
    return np.where(is_there.any(axis=1), BAR - is_there.argmax(axis=1), 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("No arguments were given: expected a number of positions, and nets.")
    main(*sys.argv[1:])
