"""How strong a net for Ur could be, were it told the exact values: what its shape leaves out.

    python benchmarks/ur_capacity.py signs 192,48 240000

fits a net of these features and hidden units with so many steps, for which `astragal solve ur` must
have been run. It says which shapes are worth teaching; no champion has seen any of it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from astragal.agents.champions import champion
from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.packed import packed
from astragal.learning.schedules import scheduled
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings
from astragal.values.checkpoint import save_net
from astragal.values.network import NetworkValues
from astragal.values.table import exact_values
from astragal.values.values import win_chance

UR = find_game("ur")
TASKS, GAMES = 30, 1000  # by the champion, to fit to
EXPLORING = 0.03
BATCH, ALPHA = 256, 0.003
WOKEN_EVERY = 2000
ASKED = 100_000  # positions of the table at once
MEASURED = 2000  # games against perfect play


def main(features: str, hidden: str, steps: str) -> None:
    """Prints how far off the net is on average, and how it does against perfect play."""
    units = tuple(int(number) for number in hidden.split(","))
    net = fresh_net(UR, NetSettings(features, units, "relu"), 1)
    positions, wins = examples()
    began = time.perf_counter()
    net = fitted(net, positions, wins, int(steps))
    seconds = time.perf_counter() - began
    sample = slice(None, None, 30)
    off = win_chance(UR, net.chances(positions[sample])) - wins[sample, 0]
    weights = sum(layer.weights.size + layer.biases.size for layer in net.layers)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.safetensors"
        save_net(file, net)
        settings = MatchSettings(MEASURED, 1, judge="perfect")
        rate = play_match(UR, (f"net:{file}", "perfect"), settings).adjusted_win_rate
    assert rate is not None
    print(
        f"{features}, {hidden}, {weights:,} weights, {seconds:.0f} s: off by "
        f"{100 * np.sqrt((off**2).mean()):.3f} %, wins {100 * rate.mean:.2f} % ± "
        f"{100 * rate.margin:.2f} % against perfect play"
    )


def examples() -> tuple[Positions, NDArray[np.float32]]:
    """Positions [N, W] of the champion's games, and the exact chances of winning [N, 1]."""
    player, exact = packed(champion(UR)), exact_values(UR)
    settings = LookaheadSettings(lam=0.0)
    games = [
        play_task(PlayTask("ur", player, settings, GAMES, EXPLORING, False, (7, number))).positions
        for number in range(TASKS)
    ]
    positions = np.concatenate(games)
    parts = np.array_split(positions, len(positions) // ASKED + 1)
    wins = np.concatenate([win_chance(UR, exact.chances(part)) for part in parts])
    return positions, wins.astype(np.float32)[:, np.newaxis]


def fitted(
    net: NetworkValues, positions: Positions, wins: NDArray[np.float32], steps: int
) -> NetworkValues:
    """The net after so many steps towards the exact chances."""
    trainer, luck = BatchTrainer(net, rates="width"), np.random.default_rng(2)
    rates = scheduled("cosine", ALPHA, 1e-5, np.arange(steps), steps)
    for number, rate in enumerate(rates):
        if number % WOKEN_EVERY == 0:
            trainer.wake(positions[luck.integers(0, len(positions), 4096)], luck)
        drawn = luck.integers(0, len(positions), BATCH)
        trainer.step(positions[drawn], wins[drawn], float(rate))
    return trainer.net


if __name__ == "__main__":
    main(*sys.argv[1:])
