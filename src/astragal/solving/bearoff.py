"""Makes the tables of how backgammon ends (see values/bearoff.py).

Every play brings a side's checkers nearer, so each table takes one pass in order of pips.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined
from astragal.games.backgammon_places import HALF, OFF
from astragal.games.catalogue import find_game
from astragal.games.game import Game
from astragal.values.bearoff import (
    ALL_OFF,
    CHECKERS,
    FIRST_OFF,
    ONE_SIDED,
    TWO_SIDED,
    BearoffLayout,
    bearoff_layout,
    home_halves,
    home_ranks,
)
from astragal.values.table_file import Header, as_numbers, checksum, table_path, write_table

Floats = NDArray[np.float64]
Tell = Callable[[float], None]  # how much is done, from 0 to 1

_PRECISION = {4: 1e-8, 2: 1e-5}  # as far as a chance may be off, by the bytes it takes
_AT_ONCE = 2048  # halves whose plays are found together


class Plays(NamedTuple):
    """Where the rolls of a side lead that has all its checkers home; H halves by rank, R rolls."""

    begins: NDArray[np.int64]  # [H * R + 1] where the plays of each half and roll begin
    ranks: NDArray[np.int32]  # of the halves that they lead to
    odds: NDArray[np.float64]  # [R]


def make_bearoff(tell: Tell) -> None:
    """Makes both tables and keeps them in the user's folder for tables."""
    game, layout = find_game("backgammon"), bearoff_layout()
    plays = find_plays(game, layout, lambda done: tell(0.8 * done))
    _write(game, ONE_SIDED, one_sided(plays, layout), bytes_each=4)
    tell(0.9)
    win = two_sided(plays, layout)
    _write(game, TWO_SIDED, win.reshape(-1, 1), bytes_each=2)
    tell(1.0)


def _write(game: Game, contents: str, chances: Floats, bytes_each: int) -> None:
    numbers = as_numbers(chances, bytes_each)
    header = Header(
        game=game.name,
        game_version=game.version,
        contents=contents,
        rows=len(numbers),
        columns=numbers.shape[1],
        bytes_each=bytes_each,
        precision=_PRECISION[bytes_each],
        residual=0.0,
        checksum=checksum(numbers),
    )
    write_table(table_path(game, contents), header, numbers)


def find_plays(game: Game, layout: BearoffLayout, tell: Tell) -> Plays:
    """All plays, found by the rules; what the other side has makes no difference."""
    halves, rolls = home_halves(layout), np.arange(len(game.rolls))
    other = np.zeros(HALF, np.int8)
    other[[OFF, 1]] = CHECKERS - 1, 1
    counts, ranks = [np.zeros(len(rolls), np.int64)], []  # with all off there are no plays
    for begin in range(1, layout.halves, _AT_ONCE):
        mine = np.repeat(halves[begin : begin + _AT_ONCE], len(rolls), axis=0)
        positions = np.concatenate([mine, np.broadcast_to(other, mine.shape)], axis=1)
        found = game.afterstates(positions, np.resize(rolls, len(mine)))
        counts.append(np.bincount(found.owner, minlength=len(mine)))
        ranks.append(home_ranks(layout, found.positions)[:, 1].astype(np.int32))
        tell(begin / layout.halves)
    begins = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return Plays(begins, np.concatenate(ranks), game.chances)


def _pips(layout: BearoffLayout) -> NDArray[np.int64]:
    """How far the checkers of each half have to go together [H]."""
    return home_halves(layout)[:, 1:].astype(np.int64) @ np.arange(1, HALF)


def one_sided(plays: Plays, layout: BearoffLayout) -> Floats:
    """The chances [H, T + F] of so many rolls until all are off, and until the first is.

    It is played for the fewest rolls on average. The second is zero where one is off already.
    """
    times = np.zeros((layout.halves, ALL_OFF + FIRST_OFF))
    is_whole = home_halves(layout)[:, OFF] == 0
    order = np.argsort(_pips(layout), kind="stable")[1:]
    _fewest_rolls(plays, order, is_whole, times)
    return times


@compiled
def _fewest_rolls(plays: Any, order: Any, is_whole: Any, times: Any) -> None:
    mean = np.zeros(len(times))
    rolls = len(plays.odds)
    for half in order:
        mean[half] = 1.0
        for roll in range(rolls):
            begin, end = plays.begins[half * rolls + roll], plays.begins[half * rolls + roll + 1]
            best = plays.ranks[begin]
            for play in range(begin + 1, end):
                if mean[plays.ranks[play]] < mean[best]:
                    best = plays.ranks[play]
            chance = plays.odds[roll]
            mean[half] += chance * mean[best]
            _add_later(times[half, :ALL_OFF], times[best, :ALL_OFF], best == 0, chance)
            if is_whole[half]:
                is_first = not is_whole[best]
                _add_later(times[half, ALL_OFF:], times[best, ALL_OFF:], is_first, chance)


@inlined
def _add_later(times: Any, after: Any, is_done: Any, chance: Any) -> None:
    """Adds those from after the next roll to the chances [T]; the last of them is `or more`."""
    if is_done:
        times[0] += chance
        return
    last = len(times) - 1
    for i in range(last):
        times[i + 1] += chance * after[i]
    times[last] += chance * after[last]


def two_sided(plays: Plays, layout: BearoffLayout) -> Floats:
    """The chances [few, few] of winning for whoever is about to roll, by rank, the other's last."""
    few, pips = layout.few, _pips(layout)[: layout.few]
    order = np.argsort(pips, kind="stable")
    place = np.argsort(order)
    begins = np.searchsorted(pips[order], np.arange(pips.max() + 2)).tolist()
    win, most = np.zeros((few, few)), int(pips.max())  # of the second, about to roll
    for total in range(2, 2 * most + 1):
        for mine in range(max(1, total - most), min(most, total - 1) + 1):
            theirs = total - mine
            _play_race(
                plays, order, place, slice(*begins[mine : mine + 2]),
                slice(*begins[theirs : theirs + 2]), win,
            )  # fmt: skip
    return np.ascontiguousarray(win[place][:, place].T)


@compiled
def _play_race(plays: Any, order: Any, place: Any, mine: Any, theirs: Any, win: Any) -> None:
    """Finds the chances of halves `mine` about to roll against `theirs`, both by place.

    Halves stand in order of pips, and `win` [few, few] is told for the second, so that what is
    needed lies side by side.
    """
    least, mean = np.empty((2, theirs.stop - theirs.start))
    rolls = len(plays.odds)
    for at in range(mine.start, mine.stop):
        mean[:] = 1.0
        for roll in range(rolls):
            play = order[at] * rolls + roll
            least[:] = 1.0
            for after in plays.ranks[plays.begins[play] : plays.begins[play + 1]]:
                least[:] = np.minimum(least, win[place[after], theirs])
            mean -= plays.odds[roll] * least
        win[theirs, at] = mean
