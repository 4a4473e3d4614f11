"""Games against itself with a target for every position worth learning from.

A task is a pure function of what it is given, so it can be done in any process.
Letters for shapes: G games, B of them still going on, T turns, N plays, K outputs of the net.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import first_of_each
from astragal.agents.searching import SearchingAgent
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Positions, Rolls
from astragal.games.kernels import UNFINISHED
from astragal.learning.labels import Labeller, Labels, aim_of, outcome_targets, output_scores
from astragal.learning.packed import PackedNet
from astragal.learning.settings import LookaheadSettings
from astragal.learning.table import Table
from astragal.learning.targets import as_chances, lambda_targets, turned_round
from astragal.search.lookahead import Lookahead
from astragal.search.rows import best_of_groups
from astragal.search.tree import TreeSearch, TreeSettings
from astragal.values.heuristics import heuristic
from astragal.values.network import NetworkValues
from astragal.values.values import Aim, Chances, Values, chances_with_wins, win_chance

Floats = NDArray[np.float32]

_NOTED = 3  # boards for a scout to learn from, each time that a position is looked at
_NOTED_AT_FIRST = 1 / 3  # of all boards, if that is more, as long as there is no scout to ask


@dataclass(frozen=True)
class PlayTask:
    """Some games to be played and labelled."""

    game: str
    net: PackedNet
    settings: LookaheadSettings
    games: int
    epsilon: float
    is_handcrafted: bool
    """Whether a heuristic makes the targets and chooses the plays."""
    luck: tuple[int, ...]
    """What the generator of its luck is seeded with."""
    scout: PackedNet | None = None
    """Who looks at all plays first, if anybody."""
    peers: tuple[PackedNet, ...] = ()
    """Whose words are the targets, if they are."""
    again: Positions | None = None
    """[A, W] where the first of the games begin, if not at the start of the game."""


class Examples(NamedTuple):
    """What there is to learn from."""

    positions: Positions  # [N, W]
    targets: Floats  # [N, K]
    squares: float  # the sum of squared differences between targets and what the net says
    turns: int
    beginner_wins: float  # a draw counts half
    seen: Positions  # [S, W] for a scout: some of the boards that the net looked at
    told: Floats  # [S, K] what it says of them
    again: Positions  # [games, W] where others may begin, if they are asked for: where it erred


def play_task(task: PlayTask) -> Examples:
    """The games of a task, with targets for the positions played, or for all looked at."""
    game, settings = find_game(task.game), task.settings
    luck = np.random.default_rng(list(task.luck))
    judge = _Judge(task, task.net.unpacked(game), luck, np.random.default_rng([*task.luck, 0]))
    table = Table(game, task.games, luck, settings.starts, settings.starts_turns, task.again)
    play = _play_evaluated if settings.examples == "evaluated" else _play_played
    played = play(table, judge, task)
    return Examples(
        played.positions,
        played.targets,
        float(((played.targets - played.values) ** 2).sum()),
        played.turns,
        table.beginner_wins,
        *judge.noted(),
        played.again,
    )


@dataclass(frozen=True, eq=False)
class _Judge:
    """The net, and the better estimator that is made of it, or of a heuristic."""

    task: PlayTask
    net: NetworkValues
    luck: np.random.Generator
    lot: np.random.Generator
    """By which it is drawn what a scout learns from, and where other games begin; no more."""
    _notes: list[tuple[Positions, Floats]] = field(default_factory=list)

    @property
    def aim(self) -> Aim:
        return aim_of(self.net)

    @cached_property
    def _labeller(self) -> Labeller:
        own = self.task.settings
        return self._labeller_with(own.scout_kept, own.scout_margin)

    @cached_property
    def _luck_labeller(self) -> Labeller | None:
        """Who sees how lucky rolls are, where that is taken out of targets."""
        own = self.task.settings
        if self.task.scout is None or own.luck == "leave":
            return None
        if own.luck_kept == 0:
            return Labeller(self.task.scout.unpacked(self.net.game))
        return self._labeller_with(own.luck_kept, own.luck_margin)

    def _labeller_with(self, kept: int, margin: float) -> Labeller:
        has_scout = self.task.settings.scout > 0
        scout = self.task.scout.unpacked(self.net.game) if self.task.scout is not None else None
        return Labeller(self.net, self.aim, scout, kept, margin, tells_seen=has_scout)

    def _labelled(
        self, labeller: Labeller, positions: Positions, rolls: Rolls | None = None
    ) -> Labels:
        """Labels, and some of what was seen for them is noted for a scout to learn from."""
        labels = labeller.label(positions, rolls)
        if self.task.settings.scout > 0 and len(labels.seen):
            seen, count = len(labels.seen), _NOTED * len(positions)
            if labeller.scout is None:
                count = max(count, round(_NOTED_AT_FIRST * seen))
            drawn = self.lot.integers(0, seen, count)
            self._notes.append((labels.seen[drawn], labels.told[drawn]))
        return labels

    def noted(self) -> tuple[Positions, Floats]:
        """The boards [S, W] that were noted, and what the net says of them [S, K]."""
        none = np.empty((0, self.net.game.width), np.int8), np.empty((0, self.net.outputs), "f4")
        seen, told = zip(*[none, *self._notes], strict=True)
        return np.concatenate(seen), np.concatenate(told)

    @cached_property
    def _estimator(self) -> Values | None:
        """The estimator, where it is not the net's own expectation over the rolls."""
        settings = self.task.settings
        if self.task.is_handcrafted:
            return Lookahead(heuristic(self.net.game, settings.handcrafted), self.aim)
        if settings.targets == "tree":
            return TreeSearch(self.net, TreeSettings(settings.tree_evaluations, aim=self.aim))
        return None

    def own(self, positions: Positions) -> Floats:
        """What the net itself says [N, K]."""
        return self._as_outputs(self.net.chances(positions))

    def better(self, positions: Positions) -> Floats:
        """What the better estimator says [N, K]."""
        if self._estimator is None:
            return self._labeller.label(positions).targets
        return self._as_outputs(self._estimator.chances(positions))

    def better_with_choice(self, positions: Positions, rolls: Rolls) -> _Choice:
        """The same [B, K], and what to play with each roll."""
        if self._estimator is not None:
            chooser = self._estimator if self.task.is_handcrafted else self.net
            agent = SearchingAgent(chooser, 0, self.aim)
            return _Choice(self.better(positions), agent.choose(positions, rolls, self.luck))
        if self.task.settings.targets in ("sample", "peers"):
            labels = self._labelled(self._labeller, positions, rolls)
            expected = labels.targets
            if self._peers:
                expected = self._told_by_peers(positions)
            elif self._luck_labeller is not None:
                expected = expected - self._labelled(self._luck_labeller, positions).luck(rolls)
            return _Choice(expected, labels.plays[:, 0], labels.targets)
        labels, batch = self._labelled(self._labeller, positions), np.arange(len(rolls))
        return _Choice(labels.targets, labels.plays[batch, rolls], labels.by_roll[batch, rolls])

    @cached_property
    def _peers(self) -> list[NetworkValues]:
        return [peer.unpacked(self.net.game) for peer in self.task.peers]

    def _told_by_peers(self, positions: Positions) -> Floats:
        """What the peers say [N, K] on average.

        Where one tells wins alone and the net all outcomes, the net says how wins are divided.
        """
        game, told = self.net.game, [peer.chances(positions) for peer in self._peers]
        if self.net.outputs > 1:
            own = self.net.chances(positions)
            told = [
                chances_with_wins(game, own, win_chance(game, said)) if peer.outputs == 1 else said
                for peer, said in zip(self._peers, told, strict=True)
            ]
        return self._as_outputs(np.mean(told, axis=0))

    def best_of(self, found: Afterstates, told: Floats, count: int) -> NDArray[np.int64]:
        """The best play of each game [B], by what is told [N, K] of their afterstates."""
        mine = np.where(found.turn_passes[:, np.newaxis], turned_round(told), told)
        scores = mine @ output_scores(self.net, self.aim)
        return np.asarray(best_of_groups(scores, found.owner, count))

    def of_outcomes(self, outcomes: NDArray[np.int8]) -> Floats:
        """What the net should say [N, K] of finished games, and anything of unfinished ones."""
        lowest = self.net.game.outcomes[0]
        points = np.where(outcomes == UNFINISHED, lowest, outcomes.astype(np.int64))
        return outcome_targets(self.net)[points - lowest]

    def _as_outputs(self, chances: Chances) -> Floats:
        if self.net.outputs == 1:
            return win_chance(self.net.game, chances).astype(np.float32)[:, np.newaxis]
        return chances.astype(np.float32)


class _Choice(NamedTuple):
    """What to play, and why."""

    expected: Floats  # [B, K] what the better estimator says of the positions
    plays: NDArray[np.int64]  # [B] which play of the roll to choose
    led_to: Floats | None = None  # [B, K] what the net says of where those lead, if that is known


class _Played(NamedTuple):
    """What came of some games."""

    positions: Positions  # [N, W]
    targets: Floats  # [N, K]
    values: Floats  # [N, K] what the net itself says
    turns: int
    again: Positions  # [games, W] where other games may begin, or none


def _play_played(table: Table, judge: _Judge, task: PlayTask) -> _Played:
    """Positions that were played."""
    game, steps = judge.net.game, []
    values = judge.own(table.positions)
    while len(table.rows):
        rows, positions, rolls = table.rows, table.positions, table.rolls()
        choice = judge.better_with_choice(positions, rolls)
        found = game.afterstates(positions, rolls)
        best = choice.plays + first_of_each(found.owner, len(rows))
        chosen = table.explored(found, best, task.epsilon)
        passes, is_best = found.turn_passes[chosen], chosen == best
        goes_on = table.advance(found, chosen)
        step = _Step(rows, positions, choice.expected, values, passes, goes_on & is_best)
        steps.append(step)
        values = _values_after(judge, choice, passes, is_best, goes_on, table.positions)
    positions = np.concatenate([step.positions for step in steps])
    values = np.concatenate([step.values for step in steps])
    if task.settings.lam == 0:
        targets = as_chances(np.concatenate([step.expected for step in steps]))
    else:
        targets = _traced(steps, values, task.games, task.settings.lam)
    again = _where_it_erred(steps, task, judge.lot) if task.settings.again > 0 else positions[:0]
    return _Played(positions, targets, values, len(positions), again)


def _where_it_erred(steps: list[_Step], task: PlayTask, lot: np.random.Generator) -> Positions:
    """Positions [games, W] of games that began at the start.

    They are drawn by how far look-ahead was from what the net said, squared. Those of games that
    began elsewhere are left out: to begin where they erred, and so on, would lead ever further away
    from what games are like.
    """
    begun = 0 if task.again is None else len(task.again)
    usual = [step.rows >= begun for step in steps]
    errors = [
        ((step.expected - step.values)[rows] ** 2).sum(axis=1)
        for step, rows in zip(steps, usual, strict=True)
    ]
    positions = [step.positions[rows] for step, rows in zip(steps, usual, strict=True)]
    played, bounds = np.concatenate(positions), np.cumsum(np.concatenate(errors), dtype=np.float64)
    if len(bounds) == 0:
        return played
    drawn = np.searchsorted(bounds, lot.random(task.games) * bounds[-1], side="right")
    return played[np.minimum(drawn, len(bounds) - 1)]


def _values_after(
    judge: _Judge,
    choice: _Choice,
    passes: NDArray[np.bool_],
    is_best: NDArray[np.bool_],
    goes_on: NDArray[np.bool_],
    positions: Positions,
) -> Floats:
    """What the net says of the positions after a turn, which is known already of the best plays."""
    if choice.led_to is None:
        return judge.own(positions)
    turned = turned_round(choice.led_to)
    values: Floats = np.where(passes[:, np.newaxis], turned, choice.led_to)[goes_on]
    by_lot = ~is_best[goes_on]
    values[by_lot] = judge.own(positions[by_lot])
    return values


class _Step(NamedTuple):
    """One turn of the games that were still going on."""

    rows: NDArray[np.int64]  # [B] which of the G games
    positions: Positions  # [B, W]
    expected: Floats  # [B, K]
    values: Floats  # [B, K] what the net says itself
    turn_passes: NDArray[np.bool_]  # [B]
    goes_on: NDArray[np.bool_]  # [B] by a play that was not drawn by lot


def _traced(steps: list[_Step], values: Floats, games: int, lam: float) -> Floats:
    """The targets [N, K] of all steps, one after the other, with what came later in them."""
    turns = np.repeat(np.arange(len(steps)), [len(step.rows) for step in steps])
    where = turns, np.concatenate([step.rows for step in steps])
    targets = lambda_targets(
        _spread(where, np.concatenate([step.expected for step in steps]), len(steps), games),
        _spread(where, values, len(steps), games),
        _spread(where, np.concatenate([step.turn_passes for step in steps]), len(steps), games),
        _spread(where, np.concatenate([step.goes_on for step in steps]), len(steps), games),
        lam,
    )
    return targets[where]


def _spread(
    where: tuple[NDArray[np.int64], NDArray[np.int64]], column: NDArray[Any], turns: int, games: int
) -> NDArray[Any]:
    """A column [N, ...] as [T, G, ...], with zeros where games were over."""
    spread = np.zeros((turns, games, *column.shape[1:]), column.dtype)
    spread[where] = column
    return spread


def _play_evaluated(table: Table, judge: _Judge, task: PlayTask) -> _Played:
    """All plays that were looked at, of which the best by their targets are played."""
    game = judge.net.game
    seen, told, turns = [table.positions[:0]], [judge.own(table.positions[:0])], 0
    while len(table.rows):
        count = len(table.rows)
        found = game.afterstates(table.positions, table.rolls())
        targets, is_open = judge.of_outcomes(found.outcome), found.outcome == UNFINISHED
        targets[is_open] = judge.better(found.positions[is_open])
        seen.append(found.positions[is_open])
        told.append(targets[is_open])
        best = judge.best_of(found, targets, count)
        table.advance(found, table.explored(found, best, task.epsilon))
        turns += count
    positions = np.concatenate(seen)
    return _Played(positions, np.concatenate(told), judge.own(positions), turns, positions[:0])
