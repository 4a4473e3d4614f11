"""How fast the learners are, on one core; and how much faster two processes are than one.

Exit code 1 if a bar is missed. The peers cannot be installed: their figures were measured by their
own programs on a machine of this kind.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from astragal.agents.champions import champion
from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.labels import Labeller, output_scores
from astragal.learning.learner import Learner
from astragal.learning.loop import new_learner
from astragal.learning.packed import packed
from astragal.learning.scouts import ScoutTrainer
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings, TdSettings, TrainSettings
from astragal.values.checkpoint import save_net
from astragal.values.table import has_table
from positions import played_positions

ROUNDS = 3
WARM_GAMES = 30_000  # so that a net plays games of the usual length

UR = TrainSettings(
    "ur", games=10**9, net=NetSettings("rows32", (80,)), td=TdSettings(alpha=0.01, lam=0.8)
)
BACKGAMMON = TrainSettings(
    "backgammon", games=10**9, net=NetSettings("tesauro198", (80,)), td=TdSettings(alpha=0.1)
)
QUICK = TrainSettings(
    "ur",
    games=360_000,
    net=NetSettings("unary", (80,)),
    td=TdSettings(alpha=0.1, alpha_end=0.002, decay="cosine", lam=0.8),
)
# What TD-Ur's own best net has against perfect play (docs/how-good-was-td-ur.md).
TD_UR_SHARE, TD_UR_SECONDS = 0.438, 120
LOOKAHEAD = TrainSettings(
    "backgammon",
    learner="lookahead",
    games=10**9,
    net=NetSettings("tesauro198", (80,), "relu"),
    lookahead=LookaheadSettings(epsilon=0.0),
)

LARGE, SMALL = (
    NetSettings("signs", (256, 128, 128), "relu"),
    NetSettings(hidden=(32,), activation="relu"),
)


def td_speed(settings: TrainSettings, games: int, counts_turns: bool) -> float:
    """Turns or games a second of online TD, the median of some rounds."""
    learner = new_learner(find_game(settings.game), settings)
    learner.learn(0, 0, WARM_GAMES)
    rates = []
    for number in range(1, ROUNDS + 1):
        began = time.perf_counter()
        learned = learner.learn(number, WARM_GAMES + number * games, games)
        seconds = time.perf_counter() - began
        rates.append((learned.turns if counts_turns else games) / seconds)
    return statistics.median(rates)


def label_speed() -> float:
    """Positions a second that look-ahead labels with all 21 rolls and the best replies."""
    return _label_speed(Labeller(fresh_net(find_game("backgammon"), LOOKAHEAD.net, seed=1)))


def scout_gain() -> float:
    """How much faster a large net labels positions with a scout than alone."""
    game = find_game("backgammon")
    large, small = (fresh_net(game, net, seed=1) for net in (LARGE, SMALL))
    return _label_speed(Labeller(large, "win", small, 6)) / _label_speed(Labeller(large, "win"))


def _label_speed(labeller: Labeller) -> float:
    game = find_game("backgammon")
    positions = played_positions(game, "champion", games=100, turns=20, seed=1)
    labeller.label(positions[:10])
    rates = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        labeller.label(positions)
        rates.append(len(positions) / (time.perf_counter() - began))
    return statistics.median(rates)


def luck_gain() -> float:
    """How much less sampled targets scatter about the true ones without luck: their variance.

    The scout has learned from a thousand games here; one that learns beside a net comes to know
    better which plays that net likes.
    """
    game, own = find_game("backgammon"), LookaheadSettings(targets="sample", scout=96)
    best, luck = champion(game, "win"), np.random.default_rng(1)
    examples = play_task(PlayTask(game.name, packed(best), own, 1_000, 0.0, False, (1,)))
    trainer = ScoutTrainer(game, own.scout, output_scores(best, "win"), seed=1)
    for _ in range(10):
        trainer.learn(examples.seen, examples.told, luck)
        trainer.hand_over()
    positions = luck.permutation(examples.positions)[:500]
    rolls = game.draw(luck, len(positions))
    exact = Labeller(best, "win").label(positions)
    scout = trainer.player.unpacked(game)
    taken = Labeller(best, "win", scout, own.luck_kept, own.luck_margin).label(positions)
    left = exact.luck(rolls)
    return float((left**2).mean() / ((left - taken.luck(rolls)) ** 2).mean())


def worker_gain() -> float:
    """How much faster two processes learn with look-ahead targets than one."""
    one, two = (_seconds(replace(LOOKAHEAD, workers=workers)) for workers in (1, 2))
    return one / two


def _seconds(settings: TrainSettings) -> float:
    learner: Learner = new_learner(find_game(settings.game), settings)
    games, done = 512, 0
    for _ in range(2):  # processes are started, and everything is compiled
        learner.learn(done, done * games, games)
        done += 1
    began = time.perf_counter()
    for _ in range(4):
        learner.learn(done, done * games, games)
        done += 1
    seconds = time.perf_counter() - began
    learner.close()
    return seconds


def time_to_td_ur() -> tuple[float, float]:
    """Seconds of online TD from nothing, and how often the net then beats perfect play."""
    game = find_game(QUICK.game)
    learner = new_learner(game, QUICK)
    learner.learn(0, 0, 1)  # compiled before the clock runs
    learner = new_learner(game, QUICK)
    began = time.perf_counter()
    for number in range(QUICK.games // 500):
        learner.learn(number, number * 500, 500)
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.safetensors"
        save_net(path, learner.net)
        settings = MatchSettings(1_000, judge="perfect", workers=1)
        result = play_match(game, (f"net:{path}", "perfect"), settings)
    assert result.adjusted_win_rate is not None
    return seconds, result.adjusted_win_rate.mean


BARS: list[tuple[str, Callable[[], float], float, str]] = [
    ("Ur, online TD, 32-80-1, turns/s", lambda: td_speed(UR, 4_000, True), 500_000, "TD-Ur 1,007"),
    (
        "backgammon, online TD, 198-40-1, games/s",
        lambda: td_speed(replace(BACKGAMMON, net=NetSettings("tesauro198", (40,))), 4_000, False),
        5_000,
        "Java 45.6",
    ),
    (
        "backgammon, online TD, 198-80-1, games/s",
        lambda: td_speed(BACKGAMMON, 4_000, False),
        4_000,
        "",
    ),
    ("backgammon, look-ahead targets, 198-80-1 ReLU, positions/s", label_speed, 20_000, ""),
    ("backgammon, signs, 256-128-128, with a scout against without", scout_gain, 3.0, ""),
    (
        "backgammon, variance of sampled targets, luck left in against taken out",
        luck_gain,
        20.0,
        "",
    ),
    ("look-ahead learning, two processes against one", worker_gain, 1.7, ""),
]


def main() -> int:
    """Prints each figure and its bar."""
    table = Table(title="learning; one core but for the last line")
    for column in ("", "here", "at least", "peer"):
        table.add_column(column, justify="left" if not column else "right")
    missed = 0
    for name, measure, bar, peer in BARS:
        figure = measure()
        missed += figure < bar
        digits = 1 if bar < 10 else 0
        table.add_row(name, f"{figure:,.{digits}f}", f"{bar:,.{digits}f}", peer)
    Console().print(table)
    if not has_table(find_game("ur")):
        print("The time to TD-Ur's strength is measured against perfect play: `astragal solve ur`.")
        return 1
    seconds, share = time_to_td_ur()
    missed += seconds > TD_UR_SECONDS or share < TD_UR_SHARE
    print(
        f"Ur from nothing to {share:.1%} against perfect play in {seconds:.0f} s of learning; the "
        f"bar is {TD_UR_SHARE:.1%}, as TD-Ur's net has, in {TD_UR_SECONDS} s"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
