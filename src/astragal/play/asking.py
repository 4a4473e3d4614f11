"""How a person names a play: as people write moves, or by its number in a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.columns import Columns
from rich.console import Console

from astragal.arena.mistakes import PLAIN
from astragal.arena.records import make_step
from astragal.errors import InputError, quote
from astragal.games.game import Game, Standing

Ask = Callable[[str], str | None]
"""Shows a prompt; the line that was answered, or None when nobody will answer any more."""

_MOST_DEEDS = 8  # plays beside which stands what they do


def list_moves(console: Console, moves: Sequence[str], deeds: Sequence[str]) -> None:
    """Prints the plays with their numbers, and where there are few, what they do."""
    if not is_numbered(moves):
        told = f"You may play {', '.join(moves)}."
        console.print(told, markup=False, highlight=False, soft_wrap=True)
        return
    cells = [f"{number:3} {move}" for number, move in enumerate(moves, 1)]
    if len(moves) <= _MOST_DEEDS:
        cells = [
            cell if deed == PLAIN else f"{cell}  {deed}"
            for cell, deed in zip(cells, deeds, strict=True)
        ]
    console.print(Columns(cells, padding=(0, 3), column_first=True), highlight=False, markup=False)


def is_numbered(moves: Sequence[str]) -> bool:
    """Numbers would be taken for moves where moves are numbers."""
    return not any(move.isdecimal() for move in moves)


def chosen_move(game: Game, standing: Standing, roll: int, moves: Sequence[str], line: str) -> str:
    """The move that a line is, or the one whose number it is, or InputError."""
    if line not in moves and line.isdecimal() and len(line) <= 4 and is_numbered(moves):
        if 1 <= int(line) <= len(moves):
            return moves[int(line) - 1]
        raise InputError(f"{quote(line)} is no play: expected a number from 1 to {len(moves)}.")
    try:
        return make_step(game, standing, roll, line).move
    except InputError as fault:
        raise InputError(f"{fault} Type help for what can be answered.") from fault
