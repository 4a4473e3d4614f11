"""How backgammon ends: exact with few checkers, by counting rolls with more."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.agents.gnubg import GnubgValues
from astragal.agents.specs import parse_agent
from astragal.arena.judging import values_of
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.solving.bearoff import make_bearoff
from astragal.values.bearoff import (
    ALL_OFF,
    FEW,
    FIRST_OFF,
    Bearoff,
    BearoffValues,
    bearoff_layout,
    bearoff_of,
    home_halves,
    home_ranks,
)
from astragal.values.heuristics import heuristic
from astragal.values.layout import NOWHERE, numbers_of, positions_of
from astragal.values.values import win_chance
from positions import walk
from reference import Row
from reference.backgammon import ROLLS, plays

Floats = NDArray[np.float64]

BACKGAMMON = find_game("backgammon")
ODDS = {roll: (1 if roll[0] == roll[1] else 2) / 36 for roll in ROLLS}
ONE_AWAY = (14, 1, *[0] * 24)  # a half that is off with any roll


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which both tables have been made."""
    folder = tmp_path_factory.mktemp("tables")
    told: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASTRAGAL_DATA", str(folder))
        make_bearoff(told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    return folder


@pytest.fixture
def tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Bearoff:
    monkeypatch.setenv("ASTRAGAL_DATA", str(folder))
    found = bearoff_of(BACKGAMMON)
    assert found is not None
    return found


def home(*points: int) -> Row:
    """A half with so many checkers on the points from the first on, and all others off."""
    return (15 - sum(points), *points, *[0] * (25 - len(points)))


def position(mine: Row, theirs: Row) -> Positions:
    return np.array([mine + theirs], np.int8)


def random_homes(count: int, fewest: int, most: int, seed: int) -> Positions:
    """Positions [N, 52] with so many checkers left on each side, all home."""
    luck = np.random.default_rng(seed)
    halves = np.zeros((2 * count, 26), np.int8)
    for half in halves:
        left = int(luck.integers(fewest, most + 1))
        half[1:7] = luck.multinomial(left, luck.dirichlet(np.ones(6)))
        half[0] = 15 - left
    return halves.reshape(count, 52)


def values(tables: Bearoff) -> BearoffValues:
    return BearoffValues(heuristic(BACKGAMMON, "pips"), tables)


def wins(tables: Bearoff, positions: Positions) -> Floats:
    won: Floats = values(tables).chances(positions)[:, 3:].sum(axis=1)
    return won


@cache
def plain_win(row: Row) -> float:
    """The exact chance of winning for the player about to roll."""
    return sum(
        odds * max(1 - plain_win(play.position) if play.outcome is None else 1 for play in found)
        for roll, odds in ODDS.items()
        for found in [plays(row, roll)]
    )


@cache
def plain_rolls(half: Row) -> tuple[float, ...]:
    """The chance of each number of rolls, from none on, when playing for the fewest."""
    if half[0] == 15:
        return (1.0,)
    total = np.zeros(40)
    for roll, odds in ODDS.items():
        found = sorted(play.position[26:] for play in plays(half + ONE_AWAY, roll))
        best = min((plain_rolls(after) for after in found), key=_mean)
        total[1 : len(best) + 1] += odds * np.array(best)
    return tuple(np.trim_zeros(total, "b").tolist())


def _mean(rolls: tuple[float, ...]) -> float:
    return sum(count * chance for count, chance in enumerate(rolls))


def few_halves(checkers: int) -> Iterator[Row]:
    for half in home_halves(bearoff_layout()):
        if 15 - checkers <= half[0] < 15:
            yield tuple(half.tolist())


def test_with_two_checkers_each_the_table_is_what_recursion_finds(tables: Bearoff) -> None:
    rows = [mine + theirs for mine in few_halves(2) for theirs in few_halves(2)]
    expected = [plain_win(row) for row in rows]
    found = wins(tables, np.array(rows, np.int8))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert len(rows) == 27 * 27
    assert np.std(expected) > 0.1


@pytest.mark.parametrize(
    "half",
    [home(1), home(0, 0, 0, 0, 0, 1), home(2, 2), home(0, 1, 1, 1), home(0, 0, 0, 0, 1, 2)],
    ids=str,
)
def test_rolls_to_bear_off_are_what_recursion_finds(tables: Bearoff, half: Row) -> None:
    rank = home_ranks(tables.layout, position(half, ONE_AWAY))[:, 0]
    found = tables.one_sided.chances(rank)[0, :ALL_OFF]
    expected = np.zeros(ALL_OFF)
    expected[: len(plain_rolls(half)) - 1] = plain_rolls(half)[1:]
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_all_fifteen_on_the_last_point_go_two_or_four_at_a_time(tables: Bearoff) -> None:
    left = {15: 1.0}
    expected = np.zeros(ALL_OFF)
    for roll in range(ALL_OFF):
        after: dict[int, float] = {}
        for checkers, chance in left.items():
            for off, odds in ((2, 5 / 6), (4, 1 / 6)):
                after[checkers - off] = after.get(checkers - off, 0) + chance * odds
        expected[roll] = sum(chance for checkers, chance in after.items() if checkers <= 0)
        left = {checkers: chance for checkers, chance in after.items() if checkers > 0}
    rank = home_ranks(tables.layout, position(home(15), ONE_AWAY))[:, 0]
    found = tables.one_sided.chances(rank)[0]
    np.testing.assert_allclose(found[:ALL_OFF], expected, atol=1e-8)
    np.testing.assert_allclose(found[ALL_OFF:], [1] + [0] * (FIRST_OFF - 1), atol=1e-8)


def test_chances_of_rolls_add_up(tables: Bearoff) -> None:
    every = tables.one_sided.chances(np.arange(1, tables.layout.halves))
    np.testing.assert_allclose(every[:, :ALL_OFF].sum(axis=1), 1, atol=1e-8)
    is_whole = home_halves(tables.layout)[1:, 0] == 0
    np.testing.assert_allclose(every[:, ALL_OFF:].sum(axis=1), is_whole, atol=1e-8)
    # Later rolls count as the last that is told apart, so it must hardly ever come to that.
    assert every[:, ALL_OFF - 1].max() < 1e-6
    assert every[:, -1].max() < 1e-6


def test_counting_rolls_comes_near_the_exact_chance(tables: Bearoff) -> None:
    positions = random_homes(3000, 1, FEW, seed=1)
    ranks = home_ranks(tables.layout, positions)
    error = tables.race(ranks)[:, 3:].sum(axis=1) - tables.win(ranks)
    assert np.abs(error).max() < 0.015
    assert np.abs(error).mean() < 0.001
    assert np.abs(error).max() > 1e-4, "they are not the same thing"


def test_a_gammon_is_lost_by_whoever_has_none_off(tables: Bearoff) -> None:
    """Three on the last point go in one roll with a double only; fifteen lose some at once."""
    found = values(tables).chances(position(home(3), home(15)))[0]
    np.testing.assert_allclose(found, [0, 0, 0, 5 / 6, 1 / 6, 0], atol=1e-8)
    found = values(tables).chances(position(home(1), home(15)))[0]
    np.testing.assert_allclose(found, [0, 0, 0, 0, 1, 0], atol=1e-8)
    found = values(tables).chances(position(home(15), home(1)))[0]
    np.testing.assert_allclose(found, [0, 0, 1, 0, 0, 0], atol=1e-8)


def test_whoever_has_all_on_the_farthest_point_saves_the_gammon_with_a_six(
    tables: Bearoff,
) -> None:
    """Every six does it, and 51, 42, 33 and 22 can; there is one roll."""
    found = values(tables).chances(position(home(0, 0, 0, 0, 0, 15), home(1)))[0]
    rank = home_ranks(tables.layout, position(home(0, 0, 0, 0, 0, 15), home(1)))[:, 0]
    saved = tables.one_sided.chances(rank)[0, ALL_OFF]
    np.testing.assert_allclose(found, [0, 1 - saved, saved, 0, 0, 0], atol=1e-8)
    assert 11 / 36 <= saved <= 17 / 36 + 1e-8


def test_few_checkers_are_exact_more_are_counted_and_the_rest_is_left_to_others(
    tables: Bearoff,
) -> None:
    few = random_homes(50, 1, FEW, seed=2)
    many = random_homes(50, FEW + 1, 15, seed=3)
    met = np.concatenate([turn for turn, _ in walk(BACKGAMMON, 10, 5, seed=4)])
    positions = np.concatenate([few, met, many])
    found = values(tables).chances(positions)
    ranks = home_ranks(tables.layout, positions)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-7)
    assert found.min() >= 0
    np.testing.assert_array_equal(found[:50, 3], tables.win(ranks[:50]))
    np.testing.assert_array_equal(found[100:], tables.race(ranks[100:]))
    inner = heuristic(BACKGAMMON, "pips")
    np.testing.assert_array_equal(found[50:100], inner.chances(met))
    assert values(tables).name == inner.name
    assert values(tables).game is inner.game


def test_one_checker_outside_leaves_it_to_others(tables: Bearoff) -> None:
    outside = (13, 1, *[0] * 5, 1, *[0] * 18)
    on_the_bar = (14, *[0] * 24, 1)
    for half in (outside, on_the_bar):
        for both in (position(half, home(2)), position(home(2), half)):
            assert home_ranks(tables.layout, both).min() == NOWHERE
            assert numbers_of(tables.layout, both)[0] == NOWHERE
            inner = heuristic(BACKGAMMON, "pips").chances(both)
            np.testing.assert_array_equal(values(tables).chances(both), inner)


def test_positions_with_few_checkers_are_numbered_and_found_again() -> None:
    layout = bearoff_layout()
    positions = random_homes(500, 1, FEW, seed=6)
    numbers = numbers_of(layout, positions)
    assert numbers.min() >= 0
    assert numbers.max() < layout.size
    np.testing.assert_array_equal(positions_of(layout, numbers, 52), positions)
    many = random_homes(100, FEW + 1, 15, seed=7)
    assert (numbers_of(layout, many) == NOWHERE).all()
    assert numbers_of(layout, position(home(0), home(1)))[0] == NOWHERE


def test_the_tables_serve_every_game_with_fifteen_checkers(tables: Bearoff) -> None:
    assert bearoff_of(find_game("nackgammon")) is not None
    assert bearoff_of(find_game("hypergammon")) is None
    assert bearoff_of(find_game("ur")) is None


def test_without_the_files_there_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTRAGAL_DATA", str(tmp_path))
    assert bearoff_of(BACKGAMMON) is None


def test_both_files_together_are_small(folder: Path, tables: Bearoff) -> None:
    assert sum(path.stat().st_size for path in folder.glob("*.table")) < 25e6


@pytest.mark.parametrize(("fewest", "most", "within"), [(1, 6, 1e-4), (9, 15, 1e-4), (7, 8, 0.02)])
def test_gnu_backgammon_agrees(tables: Bearoff, fewest: int, most: int, within: float) -> None:
    """It has an exact table up to six checkers, and counts rolls above that."""
    pytest.importorskip("gnubg_nn")
    positions = random_homes(200, fewest, most, seed=8)
    theirs = GnubgValues(BACKGAMMON).chances(positions)
    np.testing.assert_allclose(values(tables).chances(positions), theirs, atol=within)


@pytest.mark.parametrize("spec", ["champion", "champion@1"])
def test_nets_know_the_end_once_the_tables_are_there(
    tables: Bearoff, spec: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    position = np.array([*home(0, 0, 0, 1, 1, 1), *home(0, 0, 1, 1)], np.int8)[np.newaxis]
    exact = tables.win(home_ranks(tables.layout, position))
    knowing = values_of(parse_agent(BACKGAMMON, spec)).chances(position)
    assert win_chance(BACKGAMMON, knowing) == pytest.approx(exact, abs=1e-4)
    monkeypatch.setenv("ASTRAGAL_DATA", str(tmp_path))
    alone = values_of(parse_agent(BACKGAMMON, "champion")).chances(position)
    assert abs(win_chance(BACKGAMMON, alone) - exact) > 1e-4
