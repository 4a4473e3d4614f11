"""Whole games at random, as fast as the rules allow."""

from __future__ import annotations

from typing import Any

import numpy as np

from astragal.compiling import compiled, inlined
from astragal.games.bits import address_of, copy_bytes
from astragal.games.game import Game, Positions
from astragal.games.kernels import (
    UNFINISHED,
    Buffer,
    draw_roll,
    new_buffer,
    take_row,
    write_afterstates,
)
from astragal.games.luck import draw_below


@compiled
def random_games(rules: Any, games: int, luck: Any) -> Any:
    """Plays whole games in which every play is as likely as the others.

    Of each game: turns, passes included; moves, without them; the outcome for who began.
    """
    room = new_buffer(rules, rules.most_afterstates)
    turns, moves = np.zeros(games, np.int32), np.zeros(games, np.int32)
    outcomes = np.zeros(games, np.int8)
    position = np.empty_like(rules.start)
    for game in range(games):
        turns[game], moves[game], outcomes[game] = _random_game(rules, luck, position, room)
    return turns, moves, outcomes


@inlined
def _random_game(rules: Any, luck: Any, position: Any, room: Buffer) -> Any:
    copy_bytes(address_of(position), address_of(rules.start), np.uint64(position.size))
    roll = draw_roll(rules.opening, luck)
    turns, moves, beginner_moves = 0, 0, True
    while True:
        count = write_afterstates(rules, position, roll, room, 0)
        choice = draw_below(luck, count)
        turns += 1
        moves += not _is_pass(position, room.positions, count)
        beginner_moves ^= room.turn_passes[choice]
        outcome = room.outcome[choice]
        if outcome != UNFINISHED:
            return turns, moves, outcome if beginner_moves else -outcome
        take_row(position, room.positions, choice)
        roll = draw_roll(rules.throws, luck)


@inlined
def _is_pass(before: Any, after: Any, count: int) -> bool:
    """Whether the only afterstate is the same board seen from the other side."""
    if count > 1:
        return False
    half = before.size // 2
    for i in range(half):
        if before[i] != after[0, half + i] or before[half + i] != after[0, i]:
            return False
    return True


def random_positions(game: Game, count: int, luck: np.random.Generator) -> Positions:
    """Unfinished positions [B, W] that random play meets, one from every turn of a few games."""
    found: list[Positions] = []
    position, opening = game.start, True
    while len(found) < count:
        found.append(position)
        (roll,) = game.draw(luck, 1, opening=opening)
        after = game.afterstates_of(position, roll)
        choice = draw_below(luck, len(after.owner))
        opening = bool(after.outcome[choice] != UNFINISHED)
        position = game.start if opening else after.positions[choice]
    return np.stack(found)
