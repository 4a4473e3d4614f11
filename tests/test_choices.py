"""The steps of a turn: every legal play can be made piece by piece, and nothing else."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from astragal.arena.mistakes import deeds_of
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Standing
from astragal.play import choices
from astragal.play.choices import choices_of
from positions import scattered_backgammon, scattered_ur, walked
from reference import Row, backgammon, halves
from test_show import BACKGAMMONS, URS, checkers

Graph = dict[str, Any]
BACKGAMMON = find_game("backgammon")


def reached(graph: Graph) -> set[int]:
    """The nodes that edges lead to from the first."""
    found, waiting = {0}, [0]
    while waiting:
        new = {node for _, _, node in graph["nodes"][waiting.pop()]["edges"]} - found
        found |= new
        waiting += new
    return found


def moved(half: list[int], source: int | None, target: int) -> list[int]:
    after = list(half)
    if source is not None:
        after[source] -= 1
    after[target] += 1
    return after


def check_edges(graph: Graph, side: int) -> None:
    """Each edge is a step of one piece of the mover, and the other side loses none."""
    for node in graph["nodes"]:
        assert len({(source, target) for source, target, _ in node["edges"]}) == len(node["edges"])
        for source, target, number in node["edges"]:
            after = graph["nodes"][number]["halves"]
            assert after[side] == moved(node["halves"][side], source, target)
            assert min(after[side]) >= 0
            assert sum(after[1 - side]) == sum(node["halves"][1 - side])


def check_plays(game: Game, standing: Standing, roll: int, graph: Graph) -> None:
    """Where nothing is left to do a play is complete, and each play is one of those."""
    position, side = standing
    found = game.afterstates_of(position, roll)
    moves = game.notation.format_moves(position, side, roll, found)
    deeds = deeds_of(game, position, found)
    assert [(play["move"], play["deed"]) for play in graph["plays"]] == list(
        zip(moves, deeds, strict=True)
    )
    complete = [node for node in graph["nodes"] if node["play"] is not None]
    assert complete == [node for node in graph["nodes"] if not node["edges"]]
    assert {node["play"] for node in complete} == set(range(len(moves)))
    for node in complete:
        seen_by = side ^ int(found.turn_passes[node["play"]])
        after = found.positions[node["play"]].reshape(2, -1).tolist()
        assert node["halves"] == (after[::-1] if seen_by else after)


def positions_of(game: Game) -> Iterator[tuple[Standing, int]]:
    """Some hundreds of positions with rolls, for either side to move."""
    pairs = walked(game, 300)
    if game.name in URS:
        pairs += scattered_ur(game, 100)
    if game.name in BACKGAMMONS:
        pairs += scattered_backgammon(game, 100)
    for number, (position, roll) in enumerate(pairs):
        yield Standing(np.array(position, np.int8), number % 2), game.parse_roll(roll)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_legal_play_is_made_of_steps_and_every_step_leads_to_one(name: str) -> None:
    game = find_game(name)
    for standing, roll in positions_of(game):
        graph = choices_of(game, standing, roll)
        first = standing.position.reshape(2, -1).tolist()
        assert graph["nodes"][0]["halves"] == (first[::-1] if standing.side else first)
        assert reached(graph) == set(range(len(graph["nodes"])))
        check_edges(graph, standing.side)
        check_plays(game, standing, roll, graph)


def paths_of(graph: Graph, number: int = 0) -> Iterator[tuple[backgammon.Board, ...]]:
    """The boards that each way through a graph comes by, white to move."""
    node = graph["nodes"][number]
    mine, theirs = node["halves"]
    board = tuple(mine), tuple(theirs)
    if not node["edges"]:
        yield (board,)
    for _, _, after in node["edges"]:
        for rest in paths_of(graph, after):
            yield (board, *rest)


def plain_paths(
    board: backgammon.Board, dice: tuple[int, ...]
) -> Iterator[tuple[backgammon.Board, ...]]:
    """The boards that the dice lead through in this order, until one cannot be played."""
    further = list(backgammon._steps(board, dice[0])) if dice else []
    if not further:
        yield (board,)
    for after in further:
        for rest in plain_paths(after, dice[1:]):
            yield (board, *rest)


def legal_paths(position: Row, roll: str) -> set[tuple[backgammon.Board, ...]]:
    """Those that play as many dice as possible, the larger if one only, or bear off everything."""
    larger, smaller = int(roll[0]), int(roll[1])
    if larger == smaller:
        orders = [list(plain_paths(halves(position), (larger,) * 4))]
    else:
        pairs = (larger, smaller), (smaller, larger)
        orders = [list(plain_paths(halves(position), dice)) for dice in pairs]
    found = [path for paths in orders for path in paths]
    most = max(map(len, found))
    if most == 2 and len(orders[0][0]) == 2:
        found = orders[0]
    return {path for path in found if len(path) == most or not any(path[-1][0][1:])}


@pytest.mark.parametrize("name", BACKGAMMONS)
def test_dice_may_be_played_in_every_order_that_a_plain_search_finds(name: str) -> None:
    game = find_game(name)
    for position, roll in walked(game, 60, seed=4) + scattered_backgammon(game, 240, seed=5):
        standing = Standing(np.array(position, np.int8), 0)
        paths = list(paths_of(choices_of(game, standing, game.parse_roll(roll))))
        assert len(set(paths)) == len(paths)
        assert set(paths) == legal_paths(position, roll), (position, roll)


def first_steps(mine: dict[int, int], theirs: dict[int, int], roll: str) -> set[tuple[int, int]]:
    return {(source, target) for source, target, _ in graph_of(mine, theirs, roll)[0]["edges"]}


def graph_of(mine: dict[int, int], theirs: dict[int, int], roll: str) -> list[dict[str, Any]]:
    position = np.array(checkers(mine) + checkers(theirs), np.int8)
    graph = choices_of(BACKGAMMON, Standing(position, 0), BACKGAMMON.parse_roll(roll))
    nodes: list[dict[str, Any]] = graph["nodes"]
    return nodes


def test_a_step_after_which_the_other_die_cannot_be_used_is_not_offered() -> None:
    # 10/4 is open, but then neither 4/3 nor 24/23 is.
    steps = first_steps({24: 1, 10: 1, 0: 13}, {22: 2, 2: 2, 6: 11}, "61")
    assert steps == {(24, 18), (10, 9)}


def test_the_larger_die_has_to_be_used_if_only_one_can_be() -> None:
    alone, block = {20: 1, 0: 14}, {15: 2, 6: 13}
    assert first_steps(alone, block, "64") == {(20, 14)}
    assert first_steps(alone, block | {6: 11, 11: 2}, "64") == {(20, 16)}


def test_a_checker_on_the_bar_enters_first() -> None:
    nodes = graph_of({25: 1, 8: 14}, {12: 15}, "31")
    assert {tuple(edge[:2]) for edge in nodes[0]["edges"]} == {(25, 22), (25, 24)}
    seconds = {tuple(edge[:2]) for _, _, node in nodes[0]["edges"] for edge in nodes[node]["edges"]}
    assert seconds == {(22, 21), (24, 21), (8, 7), (8, 5)}


def test_a_checker_that_is_hit_goes_to_the_bar_of_the_other_side() -> None:
    nodes = graph_of({8: 1, 0: 14}, {22: 1, 6: 14}, "51")
    hits = {source: node for source, target, node in nodes[0]["edges"] if target == 3}
    assert nodes[hits[8]]["halves"][1] == checkers({25: 1, 6: 14})


def test_both_orders_of_two_dice_come_to_one_node() -> None:
    nodes = graph_of({13: 1, 0: 14}, {1: 15}, "21")
    assert [len(node["edges"]) for node in nodes] == [2, 1, 1, 0]


def test_a_double_is_four_steps() -> None:
    nodes = graph_of({13: 1, 0: 14}, {1: 15}, "22")
    assert [edge for node in nodes for edge in node["edges"]] == [
        [13, 11, 1],
        [11, 9, 2],
        [9, 7, 3],
        [7, 5, 4],
    ]


def test_the_last_checker_may_leave_by_one_die_or_by_both() -> None:
    assert first_steps({6: 1, 0: 14}, {1: 15}, "65") == {(6, 0), (6, 1)}


def test_who_cannot_move_has_one_play_and_no_step() -> None:
    nodes = graph_of({25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 3}, "64")
    assert [(node["edges"], node["play"]) for node in nodes] == [([], 0)]


def test_a_piece_of_tictactoe_comes_from_nowhere() -> None:
    game = find_game("tictactoe")
    graph = choices_of(game, game.notation.parse_position("xo.xo..x."), 0)
    assert graph["nodes"][0]["edges"] == [[None, 2, 1], [None, 5, 2], [None, 6, 3], [None, 8, 4]]
    assert [play["move"] for play in graph["plays"]] == ["2", "5", "6", "8"]


def test_a_play_of_many_pieces_in_a_game_that_is_played_one_by_one_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choices, "BackgammonRules", type(None))
    with pytest.raises(ValueError, match="is not a step of one piece"):
        choices_of(BACKGAMMON, Standing(BACKGAMMON.start, 0), BACKGAMMON.parse_roll("31"))
