"""GNU Backgammon's move generator as a judge of backgammon and its cousins.

`gnubg_nn.moves` can be set to any position and gives one 20-letter position key for each distinct
board, or nothing at all for a dance.
"""

import gnubg_nn

from reference import Row, halves

CHECKERS = 15


def afterstates(position: Row, roll: str) -> set[Row]:
    """Every distinct position that a roll can lead to, seen by the other player."""
    mine, theirs = halves(position)
    keys = gnubg_nn.moves(_board(position), int(roll[0]), int(roll[1]))
    return {_position(key, sum(mine), sum(theirs)) for key in keys} or {theirs + mine}


def outcome(position: Row) -> int | None:
    """Points for the player about to roll, of a game with fifteen checkers a side.

    With fewer, GNU Backgammon sees no gammons: it takes a missing checker for one borne off.
    """
    if not all(sum(half) == CHECKERS for half in halves(position)):
        raise ValueError(f"not fifteen checkers a side: {position}")
    board = _board(position)
    if gnubg_nn.classify(board) != gnubg_nn.c_over:
        return None
    win, gammon, backgammon, gammon_lost, backgammon_lost = gnubg_nn.probabilities(board, 0)
    return int(2 * win - 1 + gammon + backgammon - gammon_lost - backgammon_lost)


def _board(position: Row) -> list[list[int]]:
    """GNU Backgammon's board: the other player first, each side its points and then its bar."""
    mine, theirs = halves(position)
    return [list(theirs[1:]), list(mine[1:])]


def _position(key: str, mine: int, theirs: int) -> Row:
    """The position after a move, turned to the other player; the rest of the checkers are off."""
    other, mover = gnubg_nn.board_from_position_key(key)
    return (theirs - sum(other), *other, mine - sum(mover), *mover)
