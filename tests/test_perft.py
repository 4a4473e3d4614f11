"""Perft: counts kept as data, which any two engines must agree on."""

import json
from pathlib import Path

import pytest

from astragal.games.catalogue import find_game
from astragal.games.perft import count_tree, new_walk, walk_on
from reference import Row, backgammon, tictactoe, ur

DATA = Path(__file__).parent / "data" / "perft.json"
COUNTS: dict[str, list[int]] = json.loads(DATA.read_text())["counts"]


@pytest.mark.parametrize("name", COUNTS)
def test_the_fast_engine_counts_what_is_kept(name: str) -> None:
    game = find_game(name)
    counts = count_tree(game, game.start, len(COUNTS[name]))
    assert counts[:, 0].tolist() == COUNTS[name]


def reference_perft(name: str, start: Row, depth: int) -> int:
    if name.startswith("ur"):
        rules = {"ur": "FINKEL", "ur:blitz": "BLITZ", "ur:masters": "MASTERS", "ur:aseb": "ASEB"}
        return ur.perft(start, depth, getattr(ur, rules[name]))
    if name == "tictactoe":
        return tictactoe.perft(start, depth)
    return backgammon.perft(start, depth)


@pytest.mark.parametrize("name", COUNTS)
def test_the_plain_engine_counts_what_is_kept(name: str) -> None:
    start = tuple(find_game(name).start.tolist())
    for depth in range(1, 3 if "gammon" in name else 6):
        assert reference_perft(name, start, depth) == COUNTS[name][depth - 1]


def test_finished_games_and_kept_turns_are_counted_apart() -> None:
    game = find_game("ur:1")
    position = game.notation.parse_position("0.............o0/1..............0 r").position
    # From the last square a 1 wins; any other roll is a pass, after which blue enters, on its
    # rosette with a 4.
    assert count_tree(game, position, 2).tolist() == [[5, 1, 0], [20, 0, 4]]


def test_a_finished_position_has_nothing_below_it() -> None:
    game = find_game("tictactoe")
    position = game.notation.parse_position("xxxoo....").position
    assert not count_tree(game, position, 3).any()


def test_a_walk_in_small_steps_counts_the_same() -> None:
    game = find_game("backgammon")
    walk = new_walk(game, game.start, 2)
    steps = 1
    while walk_on(game.rules, walk, 1_000):
        steps += 1
    assert steps > 100
    assert walk.counts[:, 0].tolist() == COUNTS["backgammon"][:2]


def test_progress_is_told_and_rises_to_one() -> None:
    game = find_game("backgammon")
    shares: list[float] = []
    count_tree(game, game.start, 3, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
