"""How much luck is left in sampled targets, by how it is taken out, and what a scout passes over.

    python benchmarks/luck.py runs/backgammon-win

takes the net of a run with a scout, and that scout, plays some games, and compares one roll's
target with what all rolls and all plays lead to on average: the chance of winning, or what points
are worth as a share of the most. Exact targets take their time: a minute or two.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from pathlib import Path

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.labels import Labeller, Labels, aim_of, output_scores
from astragal.learning.packed import packed
from astragal.learning.run import CHECKPOINT, LATEST, Run
from astragal.learning.scouts import ScoutTrainer, shares
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings
from astragal.values.checkpoint import load_net
from astragal.values.network import NetworkValues

GAMES, POSITIONS = 30, 1_000
MARGINS = ((1, np.inf), (2, 0.1), (2, 0.2), (3, 0.2), (4, 0.3))
KEPT = ((5, np.inf), (8, np.inf), (8, 0.5), (8, 0.3))


def main(folder: Path) -> None:
    """Prints two tables."""
    run = Run.open(folder)
    game = find_game(run.settings.game)
    net = load_net(folder / LATEST, game)
    scout, luck = scout_of(run, net), np.random.default_rng(1)
    own = LookaheadSettings(targets="sample")
    task = PlayTask(game.name, packed(net), own, GAMES, 0.0, False, (1,))
    positions = luck.permutation(play_task(task).positions)[:POSITIONS]
    rolls, aim = game.draw(luck, len(positions)), aim_of(net)
    exact = Labeller(net, aim).label(positions)
    print_left(net, scout, exact, positions, rolls)
    print("\n| the scout leaves of a roll | plays | lost a turn |\n| --- | ---: | ---: |")
    best = worth(net, exact.by_roll[np.arange(len(rolls)), rolls])
    for kept, margin in KEPT:
        labels = Labeller(net, aim, scout, kept, margin).label(positions, rolls)
        looked = len(labels.seen) / len(positions)
        lost = (best - worth(net, labels.targets)).mean()
        print(f"| {told(kept, margin)} | {looked:.1f} | {lost:.3%} |")


def print_left(
    net: NetworkValues,
    scout: NetworkValues,
    exact: Labels,
    positions: NDArray[np.int8],
    rolls: NDArray[np.int64],
) -> None:
    """Prints how much luck is left in targets."""
    luck = worth(net, exact.luck(rolls), is_difference=True)
    print("| luck is told by | plays of a roll | left |\n| --- | ---: | ---: |")
    print(f"| nobody | 0 | {luck.std():.2%} |")
    seen = Labeller(scout).label(positions).luck(rolls)[:, 0]
    print(f"| the scout | 0 | {(luck - seen).std():.2%} |")
    for kept, margin in MARGINS:
        labels = Labeller(net, aim_of(net), scout, kept, margin).label(positions)
        seen = worth(net, labels.luck(rolls), is_difference=True)
        looked = len(labels.seen) / len(positions) / len(net.game.rolls)
        print(f"| the net, {told(kept, margin)} | {looked:.2f} | {(luck - seen).std():.2%} |")


def told(kept: int, margin: float) -> str:
    """What is kept, in words."""
    return f"{kept}" if margin == np.inf else f"{kept} within {margin}"


def worth(
    net: NetworkValues, outputs: NDArray[np.float32], is_difference: bool = False
) -> NDArray[np.float32]:
    """What outputs [n, K] are worth [n], as a share of the most there is to win."""
    scores = output_scores(net, aim_of(net))
    if is_difference and scores.size > 1:
        return np.asarray(outputs @ scores / np.ptp(scores), np.float32)
    return outputs[:, 0] if is_difference else shares(outputs, scores)[:, 0]


def scout_of(run: Run, net: NetworkValues) -> NetworkValues:
    """The scout of a run, as it was at the last checkpoint."""
    units, path = run.settings.lookahead.scout, run.folder / CHECKPOINT
    if units == 0 or not path.exists():
        raise InputError(f"{run.folder} has no scout: expected a run with one, and a checkpoint.")
    trainer = ScoutTrainer(net.game, units, output_scores(net, aim_of(net)), run.settings.seed)
    trainer.restore(safetensors.numpy.load_file(path))
    return trainer.player.unpacked(net.game)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{len(sys.argv) - 1} arguments were given: expected one, the folder of a run.")
    try:
        main(Path(sys.argv[1]))
    except InputError as fault:
        sys.exit(str(fault))
