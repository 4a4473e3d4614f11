"""The legal plays of a turn as single steps, for a person who moves piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from astragal.arena.backgammon_steps import Halves, Moment, halves_of, ways_through
from astragal.arena.mistakes import deeds_of
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.game import Afterstates, Game, Positions, Standing, other_view

Ways: TypeAlias = Mapping[Moment, Sequence[tuple[int | None, int, Moment]]]
"""The steps from each moment of a turn, the position itself first: from, to and where it leads."""


def choices_of(game: Game, standing: Standing, roll: int) -> dict[str, Any]:
    """The plays of an unfinished game, and the nodes that their steps lead through, for JSON.

    A node has both halves, that of side 0 first, its edges `[from, to, node]` in the mover's half,
    and which of the plays is complete with it, or None. Node 0 is the position itself; a piece
    that comes from nowhere is from None.
    """
    position, side = standing
    found = game.afterstates_of(position, roll)
    moves = game.notation.format_moves(position, side, roll, found)
    deeds = deeds_of(game, position, found)
    ends = _ends(found)
    return {
        "nodes": _nodes(_ways(game, position, roll, ends), ends, side),
        "plays": [{"move": move, "deed": deed} for move, deed in zip(moves, deeds, strict=True)],
    }


def _ends(found: Afterstates) -> dict[Halves, int]:
    """Which play leads to which halves, the mover's first."""
    passes = found.turn_passes[:, np.newaxis]
    after = np.where(passes, other_view(found.positions), found.positions)
    return {halves_of(position): play for play, position in enumerate(after)}


def _ways(game: Game, position: Positions, roll: int, ends: Mapping[Halves, int]) -> Ways:
    if not isinstance(game.rules, BackgammonRules):
        return _single_steps(halves_of(position), ends)
    return {
        moment: [(source, target, after) for (source, target), after in steps.items()]
        for moment, steps in ways_through(position, game.rolls[roll]).items()
    }


def _single_steps(before: Halves, ends: Mapping[Halves, int]) -> Ways:
    """The ways of a game in which a play moves one piece, or none."""
    moments = [Moment(halves, ()) for halves in ends if halves != before]
    steps = [(*_step(before.mine, moment.halves.mine), moment) for moment in moments]
    return {Moment(before, ()): steps} | {moment: [] for moment in moments}


def _step(before: Sequence[int], after: Sequence[int]) -> tuple[int | None, int]:
    """From where to where a piece went, or ValueError if it was not one piece alone."""
    gained = [new - old for old, new in zip(before, after, strict=True)]
    if sorted(filter(None, gained)) not in ([1], [-1, 1]):
        raise ValueError(f"from {before} to {after} is not a step of one piece")
    return (gained.index(-1) if -1 in gained else None), gained.index(1)


def _nodes(ways: Ways, ends: Mapping[Halves, int], side: int) -> list[dict[str, Any]]:
    numbers = {moment: number for number, moment in enumerate(ways)}
    return [
        {
            "halves": [list(half) for half in (moment.halves[::-1] if side else moment.halves)],
            "edges": [[source, target, numbers[after]] for source, target, after in steps],
            "play": None if steps else ends[moment.halves],
        }
        for moment, steps in ways.items()
    ]
