"""Every agent keeps one contract, and each does what its name says."""

import sys

import numpy as np
import pytest

from astragal.agents.agent import Agent
from astragal.agents.gnubg import GnubgValues
from astragal.agents.levels import LEVELS, level_spec
from astragal.agents.searching import SearchingAgent
from astragal.agents.specs import known_agents, parse_agent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.plays import legal_plays
from astragal.search.lookahead import ALL_PLAYS
from astragal.values.heuristics import heuristic
from astragal.values.values import chances_by_rules, score_for
from positions import walk, walked

EVERYWHERE = [
    "random", "onestep", "first", "greedy", "pips", "pips@1", "pips@2", "material@1", "own:pips",
    "epsilon:0.3:pips", "temperature:0.1:pips@1", *LEVELS[:-1],
]  # fmt: skip
SPECS = [
    (name, spec) for name in ("ur", "ur:blitz", "hypergammon", "tictactoe") for spec in EVERYWHERE
]
SPECS += [("ur", "pips@3"), ("tictactoe", "pips@3"), ("backgammon", "ratio@1")]
SPECS += [("backgammon", spec) for spec in ("gnubg@0", "gnubg@1", "pubeval", "greedy")]


@pytest.mark.parametrize(("name", "spec"), SPECS)
def test_an_agent_chooses_a_play_that_there_is(name: str, spec: str) -> None:
    game = find_game(name)
    agent = parse_agent(game, spec)
    *_, (positions, rolls) = walk(game, games=10, turns=6, seed=1)
    choice = agent.choose(positions, rolls, np.random.default_rng(2))
    counts = np.bincount(game.afterstates(positions, rolls).owner)
    assert choice.shape == (10,)
    assert (choice >= 0).all()
    assert (choice < counts).all()


@pytest.mark.parametrize(("name", "spec"), SPECS)
def test_the_same_luck_gives_the_same_choice(name: str, spec: str) -> None:
    game = find_game(name)
    agent = parse_agent(game, spec)
    *_, (positions, rolls) = walk(game, games=6, turns=7, seed=3)
    first, again = (agent.choose(positions, rolls, np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.parametrize(("name", "spec"), SPECS)
def test_an_agents_name_is_its_spec(name: str, spec: str) -> None:
    agent = parse_agent(find_game(name), spec)
    assert agent.name == (level_spec(agent.game, spec) if spec in LEVELS else spec)
    assert parse_agent(find_game(name), agent.name).name == agent.name


def chosen_move(agent: Agent, position: str, roll: str) -> str:
    game = agent.game
    standing = game.notation.parse_position(position)
    index = game.parse_roll(roll)
    choice = agent.choose(
        standing.position[np.newaxis], np.array([index]), np.random.default_rng(5)
    )
    return legal_plays(game, standing, index)[int(choice[0])].move


@pytest.mark.parametrize("spec", ["onestep", "greedy", "pips", "pips@1", "pips@2"])
def test_who_can_win_wins(spec: str) -> None:
    assert chosen_move(parse_agent(find_game("tictactoe"), spec), "xx.oo....", "-") == "2"
    agent = parse_agent(find_game("ur:2"), spec)
    assert (
        chosen_move(agent, "0...........o.1/2..............0 r".replace("o.1", "..o1"), "1") == "g3"
    )


def test_one_step_sees_no_further() -> None:
    agent = parse_agent(find_game("tictactoe"), "onestep")
    game = agent.game
    position = game.notation.parse_position("x..oo...x").position
    luck = np.random.default_rng(6)
    choices = {int(agent.choose(position[np.newaxis], np.array([0]), luck)[0]) for _ in range(200)}
    assert len(choices) == 5


def test_greedy_captures_and_takes_rosettes() -> None:
    agent = parse_agent(find_game("ur"), "greedy")
    # On d2 red's stone captures f2; on c3 it reaches a rosette.
    assert chosen_move(agent, "4.......o......2/6.........o....0 r", "2") == "d2"
    assert chosen_move(agent, "5.o............1/7..............0 r", "2") == "c3"


def test_one_ply_sees_the_answer() -> None:
    agent = parse_agent(find_game("tictactoe"), "pips@1")
    assert chosen_move(agent, "x..oo...x", "-") == "5"


def test_own_value_and_the_others_value_can_choose_differently() -> None:
    game = find_game("ur")
    positions, rolls = map(np.concatenate, zip(*walk(game, 40, 30, seed=7), strict=True))
    luck = np.random.default_rng(8)
    values = heuristic(game, "pips")
    usual = SearchingAgent(values, 1).choose(positions, rolls, luck)
    own = SearchingAgent(values, 1, own_view=True).choose(positions, rolls, luck)
    assert (usual == own).mean() > 0.5
    assert (usual != own).any()


def test_epsilon_explores_as_often_as_it_says() -> None:
    game = find_game("ur")
    positions, rolls = map(np.concatenate, zip(*walk(game, 200, 30, seed=9), strict=True))
    luck = np.random.default_rng(10)
    best = parse_agent(game, "pips").choose(positions, rolls, luck)
    chosen = parse_agent(game, "epsilon:0.4:pips").choose(positions, rolls, luck)
    counts = np.bincount(game.afterstates(positions, rolls).owner)
    differ = (chosen != best)[counts > 1]
    expected = (0.4 * (1 - 1 / counts))[counts > 1].mean()
    assert differ.mean() == pytest.approx(expected, abs=0.03)


def test_temperature_prefers_what_is_better() -> None:
    game = find_game("tictactoe")
    cold, hot = (parse_agent(game, f"temperature:{t}:pips") for t in ("0.0001", "100"))
    positions = np.repeat(game.start[np.newaxis], 3_000, axis=0)
    rolls = np.zeros(3_000, np.int64)
    luck = np.random.default_rng(11)
    assert set(cold.choose(positions, rolls, luck).tolist()) == {4}
    counts = np.bincount(hot.choose(positions, rolls, luck), minlength=9)
    assert (np.abs(counts - 3_000 / 9) < 6 * np.sqrt(3_000 / 9)).all()


def test_ranking_puts_the_choice_first_and_losses_rise() -> None:
    game = find_game("backgammon")
    agent = SearchingAgent(heuristic(game, "ratio"), 2, only=ALL_PLAYS)
    for position, roll in walked(game, 10, seed=12):
        row = np.array(position, np.int8)
        index = game.parse_roll(roll)
        ranked = agent.rank(row, index)
        chosen = agent.choose(row[np.newaxis], np.array([index]), np.random.default_rng(0))
        assert ranked.order[0] == chosen[0]
        assert sorted(ranked.order) == list(range(len(ranked.order)))
        assert (np.diff(ranked.chances @ np.array(game.outcomes)) <= 1e-12).all()


@pytest.mark.parametrize("spec", ["pips", "pips@1", "own:pips", "own:pips@1"])
def test_what_is_ranked_first_is_what_is_chosen(spec: str) -> None:
    game = find_game("ur")
    agent = parse_agent(game, spec)
    assert isinstance(agent, SearchingAgent)
    for positions, rolls in walk(game, games=3, turns=40, seed=16):
        choice = agent.choose(positions, rolls, np.random.default_rng(0))
        ranked = [agent.rank(positions[i], int(rolls[i])).order[0] for i in range(3)]
        assert choice.tolist() == ranked


def test_gnubg_plays_to_win_when_only_winning_counts() -> None:
    game = find_game("backgammon")
    values, score = GnubgValues(game), score_for(game, "win")
    agent = parse_agent(game, "gnubg@0", "win")
    others = 0
    for position, roll in walked(game, 150, seed=17):
        row, index = np.array(position, np.int8), game.parse_roll(roll)
        found = game.afterstates_of(row, index)
        worth = -(chances_by_rules(values, found.positions, found.outcome) @ score)
        arguments = row[np.newaxis], np.array([index]), np.random.default_rng(0)
        chosen = agent.choose(*arguments)[0]
        assert worth[chosen] == pytest.approx(worth.max(), abs=1e-6)
        others += int(chosen != parse_agent(game, "gnubg@0").choose(*arguments)[0])
    assert others > 5


@pytest.mark.parametrize("spec", ["temperature:0.1:gnubg@0", "own:gnubg@0", "tree:50:gnubg@0"])
def test_gnubgs_values_serve_wherever_values_do(spec: str) -> None:
    game = find_game("backgammon")
    agent = parse_agent(game, spec)
    choice = agent.choose(game.start[np.newaxis], np.array([3]), np.random.default_rng(0))
    assert 0 <= choice[0] < 16


def test_roll_outs_stop_when_the_best_is_clear() -> None:
    agent = parse_agent(find_game("ur:2"), "rollout:360:pips")
    assert agent.name == "rollout:360:pips"
    assert chosen_move(agent, "0.............o1/2..............0 r", "1") == "g3"


def test_gnubgs_own_choice_is_reproduced_by_its_values() -> None:
    game = find_game("backgammon")
    values, points = GnubgValues(game), np.array(game.outcomes)
    gnubg = parse_agent(game, "gnubg@0")
    for position, roll in walked(game, 500, seed=13):
        row, index = np.array(position, np.int8), game.parse_roll(roll)
        found = game.afterstates_of(row, index)
        worth = -(chances_by_rules(values, found.positions, found.outcome) @ points)
        chosen = gnubg.choose(row[np.newaxis], np.array([index]), np.random.default_rng(0))[0]
        # Where the game is decided, several plays are worth the same.
        assert worth[chosen] == pytest.approx(worth.max(), abs=1e-6)


def test_pubeval_knows_its_opening_moves() -> None:
    agent = parse_agent(find_game("backgammon"), "pubeval")
    moves = {roll: chosen_move(agent, "4HPwATDgc/ABMA", roll) for roll in ("31", "42", "61", "53")}
    assert moves == {"31": "8/5 6/5", "42": "8/4 6/4", "61": "13/7 8/7", "53": "8/3 6/3"}


def test_gnubg_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)
    with pytest.raises(InputError, match=r"pip install 'astragal\[gnubg\]'"):
        GnubgValues(find_game("backgammon")).chances(find_game("backgammon").start[np.newaxis])


@pytest.mark.parametrize(
    "spec",
    ["", "own:" * 2_000 + "pips", "pip", "pips@4", "pips@", "pips@x", "random@1", "gnubg@0",
     "pubeval", "epsilon:2:pips",
     "epsilon:x:pips", "epsilon:0.1:", "temperature:0:pips", "temperature:1:random", "own:random",
     "epsilon", "net:nowhere"],
)  # fmt: skip
def test_a_wrong_spec_is_refused_with_what_exists(spec: str) -> None:
    with pytest.raises(InputError, match="expected"):
        parse_agent(find_game("ur"), spec)


def test_what_exists_is_told() -> None:
    with pytest.raises(InputError) as caught:
        parse_agent(find_game("backgammon"), "nobody")
    assert all(name in str(caught.value) for name in known_agents(find_game("backgammon")))
