"""What a run on many machines needs: measured here on one core, then simulated for more.

Prints the tables of docs/scale.md. Timings want a quiet machine.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import pickle
import sys
import time
from dataclasses import dataclass, replace

import numpy as np

from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer
from astragal.learning.packed import packed
from astragal.learning.selfplay import Examples, PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings
from astragal.values.network import NetworkValues

NETS = {
    "198-80-1": NetSettings("tesauro198", (80,), "relu"),
    "326-256-256-6": NetSettings("hilton326", (256, 256), "relu", "outcomes"),
}
SETTINGS = LookaheadSettings(epsilon=0.0)
GAMES = 32  # in a task
BATCHES = (512, 8_192)
WORKERS = (1, 10, 100, 1_000)
LINE = 125e6  # bytes a second into the machine that learns: a gigabit
TASK_SECONDS = 1e-3  # what Dask's scheduler takes for a task, as its documentation says


@dataclass(frozen=True)
class Costs:
    """What was measured of one net."""

    positions: float  # that a core plays and labels in a second
    position_bytes: float
    net_bytes: float
    step_seconds: dict[int, float]  # by the size of a batch
    game_positions: float

    def rate(
        self, workers: int, settings: LookaheadSettings, games: int, faster: int = 1
    ) -> tuple[float, str]:
        """Positions learned from in a second, and what limits it.

        While one stretch is learned from, so many times faster than here, the next is played and
        sent; the slowest decides.
        """
        steps = settings.uses / settings.batch * self.step_seconds[settings.batch] / faster
        tasks = min(settings.parts, games)
        positions = games * self.game_positions
        busy = min(workers, tasks)
        rounds = -(-tasks // busy)
        seconds = {
            "playing": rounds * positions / tasks / self.positions,
            "learning": positions * steps,
            "the line": (positions * self.position_bytes + tasks * self.net_bytes) / LINE,
            "the scheduler": tasks * TASK_SECONDS,
        }
        limit = max(seconds, key=lambda name: seconds[name])
        return positions / seconds[limit], limit


def measure(name: str) -> Costs:
    """The costs of a net with weights that have learned a little, so that games end."""
    game = find_game("backgammon")
    net = _played_in(fresh_net(game, NETS[name], seed=1))
    task = PlayTask("backgammon", packed(net), SETTINGS, GAMES, 0.0, False, (1,))
    play_task(replace(task, games=2))
    began = time.perf_counter()
    examples = play_task(task)
    seconds = time.perf_counter() - began
    count = len(examples.positions)
    data = pickle.dumps(examples)
    return Costs(
        positions=count / seconds,
        position_bytes=len(data) / count,
        net_bytes=len(pickle.dumps(task)),
        step_seconds={size: _step_seconds(net, examples, size) for size in BATCHES},
        game_positions=count / GAMES,
    )


def _played_in(net: NetworkValues) -> NetworkValues:
    """The net after some steps towards a heuristic's targets."""
    trainer, luck = BatchTrainer(net), np.random.default_rng(1)
    task = PlayTask("backgammon", packed(net), SETTINGS, 64, 0.0, True, (2,))
    examples = play_task(task)
    for _ in range(600):
        rows = luck.integers(len(examples.positions), size=SETTINGS.batch)
        trainer.step(examples.positions[rows], examples.targets[rows], 2e-3)
    return trainer.net


def _step_seconds(net: NetworkValues, examples: Examples, size: int) -> float:
    trainer, rows = BatchTrainer(net), np.arange(size) % len(examples.positions)
    batch = examples.positions[rows], examples.targets[rows]
    trainer.step(*batch, 1e-4)
    began = time.perf_counter()
    for _ in range(20):
        trainer.step(*batch, 1e-4)
    return (time.perf_counter() - began) / 20


def main() -> int:
    """Prints what was measured and what follows."""
    sizes = " | ".join(f"ms a batch of {size:,}" for size in BATCHES)
    print(f"| net | positions/s a core | bytes a position | bytes a task sends | {sizes} |")
    print("| --- " * (4 + len(BATCHES)) + "|")
    found = {name: measure(name) for name in NETS}
    for name, costs in found.items():
        print(
            f"| {name} | {costs.positions:,.0f} | {costs.position_bytes:.0f} "
            f"| {costs.net_bytes:,.0f} "
            + " ".join(f"| {1e3 * costs.step_seconds[size]:.2f}" for size in BATCHES)
            + " |"
        )
    print(
        "\n| net, setting | "
        + " | ".join(f"{count:,} worker{'s' if count > 1 else ''}" for count in WORKERS)
        + " |"
    )
    print("| --- " * (1 + len(WORKERS)) + "|")
    for name, costs in found.items():
        for told, settings, games, faster in _variants():
            cells = []
            for workers in WORKERS:
                rate, limit = costs.rate(workers, settings, games, faster)
                cells.append(f"{rate:,.0f}/s, {limit}")
            print(f"| {name}, {told} | {' | '.join(cells)} |")
    return 0


def _variants() -> list[tuple[str, LookaheadSettings, int, int]]:
    many = replace(SETTINGS, parts=4_000)
    once = replace(many, batch=8_192, uses=1.0)
    return [
        ("as it is: 512 games, 4 parts", SETTINGS, 512, 1),
        ("128,000 games, 4,000 parts", many, 128_000, 1),
        ("the same, batches of 8,192, each used once", once, 128_000, 1),
        ("the same, a learner 20 times as fast", once, 128_000, 20),
    ]


if __name__ == "__main__":
    sys.exit(main())
