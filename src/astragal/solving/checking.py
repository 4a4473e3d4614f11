"""An independent look at a table: each value should be what its best plays lead to.

It goes through the rules as everyone else uses them, not through what the solvers make of them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from astragal.compiling import compiled, inlined
from astragal.games.game import Game
from astragal.games.kernels import UNFINISHED, new_buffer, write_afterstates
from astragal.values.layout import NOWHERE, Layout, all_numbers, number_of, write_position
from astragal.values.table_file import Table

_AT_ONCE = 200_000


def residual(
    game: Game, layout: Layout, table: Table, threads: int, tell: Callable[[float], None]
) -> float:
    """How far a value is at most from the mean over rolls of the best play's.

    Values are expected points, as a share of the range from the worst outcome to the best.
    """
    points = np.array(game.outcomes, np.float64)
    score = (points - points[0]) / (points[-1] - points[0])
    parts = all_numbers(layout, _AT_ONCE)

    def work(numbers: Any) -> float:
        found: float = _worst_residual(
            game.rules, layout, table.numbers, game.chances, points, score, numbers
        )
        return found

    worst = 0.0
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done, found in enumerate(pool.map(work, parts), 1):
                worst = max(worst, found)
                tell(done / len(parts))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return worst


@compiled
def _worst_residual(
    rules: Any, layout: Any, table: Any, chances: Any, points: Any, score: Any, numbers: Any
) -> float:
    unit = 1.0 / (2.0 ** (8 * table.itemsize) - 1.0)
    steps = (score[1:] - score[0]) * unit
    position = np.empty(rules.start.size, np.int8)
    room = new_buffer(rules, rules.most_afterstates)
    worst = 0.0
    for row in range(len(numbers)):
        number = numbers[row]
        write_position(layout, number, position)
        if number_of(layout, position) != number:
            continue  # a gap
        mean = 0.0
        for roll in range(len(chances)):
            count = write_afterstates(rules, position, roll, room, 0)
            mean += chances[roll] * _best(layout, table, points, score, steps, room, count)
        worst = max(worst, abs(mean - _value(table, steps, number)))
    return worst


@inlined
def _best(
    layout: Any, table: Any, points: Any, score: Any, steps: Any, room: Any, count: Any
) -> float:
    """The highest value among afterstates, for the mover."""
    best = 0.0
    for i in range(count):
        outcome = room.outcome[i]
        if outcome == UNFINISHED:
            value = _value(table, steps, number_of(layout, room.positions[i]))
        else:
            value = score[np.searchsorted(points, outcome)]
        best = max(best, 1.0 - value if room.turn_passes[i] else value)
    return best


@inlined
def _value(table: Any, steps: Any, number: Any) -> float:
    """What the table says, without an end where a play leads to what is not in it."""
    value = 0.0 if number != NOWHERE else np.inf
    for column in range(table.shape[1]):
        value += steps[column] * table[number, column]
    return value
