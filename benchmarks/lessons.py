"""What a net for backgammon learns from targets of each kind, made of the same number of games.

    python benchmarks/lessons.py NET.safetensors runs/backgammon-win 4000 PEER.safetensors

takes a net that tells wins alone, a run that has a scout for it, and other nets as peers. The net
plays so many games against itself for each kind of targets, learns from each position twice, and
then says the chances of contact positions. It prints what a target costs, how far targets are from
what the net said, and how far it then is from GNU Backgammon two plies ahead (root mean squares).
Nothing is kept of what it learned.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from backgammon_errors import BACKGAMMON, JUDGE, drawn, kinds_of
from luck import scout_of
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.game import Positions
from astragal.learning.gradient import BatchTrainer
from astragal.learning.packed import PackedNet, packed
from astragal.learning.replay import Replay
from astragal.learning.run import Run
from astragal.learning.schedules import scheduled
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings
from astragal.values.checkpoint import load_net
from astragal.values.network import NetworkValues
from astragal.values.values import win_chance

AT_ONCE, BATCH, USES, ALPHA, ALPHA_END = 250, 512, 2, 0.0003, 0.000005
JUDGED = 2_500  # positions, races among them


class Lesson(NamedTuple):
    """A kind of targets."""

    name: str
    settings: LookaheadSettings


LESSONS = [
    Lesson(
        f"one roll, its luck taken out, lambda {lam}",
        LookaheadSettings(
            targets="sample", luck="take", luck_margin=0.1, lam=lam, scout=1, scout_kept=8
        ),
    )
    for lam in (0.85, 0.25, 0)
] + [
    Lesson(
        f"all rolls, lambda {lam}",
        LookaheadSettings(lam=lam, scout=1, scout_kept=3, scout_margin=0.25),
    )
    for lam in (0.85, 0.25, 0)
]


def main(file: str, folder: Path, games: int, *files: str) -> None:
    """Prints a table."""
    net = load_net(Path(file), BACKGAMMON)
    if net.outputs > 1:
        raise InputError(f"{file} tells all outcomes: expected a net that tells wins alone.")
    scout = packed(scout_of(Run.open(folder), net))
    peers = [net, *(load_net(Path(file), BACKGAMMON) for file in files)]
    positions = drawn(JUDGED)
    positions = positions[~kinds_of(positions)["races"]]
    right = win_chance(BACKGAMMON, JUDGE.chances(positions))
    print("| targets | microseconds | differ from the net by | then off by |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| none: the net as it was | | | {off(net, positions, right)} |")
    together = Lesson("the net and its peers on average", LookaheadSettings(targets="peers"))
    for lesson in [*LESSONS, together] if files else LESSONS:
        taught, spent, differ = after(lesson, net, scout, peers, games)
        print(
            f"| {lesson.name} | {spent:.0f} | {differ:.2%} | {off(taught, positions, right)} |",
            flush=True,
        )


def off(net: NetworkValues, positions: Positions, right: NDArray[np.float64]) -> str:
    """How far the net's chances of winning are from the right ones."""
    wrong = win_chance(BACKGAMMON, net.chances(positions)) - right
    return f"{np.sqrt((wrong**2).mean()):.3%}"


def after(
    lesson: Lesson, net: NetworkValues, scout: PackedNet, peers: Sequence[NetworkValues], games: int
) -> tuple[NetworkValues, float, float]:
    """The net after a lesson, microseconds a target, and how far those are from the net's word."""
    began, squares, memory = time.perf_counter(), 0.0, Replay(200 * games, BACKGAMMON.width, 1)
    for task in tasks_of(lesson, net, scout, peers, games):
        examples = play_task(task)
        memory.add(examples.positions, examples.targets)
        squares += examples.squares
    count, spent = len(memory), time.perf_counter() - began
    trainer, luck = BatchTrainer(net), np.random.default_rng(1)
    steps = USES * count // BATCH
    for alpha in scheduled("cosine", ALPHA, ALPHA_END, np.arange(steps), steps):
        trainer.step(*memory.draw(BATCH, luck), float(alpha))
    return trainer.net, 1e6 * spent / count, float(np.sqrt(squares / count))


def tasks_of(
    lesson: Lesson, net: NetworkValues, scout: PackedNet, peers: Sequence[NetworkValues], games: int
) -> Iterator[PlayTask]:
    """The games of a lesson."""
    is_scouted, has_peers = lesson.settings.scout > 0, lesson.settings.targets == "peers"
    for number in range(games // AT_ONCE):
        yield PlayTask(
            BACKGAMMON.name,
            packed(net),
            lesson.settings,
            AT_ONCE,
            0.0,
            False,
            (1, number),
            scout if is_scouted else None,
            tuple(map(packed, peers)) if has_peers else (),
        )


if __name__ == "__main__":
    if len(sys.argv) < 4 or not sys.argv[3].isdecimal() or int(sys.argv[3]) < AT_ONCE:
        sys.exit(f"Expected a net, the folder of a run, {AT_ONCE} games or more, and other nets.")
    try:
        main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
    except InputError as fault:
        sys.exit(str(fault))
