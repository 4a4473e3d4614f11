"""How far what a backgammon net says of plays is from its own look-ahead, and where.

    python benchmarks/consistency.py 1500 champion runs/backgammon-win/latest.safetensors

takes so many positions of the champion's games and a roll for each. For each net it compares what
it says of the best play, and of the second best, with what it says one ply ahead (root mean
square), and tells how much of the squares the worst twentieth of the best plays make up. If plays
that are never chosen were known less well than those that are, this would show it.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from pathlib import Path

import numpy as np
from backgammon_errors import BACKGAMMON, drawn
from numpy.typing import NDArray

from astragal.agents.champions import champion
from astragal.games.game import Afterstates
from astragal.games.kernels import UNFINISHED
from astragal.learning.labels import Labeller
from astragal.values.checkpoint import load_net
from astragal.values.network import NetworkValues
from astragal.values.values import win_chance

CLOSE = 0.02  # how far behind the best the second may be


def main(count: str, *names: str) -> None:
    """Prints a table."""
    positions = drawn(int(count))
    rolls = BACKGAMMON.draw(np.random.default_rng(2), len(positions))
    found = BACKGAMMON.afterstates(positions, rolls)
    print(f"| net | best play | second, at most {CLOSE:.0%} behind | in the worst twentieth |")
    print("| --- | ---: | ---: | ---: |")
    for name in names:
        is_champion = name == "champion"
        net = champion(BACKGAMMON, "win") if is_champion else load_net(Path(name), BACKGAMMON)
        told = win_chance(BACKGAMMON, net.chances(found.positions))
        best, second = first_two(found, told)
        offs = [off(net, found, told, plays) for plays in (best, second)]
        squares = np.sort(offs[0] ** 2)[::-1]
        worst = squares[: len(squares) // 20].sum() / squares.sum()
        sizes = (f"{np.sqrt((each**2).mean()):.2%}" for each in offs)
        print(f"| {name} |", " | ".join(sizes), f"| {worst:.0%} |")


def first_two(
    found: Afterstates, told: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best play of each position and the one after it, where that is close."""
    best, second = [], []
    starts = np.flatnonzero(np.diff(found.owner, prepend=-1))
    for begin, end in zip(starts, [*starts[1:], len(told)], strict=True):
        if (found.outcome[begin:end] != UNFINISHED).any() or end - begin < 2:
            continue
        first, other = begin + np.argsort(told[begin:end], kind="stable")[:2]
        if told[other] - told[first] <= CLOSE:
            best.append(first)
            second.append(other)
    return np.array(best), np.array(second)


def off(
    net: NetworkValues, found: Afterstates, told: NDArray[np.float64], plays: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How far what the net tells of plays is from its look-ahead."""
    labels = Labeller(net, "win").label(found.positions[plays])
    ahead = labels.targets[:, 0]
    if net.outputs > 1:
        ahead = win_chance(BACKGAMMON, labels.targets.astype(np.float64))
    return np.asarray(ahead - told[plays])


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[1].isdecimal():
        sys.exit("Expected a number of positions, and nets.")
    main(*sys.argv[1:])
