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
from astragal.values.table_file import Table, unit

_AT_ONCE = 200_000


def residual(
    game: Game, layout: Layout, table: Table, threads: int, tell: Callable[[float], None]
) -> float:
    """How far a value is at most from the mean over rolls of the best play's.

    Values are expected points, as a share of the range from the worst outcome to the best.
    """
    points = np.array(game.outcomes, np.float64)
    score = (points - points[0]) / (points[-1] - points[0])
    parts, smallest = all_numbers(layout, _AT_ONCE), unit(table.header.bytes_each)

    def work(numbers: Any) -> float:
        found: float = _worst_residual(
            game.rules, layout, table.numbers, smallest, game.chances, points, score, numbers
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
    rules: Any, layout: Any, table: Any, unit: Any, chances: Any, points: Any, score: Any,
    numbers: Any,
) -> float:  # fmt: skip
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
    """The highest value among afterstates, for the mover; without an end if one is not known."""
    best = 0.0
    for i in range(count):
        outcome = room.outcome[i]
        if outcome == UNFINISHED:
            number = number_of(layout, room.positions[i])
            if number == NOWHERE:
                return np.inf
            value = _value(table, steps, number)
        else:
            value = score[np.searchsorted(points, outcome)]
        best = max(best, 1.0 - value if room.turn_passes[i] else value)
    return best


@inlined
def _value(table: Any, steps: Any, number: Any) -> float:
    value = 0.0
    for column in range(table.shape[1]):
        value += steps[column] * table[number, column]
    return value
