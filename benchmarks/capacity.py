"""How strong a net could be, were it told all values by who knows them: what its shape leaves out.

    python benchmarks/capacity.py ur signs 192,48 240000
    python benchmarks/capacity.py backgammon tactics 256,128,64 8000 each small

fits a net of these features and hidden units, with so many steps, and with phases and the spread of
its first weights as wished: to the exact table of Ur, for which `astragal solve ur` must have been
run, or to `gnubg@0`. It says which shapes are worth teaching; no champion has seen any of it.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
import tempfile
import time
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.champions import champion
from astragal.agents.gnubg import GnubgValues
from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.learning.fresh import fresh_net
from astragal.learning.gradient import BatchTrainer, Rates
from astragal.learning.packed import packed
from astragal.learning.schedules import scheduled
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings
from astragal.values.checkpoint import save_net
from astragal.values.network import NetworkValues
from astragal.values.table import exact_values
from astragal.values.values import Values, win_chance


class Lesson(NamedTuple):
    """How a game's nets are fitted."""

    teacher: str
    judge: str
    batch: int
    alpha: float
    rates: Rates


LESSONS = {
    "ur": Lesson("perfect", "perfect", 256, 0.003, "width"),
    "backgammon": Lesson("gnubg@0", "champion", 1024, 0.001, "even"),
}
TASKS, GAMES = 30, 1000  # by the champion, to fit to
EXPLORING = 0.03
WOKEN_EVERY = 2000
ASKED = 100_000  # positions of the table at once
MEASURED = 2000  # games against the teacher


def main(
    name: str,
    features: str,
    hidden: str,
    steps: str,
    phases: Literal["one", "each"] = "one",
    spread: Literal["auto", "small"] = "auto",
) -> None:
    """Prints how far off the net is on average, and how it does against who taught it."""
    game, lesson = find_game(name), LESSONS[name]
    units = tuple(int(number) for number in hidden.split(","))
    net = fresh_net(game, NetSettings(features, units, "relu", phases=phases, spread=spread), 1)
    positions, wins = examples(game, range(TASKS))
    began = time.perf_counter()
    net = fitted(net, lesson, positions, wins, int(steps))
    seconds = time.perf_counter() - began
    others, right = examples(game, range(TASKS, TASKS + 1))
    off = win_chance(game, net.chances(others)) - right[:, 0]
    weights = sum(layer.weights.size + layer.biases.size for layer in net.layers)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.safetensors"
        save_net(file, net)
        settings = MatchSettings(MEASURED, 1, "win", judge=lesson.judge)
        rate = play_match(game, (f"net:{file}", lesson.teacher), settings).adjusted_win_rate
    assert rate is not None
    print(
        f"{features}, {hidden}, phases {phases}, spread {spread}, {weights:,} weights, "
        f"{seconds:.0f} s: off by {100 * np.sqrt((off**2).mean()):.3f} %, "
        f"wins {100 * rate.mean:.2f} % ± {100 * rate.margin:.2f} % against {lesson.teacher}"
    )


def examples(game: Game, tasks: range) -> tuple[Positions, NDArray[np.float32]]:
    """Positions [N, W] of the champion's games, and the teacher's chances of winning [N, 1]."""
    player, settings = packed(champion(game)), LookaheadSettings(targets="sample")
    games = [
        play_task(PlayTask(game.name, player, settings, GAMES, EXPLORING, False, (7, each)))
        for each in tasks
    ]
    positions = np.concatenate([each.positions for each in games])
    teacher: Values = exact_values(game) if game.name == "ur" else GnubgValues(game)
    parts = np.array_split(positions, len(positions) // ASKED + 1)
    wins = np.concatenate([win_chance(game, teacher.chances(part)) for part in parts])
    return positions, wins.astype(np.float32)[:, np.newaxis]


def fitted(
    net: NetworkValues, lesson: Lesson, positions: Positions, wins: NDArray[np.float32], steps: int
) -> NetworkValues:
    """The net after so many steps towards the teacher's chances."""
    trainer, luck = BatchTrainer(net, rates=lesson.rates), np.random.default_rng(2)
    rates = scheduled("cosine", lesson.alpha, 1e-5, np.arange(steps), steps)
    for number, rate in enumerate(rates):
        if number % WOKEN_EVERY == 0:
            trainer.wake(positions[luck.integers(0, len(positions), 4096)], luck)
        drawn = luck.integers(0, len(positions), lesson.batch)
        trainer.step(positions[drawn], wins[drawn], float(rate))
    return trainer.net


if __name__ == "__main__":
    if (
        len(sys.argv) not in range(5, 8)
        or sys.argv[1] not in LESSONS
        or not {*sys.argv[5:6]} <= {"one", "each"}
        or not {*sys.argv[6:]} <= {"auto", "small"}
    ):
        sys.exit(
            f"Expected GAME FEATURES HIDDEN STEPS, then one or each, then auto or small; GAME one "
            f"of {', '.join(LESSONS)}."
        )
    main(*sys.argv[1:])
