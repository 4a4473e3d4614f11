"""Who is right where a net and others differ: what games without luck say.

    python benchmarks/returns.py runs/backgammon-win 8000 gnubg@0 champion

has the net of a run play so many games against itself, with its scout to take the luck out. What
came of each position is then known with little luck and no opinion in it (lambda 1), though it
scatters. Only positions count in which either side has a fair chance: elsewhere what scatters is
cut off at certainty. For each of the others it is found what share of the difference between it and
the net is right: none if the net is right, all if the other is. The same is asked of the net one
ply ahead, which looks a little better than it is, as what luck is left in it is in what came of the
position too; and of the others when that is known already. It judges; nothing is learned from it.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from luck import scout_of
from numpy.typing import NDArray

from astragal.agents.specs import parse_agent
from astragal.arena.estimates import NORMAL
from astragal.arena.judging import values_of
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.learning.packed import packed
from astragal.learning.run import LATEST, Run
from astragal.learning.selfplay import PlayTask, play_task
from astragal.values.checkpoint import load_net
from astragal.values.network import NetworkValues
from astragal.values.values import Aim, win_chance

AT_ONCE = 100  # games in step
FAIR = 0.2  # what the net must give either side
Numbers = NDArray[np.float64]


class Seen(NamedTuple):
    """Positions that were played, for whoever was about to roll."""

    positions: Positions  # [N, W]
    came: Numbers  # [N] what came of them, luck taken out
    ahead: Numbers  # [N] what the net says one ply ahead
    group: NDArray[np.int64]  # [N] which games were played together


class Share(NamedTuple):
    """What share of a difference is right, and how far from that the truth may be."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f"{self.mean:+.0%} ± {self.margin:.0%}"


def main(folder: Path, games: int, *others: str) -> None:
    """Prints a table."""
    run = Run.open(folder)
    game = find_game(run.settings.game)
    net = load_net(folder / LATEST, game)
    if net.outputs != 1:
        raise InputError(f"The net in {folder} tells all outcomes: expected one that tells wins.")
    aim: Aim = "win" if max(game.outcomes) > 1 else "points"
    judges = [values_of(parse_agent(game, name, aim)) for name in others]
    seen = played(run, net, games)
    said = win_chance(game, net.chances(seen.positions))
    fair = (said > FAIR) & (said < 1 - FAIR)
    seen, said = Seen(*(column[fair] for column in seen)), said[fair]
    wrong, ahead = seen.came - said, seen.ahead - said
    print("| who | differs by | is right | given what one ply ahead says |")
    print("| --- | ---: | ---: | ---: |")
    (share,) = shares(wrong, seen.group, ahead)
    print(f"| the net one ply ahead | {rms(ahead):.2%} | {share} | |")
    for name, values in zip(others, judges, strict=True):
        off = win_chance(game, values.chances(seen.positions)) - said
        (alone,), (given, _) = (
            shares(wrong, seen.group, *known) for known in ((off,), (off, ahead))
        )
        print(f"| `{name}` | {rms(off):.2%} | {alone} | {given} |")


def played(run: Run, net: NetworkValues, games: int) -> Seen:
    """Games of the net against itself."""
    own, scout = replace(run.settings.lookahead, again=0.0), packed(scout_of(run, net))
    parts = []
    for number in range(max(2, games // AT_ONCE)):
        # The same games twice, first with all that came later in the targets, then with nothing.
        luck = (run.settings.seed, number, AT_ONCE)
        came, ahead = (
            play_task(
                PlayTask(
                    net.game.name,
                    packed(net),
                    replace(own, lam=lam),
                    AT_ONCE,
                    0.0,
                    False,
                    luck,
                    scout,
                )
            )
            for lam in (1.0, 0.0)
        )
        group = np.full(len(came.positions), number)
        parts.append(Seen(came.positions, came.targets[:, 0], ahead.targets[:, 0], group))
    return Seen(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def shares(wrong: Numbers, group: NDArray[np.int64], *offs: Numbers) -> list[Share]:
    """What shares of differences [N] explain best how wrong the net was [N].

    Positions of a game have much in common, so what varies is taken from group to group [N].
    """
    known = np.stack(offs, axis=1)
    inverse = np.linalg.inv(known.T @ known)
    found = inverse @ known.T @ wrong
    apart = np.zeros((group.max() + 1, len(offs)))
    np.add.at(apart, group, (wrong - known @ found)[:, np.newaxis] * known)
    errors = np.sqrt(np.diag(inverse @ apart.T @ apart @ inverse))
    return [
        Share(float(mean), float(NORMAL * error)) for mean, error in zip(found, errors, strict=True)
    ]


def rms(numbers: Numbers) -> float:
    """The root of the mean square."""
    return float(np.sqrt((numbers**2).mean()))


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[2].isdecimal():
        sys.exit("Expected the folder of a run, a number of games, and agents to compare with.")
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
    except InputError as fault:
        sys.exit(str(fault))
