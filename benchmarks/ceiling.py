"""What perfect play would win against a player, told by somebody who plays well but not perfectly.

    python benchmarks/ceiling.py backgammon champion gnubg@0 1000 win
    python benchmarks/ceiling.py ur champion net:runs/a/latest.safetensors 2000

plays so many games, and has the first player judge every choice of the second: so much it would
have won by choosing itself. That is too much. Among plays that are about as good it takes one that
it thinks too well of; and errors that are small lower what the best choice wins by as much as they
raise what it seems to win. So perfect play wins about what lies halfway between what the first
player claims and what it wins. Where the game is solved it is told, too, what perfect play really
wins: there the estimate can be tried out.

Who judges must not err as the judged does, or it finds less than there is.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import first_of_each
from astragal.agents.perfect import PERFECT, can_be_perfect
from astragal.agents.specs import parse_agent
from astragal.arena.estimates import estimate
from astragal.arena.judging import Judge, values_of
from astragal.arena.match import play_match
from astragal.arena.records import replay
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions, Rolls
from astragal.values.values import Aim

AT_ONCE = 64  # decisions, so that a look ahead does not fill the memory
SEED = 5


class Decisions(NamedTuple):
    """Turns of one player in which there was a choice."""

    games: NDArray[np.int64]  # [D] in which game of the match each was
    positions: Positions  # [D, W]
    rolls: Rolls  # [D]
    choices: NDArray[np.int64]  # [D] which of the plays was chosen


def main(name: str, first: str, second: str, count: str, aim: str = "points") -> None:
    """Prints what was won, what is claimed, and what lies between, in games or in points."""
    game, goal = find_game(name), cast(Aim, aim)
    result = matched(game, first, second, int(count), goal, judge=first.partition("@")[0])
    claimed = given_away(game, result, goal)
    won = result.points - result.played.luck
    pairs = result.played.numbers // 2
    print(f"{first} against {second}, {result.games:,} games, points a game, luck taken out by")
    print(f"{result.settings.judge}; a win more in a hundred games is 0.02 points.")
    print(f"  wins              {estimate(won, pairs)}")
    print(f"  claims            {estimate(claimed, pairs)}")
    print(f"  perfect play wins {estimate((won + claimed) / 2, pairs)}, as it seems")
    if can_be_perfect(game, goal):
        truth = matched(game, PERFECT, second, int(count), goal, judge=PERFECT)
        print(f"  it really wins    {truth.adjusted_points}")


def matched(game: Game, first: str, second: str, games: int, aim: Aim, judge: str) -> MatchResult:
    """A match, with its moves kept."""
    settings = MatchSettings(games, SEED, aim, judge, keeps_records=True)
    return play_match(game, (first, second), settings)


def given_away(game: Game, result: MatchResult, aim: Aim) -> NDArray[np.float64]:
    """What the second player's choices gave away in each game [G], if one believes the first."""
    agent = parse_agent(game, result.agents[0], aim)
    judge, luck = Judge(values_of(agent), aim), np.random.default_rng(SEED)
    made, lost = decisions_of(result), np.zeros(result.games)
    for begin in range(0, len(made.games), AT_ONCE):
        some = Decisions(*(column[begin : begin + AT_ONCE] for column in made))
        found = game.afterstates(some.positions, some.rolls)
        firsts = first_of_each(found.owner, len(some.games))
        better = agent.choose(some.positions, some.rolls, luck)
        worth, less = (judge.worth(found, firsts + plays) for plays in (better, some.choices))
        np.add.at(lost, some.games, np.maximum(0, worth - less))
    return lost


def decisions_of(result: MatchResult) -> Decisions:
    """Those of the second player."""
    rows = list(_choices(result))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Decisions(columns[0], np.ascontiguousarray(columns[1], np.int8), *columns[2:])


def _choices(result: MatchResult) -> Iterator[tuple[int, Positions, int, int]]:
    for row, record in enumerate(result.records()):
        mine = 1 - int(result.played.numbers[row]) % 2  # the seat of the second player
        for step in replay(record):
            if step.standing.side == mine and len(step.found.owner) > 1:
                yield row, step.standing.position, step.roll, step.choice


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or not sys.argv[4].isdecimal():
        sys.exit("Expected a game, who judges, who is judged, a number of games, perhaps win.")
    try:
        main(*sys.argv[1:])
    except InputError as fault:
        sys.exit(str(fault))
