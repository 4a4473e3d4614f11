"""Two engines, one truth: the fast rules agree with the plain ones, and with other people's."""

import numpy as np
import pytest

from astragal.games.catalogue import find_game
from judges import gnubg, openspiel, royalur
from positions import plays_of, scattered_backgammon, scattered_ur, walked
from reference import Row, backgammon, tictactoe, ur

RULE_SETS = ("finkel", "blitz", "masters", "aseb")


def ur_pairs(rules: str, walks: int, scatters: int) -> list[tuple[str, Row, str]]:
    """Positions of every number of stones, by name of the game."""
    pairs = []
    for stones in range(1, 8):
        game = find_game(f"ur:{rules}:{stones}")
        weight = 7 if stones == 7 else 1
        for position, roll in walked(game, walks * weight // 13) + scattered_ur(
            game, scatters * weight // 13
        ):
            pairs.append((game.name, position, roll))
    return pairs


@pytest.mark.parametrize("rules", RULE_SETS)
def test_ur_agrees_with_the_plain_engine(rules: str) -> None:
    pairs = ur_pairs(rules, walks=10_000, scatters=15_000)
    assert len(pairs) > 20_000
    for name, position, roll in pairs:
        rule_set = getattr(ur, rules.upper()).with_stones(sum(position) // 2)
        assert plays_of(find_game(name), position, roll) == ur.plays(position, roll, rule_set)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_ur_agrees_with_royalur(rules: str) -> None:
    pairs = ur_pairs(rules, walks=3_000, scatters=3_000)
    assert len(pairs) > 5_000
    for name, position, roll in pairs:
        judged = royalur.afterstates(position, roll, rules)
        assert plays_of(find_game(name), position, roll) == judged


def backgammon_pairs(name: str, walks: int, scatters: int) -> list[tuple[Row, str]]:
    game = find_game(name)
    return walked(game, walks) + scattered_backgammon(game, scatters)


@pytest.mark.parametrize(
    ("name", "walks", "scatters"),
    [("backgammon", 10_000, 12_000), ("hypergammon", 10_000, 12_000), ("nackgammon", 5_000, 0)],
)
def test_backgammon_agrees_with_the_plain_engine(name: str, walks: int, scatters: int) -> None:
    game = find_game(name)
    for position, roll in backgammon_pairs(name, walks, scatters):
        assert plays_of(game, position, roll) == backgammon.plays(position, roll)


@pytest.mark.parametrize("name", ["backgammon", "hypergammon", "nackgammon"])
def test_backgammon_agrees_with_gnubg(name: str) -> None:
    game = find_game(name)
    for position, roll in backgammon_pairs(name, walks=8_000, scatters=12_000):
        ours = {play.position for play in plays_of(game, position, roll)}
        assert ours == gnubg.afterstates(position, roll)


def test_backgammon_outcomes_agree_with_gnubg() -> None:
    game = find_game("backgammon")
    won = (15, *[0] * 25)
    losing = {position[:26] for position, _ in scattered_backgammon(game, 3_000, seed=7)}
    losing |= {position[:26] for position, _ in walked(game, 3_000, seed=7)}
    finished = {half + won for half in losing} | {won + half for half in losing}
    outcomes = {position: game.outcome_of(np.array(position, np.int8)) for position in finished}
    assert set(outcomes.values()) == set(game.outcomes)
    assert outcomes == {position: gnubg.outcome(position) for position in finished}


def test_backgammon_agrees_with_openspiel() -> None:
    game = find_game("backgammon")
    judged = list(openspiel.backgammon_positions(games=60, seed=4))
    assert len(judged) > 5_000
    for position, roll, plays in judged:
        assert plays_of(game, position, roll) == plays


def test_hypergammon_agrees_with_openspiel() -> None:
    game = find_game("hypergammon")
    judged = list(openspiel.hypergammon_positions(games=300, seed=5))
    assert len(judged) > 5_000
    for position, roll, positions in judged:
        assert {play.position for play in plays_of(game, position, roll)} == positions


def reachable_tictactoe() -> set[Row]:
    """Every position that is not finished."""
    seen: set[Row] = set()
    waiting = [tictactoe.START]
    while waiting:
        position = waiting.pop()
        if position not in seen:
            seen.add(position)
            plays = tictactoe.plays(position, "-")
            waiting += [play.position for play in plays if play.outcome is None]
    return seen


def test_tictactoe_agrees_with_the_plain_engine_and_openspiel_everywhere() -> None:
    game = find_game("tictactoe")
    positions = reachable_tictactoe()
    # Of the 5,478 positions that can be reached, 958 are finished.
    assert len(positions) == 5_478 - 958
    for position in positions:
        plays = plays_of(game, position, "-")
        assert plays == tictactoe.plays(position, "-")
        assert plays == openspiel.tictactoe_afterstates(position)
