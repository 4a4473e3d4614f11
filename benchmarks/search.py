"""How fast look-ahead chooses a move, beside GNU Backgammon in the same run, on one core."""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import statistics
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from astragal.agents.agent import Agent
from astragal.agents.gnubg import GnubgAgent
from astragal.agents.searching import SearchingAgent
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions, Rolls
from astragal.values.feature_sets import features
from astragal.values.network import NetworkValues, random_layers
from positions import some_positions

ROUNDS = 5
POSITIONS = 30
TDUR_SECONDS = 0.009  # TD-Ur's own program, its "2-ply", measured on a machine of this kind


def a_net(game: Game, inputs: str) -> NetworkValues:
    """A net of 80 hidden units, with weights by chance."""
    chosen = features(game, inputs)
    layers = random_layers([chosen.size, 80, 1], np.random.default_rng(1), 0.3)
    return NetworkValues(chosen, layers)


def questions(game: Game, seed: int) -> tuple[Positions, Rolls]:
    """Positions from the middle of games, others with every seed."""
    return some_positions(game, games=POSITIONS, turns=25, seed=seed)


def seconds_a_move(agent: Agent, positions: Positions, rolls: Rolls) -> float:
    """Each position is a question of its own, as in a game."""
    luck = np.random.default_rng(3)
    began = time.perf_counter()
    for i in range(len(rolls)):
        agent.choose(positions[i : i + 1], rolls[i : i + 1], luck)
    return (time.perf_counter() - began) / len(rolls)


def main() -> None:
    """Prints both figures and their ratio; exit code 1 if a bar was not reached."""
    ur, backgammon = find_game("ur"), find_game("backgammon")
    ours, theirs, urs = [], [], []
    searching = SearchingAgent(a_net(backgammon, "tesauro198"), 2)
    looking = SearchingAgent(a_net(ur, "rows32"), 1)
    gnubg = GnubgAgent(backgammon, 2)
    for agent in (searching, gnubg, looking):  # compiled and loaded before the clock runs
        seconds_a_move(agent, *questions(agent.game, seed=99))
    for number in range(ROUNDS):
        # Other positions in every round: GNU Backgammon remembers what it has evaluated.
        ours.append(seconds_a_move(searching, *questions(backgammon, number)))
        theirs.append(seconds_a_move(gnubg, *questions(backgammon, number)))
        urs.append(seconds_a_move(looking, *questions(ur, number)))
    gnubg_seconds = statistics.median(theirs)
    rows = [
        ("Ur @1, 32-80-1", statistics.median(urs), TDUR_SECONDS, "TD-Ur", 20.0),
        ("backgammon @2, 198-80-1", statistics.median(ours), gnubg_seconds, "gnubg@2", 1.0),
    ]
    table = Table(title=f"one core, {POSITIONS} positions, median of {ROUNDS} rounds", box=None)
    for heading in ("", "ours, ms", "peer, ms", "peer", "times faster", "at least"):
        table.add_column(heading, justify="left" if heading in ("", "peer") else "right")
    for what, mine, peer, name, bar in rows:
        figures = f"{1e3 * mine:.2f}", f"{1e3 * peer:.2f}", name, f"{peer / mine:.1f}", f"{bar:g}"
        table.add_row(what, *figures)
    Console().print(table)
    sys.exit(any(peer / mine < bar for _, mine, peer, _, bar in rows))


if __name__ == "__main__":
    main()
