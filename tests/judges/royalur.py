"""RoyalUr as a judge of the Royal Game of Ur, in all four of our rule sets.

RoyalUr can be set to any position. Its paths, rosettes and captures are ours in each rule set, but
its own Masters rolls four dice where ours rolls three with 0 counting 4, and it has no Blitz. So
it judges what a given roll leads to, never which rolls there are; Blitz is its Masters with a
capture giving another roll.
"""

from typing import Any

from royalur import (
    Board,
    GameMetadata,
    GameSettings,
    Piece,
    PlayerState,
    PlayerType,
    SimpleRuleSetProvider,
)
from royalur.model import Roll
from royalur.rules import (
    WaitingForMoveGameState,
    WaitingForRollGameState,
)

from reference import Play, Row, halves

SETTINGS = {
    "finkel": GameSettings.create_finkel(),
    "blitz": GameSettings.create_masters().with_captures_grant_extra_rolls(True),
    "masters": GameSettings.create_masters(),
    "aseb": GameSettings.create_aseb(),
}


def afterstates(position: Row, roll: str, rules: str) -> set[Play]:
    """Every distinct afterstate of a roll in an unfinished position, with 1 to 7 stones a side."""
    settings = SETTINGS[rules]
    judge = SimpleRuleSetProvider().create(settings, GameMetadata())
    rolled = judge.apply_roll(_state(position, settings), Roll(int(roll)))[-1]
    if not isinstance(rolled, WaitingForMoveGameState):
        return {_play(rolled, settings)}
    return {_play(judge.apply_move(rolled, move)[-1], settings) for move in rolled.available_moves}


def _state(position: Row, settings: Any) -> Any:
    """Our position with light about to roll."""
    mine, theirs = halves(position)
    board = Board(settings.board_shape)
    players = []
    for half, owner in ((mine, PlayerType.LIGHT), (theirs, PlayerType.DARK)):
        players.append(PlayerState(owner, half[0], half[-1]))
        for index, tile in enumerate(settings.paths.get(owner)):
            if half[index + 1]:
                board.set(tile, Piece(owner, index))
    return WaitingForRollGameState(board, *players, PlayerType.LIGHT)


def _play(state: Any, settings: Any) -> Play:
    """What light's move led to, seen by whoever rolls next."""
    light = _half(state, PlayerType.LIGHT, settings)
    dark = _half(state, PlayerType.DARK, settings)
    if state.is_finished():
        won = state.get_winner() == PlayerType.DARK
        return Play(dark + light, turn_passes=True, outcome=1 if won else -1)
    if state.get_turn() == PlayerType.LIGHT:
        return Play(light + dark, turn_passes=False, outcome=None)
    return Play(dark + light, turn_passes=True, outcome=None)


def _half(state: Any, owner: Any, settings: Any) -> Row:
    pieces = [state.board.get(tile) for tile in settings.paths.get(owner)]
    squares = [int(piece is not None and piece.owner == owner) for piece in pieces]
    player = state.get_player(owner)
    return (player.piece_count, *squares, player.score)
