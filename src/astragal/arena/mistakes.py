"""Where an agent gives something away: by kind of decision, and its worst mistakes."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.arena.judging import Judge
from astragal.games.backgammon_moves import BackgammonRules
from astragal.games.backgammon_places import OFF
from astragal.games.game import Afterstates, Game, Positions, Rolls, other_view
from astragal.games.ur import UrRules
from astragal.values.values import score_for

WORST_KEPT = 50
_STANDINGS = ("far behind", "behind", "ahead", "far ahead")
_STAGES = ("none", "up to a third", "up to two thirds", "more")
CAPTURES = ("captures and rolls again", "captures")
PLAIN = "moves on"
_DEEDS = (*CAPTURES, "rolls again", "brings a piece home", PLAIN)


class Turns(NamedTuple):
    """What many games in step chose at one turn of each."""

    positions: Positions  # [B, W]
    sides: NDArray[np.int64]  # [B] which seat rolled
    rolls: Rolls  # [B]
    found: Afterstates
    begins: NDArray[np.int64]  # [B] the first afterstate of each
    choice: NDArray[np.int64]  # [B]


class Mistake(NamedTuple):
    """One choice that was not the best; plays are indices among the afterstates."""

    lost: float
    position: tuple[int, ...]  # [W]
    side: int
    roll: int
    choice: int
    best: int


@dataclass
class Tally:
    """What was given away, added up."""

    kinds: dict[str, dict[str, tuple[int, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By a way of sorting decisions and a kind: how many there were, and what they lost."""
    worst: list[Mistake] = field(default_factory=list)
    """The largest first."""

    def add(
        self, judge: Judge, turns: Turns, rows: NDArray[np.int64], lost: NDArray[np.float64]
    ) -> None:
        """Adds the decisions in these rows, each with what it lost."""
        if len(rows) == 0:
            return
        bests, worth = _best_plays(judge, turns, rows)
        for way, names in _sorted(judge, turns, rows, bests, worth).items():
            _count(self.kinds[way], names, lost)
        least = self.worst[-1].lost if len(self.worst) == WORST_KEPT else 0.0
        self._keep(
            Mistake(
                lost=float(lost[i]),
                position=tuple(turns.positions[rows[i]].tolist()),
                side=int(turns.sides[rows[i]]),
                roll=int(turns.rolls[rows[i]]),
                choice=int(turns.choice[rows[i]]),
                best=int(bests[i] - turns.begins[rows[i]]),
            )
            for i in np.flatnonzero(lost > least)
        )

    def ordered(self, game: Game) -> dict[str, dict[str, tuple[int, float]]]:
        """The kinds as people expect them, ways with one kind only left out."""
        order = [*_STANDINGS, *_STAGES, *_DEEDS, *game.rolls]
        return {
            way: dict(sorted(kinds.items(), key=lambda item: order.index(item[0])))
            for way, kinds in self.kinds.items()
            if len(kinds) > 1
        }

    def join(self, other: Tally) -> None:
        """Adds another's decisions."""
        for way, kinds in other.kinds.items():
            for kind, (count, lost) in kinds.items():
                known = self.kinds[way].get(kind, (0, 0.0))
                self.kinds[way][kind] = known[0] + count, known[1] + lost
        self._keep(other.worst)

    def _keep(self, mistakes: Iterable[Mistake]) -> None:
        known = {mistake[1:]: mistake for mistake in (*self.worst, *mistakes)}
        self.worst = heapq.nlargest(WORST_KEPT, known.values())


def _count(
    kinds: dict[str, tuple[int, float]], names: NDArray[np.str_], lost: NDArray[np.float64]
) -> None:
    found, which = np.unique(names, return_inverse=True)
    counts, sums = np.bincount(which), np.bincount(which, lost)
    for name, count, loss in zip(found.tolist(), counts.tolist(), sums.tolist(), strict=True):
        known = kinds.get(name, (0, 0.0))
        kinds[name] = known[0] + count, known[1] + loss


def _best_plays(
    judge: Judge, turns: Turns, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Which afterstate is best for each row, and what it is worth to the mover."""
    mine = np.isin(turns.found.owner, rows)
    plays = np.flatnonzero(mine)
    worth = judge.worth(turns.found, plays)
    order = np.lexsort((plays, -worth, turns.found.owner[plays]))
    _, firsts = np.unique(turns.found.owner[plays][order], return_index=True)
    best = order[firsts]
    return plays[best], worth[best]


def _sorted(
    judge: Judge,
    turns: Turns,
    rows: NDArray[np.int64],
    bests: NDArray[np.int64],
    worth: NDArray[np.float64],
) -> dict[str, NDArray[np.str_]]:
    """The kind of each decision, by each way of sorting them."""
    game = judge.values.game
    score = score_for(game, judge.aim)
    chance = (worth - score.min()) / (score.max() - score.min())
    return {
        "the best play": _deeds(
            game,
            turns.positions[rows],
            turns.found.positions[bests],
            turns.found.turn_passes[bests],
        ),
        "the mover is": np.array(_STANDINGS)[np.clip((4 * chance).astype(int), 0, 3)],
        "of all pieces are home": _stages(game, turns.positions[rows]),
        "the roll": np.array(game.rolls)[turns.rolls[rows]],
    }


def _home(game: Game) -> int | None:
    """The place in a half where pieces are that have finished."""
    if isinstance(game.rules, UrRules):
        return game.width // 2 - 1
    return OFF if isinstance(game.rules, BackgammonRules) else None


def _stages(game: Game, positions: Positions) -> NDArray[np.str_]:
    home = _home(game)
    if home is None:
        return np.full(len(positions), _STAGES[0])
    counts = positions[:, home].astype(int) + positions[:, home + game.width // 2]
    thirds = np.ceil(3 * counts / (2 * game.rules.pieces)).astype(int)
    stages: NDArray[np.str_] = np.array(_STAGES)[thirds]
    return stages


def deeds_of(game: Game, position: Positions, found: Afterstates) -> list[str]:
    """What each of the plays of a position [W] does, in a few words."""
    before = np.repeat(position[np.newaxis], len(found.positions), axis=0)
    deeds: list[str] = _deeds(game, before, found.positions, found.turn_passes).tolist()
    return deeds


def _deeds(
    game: Game, before: Positions, after: Positions, passes: NDArray[np.bool_]
) -> NDArray[np.str_]:
    """What plays do that lead from positions [P, W] to afterstates [P, W]."""
    half = game.width // 2
    after = np.where(passes[:, np.newaxis], other_view(after), after)
    captures = (after[:, half:] != before[:, half:]).any(axis=1)
    home = _home(game)
    brings = np.zeros(len(before), bool) if home is None else after[:, home] > before[:, home]
    deeds = [captures & ~passes, captures, ~passes, brings]
    names: NDArray[np.str_] = np.select(deeds, _DEEDS[:4], default=_DEEDS[4])
    return names
