"""The graph that tree search grows: positions, the plays of each roll there, and their worth.

A position that can be reached in several ways is one node, so plays may lead back to it.
Letters for shapes: V nodes, X nodes that have plays, E plays, R rolls, K outcomes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import compiled, inlined

NONE = -1


class Graph(NamedTuple):
    """Nodes with what is known of them, for the player about to roll there, and plays."""

    positions: NDArray[np.int8]  # [V, W]
    chances: NDArray[np.float64]  # [V, K] by the plays from there, or without any the opinion
    worth: NDArray[np.float64]  # [V] the score of these chances
    is_settled: NDArray[np.bool_]  # [V] whether nothing is left to find out
    table: NDArray[np.int64]  # [V] the node's row in the tables of rolls, or NONE
    visits: NDArray[np.int64]  # [X, R] how often the search came by with this roll
    first_play: NDArray[np.int64]  # [X, R]
    plays: NDArray[np.int64]  # [X, R] how many follow
    is_roll_settled: NDArray[np.bool_]  # [X, R]
    child: NDArray[np.int64]  # [E] the node that the play leads to
    turn_passes: NDArray[np.bool_]  # [E]
    taken: NDArray[np.int64]  # [E] how often the search took the play


class Terms(NamedTuple):
    """What a search goes by."""

    odds: NDArray[np.float64]  # [R] the probability of each roll
    score: NDArray[np.float64]  # [K] what each outcome counts
    curiosity: float
    """How much, in what the score counts, a play may seem worse and yet be tried."""


class Ways(NamedTuple):
    """Ways from the root to where there are no plays yet, D of them, each at most L long."""

    nodes: NDArray[np.int64]  # [D, L]
    steps: NDArray[np.int64]  # [D]
    is_open: NDArray[np.bool_]  # [D] whether the last node may have plays that are not known yet


@compiled
def descend(graph: Graph, terms: Terms, ways: Ways) -> int:
    """Finds ways down from node 0 until there is no room, or one ends where another did."""
    for way in range(ways.steps.size):
        _go_down(graph, terms, ways, way)
        for earlier in range(way):
            if ways.is_open[way] and _last(ways, earlier) == _last(ways, way):
                return way
    return ways.steps.size


@inlined
def _last(ways: Ways, way: int) -> int:
    return ways.nodes[way, ways.steps[way] - 1]


@inlined
def _go_down(graph: Graph, terms: Terms, ways: Ways, way: int) -> None:
    """Counts its visits, so that the next way, or a way round in circles, is another one."""
    node = steps = 0
    is_open = False
    while steps < ways.nodes.shape[1] and not is_open and not graph.is_settled[node]:
        ways.nodes[way, steps] = node
        steps += 1
        row = graph.table[node]
        is_open = row == NONE
        if not is_open:
            roll = _next_roll(graph, terms, row)
            play = _next_play(graph, terms, row, roll)
            graph.visits[row, roll] += 1
            graph.taken[play] += 1
            node = graph.child[play]
    ways.steps[way], ways.is_open[way] = steps, is_open


@inlined
def _next_roll(graph: Graph, terms: Terms, row: int) -> int:
    """The roll that came least often for its probability, among those not settled."""
    visits = graph.visits[row].sum() + 1
    best, most = NONE, -np.inf
    for roll in range(terms.odds.size):
        lacking = terms.odds[roll] * visits - graph.visits[row, roll]
        if not graph.is_roll_settled[row, roll] and lacking > most:
            best, most = roll, lacking
    return best


@inlined
def _next_play(graph: Graph, terms: Terms, row: int, roll: int) -> int:
    """The play that seems best to the mover, with a bonus for those that were seldom taken."""
    first = graph.first_play[row, roll]
    bonus = terms.curiosity * np.sqrt(graph.visits[row, roll])
    best, highest = first, -np.inf
    for play in range(first, first + graph.plays[row, roll]):
        worth = _worth_for_mover(graph, play) + bonus / (1 + graph.taken[play])
        if not graph.is_settled[graph.child[play]] and worth > highest:
            best, highest = play, worth
    return best


@inlined
def _worth_for_mover(graph: Graph, play: int) -> float:
    worth = graph.worth[graph.child[play]]
    return -worth if graph.turn_passes[play] else worth


@compiled
def back_up(graph: Graph, terms: Terms, ways: Ways, count: int) -> None:
    """Values the nodes of the first so many ways anew, those farthest from the root first."""
    for way in range(count):
        for step in range(ways.steps[way] - 1, -1, -1):
            _value_anew(graph, terms, ways.nodes[way, step])


@inlined
def _value_anew(graph: Graph, terms: Terms, node: int) -> None:
    """The mean over all rolls of what the best play of each leads to."""
    row, is_settled = graph.table[node], True
    # Apart, since a play may lead to the node itself: a pass between two equal sides.
    chances = np.zeros(terms.score.size)
    for roll in range(terms.odds.size):
        _add_play(graph, _best_play(graph, terms, row, roll), terms.odds[roll], chances)
        is_settled &= graph.is_roll_settled[row, roll]
    graph.chances[node] = chances
    graph.worth[node] = (chances * terms.score).sum()
    graph.is_settled[node] = is_settled


@inlined
def _best_play(graph: Graph, terms: Terms, row: int, roll: int) -> int:
    """The best play for the mover; the roll is settled if no play can turn out better."""
    first = graph.first_play[row, roll]
    best, are_all_settled = first, True
    for play in range(first, first + graph.plays[row, roll]):
        are_all_settled &= graph.is_settled[graph.child[play]]
        if _worth_for_mover(graph, play) > _worth_for_mover(graph, best):
            best = play
    is_highest = _worth_for_mover(graph, best) >= terms.score[-1]
    is_won = is_highest and graph.is_settled[graph.child[best]]
    graph.is_roll_settled[row, roll] = are_all_settled or is_won
    return best


@inlined
def _add_play(graph: Graph, play: int, odds: float, chances: Any) -> None:
    """Adds what a play leads to, weighted, to the chances [K] of the player who moves."""
    child, last = graph.child[play], chances.size - 1
    for outcome in range(chances.size):
        seen = last - outcome if graph.turn_passes[play] else outcome
        chances[outcome] += odds * graph.chances[child, seen]
