"""Where a net for backgammon errs: how far its chances are from GNU Backgammon's, two plies ahead.

    python benchmarks/backgammon_errors.py 2000 champion champion@1 runs/a/latest.safetensors

takes so many positions of the champion's games against itself, with some plays by lot, and prints
for each kind of position how far the chance of winning is off on average (root mean square), for
`gnubg@0` and for each net, one ply ahead where @1 follows its name; and then what each net's
choices win less a decision than those of `gnubg@0`. It judges; nothing is learned from it. Nets
know the bear-off if it is solved.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from astragal.agents.champions import champion
from astragal.agents.gnubg import GnubgValues
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Positions
from astragal.games.kernels import UNFINISHED
from astragal.learning.packed import packed
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings
from astragal.search.lookahead import Lookahead
from astragal.search.rows import best_of_groups
from astragal.values.bearoff import knowing_bearoff
from astragal.values.checkpoint import load_net
from astragal.values.values import Values, win_chance

Kinds: TypeAlias = dict[str, NDArray[np.bool_]]

BACKGAMMON = find_game("backgammon")
REFERENCE, JUDGE = "gnubg@0", GnubgValues(BACKGAMMON, 2)
GAMES = 400
BY_LOT = 0.02  # of all plays, so that unusual positions come up too
FAR = 19  # from here on a checker is in the other's home board, or on the bar
MANY = 4  # checkers back


def main(count: str, *nets: str) -> None:
    """Prints two tables."""
    positions = drawn(int(count))
    kinds = kinds_of(positions)
    print_errors(positions, kinds, nets)
    print_losses(positions, kinds, nets)


def print_errors(positions: Positions, kinds: Kinds, nets: Sequence[str]) -> None:
    """Prints how far the chances of winning are off."""
    judge = win_chance(BACKGAMMON, JUDGE.chances(positions))
    print_heading("off by", kinds)
    for name in (REFERENCE, *nets):
        off = win_chance(BACKGAMMON, values_of(name).chances(positions)) - judge
        told = (f"{100 * np.sqrt((off[rows] ** 2).mean()):.2f} %" for rows in kinds.values())
        print(f"| {name} |", " | ".join(told), "|")


def print_losses(positions: Positions, kinds: Kinds, nets: Sequence[str]) -> None:
    """Prints what choices lose, with 95 % intervals."""
    rolls = BACKGAMMON.draw(np.random.default_rng(2), len(positions))
    found = BACKGAMMON.afterstates(positions, rolls)
    reference = best_plays(values_of(REFERENCE), found, len(positions))
    print_heading(f"wins less than {REFERENCE} a decision", kinds)
    for name in nets:
        chosen = best_plays(values_of(name), found, len(positions))
        lost, differs = np.zeros(len(positions)), np.flatnonzero(chosen != reference)
        for plays, sign in ((reference, 1), (chosen, -1)):
            some = Afterstates(*(column[plays[differs]] for column in found))
            lost[differs] += sign * worth_to_mover(JUDGE, some)
        told = []
        for rows in kinds.values():
            margin = 1.96 * lost[rows].std() / np.sqrt(rows.sum())
            told.append(f"{100 * lost[rows].mean():.3f} % ± {100 * margin:.3f} %")
        print(f"| {name} |", " | ".join(told), "|")


def print_heading(what: str, kinds: Kinds) -> None:
    """Prints the first lines of a table."""
    print(
        f"\n| {what} |",
        " | ".join(f"{name} ({rows.mean():.0%})" for name, rows in kinds.items()),
        "|",
    )
    print("| --- |", " | ".join("---:" for _ in kinds), "|")


def best_plays(values: Values, found: Afterstates, count: int) -> NDArray[np.int64]:
    """What values choose of each position's plays, without look-ahead, by its number among all."""
    return np.asarray(best_of_groups(worth_to_mover(values, found), found.owner, count))


def worth_to_mover(values: Values, found: Afterstates) -> NDArray[np.float64]:
    """The chance of winning that each play leaves whoever made it."""
    wins = win_chance(BACKGAMMON, values.chances(found.positions))
    wins = np.where(found.outcome == UNFINISHED, wins, found.outcome > 0)
    return np.where(found.turn_passes, 1 - wins, wins)


def values_of(name: str) -> Values:
    """The values of this name: gnubg@0, champion, or a net in a file, perhaps one ply ahead."""
    if name == REFERENCE:
        return GnubgValues(BACKGAMMON, 0)
    if name.endswith("@1"):
        return Lookahead(values_of(name.removesuffix("@1")), "win")
    is_champion = name == "champion"
    return knowing_bearoff(
        champion(BACKGAMMON, "win") if is_champion else load_net(Path(name), BACKGAMMON)
    )


def drawn(count: int) -> Positions:
    """Positions of the champion's games, drawn by lot."""
    settings = LookaheadSettings(targets="sample")
    player = packed(champion(BACKGAMMON))
    task = PlayTask("backgammon", player, settings, GAMES, BY_LOT, False, (1,))
    return np.random.default_rng(1).permutation(play_task(task).positions)[:count]


def kinds_of(positions: Positions) -> Kinds:
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
