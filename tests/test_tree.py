"""Tree search: given enough it is exact, given little it keeps to its budget."""

import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import parse_agent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.search.lookahead import look_ahead
from astragal.search.tree import TreeSearch, TreeSettings
from astragal.values.heuristics import heuristic
from astragal.values.values import Aim, Chances, Values, score_for
from positions import walk, walked
from reference import tictactoe
from small_games import KnownValues, minimax, small_game, unfinished_tictactoe

GAMES = ["ur", "ur:blitz", "tictactoe", "hypergammon", "backgammon"]


def searching(name: str, evaluations: int, aim: Aim = "points") -> TreeSearch:
    settings = TreeSettings(evaluations=evaluations, aim=aim)
    return TreeSearch(heuristic(find_game(name), "pips"), settings)


@dataclass
class Counting:
    """Values that remember which positions they were asked about."""

    values: Values
    asked: list[bytes] = field(default_factory=list)

    @property
    def game(self) -> Game:
        return self.values.game

    @property
    def name(self) -> str:
        return self.values.name

    def chances(self, positions: Positions) -> Chances:
        self.asked += [position.tobytes() for position in positions]
        return self.values.chances(positions)


def test_with_enough_budget_tictactoe_is_minimax() -> None:
    search = searching("tictactoe", 20_000)
    for row in unfinished_tictactoe()[::40]:
        found = search.search(np.array(row, np.int8))
        assert found.is_settled
        assert found.chances.tolist() == [minimax(row) == points for points in (-1, 0, 1)]


def test_with_enough_budget_the_plays_of_tictactoe_are_those_of_minimax() -> None:
    agent = SearchingAgent(searching("tictactoe", 20_000))
    rows = [row for row in unfinished_tictactoe() if sum(row) >= 3][::12]
    assert len(rows) > 250
    positions = np.array(rows, np.int8)
    choices = agent.choose(positions, np.zeros(len(rows), np.int64), np.random.default_rng(0))
    for row, position, choice in zip(rows, positions, choices, strict=True):
        after = agent.game.afterstates_of(position, 0).positions[choice]
        outcome = tictactoe.outcome(tuple(after.tolist()))
        worth = minimax(tuple(after.tolist())) if outcome is None else outcome
        assert -worth == minimax(row)


def test_the_start_of_tictactoe_is_a_draw() -> None:
    found = searching("tictactoe", 20_000).search(find_game("tictactoe").start)
    assert found.is_settled
    assert found.chances.tolist() == [0, 1, 0]


def test_with_a_large_budget_small_ur_becomes_exact() -> None:
    solved = small_game(find_game("ur:1"))
    truth = solved.best()
    for i in np.random.default_rng(51).choice(len(truth), 8, replace=False):
        found = searching("ur:1", 5_000).search(solved.positions[i])
        assert found.chances[1] - found.chances[0] == pytest.approx(truth[i], abs=0.002)


@pytest.mark.parametrize("name", ["ur:2", "ur:blitz:2"])
def test_to_perfect_values_a_search_has_nothing_to_add(name: str) -> None:
    solved = small_game(find_game(name))
    known = KnownValues(solved, solved.best())
    rows = np.random.default_rng(57).choice(len(solved.positions), 60, replace=False)
    found = TreeSearch(known, TreeSettings(evaluations=100)).chances(solved.positions[rows])
    np.testing.assert_allclose(found, known.chances(solved.positions[rows]), atol=1e-9)


@pytest.mark.parametrize("name", ["ur:2", "ur:blitz:2"])
def test_a_larger_budget_is_nearer_to_the_truth_and_nearer_than_two_plies(name: str) -> None:
    solved = small_game(find_game(name))
    rows = np.random.default_rng(52).choice(len(solved.positions), 100, replace=False)
    positions, truth = solved.positions[rows], solved.best()[rows]
    score = score_for(solved.game, "points")

    def error(values: Values) -> float:
        return float(np.sqrt(np.mean((values.chances(positions) @ score - truth) ** 2)))

    errors = [error(searching(name, budget)) for budget in (1, 30, 400)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.95 * error(look_ahead(heuristic(solved.game, "pips"), 2))


@pytest.mark.parametrize("name", GAMES)
def test_a_budget_of_one_is_the_values_own_opinion(name: str) -> None:
    *_, (positions, _) = walk(find_game(name), games=5, turns=5, seed=53)
    search = searching(name, 1)
    assert np.array_equal(search.chances(positions), search.values.chances(positions))


def test_a_budget_for_every_play_once_is_one_ply_of_look_ahead() -> None:
    for row in unfinished_tictactoe()[::50]:
        position = np.array(row, np.int8)
        plays = [play for play in tictactoe.plays(row, "-") if play.outcome is None]
        search = searching("tictactoe", max(2, 1 + len(plays)))
        expected = look_ahead(search.values, 1).chances(position[np.newaxis])[0]
        assert np.array_equal(search.search(position).chances, expected)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("budget", [1, 7, 50, 333])
def test_the_budget_is_kept_and_no_position_is_valued_twice(name: str, budget: int) -> None:
    most = find_game(name).rules.most_afterstates * len(find_game(name).rolls)
    for row, _ in walked(find_game(name), 10, seed=54):
        counting = Counting(heuristic(find_game(name), "pips"))
        search = TreeSearch(counting, TreeSettings(evaluations=budget))
        found = search.search(np.array(row, np.int8))
        assert len(counting.asked) <= found.evaluations <= budget
        assert len(set(counting.asked)) == len(counting.asked) <= found.positions
        assert found.is_settled or found.evaluations > budget - most


@pytest.mark.parametrize("name", GAMES)
def test_what_comes_out_are_chances(name: str) -> None:
    *_, (positions, _) = walk(find_game(name), games=10, turns=12, seed=55)
    chances = searching(name, 200, "win").chances(positions)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (chances >= 0).all()


@pytest.mark.parametrize("name", ["ur", "hypergammon"])
def test_a_search_repeats_itself_and_knows_nothing_of_other_positions(name: str) -> None:
    *_, (positions, _) = walk(find_game(name), games=5, turns=9, seed=56)
    together = searching(name, 300).chances(positions)
    assert np.array_equal(searching(name, 300).chances(positions), together)
    for position, chances in zip(positions, together, strict=True):
        assert np.array_equal(searching(name, 300).search(position).chances, chances)


def test_no_positions_have_no_values() -> None:
    nothing = find_game("ur").start[np.newaxis][:0]
    assert searching("ur", 10).chances(nothing).shape == (0, 2)


def test_a_budget_in_time_ends_in_time() -> None:
    values = heuristic(find_game("ur"), "pips")
    searching("ur", 100).search(values.game.start)  # what has to be compiled is compiled now
    began = time.perf_counter()
    found = TreeSearch(values, TreeSettings(seconds=0.3)).search(values.game.start)
    assert 0.3 <= time.perf_counter() - began < 2
    assert found.evaluations > 100


def test_a_settled_game_does_not_use_up_its_time() -> None:
    row = next(row for row in unfinished_tictactoe() if sum(row) == 7)
    values = heuristic(find_game("tictactoe"), "pips")
    began = time.perf_counter()
    found = TreeSearch(values, TreeSettings(seconds=60)).search(np.array(row, np.int8))
    assert found.is_settled
    assert time.perf_counter() - began < 30


@pytest.mark.parametrize(
    "settings", [{}, {"evaluations": 5, "seconds": 1.0}, {"evaluations": 0}, {"seconds": -1.0}]
)
def test_exactly_one_budget_is_given_and_there_is_some(settings: dict[str, float]) -> None:
    with pytest.raises(InputError, match="expected"):
        TreeSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["tree:50:pips", "tree:0.25s:pips", "tree:50:material@1"])
@pytest.mark.parametrize("name", ["ur", "tictactoe", "hypergammon"])
def test_an_agent_that_searches_a_tree_is_named_by_its_spec(name: str, spec: str) -> None:
    agent = parse_agent(find_game(name), spec, aim="win")
    assert agent.name == spec
    assert parse_agent(find_game(name), agent.name, aim="win") == agent
    assert isinstance(agent, SearchingAgent)
    assert isinstance(agent.values, TreeSearch)
    assert agent.values.settings.aim == agent.aim == "win"


@pytest.mark.parametrize(
    "spec", ["tree:0:pips", "tree:1.5:pips", "tree:9:random", "tree:9:own:pips"]
)
def test_a_tree_of_nothing_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match=f"'{spec}'.*expected"):
        parse_agent(find_game("ur"), spec)
