"""The learner that teaches a net what look-ahead with it says."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.errors import InputError
from astragal.games.game import Game, Positions
from astragal.learning.fresh import peers_of
from astragal.learning.gradient import BatchTrainer
from astragal.learning.labels import aim_of, output_scores
from astragal.learning.learner import Learned, State, luck_of
from astragal.learning.packed import layers_state, packed, with_layers
from astragal.learning.replay import Replay
from astragal.learning.schedules import scheduled
from astragal.learning.scouts import ScoutTrainer
from astragal.learning.selfplay import Examples, PlayTask, play_task
from astragal.learning.settings import TrainSettings
from astragal.values.network import NetworkValues
from astragal.workers import Crew, cores

_LISTENED = 2048  # positions of each phase in which a unit must speak at least once


def _scout_for(net: NetworkValues, settings: TrainSettings) -> ScoutTrainer:
    """The trainer of the net's scout."""
    own, scores = settings.lookahead, output_scores(net, aim_of(net))
    return ScoutTrainer(net.game, own.scout, scores, settings.seed)


class LookaheadLearner:
    """While it learns from one stretch of games, the next is played with the net as it was before.

    So all cores are busy, and what comes out depends on the seed alone, not on how many there are.
    """

    def __init__(
        self,
        game: Game,
        settings: TrainSettings,
        net: NetworkValues,
        executor: Executor | None = None,
    ) -> None:
        self._game, self._settings = game, settings
        own = settings.lookahead
        self._trainer = BatchTrainer(net, rates=own.rates, floor=own.floor)
        self._replay = Replay(settings.lookahead.memory, game.width, net.outputs)
        self._workers = settings.workers or cores()
        is_shared = executor is not None or self._workers > 1
        self._crew = Crew(self._workers, executor) if is_shared else None
        self._player = packed(net)  # who plays the stretch after the last one learned
        self._scout = _scout_for(net, settings) if settings.lookahead.scout > 0 else None
        self._peers = tuple(packed(peer) for peer in peers_of(game, settings))
        self._again = np.empty((0, game.width), np.int8)  # where some of its games begin
        self._coming: Sequence[Future[Examples]] = ()

    @property
    def net(self) -> NetworkValues:
        """The net as it is now, or the average of what it was."""
        return self._trainer.average if self._settings.lookahead.average else self._trainer.net

    def learn(self, number: int, first: int, games: int) -> Learned:
        """Plays a stretch, remembers its targets, and takes steps towards what is remembered."""
        examples = self._played(number, first, games)
        if self._settings.lookahead.teacher == "itself":
            self._player = packed(self.net)
        if self._scout is not None:
            self._scout.hand_over()
        self._again = np.concatenate([part.again for part in examples])
        self._begin(number + 1, first + games, games)
        positions = sum(len(part.positions) for part in examples)
        if not self._waits(first):
            for part in examples:
                self._replay.add(part.positions, part.targets)
            self._update(number, first, positions)
        if self._scout is not None:
            self._scout.learn(
                np.concatenate([part.seen for part in examples]),
                np.concatenate([part.told for part in examples]),
                luck_of(self._settings.seed, number, self._settings.lookahead.parts + 2),
            )
        squares = sum(part.squares for part in examples)
        return Learned(
            games,
            sum(part.turns for part in examples),
            math.sqrt(squares / max(positions, 1)),
            sum(part.beginner_wins for part in examples) / games,
            positions,
        )

    def _is_scouted(self, first: int) -> bool:
        """Whether the scout is asked in the stretch that begins with this game."""
        own = self._settings.lookahead
        return own.scout > 0 and first >= own.handcrafted_games + own.scout_games

    def _waits(self, first: int) -> bool:
        """Whether only the scout learns from that stretch: nobody can take out the luck yet."""
        own = self._settings.lookahead
        is_own = first >= own.handcrafted_games
        return own.luck == "take" and is_own and not self._is_scouted(first)

    def _played(self, number: int, first: int, games: int) -> list[Examples]:
        if self._crew is None:
            return [play_task(task) for task in self._tasks(number, first, games)]
        if not self._coming:
            self._begin(number, first, games)
        coming, self._coming = self._coming, ()
        try:
            return [future.result() for future in coming]
        except BrokenExecutor as fault:
            raise InputError(
                "A process that played was ended, perhaps for want of memory: expected it to go "
                "on. --resume goes on from the last checkpoint; fewer workers need less memory."
            ) from fault

    def _begin(self, number: int, first: int, games: int) -> None:
        """Has others play a stretch, if there is one."""
        games = min(games, self._settings.games - first)
        if self._crew is not None and games > 0:
            with contextlib.suppress(BrokenExecutor):  # told when its games are asked for
                self._coming = self._crew.submit(play_task, self._tasks(number, first, games))

    def _tasks(self, number: int, first: int, games: int) -> list[PlayTask]:
        settings = self._settings.lookahead
        total = self._settings.games
        lam_end = settings.lam if settings.lam_end == "auto" else settings.lam_end
        epsilon, lam = (
            float(scheduled(settings.decay, begin, end, np.array([first]), total)[0])
            for begin, end in ((settings.epsilon, settings.epsilon_end), (settings.lam, lam_end))
        )
        scout = self._scout.player if self._scout and self._is_scouted(first) else None
        sizes = [len(part) for part in np.array_split(np.arange(games), settings.parts)]
        again = self._begun_again(sizes)
        return [
            PlayTask(
                self._game.name,
                self._player,
                replace(settings, lam=lam),
                size,
                epsilon,
                first < settings.handcrafted_games,
                (self._settings.seed, number, part),
                scout,
                self._peers,
                again[part],
            )
            for part, size in enumerate(sizes)
            if size > 0
        ]

    def _begun_again(self, sizes: Sequence[int]) -> list[Positions]:
        """Where the first of the games of each part begin, if not at the start: [A, W] of each."""
        counts = [round(self._settings.lookahead.again * size) for size in sizes]
        ends = np.cumsum(counts).tolist()
        return [self._again[end - count : end] for count, end in zip(counts, ends, strict=True)]

    def _update(self, number: int, first: int, positions: int) -> None:
        settings = self._settings.lookahead
        luck = luck_of(self._settings.seed, number, settings.parts)
        rates = settings.decay, settings.alpha, settings.alpha_end
        (alpha,) = scheduled(*rates, np.array([first]), self._settings.games)
        if settings.silent == "wake":
            other = luck_of(self._settings.seed, number, settings.parts + 1)
            listened = _LISTENED * self._trainer.phases
            self._trainer.wake(self._replay.draw(listened, other)[0], other)
        for _ in range(max(1, round(positions * settings.uses / settings.batch))):
            self._trainer.step(*self._replay.draw(settings.batch, luck), float(alpha))
        self._trainer.blend(settings.average)

    def state(self) -> State:
        """The net and its optimiser, the memory, and the net that plays next."""
        state = self._trainer.state() | self._replay.state() | layers_state(self._player, "player")
        if self._settings.lookahead.again > 0:
            state["again"] = self._again
        return state | self._scout.state() if self._scout is not None else state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from there."""
        self._trainer.restore(state)
        self._replay.restore(state)
        self._player = with_layers(self._player, state, "player")
        if self._scout is not None:
            self._scout.restore(state)
        self._again = state.get("again", self._again)
        self._coming = ()

    def close(self) -> None:
        """Lets the workers go, whatever they are at."""
        if self._crew is not None:
            self._crew.stop()
