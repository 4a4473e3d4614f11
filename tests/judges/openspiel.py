"""OpenSpiel as a judge of backgammon, hypergammon and tic-tac-toe.

Its tic-tac-toe can be set to any position. Its backgammon cannot, so it plays random games and
tells of each decision. It plays a double as two turns of two dice each, the second only if the
first could use both; here the two are joined to whole turns.
"""

import random
from collections.abc import Iterator
from typing import Any

import pyspiel

from reference import Play, Row, halves

BACKGAMMON = "backgammon(scoring_type=full_scoring,max_player_turns=100000)"
HYPERGAMMON = "backgammon(hyper_backgammon=True,max_player_turns=100000)"
BAR = 100
"""OpenSpiel's number of the bar, beside 0 to 23 for the points."""

State = Any
"""A `pyspiel.State`, which has no types."""


def backgammon_positions(games: int, seed: int) -> Iterator[tuple[Row, str, set[Play]]]:
    """Position, roll and afterstates at every decision of some random games."""
    for position, roll, turns in _random_turns(BACKGAMMON, 15, games, seed):
        yield position, roll, set(turns)


def hypergammon_positions(games: int, seed: int) -> Iterator[tuple[Row, str, set[Row]]]:
    """The same for hypergammon, without outcomes: OpenSpiel scores each of its games as 0."""
    for position, roll, turns in _random_turns(HYPERGAMMON, 3, games, seed):
        yield position, roll, {play.position for play in turns}


def tictactoe_afterstates(position: Row) -> set[Play]:
    """Every distinct afterstate of an unfinished position."""
    mine, theirs = halves(position)
    mover = sum(position) % 2
    own, other = "xo" if mover == 0 else "ox"
    cells = [own if m else other if t else "." for m, t in zip(mine, theirs, strict=True)]
    state = pyspiel.load_game("tic_tac_toe").new_initial_state(
        {"board": cells, "current_player": own}
    )
    return {
        Play(_tictactoe_position(child, other, own), True, _outcome(child, 1 - mover))
        for child in map(state.child, state.legal_actions())
    }


def _random_turns(
    game: str, checkers: int, games: int, seed: int
) -> Iterator[tuple[Row, str, dict[Play, State]]]:
    """Position, roll and afterstates at every decision, each with a state that it comes from."""
    rng = random.Random(seed)
    loaded = pyspiel.load_game(game)
    for _ in range(games):
        state = loaded.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            mover = state.current_player()
            turns = _whole_turns(state, mover, checkers)
            yield _position(state, mover, checkers), _roll(state), turns
            state = turns[rng.choice(list(turns))]


def _whole_turns(state: State, mover: int, checkers: int) -> dict[Play, State]:
    """Each distinct afterstate of a whole turn, with a state that it comes from."""
    turns = {}
    for child in map(state.child, state.legal_actions()):
        if child.current_player() == mover:
            turns.update(_whole_turns(child, mover, checkers))
        else:
            position = _position(child, 1 - mover, checkers)
            turns[Play(position, True, _outcome(child, 1 - mover))] = child
    return turns


def _roll(state: State) -> str:
    smaller, larger = state.observation_tensor()[-2:]
    return f"{larger:.0f}{smaller:.0f}"


def _position(state: State, player: int, checkers: int) -> Row:
    return _half(state, player, checkers) + _half(state, 1 - player, checkers)


def _half(state: State, player: int, checkers: int) -> Row:
    """Player 0 walks from point 0 up to 23, player 1 from 23 down to 0."""
    points = range(24) if player == 1 else range(23, -1, -1)
    board = [state.board(player, point) for point in (*points, BAR)]
    return (checkers - sum(board), *board)


def _tictactoe_position(state: State, next_mover: str, other: str) -> Row:
    cells = state.to_dict()["board"]
    return tuple(int(cell == mark) for mark in (next_mover, other) for cell in cells)


def _outcome(state: State, player: int) -> int | None:
    return int(state.returns()[player]) if state.is_terminal() else None
