"""How fast the rules run beside other people's engines: both figures and their ratio, in one run.

One core, each measured in turn, the median of several rounds. `make bench` installs the peers.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import gnubg_nn
import numpy as np
import pyspiel
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from royalur import Game as RoyalUrGame

from astragal.compiling import compiled
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions, Rolls
from astragal.games.kernels import new_buffer, write_afterstates
from astragal.games.random_play import random_games
from positions import some_positions

ROUNDS = 5
SECONDS = 1.0  # how long each engine is measured in each round


class Contest(NamedTuple):
    """What both engines do, and how much of it ours should do at least for each of the peer's."""

    what: str
    peer: str
    bar: float
    ours: Callable[[], int]
    theirs: Callable[[], int]


def rate(work: Callable[[], int]) -> float:
    """How many pieces of work are done in a second."""
    done, began = 0, time.perf_counter()
    while (seconds := time.perf_counter() - began) < SECONDS:
        done += work()
    return done / seconds


def our_games(game: Game, games: int, count: str) -> Callable[[], int]:
    """Random whole games with ours; counts moves or games."""
    luck = np.random.default_rng(1)

    def work() -> int:
        _, moves, _ = random_games(game.rules, games, luck)
        return int(moves.sum()) if count == "moves" else games

    return work


def royalur_moves() -> int:
    """A random whole game with royalur; how many moves were made."""
    game: Any = RoyalUrGame.create_finkel()
    moves = 0
    while not game.is_finished():
        game.roll_dice()
        if game.is_waiting_for_move():
            game.make_move(random.choice(game.find_available_moves()))
            moves += 1
    return moves


def openspiel_games(name: str) -> Callable[[], int]:
    """Random whole games with OpenSpiel, which lists all actions of every roll."""
    game = pyspiel.load_game(name)

    def work() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(actions, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
        return 1

    return work


@compiled
def generate(rules: Any, positions: Any, rolls: Any, rounds: int) -> int:
    """Writes all afterstates of all positions, several times over; how many there were."""
    room = new_buffer(rules, rules.most_afterstates)
    count = 0
    for _ in range(rounds):
        for i in range(rolls.size):
            count += write_afterstates(rules, positions[i], rolls[i], room, 0)
    return count


def our_plays(game: Game, positions: Positions, rolls: Rolls) -> Callable[[], int]:
    """All afterstates of the positions with ours; counts positions."""

    def work() -> int:
        generate(game.rules, positions, rolls, 10)
        return 10 * len(rolls)

    return work


def gnubg_plays(game: Game, positions: Positions, rolls: Rolls) -> Callable[[], int]:
    """All plays of the positions with gnubg-nn, called from Python; counts positions."""
    boards = [_gnubg_board(position) for position in positions]
    dice = [(int(game.rolls[roll][0]), int(game.rolls[roll][1])) for roll in rolls]

    def work() -> int:
        for board, (larger, smaller) in zip(boards, dice, strict=True):
            gnubg_nn.moves(board, larger, smaller)
        return len(boards)

    return work


def _gnubg_board(position: NDArray[np.int8]) -> list[list[int]]:
    """First the other player's 24 points and bar, then those of the player on roll."""
    mine, theirs = position.reshape(2, -1)[:, 1:].tolist()
    return [theirs, mine]


def contests() -> list[Contest]:
    """The table of bars."""
    ur, backgammon, tictactoe = map(find_game, ("ur", "backgammon", "tictactoe"))
    positions, rolls = some_positions(backgammon, games=2_000, turns=40, seed=2)
    return [
        Contest("Ur, random moves", "royalur", 200, our_games(ur, 2_000, "moves"), royalur_moves),
        Contest(
            "backgammon, random games",
            "OpenSpiel",
            30,
            our_games(backgammon, 500, "games"),
            openspiel_games("backgammon"),
        ),
        Contest(
            "backgammon, plays of positions",
            "gnubg-nn",
            8,
            our_plays(backgammon, positions, rolls),
            gnubg_plays(backgammon, positions, rolls),
        ),
        Contest(
            "tic-tac-toe, random games",
            "OpenSpiel",
            10,
            our_games(tictactoe, 10_000, "games"),
            openspiel_games("tic_tac_toe"),
        ),
    ]


def main() -> None:
    """Runs every contest and prints the table; exit code 1 if a bar was not reached."""
    random.seed(1)
    table = Table(title=f"one core, median of {ROUNDS} rounds", box=None)
    for heading in ("", "ours /s", "peer /s", "peer", "ratio", "at least"):
        table.add_column(heading, justify="left" if heading in ("", "peer") else "right")
    all_reached = True
    for contest in contests():
        contest.ours()  # compiled before the clock runs
        rounds = [(rate(contest.ours), rate(contest.theirs)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(ours / theirs for ours, theirs in rounds)
        all_reached &= ratio >= contest.bar
        figures = (
            f"{ours:,.0f}",
            f"{theirs:,.0f}",
            contest.peer,
            f"{ratio:,.1f}",
            f"{contest.bar:g}",
        )
        table.add_row(contest.what, *figures)
    Console().print(table)
    sys.exit(not all_reached)


if __name__ == "__main__":
    main()
