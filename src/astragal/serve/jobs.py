"""Slow questions, answered in processes of their own, so many at a time and so long at most."""

from __future__ import annotations

import multiprocessing
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from astragal.agents.rolling import RollingAgent
from astragal.agents.specs import parse_agent
from astragal.arena.asking import evaluate, rank_plays
from astragal.errors import InputError, quote
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Standing
from astragal.games.kernels import UNFINISHED
from astragal.search.rollout import Rollout, as_probabilities, standard_error
from astragal.serve.faults import TooMuchError
from astragal.values.values import Aim, Chances, score_for
from astragal.workers import fit_for_children, leave_with_parent

Kind: TypeAlias = Literal["rollout", "evaluate", "best"]
State: TypeAlias = Literal["waiting", "working", "done", "failed", "stopped"]

LEAST_GAMES, MOST_GAMES = 36, 10_000
_QUICK_SECONDS = 0.3  # a portion of a roll-out that took less is followed by a larger one
_START_SECONDS = 60.0  # a process imports for one or two, and for far more on a busy machine
_LEAVE_SECONDS = 5.0
_starting = threading.Lock()  # what processes inherit while they are started is this process's


class Question(msgspec.Struct, frozen=True):
    """What is asked; InputError if nobody could answer it."""

    kind: Kind
    game: str
    position: str
    agent: str
    """A spec; in a roll-out, whoever plays both sides."""
    roll: str | None = None
    """Which plays are asked for, with best."""
    aim: Aim = "points"
    games: int = 360
    """How many are rolled out."""

    def __post_init__(self) -> None:
        if self.kind not in ("rollout", "evaluate", "best"):
            raise InputError(
                f"{quote(self.kind)} is no question: expected rollout, evaluate or best."
            )
        if self.aim not in ("points", "win"):
            raise InputError(f"{quote(self.aim)} is no aim: expected points or win.")
        if not LEAST_GAMES <= self.games <= MOST_GAMES:
            raise InputError(
                f"{self.games} games cannot be rolled out: expected {LEAST_GAMES} to "
                f"{MOST_GAMES:,}."
            )


class Told(NamedTuple):
    """What is known of an answer: nothing, a part, or all of it, or why there is none."""

    share: float = 0.0
    answer: dict[str, Any] | None = None
    fault: str | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing more will come."""
        return self.share == 1 or self.fault is not None


class Job:
    """A question on its way to an answer; whoever waits for news of it is told."""

    def __init__(self, question: Question) -> None:
        self.id, self.question = secrets.token_hex(8), question
        self.state: State = "waiting"
        self.share, self.version = 0.0, 0
        self.answer: dict[str, Any] | None = None
        self.fault: str | None = None
        self._news = threading.Condition()

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in ("done", "failed", "stopped")

    def wait(self, version: int, timeout: float) -> int:
        """The version as soon as it is another than this one, or when the time is up."""
        with self._news:
            self._news.wait_for(lambda: self.version != version, timeout)
            return self.version

    def as_dict(self) -> dict[str, Any]:
        """All that is known, at one moment; after a fault or a stop, with the answer so far."""
        with self._news:
            return {
                "id": self.id,
                "version": self.version,
                "question": msgspec.to_builtins(self.question),
                "state": self.state,
                "share": self.share,
                "answer": self.answer,
                "fault": self.fault,
            }

    def become(self, state: State, told: Told | None = None) -> None:
        """Takes news, unless it is over; what was answered before stays if there is no more."""
        with self._news:
            if self.is_over:
                return
            self.state, self.version = state, self.version + 1
            if told is not None:
                self.fault, self.share = told.fault, max(told.share, self.share)
                self.answer = self.answer if told.answer is None else told.answer
            self._news.notify_all()


class Jobs:
    """Questions in a line, and the processes that answer them; any thread may ask."""

    def __init__(
        self,
        workers: int = 1,
        most_waiting: int = 8,
        most_seconds: float = 60.0,
        most_kept: int = 100,
    ) -> None:
        self._workers, self._most_waiting = workers, most_waiting
        self._most_seconds, self._most_kept = most_seconds, most_kept
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[Job] = deque()
        self._at: dict[str, _Worker] = {}
        self._threads: list[threading.Thread] = []
        self._is_closed = False
        self._change = threading.Condition()

    def ask(self, question: Question) -> Job:
        """The job that will answer it, or TooMuchError where too many wait."""
        with self._change:
            if self._is_closed:
                raise TooMuchError("No more questions are answered here.")
            if len(self._waiting) >= self._most_waiting:
                raise TooMuchError(
                    f"{len(self._waiting)} questions wait already: expected fewer than "
                    f"{self._most_waiting}. Ask again later."
                )
            job = Job(question)
            self._jobs[job.id] = job
            self._waiting.append(job)
            self._forget_some()
            self._begin()
            self._change.notify()
            return job

    def find(self, id: str) -> Job | None:  # noqa: A002
        """The job of this name, if it is still known."""
        return self._jobs.get(id)

    def stop(self, id: str) -> bool:  # noqa: A002
        """Whether there was anything to stop: the job is waiting or being worked at no more."""
        with self._change:
            job = self._jobs.get(id)
            if job is None or job.is_over:
                return False
            job.become("stopped")
            if job in self._waiting:
                self._waiting.remove(job)
            if id in self._at:
                self._at[id].kill()
            return True

    def close(self) -> None:
        """Stops everything; the processes are gone when it returns."""
        with self._change:
            self._is_closed = True
            for id in list(self._jobs):  # noqa: A001
                self.stop(id)
            self._change.notify_all()
        for thread in self._threads:
            thread.join(_START_SECONDS)

    def _begin(self) -> None:
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)
            ]
            for thread in self._threads:
                thread.start()

    def _forget_some(self) -> None:
        over = [job.id for job in self._jobs.values() if job.is_over]
        for id in over[: max(0, len(self._jobs) - self._most_kept)]:  # noqa: A001
            del self._jobs[id]

    def _work(self) -> None:
        """Hands questions to one process, and to another when it is lost."""
        worker: _Worker | None = None
        while (job := self._next()) is not None:
            try:
                worker = _fit_worker(worker)
            except OSError as fault:
                told = Told(fault=f"No process could be started ({fault.strerror}).")
                job.become("failed", told)
            else:
                self._answer(job, worker)
        if worker is not None:
            worker.kill()
            worker.bury()

    def _next(self) -> Job | None:
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._is_closed)
            if self._is_closed:
                return None
            job = self._waiting.popleft()
            job.become("working")
            return job

    def _answer(self, job: Job, worker: _Worker) -> None:
        with self._change:
            if job.is_over:  # stopped while the process was started
                return
            self._at[job.id] = worker
        try:
            for told in worker.answers(job.question, self._most_seconds):
                job.become(_state_after(told), told)
        except (EOFError, OSError) as fault:  # a TimeoutError is an OSError
            worker.kill()
            job.become("failed", Told(fault=self._sentence(fault)))
        finally:
            with self._change:
                del self._at[job.id]

    def _sentence(self, fault: Exception) -> str:
        if isinstance(fault, TimeoutError):
            return f"The answer took longer than {self._most_seconds:g} seconds."
        return "The process that worked at the answer was lost."


def _fit_worker(worker: _Worker | None) -> _Worker:
    """The worker if it can be asked, else another in its place."""
    if worker is not None and worker.is_alive:
        return worker
    if worker is not None:
        worker.bury()
    return _Worker()


def _state_after(told: Told) -> State:
    if told.fault is not None:
        return "failed"
    return "done" if told.is_last else "working"


class _Worker:
    """A process that answers one question at a time, and is kept for the next."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(theirs,), daemon=True)
        self._is_ready, self._is_killed = False, False
        with _starting, fit_for_children():
            self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return not self._is_killed and self._process.is_alive()

    def kill(self) -> None:
        """Ends it, whatever it is at; whoever listens to it hears the end."""
        self._is_killed = True
        self._process.kill()

    def bury(self) -> None:
        """Lets go of what is left of it."""
        self._process.join(_LEAVE_SECONDS)
        self._pipe.close()

    def answers(self, question: Question, seconds: float) -> Iterator[Told]:
        """What it tells, up to the whole answer; TimeoutError, or EOFError when it is lost.

        The seconds are for the question: what a process needs to begin is not counted.
        """
        if not self._is_ready:
            self._hear(time.monotonic() + _START_SECONDS)
            self._is_ready = True
        self._pipe.send(question)
        deadline = time.monotonic() + seconds
        told = Told()
        while not told.is_last:
            told = self._hear(deadline)
            yield told

    def _hear(self, deadline: float) -> Told:
        if not self._pipe.poll(max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        told: Told = self._pipe.recv()
        return told


def _answer_all(pipe: Connection) -> None:
    """The work of a process: questions come in, news of their answers goes out."""
    leave_with_parent()
    pipe.send(Told())
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        for told in answers(question):
            pipe.send(told)


def answers(question: Question) -> Iterator[Told]:
    """What is known of the answer, again and again, and at last all of it or a fault."""
    try:
        yield from _answers(question)
    except InputError as fault:
        yield Told(fault=str(fault))
    except Exception as fault:
        yield Told(fault=f"The question could not be answered ({type(fault).__name__}).")


def _answers(question: Question) -> Iterator[Told]:
    game = find_game(question.game)
    standing = game.notation.parse_position(question.position)
    if question.kind == "rollout":
        spec = f"rollout:{question.games}:{question.agent}"
        agent = parse_agent(game, spec, question.aim)
        assert isinstance(agent, RollingAgent)
        yield from _rolled_out(agent, standing)
        return
    agent = parse_agent(game, question.agent, question.aim)
    if question.kind == "evaluate":
        yield Told(1.0, evaluate(agent, standing))
    else:
        roll = _asked_roll(game, question)
        yield Told(1.0, rank_plays(agent, standing, roll, question.aim))


def _asked_roll(game: Game, question: Question) -> int:
    """The roll that is given, or told with the position, or the only one there is."""
    roll = question.roll or game.notation.roll_told_with(question.position)
    if roll is None and len(game.rolls) == 1:
        return 0
    if roll is None:
        raise InputError(f"No roll was given: expected one of {', '.join(game.rolls)}.")
    return game.parse_roll(roll)


def _rolled_out(agent: RollingAgent, standing: Standing) -> Iterator[Told]:
    """The roll-out so far after each portion; the last is that of all games at once.

    The games are numbered and each has its own dice, so nothing depends on the portions.
    """
    rollout, positions = agent.rollout, standing.position[np.newaxis]
    if agent.game.outcomes_of(positions)[0] != UNFINISHED:
        yield Told(1.0, evaluate(agent, standing) | {"error": 0.0, "games": 0})
        return
    games, step = rollout.settings.games, LEAST_GAMES
    told = np.empty((0, len(agent.game.outcomes)))
    while len(told) < games:
        began = time.monotonic()
        portion = rollout.playouts.play_out(positions, len(told), min(len(told) + step, games))
        told = np.concatenate([told, portion[0]])
        # More games at once take less time each, in some games by far.
        step *= 2 if time.monotonic() - began < _QUICK_SECONDS else 1
        yield Told(len(told) / games, _summed_up(rollout, standing, told))


def _summed_up(rollout: Rollout, standing: Standing, told: Chances) -> dict[str, Any]:
    """What some games [G, K] say of the position, for the player about to roll."""
    game = rollout.game
    (chances,) = as_probabilities(told.mean(axis=0, keepdims=True))
    points = np.array(game.outcomes)
    return {
        "position": game.notation.format_position(*standing),
        "win": float(chances[points > 0].sum()),
        "points": float(chances @ points),
        "outcomes": dict(zip(game.outcomes, chances.tolist(), strict=True)),
        "error": float(standard_error(told @ score_for(game, rollout.settings.aim))),
        "games": len(told),
    }
