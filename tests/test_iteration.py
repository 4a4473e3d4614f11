"""Policy iteration finds what plain solvers find, and an independent look what is wrong."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.games.catalogue import find_game
from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.solving import iteration
from astragal.solving.checking import residual
from astragal.solving.iteration import Solution, memory_for_iteration, solve_by_iteration
from astragal.values.halves_layout import fits_in_halves, halves_layout
from astragal.values.layout import Layout, numbers_of
from astragal.values.table_file import Header, Table, as_numbers, checksum, write_table
from astragal.values.ur_layout import ur_layout
from reference import Row
from reference.plain_solver import Plays, all_plays, chances_of, worth_of
from small_games import minimax, one_stone_ur, unfinished_tictactoe
from test_halves_layout import one_checker

Floats = NDArray[np.float64]


def layout_of(game: Game) -> Layout:
    if fits_in_halves(game):
        return halves_layout(game)
    assert isinstance(game.rules, UrRules)
    return ur_layout(game.rules)


def quiet(done: float) -> None:
    pass


@cache
def game_called(name: str) -> Game:
    return one_checker() if name == "one checker" else find_game(name)


@cache
def solved(name: str, precision: float = 1e-10, threads: int = 2) -> Solution:
    game = game_called(name)
    return solve_by_iteration(game, layout_of(game), precision, threads, quiet)


@cache
def plainly_solved(name: str) -> tuple[Plays, dict[Row, float]]:
    plays = all_plays(game_called(name))
    return plays, worth_of(game_called(name), plays, 1e-9)


def chances_at(name: str, rows: list[Row], solution: Solution) -> Floats:
    """The chances [N, K] of these positions."""
    game = game_called(name)
    numbers = numbers_of(layout_of(game), np.array(rows, np.int8))
    assert numbers.min() >= 0
    upper = solution.chances[numbers]
    return np.concatenate([1 - upper.sum(axis=1, keepdims=True), upper], axis=1)


def points_at(name: str, rows: list[Row], solution: Solution) -> Floats:
    points: Floats = chances_at(name, rows, solution) @ np.array(game_called(name).outcomes)
    return points


def test_tictactoe_is_what_minimax_makes_of_it_everywhere() -> None:
    rows = unfinished_tictactoe()
    worth = np.array([minimax(row) for row in rows])
    expected = worth[:, np.newaxis] == [-1, 0, 1]
    found = chances_at("tictactoe", rows, solved("tictactoe"))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert len(rows) == 4520


def test_ur_with_one_stone_is_worth_what_is_known() -> None:
    start: Row = tuple(find_game("ur:1").start.tolist())
    found = points_at("ur:1", [start], solved("ur:1"))
    np.testing.assert_allclose(found, one_stone_ur(), atol=1e-9)


@pytest.mark.parametrize("name", ["ur:1", "ur:2", "one checker"])
def test_every_position_is_worth_what_a_plain_solver_finds(name: str) -> None:
    _, worth = plainly_solved(name)
    found = points_at(name, list(worth), solved(name))
    np.testing.assert_allclose(found, list(worth.values()), atol=2e-8)


def test_chances_of_six_outcomes_are_those_of_the_best_plays() -> None:
    plays, worth = plainly_solved("one checker")
    expected = chances_of(game_called("one checker"), plays, worth)
    found = chances_at("one checker", list(worth), solved("one checker"))
    np.testing.assert_allclose(found, list(expected.values()), atol=1e-9)
    # A side with its only checker on the board has borne off none: every game is a gammon at least.
    np.testing.assert_allclose(found[:, 2:4], 0, atol=1e-9)


def test_a_coarse_solution_is_as_good_as_it_says() -> None:
    _, worth = plainly_solved("ur:2")
    coarse = solved("ur:2", 1e-4)
    error = np.abs(points_at("ur:2", list(worth), coarse) - list(worth.values())).max() / 2
    assert error < 1e-4
    assert coarse.sweeps < solved("ur:2").sweeps


def test_nothing_depends_on_the_number_of_threads() -> None:
    one, three = solved("ur:2", threads=1), solved("ur:2", threads=3)
    np.testing.assert_array_equal(one.chances, three.chances)
    assert one.sweeps == three.sweeps


def test_steps_that_lead_astray_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    game, usual = one_checker(), solved("one checker")
    monkeypatch.setattr(iteration, "_BEYOND", 2.5)
    astray = solve_by_iteration(game, layout_of(game), 1e-10, 1, quiet)
    np.testing.assert_allclose(astray.chances, usual.chances, atol=1e-10)
    assert astray.sweeps != usual.sweeps


@pytest.mark.parametrize("name", ["tictactoe", "ur:1", "ur:2", "one checker"])
def test_what_it_says_of_itself_is_small(name: str) -> None:
    assert solved(name).change < 1e-10


def test_it_counts_the_positions() -> None:
    assert solved("tictactoe").positions == 4520
    assert solved("one checker").positions == 25 * 25 - 24
    assert solved("ur:2").positions == len(solved("ur:2").chances)  # without gaps


def checked(game: Game, layout: Layout, chances: Floats, folder: Path) -> float:
    """What an independent look finds wrong with these chances."""
    numbers = as_numbers(chances, 4)
    header = Header(
        game=game.name,
        game_version=game.version,
        contents="values",
        rows=len(numbers),
        columns=numbers.shape[1],
        bytes_each=4,
        precision=1e-7,
        residual=0.0,
        checksum=checksum(numbers),
    )
    write_table(folder / "table", header, numbers)
    return residual(game, layout, Table(folder / "table", header), 2, quiet)


def test_the_check_finds_one_wrong_value_among_all(tmp_path: Path) -> None:
    game = find_game("ur:2")
    layout, chances = layout_of(game), solved("ur:2").chances.copy()
    assert checked(game, layout, chances, tmp_path) < 1e-9
    chances[numbers_of(layout, game.start[np.newaxis])[0]] += 0.01
    # The start is worth more than before, and leads to itself one time in 16 at most.
    found = checked(game, layout, chances, tmp_path)
    assert 0.01 * 15 / 16 <= found <= 0.01 * 17 / 16 + 1e-9


def test_the_check_asks_for_the_best_play(tmp_path: Path) -> None:
    """Chances that come of some other play of both sides are found out."""
    game = find_game("tictactoe")
    layout = layout_of(game)
    draws = np.zeros((layout.size, 2))
    draws[:, 0] = 1
    # A win at hand is worth a whole point more than a draw, half of the way from -1 to 1.
    assert checked(game, layout, draws, tmp_path) == pytest.approx(0.5)


def test_it_tells_how_far_it_is_and_never_less_than_before() -> None:
    told: list[float] = []
    game = find_game("ur:1")
    solve_by_iteration(game, layout_of(game), 1e-6, 1, told.append)
    assert told == sorted(told)
    assert len(set(told)) > 10
    assert told[-1] == 1.0


def test_a_layout_that_does_not_know_where_a_play_leads_is_refused(tmp_path: Path) -> None:
    game = find_game("tictactoe")
    layout = halves_layout(game)._replace(full=8)  # as if nothing could follow eight stones
    with pytest.raises(ValueError, match="layout"):
        solve_by_iteration(game, layout, 1e-6, 1, quiet)
    assert checked(game, layout, np.zeros((layout.size, 2)), tmp_path) == np.inf


def test_the_memory_told_grows_with_the_game() -> None:
    small, large = find_game("tictactoe"), find_game("hypergammon")
    needed = memory_for_iteration(large, layout_of(large))
    assert memory_for_iteration(small, layout_of(small)) < needed < 3 * 2**30
