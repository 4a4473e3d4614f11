"""Processes that work through a list of tasks, and stop at once when they are told to."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
)
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from astragal.background import run_apart
from astragal.errors import InputError, quote

T = TypeVar("T")
R = TypeVar("R")

_WORTH_SECONDS = 5.0  # of work that is left; a process needs one or two before its first game
_REACH_SECONDS = 10.0
MOST_WORKERS = 256
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def loss_of(future: Future[Any]) -> BrokenExecutor | None:
    """The loss of the worker that was at it, if that is how a task ended."""
    try:
        fault = future.exception()
    except CancelledError:
        return BrokenExecutor("the task was dropped")
    if isinstance(fault, BrokenExecutor):
        return fault
    # Dask has errors of its own for workers that were lost again and again.
    is_lost = fault is not None and type(fault).__module__.startswith("distributed")
    return BrokenExecutor(str(fault)) if is_lost else None


def check_workers(workers: int | None) -> None:
    """InputError if there cannot be so many; None is for as many as are worth it."""
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise InputError(
            f"{workers} cannot be the number of workers: expected 1 to {MOST_WORKERS}."
        )


def cores() -> int:
    """How many processes can run at the same time here."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def cluster(address: str) -> Executor:
    """The workers of a Dask cluster at an address such as tcp://host:8786, or InputError."""
    if re.fullmatch(r"((tcp|tls|ws|wss)://)?[A-Za-z0-9_.\[\]:-]+:[0-9]{1,5}", address) is None:
        raise InputError(
            f"{quote(address)} is not the address of a cluster: expected one such as "
            "tcp://host:8786."
        )
    try:
        from distributed import Client
    except ImportError as fault:
        raise InputError(
            "Dask is not installed here: expected the package distributed, which "
            "pip install 'astragal[cluster]' brings."
        ) from fault
    try:
        client: Any = Client(address, timeout=_REACH_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as fault:
        raise InputError(
            f"The cluster at {quote(address)} cannot be reached: expected the address of a Dask "
            "scheduler that is running, such as tcp://host:8786."
        ) from fault
    executor: Executor = client.get_executor()
    return executor


class Crew:
    """So many workers, or as many as are worth it; one works in this process.

    An executor of another kind, such as a cluster's, takes the place of our processes.
    """

    def __init__(self, workers: int | None = None, executor: Executor | None = None) -> None:
        self._workers, self._executor = workers, executor
        self._pool: ProcessPoolExecutor | None = None
        self._is_working = False

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: object, trace: TracebackType | None
    ) -> None:
        if self._is_working:
            self.stop()
        elif self._pool is not None:
            self._pool.shutdown()

    @property
    def places(self) -> int | None:
        """How many tasks another executor than ours works on at a time, if it tells."""
        client = getattr(self._executor, "_client", None)
        return max(1, sum(client.nthreads().values())) if client is not None else None

    def check(self) -> None:
        """InputError if there is a cluster and it has gone away."""
        client = getattr(self._executor, "_client", None)
        if client is None:
            return
        try:
            client.scheduler_info()
            client.nthreads()
            is_there = client.status == "running"
        except Exception:
            is_there = False
        if not is_there:
            raise InputError(
                "The cluster went away: expected its scheduler to go on. What was finished is "
                "kept, and the same command goes on from there."
            )

    def stop(self) -> None:
        """Lets all workers go, whatever they are at."""
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        results: Any = getattr(self._pool, "_result_queue", None)
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        if results is not None:
            # One may have gone in the middle of a result. Its reader would wait for the rest for as
            # long as anyone could still write it, and this process with it when it ends.
            results._writer.close()

    def renew(self) -> None:
        """Hires others in place of processes of which one has died."""
        self.stop()
        self._pool = None

    def each(self, work: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        """What the work gives for each task, as it comes, in any order.

        If a process dies, BrokenExecutor is raised after all that was finished.
        """
        began = time.perf_counter()
        for done, task in enumerate(tasks):
            seconds = time.perf_counter() - began
            if self._is_worth_more(done, seconds, len(tasks)):
                yield from self._elsewhere(work, tasks[done:])
                return
            yield run_apart(partial(work, task))

    def _is_worth_more(self, done: int, seconds: float, tasks: int) -> bool:
        """Whether others should do the rest of the tasks."""
        if self._executor is not None or self._pool is not None:
            return True
        if self._workers is not None:
            return self._workers > 1
        return cores() > 1 and done > 0 and seconds / done * (tasks - done) > _WORTH_SECONDS

    def _elsewhere(self, work: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        self._is_working, fault = True, None
        futures = self.submit(work, tasks)
        finished = as_completed(futures)
        while (future := run_apart(lambda: next(finished, None))) is not None:
            died = loss_of(future)
            if died is not None:
                fault = died
            else:
                yield future.result()
        self._is_working = False
        if fault is not None:
            raise fault

    def submit(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[Future[R]]:
        """Hands out the tasks; what they give can be asked for later."""
        with fit_for_children():
            return [self._hired().submit(work, task) for task in tasks]

    def _hired(self) -> Executor:
        if self._executor is not None:
            return self._executor
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._workers or cores(), mp_context=context, initializer=leave_with_parent
            )
        return self._pool


@contextmanager
def hired(workers: int | None = None, address: str | None = None) -> Iterator[Crew]:
    """A crew of processes here, or of the workers of a cluster where an address is given."""
    executor = None if address is None else cluster(address)
    try:
        with Crew(workers, executor) as crew:
            yield crew
    finally:
        client = getattr(executor, "_client", None)
        if client is not None:
            client.close()


def leave_with_parent() -> None:
    """Ends this process when the one that started it is gone, however that went.

    Left to itself it would wait for work for ever: it holds both ends of the queue.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def fit_for_children() -> Iterator[None]:
    """While processes are started: they use one thread each, and leave Ctrl-C to this one."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    # A process inherits what the thread that starts it does not hear; not so on Windows.
    mask = getattr(signal, "pthread_sigmask", None)
    heard = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else None
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, heard)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
