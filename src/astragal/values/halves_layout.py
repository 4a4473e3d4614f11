"""The numbering of small games: the rank of the mover's half, then the rank of the other's.

A half is pieces laid out on places, and halves with fewer pieces come first. Among those with as
many, the i-th piece from the first place on adds to the rank as many as there are ways to lay i
pieces on the places before its own. Not every two halves can meet, so there are gaps: numbers whose
position, numbered again, is NOWHERE.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.compiling import inlined
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.backgammon_places import BAR, HALF
from astragal.games.bits import address_of, lowest_bit, peek, peek_word, word_at
from astragal.games.game import Game
from astragal.games.kernels import UNFINISHED
from astragal.games.tictactoe import CELLS, TicTacToeRules
from astragal.values.layout import NOWHERE, number_for, position_for, positions_of

_MOST_HALVES = 2**15
_OVER = 1 << 62  # marks a half that ends the game
_0 = np.uint64(0)
_1 = np.uint64(1)
_3 = np.uint64(3)
_7 = np.uint64(7)
_8 = np.uint64(8)
_56 = np.uint64(56)
_NEARLY = np.uint64(0x7F7F7F7F7F7F7F7F)  # carries into the highest bit of each byte that is not 0
_HIGHEST = np.uint64(0x8080808080808080)
_GATHER = np.uint64(0x0102040810204080)  # as a factor brings a bit of each byte into the last


class HalvesLayout(NamedTuple):
    """What numbers a position; P places in a half, n pieces at most, H halves."""

    size: int  # H * H
    halves: int  # H
    places: int
    fewest: int  # pieces in a half
    pieces: int  # in a half at most
    most: int  # pieces on a place
    full: int  # pieces of both sides with which nothing is free, so that the game is over
    # The tables in one piece, since Numba counts the references to every array of a tuple:
    # [P, n + 1] the ways to lay so many pieces on the places before this one,
    # [n + 2] where halves with so many pieces begin, then the end,
    # [H] a half's places as the other side counts them, if shared, as bits, and _OVER.
    flat: NDArray[np.int64]
    first: int  # where the second of them begins
    marks: int  # and the third


class _Kind(NamedTuple):
    """What the numbering of a game depends on."""

    places: int
    fewest: int
    pieces: int
    most: int
    full: int
    shared: dict[int, int]  # the other's place that is the same, by one's own


def fits_in_halves(game: Game) -> bool:
    """Whether the game is of a kind that can be numbered so, and small enough to be."""
    kind = _kind_of(game)
    return kind is not None and _count_halves(kind) <= _MOST_HALVES


def halves_layout(game: Game) -> HalvesLayout:
    """The numbering of all unfinished positions of a small game."""
    kind = _kind_of(game)
    if kind is None or _count_halves(kind) > _MOST_HALVES:
        raise ValueError(f"{game.name} cannot be numbered by halves")
    ways = ways_to_lay(kind.places, kind.pieces, kind.most)
    first = first_of_counts(ways, kind.fewest)
    halves = int(first[-1])
    begins = ways[:-1].size, ways[:-1].size + first.size
    flat = np.concatenate([ways[:-1].ravel(), first])
    layout = HalvesLayout(halves**2, halves, *kind[:-1], flat, *begins)
    return layout._replace(flat=np.concatenate([flat, _marks(game, layout, kind.shared)]))


def _kind_of(game: Game) -> _Kind | None:
    rules = game.rules
    if isinstance(rules, TicTacToeRules):
        return _Kind(CELLS, 0, -(-CELLS // 2), 1, CELLS, {cell: cell for cell in range(CELLS)})
    if isinstance(rules, BackgammonRules):
        checkers = rules.pieces
        points = {point: BAR - point for point in range(1, BAR)}
        return _Kind(HALF, checkers, checkers, checkers, 2 * checkers + 1, points)
    return None


def _count_halves(kind: _Kind) -> int:
    return int(first_of_counts(ways_to_lay(kind.places, kind.pieces, kind.most), kind.fewest)[-1])


def ways_to_lay(places: int, pieces: int, most: int) -> NDArray[np.int64]:
    """How many ways there are [P + 1, n + 1] to lay so many pieces on so many places."""
    ways = np.zeros((places + 1, pieces + 1), np.int64)
    ways[0, 0] = 1
    for place in range(places):
        for held in range(min(most, pieces) + 1):
            ways[place + 1, held:] += ways[place, : pieces + 1 - held]
    return ways


def first_of_counts(ways: NDArray[np.int64], fewest: int) -> NDArray[np.int64]:
    """Where halves with so many pieces begin, then the end [n + 2], from ways [P + 1, n + 1]."""
    counts = np.arange(ways.shape[1])
    return np.concatenate([[0], np.cumsum(np.where(counts < fewest, 0, ways[-1]))])


def _marks(game: Game, layout: HalvesLayout, shared: dict[int, int]) -> NDArray[np.int64]:
    numbers = np.arange(layout.halves) * layout.halves
    alone: NDArray[np.int8] = positions_of(layout, numbers, game.width)
    alone[:, layout.places :] = 0
    met = [(alone[:, mine] > 0) * (1 << theirs) for mine, theirs in shared.items()]
    return np.sum(met, axis=0) + _OVER * (game.outcomes_of(alone) != UNFINISHED)


@position_for(HalvesLayout)
def _position(layout: Any, number: Any, position: Any) -> None:
    _lay(layout, number // layout.halves, position, 0)
    _lay(layout, number % layout.halves, position, layout.places)


@inlined
def _lay(layout: Any, rank: Any, position: Any, begin: Any) -> None:
    """Lays out the half of a rank, the last piece first: it goes as far as the rank allows."""
    row, left = layout.pieces + 1, layout.pieces
    while layout.flat[layout.first + left] > rank:
        left -= 1
    rank -= layout.flat[layout.first + left]
    for place in range(layout.places - 1, -1, -1):
        held = 0
        while left and rank >= layout.flat[place * row + left]:
            rank -= layout.flat[place * row + left]
            left -= 1
            held += 1
        position[begin + place] = held


@number_for(HalvesLayout)
def _number(layout: Any, position: Any) -> Any:
    places, row = np.uint64(layout.places), np.uint64(layout.pieces + 1)
    mine, flat, most = address_of(position), address_of(layout.flat), np.uint64(layout.most)
    taken, other_taken = _taken(mine, places), _taken(mine + places, places)
    rank, pieces = _rank(mine, taken, most, flat, row)
    other_rank, other_pieces = _rank(mine + places, other_taken, most, flat, row)
    if pieces < np.uint64(layout.fewest) or pieces == row or other_pieces == row:
        return NOWHERE
    # Where pieces are laid down, the other side, which moved last, may be one ahead.
    if other_pieces - pieces > _1 or pieces + other_pieces == np.uint64(layout.full):
        return NOWHERE
    rank += word_at(flat, np.uint64(layout.first) + pieces)
    other_rank += word_at(flat, np.uint64(layout.first) + other_pieces)
    mark = word_at(flat, np.uint64(layout.marks) + rank)
    other_mark = word_at(flat, np.uint64(layout.marks) + other_rank)
    if mark & other_taken or (mark | other_mark) & np.uint64(_OVER):
        return NOWHERE
    return np.int64(rank * np.uint64(layout.halves) + other_rank)


@inlined
def _taken(half: Any, places: Any) -> Any:
    """The places of the half at an address that hold something, as bits; eight at a time."""
    taken, begin = _0, _0
    while begin < places:
        at = min(begin, places - _8)  # never beyond the half
        word = peek_word(half + at) >> (begin - at << _3)
        holds = ((word & _NEARLY) + _NEARLY | word) & _HIGHEST
        taken |= ((holds >> _7) * _GATHER >> _56) << begin
        begin += _8
    return taken


@inlined
def _rank(half: Any, taken: Any, most: Any, ways: Any, row: Any) -> Any:
    """The rank of the half at an address among those with as many pieces, and how many it has.

    As many as there are numbers in a row of the ways stands for too many.
    """
    rank, pieces = _0, _0
    while taken:
        place = lowest_bit(taken)
        taken &= taken - _1
        held = np.uint64(peek(half + place))
        if held > most or pieces + held >= row:
            return _0, row
        while held:
            held -= _1
            pieces += _1
            rank += word_at(ways, place * row + pieces)
    return rank, pieces
