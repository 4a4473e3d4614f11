"""The feature sets of each game, by name, each with a number that changes when its meaning does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError, quote
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Game
from astragal.games.tictactoe import CELLS, LINES, TicTacToeRules
from astragal.games.ur import UrRules
from astragal.values import backgammon_signs as signs
from astragal.values import ur_signs
from astragal.values.features import Features, Group
from astragal.values.signs import signs_of

# Of one place, the values of its own inputs, given how many pieces stand there.
Units = Callable[[int], list[float]]


@functools.cache
def features(game: Game, name: str) -> Features:
    """The set of this name for the game."""
    known = _SETS.get(type(game.rules), {})
    if name not in known:
        raise InputError(
            f"{quote(name)} is not a feature set of {game.name}: "
            f"expected one of {', '.join(known)}."
        )
    version, groups = known[name]
    return Features(name, version, game, tuple(groups(game)))


def feature_sets(game: Game) -> list[str]:
    """The names of the game's sets."""
    return list(_SETS.get(type(game.rules), {}))


def _each(game: Game, units: Sequence[Units]) -> list[Group]:
    """A group for each place, whose code is how many pieces stand there."""
    counts = range(game.rules.pieces + 1)
    return [
        Group((place,), [list(counts)], _inputs([unit(count) for count in counts]))
        for place, unit in enumerate(units)
    ]


def _inputs(rows: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    return np.array(rows, np.float32)


def _pattern(game: Game, squares: Sequence[Sequence[int]]) -> Group:
    """One input for each way in which squares can be taken.

    Each square is given by the places that tell of it, of which at most one has a piece.
    """
    places, codes, factor = [], [], 1
    for square in squares:
        for which, place in enumerate(square, 1):
            places.append(place)
            codes.append([0] + [which * factor] * game.rules.pieces)
        factor *= len(square) + 1
    return Group(tuple(places), codes, np.eye(factor, dtype=np.float32))


def _number(divisor: float = 1) -> Units:
    return lambda count: [count / divisor]


def _unary(most: int) -> Units:
    """As many inputs as there can be pieces, of which as many are on as there are."""
    return lambda count: [float(count > i) for i in range(most)]


def _numbers(game: Game) -> list[Group]:
    return _each(game, [_number()] * game.width)


def _ur_unary(game: Game) -> list[Group]:
    stones, squares = game.rules.pieces, game.width // 2 - 2
    return _each(game, ([_unary(stones)] + [_unary(1)] * squares + [_unary(stones)]) * 2)


def _ur_patterns(game: Game) -> list[Group]:
    """Counts of waiting and home, and patterns of neighbouring squares.

    Four shared squares at a time, overlapping by two, each empty or taken by either side; and of
    each side the squares that it has for itself, together with whether any stone waits.
    """
    assert isinstance(game.rules, UrRules)
    half, meets = game.width // 2, game.rules.meets
    private = [place for place in range(half - 1) if not meets[place]]
    own = [_pattern(game, [(side + place,) for place in private]) for side in (0, half)]
    return _ur_ends(game) + _ur_windows(game, meets) + own


def _ur_signs(game: Game) -> list[Group]:
    """The same, but a side's own squares before and after the shared ones each for themselves.

    And for each roll and side what it captures and which rosettes it reaches.
    """
    assert isinstance(game.rules, UrRules)
    rules, half, meets = game.rules, game.width // 2, game.rules.meets
    groups = _ur_ends(game) + _ur_windows(game, meets)
    last = max(np.flatnonzero(meets))
    for side in (0, half):
        for squares in (range(1, last), range(last, half - 1)):
            own = [(side + square,) for square in squares if not meets[square]]
            groups += [_pattern(game, own)] if own else []
    capturing = [0, *(int(square) for square in np.flatnonzero((meets > 0) & ~rules.barred))]
    rosettes = range(1 << int(rules.rosette.sum()))
    for side in (0, ur_signs.OTHER):
        for roll in range(ur_signs.ROLLS):
            groups.append(_each_of(game, side + ur_signs.CAPTURES + roll, capturing))
            groups.append(_each_of(game, side + ur_signs.REACHED + roll, rosettes))
    return groups


def _ur_ends(game: Game) -> list[Group]:
    """Stones that wait and stones at home, one input for each."""
    ends, half = [_unary(game.rules.pieces)] * game.width, game.width // 2
    return [group for group in _each(game, ends) if group.places[0] % half in (0, half - 1)]


def _ur_windows(game: Game, meets: NDArray[np.uint8]) -> list[Group]:
    """Four shared squares at a time, overlapping by two."""
    half = game.width // 2
    shared = [int(place) for place in np.flatnonzero(meets)]
    windows = [shared[begin : begin + 4] for begin in range(0, len(shared) - 3, 2)]
    return [
        _pattern(game, [(place, half + int(meets[place])) for place in window])
        for window in windows
    ]


def _each_of(game: Game, sign: int, numbers: Sequence[int]) -> Group:
    """One input for each of these numbers that a sign can be, the first of which is 0."""
    codes = [0] * (signs_of(game)[sign].highest + 1)
    for code, number in enumerate(numbers):
        codes[number] = code
    return Group((game.width + sign,), [codes], np.eye(len(numbers), dtype=np.float32))


def _tesauro_point(count: int) -> list[float]:
    return [count >= 1, count >= 2, count >= 3, max(count - 3, 0) / 2]


def _tesauro(game: Game) -> list[Group]:
    """Two more inputs say whose turn it is: always that of the player about to roll."""
    off, bar = _number(15), _number(2)
    half: list[Units] = [off, *[_tesauro_point] * 24, bar]
    turn: Units = lambda count: [*bar(count), 1.0, 0.0]  # noqa: E731
    return _each(game, [*half, *half[:-1], turn])


# Hilton's two sets follow his program, github.com/jacobhilton/backgammon, board.ml and point.ml.


def _hilton_point(count: int) -> list[float]:
    return [count == 1, count >= 2, count >= 3, max(count - 3, 0) / 2]


def _hilton(game: Game) -> list[Group]:
    bar: Units = lambda count: [float(count >= 1), max(count - 1, 0) / 2]  # noqa: E731
    return _each(game, [_number(15), *[_hilton_point] * 24, bar] * 2)


def _wide_point(count: int) -> list[float]:
    steps: list[float] = [count >= 2, count >= 3, count >= 4, count >= 5]
    return [count == 1, *steps, max(count - 5, 0) / 2]


def _hilton_wide(game: Game) -> list[Group]:
    return _each(game, [_unary(15), *[_wide_point] * 24, _tesauro_point] * 2)


def _backgammon_signs(game: Game) -> list[Group]:
    """Hilton's inputs, and what the signs tell: shots, ways out, the race."""
    groups = _hilton(game)
    for mine, theirs in ((0, signs.OTHER), (signs.OTHER, 0)):
        groups.append(_told(game, mine + signs.HITS, mine + signs.HELD))
        groups.append(_told(game, mine + signs.FREE, theirs + signs.HELD))
        groups.append(_told(game, mine + signs.ENTERED))
        groups.append(_told(game, mine + signs.COST))
    groups.append(_told(game, signs.REAR, signs.OTHER + signs.REAR))
    groups.append(_told(game, signs.LEAD))
    return groups


def _backgammon_tactics(game: Game) -> list[Group]:
    """The same, and more signs: choice among blots, mobility, time, how far the game has come."""
    groups = _backgammon_signs(game)
    for side in (0, signs.OTHER):
        for sign in (signs.CHOICE, signs.NEXT, signs.WAY, signs.SPARE):
            groups.append(_told(game, side + sign))
    groups.append(_told(game, signs.BACK, signs.OTHER + signs.BACK))
    groups.append(_told(game, signs.GONE, signs.OTHER + signs.GONE))
    groups.append(_told(game, signs.LEAD, signs.PIPS))
    return groups


def _backgammon_structure(game: Game) -> list[Group]:
    """The same, and still more: which points are held, blocks, rolls that make points, blots."""
    groups = _backgammon_tactics(game)
    for mine, theirs in ((0, signs.OTHER), (signs.OTHER, 0)):
        groups.append(_told(game, mine + signs.HOME, theirs + signs.ENTERING))
        groups.append(_told(game, mine + signs.ANCHORS, theirs + signs.HELD))
        groups.append(_told(game, mine + signs.RUN, mine + signs.EDGE))
        groups.append(_told(game, mine + signs.BLOTS, theirs + signs.HELD))
        for sign in (
            signs.MIDDLE,
            signs.OUTER,
            signs.MADE,
            signs.POINTED,
            signs.ANCHORED,
            signs.DEEP,
        ):
            groups.append(_told(game, mine + sign))
    groups.append(_told(game, signs.EXACT_LEAD))
    return groups


def _told(game: Game, *which: int) -> Group:
    """One input for each way that some signs can be together, and one for the first's size."""
    codes, factor = [], 1
    for sign in which:
        numbers = range(signs_of(game)[sign].highest + 1)
        codes.append([number * factor for number in numbers])
        factor *= len(numbers)
    sizes = np.arange(factor) % len(codes[0]) / len(codes[0])
    inputs = np.column_stack([np.eye(factor), sizes]).astype(np.float32)
    return Group(tuple(game.width + sign for sign in which), codes, inputs)


def _cells(game: Game) -> list[Group]:
    """A cell is 1 if the player about to move has it, -1 if the other has."""
    codes = [[count * which for count in range(game.rules.pieces + 1)] for which in (1, 2)]
    codes = [[min(code, which) for code in row] for which, row in enumerate(codes, 1)]
    return [Group((cell, CELLS + cell), codes, _inputs([[0], [1], [-1]])) for cell in range(CELLS)]


def _lines(game: Game) -> list[Group]:
    """Each of the eight lines as a whole."""
    return [_pattern(game, [(cell, CELLS + cell) for cell in line]) for line in LINES]


_SETS: Mapping[type, Mapping[str, tuple[int, Callable[[Game], list[Group]]]]] = {
    UrRules: {
        "rows32": (1, _numbers),
        "unary": (1, _ur_unary),
        "patterns": (1, _ur_patterns),
        "signs": (1, _ur_signs),
    },
    BackgammonRules: {
        "tesauro198": (1, _tesauro),
        "hilton198": (2, _hilton),
        "hilton326": (1, _hilton_wide),
        "signs": (1, _backgammon_signs),
        "tactics": (1, _backgammon_tactics),
        "structure": (1, _backgammon_structure),
    },
    TicTacToeRules: {"cells9": (1, _cells), "cells18": (1, _numbers), "lines": (1, _lines)},
}
