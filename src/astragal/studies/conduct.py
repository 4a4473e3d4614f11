"""Conducts a study: hands out what is missing, keeps what comes back, and goes on after losses."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field

from astragal.background import run_apart
from astragal.studies.folder import StudyFolder
from astragal.studies.study import Cell
from astragal.studies.work import Advanced, Task, advance
from astragal.workers import Crew, loss_of

STRETCH_SECONDS = 20.0
_MOST_LOSSES = 3  # of workers under one cell, before it counts as failed
_LOOK_SECONDS = 0.5


@dataclass
class Status:
    """How a study is going, for whoever watches."""

    total: int
    done: int = 0
    running: int = 0
    failed: int = 0
    share: float = 0.0
    """Of all the games of all cells."""
    seconds_left: float | None = None


Listener = Callable[[Status], None]


@dataclass
class _Conductor:
    """Cells that wait, cells that run, and how far each has come."""

    folder: StudyFolder
    crew: Crew
    places: int
    """How many cells run at a time."""
    seconds: float
    cells: Sequence[Cell]
    waiting: deque[Cell] = field(default_factory=deque)
    running: dict[Future[Advanced], Cell] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    losses: dict[str, int] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    share_before: float = 0.0

    def begin(self) -> None:
        for cell in self.cells:
            if self.folder.is_finished(cell):
                self.games[cell.identity] = cell.settings.games
            else:
                self.games[cell.identity] = _games_so_far(self.folder, cell)
                self.waiting.append(cell)
        self.share_before = self._share()

    def step(self) -> None:
        """Hands out work, and waits a moment for something to come back."""
        while self.waiting and len(self.running) < self.places:
            self._hand_out(self.waiting.popleft())
        done, _ = run_apart(
            lambda: wait(self.running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        )
        for future in done:
            self._take_back(self.running.pop(future), future)

    def _hand_out(self, cell: Cell) -> None:
        task = Task(self.folder.files(cell), self.seconds, self.folder.study.measures)
        try:
            (future,) = self.crew.submit(advance, [task])
        except BrokenExecutor:
            self.crew.renew()
            (future,) = self.crew.submit(advance, [task])
        self.running[future] = cell

    def _take_back(self, cell: Cell, future: Future[Advanced]) -> None:
        loss = loss_of(future)
        if loss is not None:
            self._lost(cell, loss)
            return
        try:
            advanced = future.result()
        except Exception as fault:
            self._fail(cell, f"{type(fault).__name__}: {fault}")
            return
        self.folder.keep(cell, advanced.files, advanced.result)
        self.games[cell.identity] = advanced.games
        if advanced.result is None:
            self.waiting.appendleft(cell)

    def _lost(self, cell: Cell, fault: BaseException) -> None:
        """A worker is gone: the cell goes on from its last checkpoint, somewhere else."""
        self.crew.check()
        self.losses[cell.identity] = self.losses.get(cell.identity, 0) + 1
        if self.losses[cell.identity] > _MOST_LOSSES:
            self._fail(cell, f"its worker was lost {_MOST_LOSSES + 1} times ({fault})")
        else:
            self.waiting.appendleft(cell)

    def _fail(self, cell: Cell, error: str) -> None:
        self.failed[cell.identity] = error
        self.folder.keep_error(cell, error)

    def _share(self) -> float:
        whole = sum(cell.settings.games for cell in self.cells)
        return sum(self.games.values()) / max(1, whole)

    def status(self) -> Status:
        share, seconds = self._share(), time.monotonic() - self.began
        gained = share - self.share_before
        left = seconds * (1 - share) / gained if gained > 0 and share < 1 else None
        unfinished = len(self.waiting) + len(self.running) + len(self.failed)
        return Status(
            total=len(self.cells),
            done=len(self.cells) - unfinished,
            running=len(self.running),
            failed=len(self.failed),
            share=share,
            seconds_left=left,
        )


def conduct(
    folder: StudyFolder,
    cells: Sequence[Cell],
    crew: Crew,
    places: int,
    tell: Listener = lambda status: None,
    seconds: float = STRETCH_SECONDS,
) -> dict[str, str]:
    """Runs all cells that are not finished; what went wrong with which, by their identities.

    If it is interrupted, or the cluster goes away, what has come back is kept, and the same call
    goes on from there.
    """
    conductor = _Conductor(folder, crew, places, seconds, cells)
    conductor.begin()
    tell(conductor.status())
    try:
        while conductor.waiting or conductor.running:
            conductor.step()
            tell(conductor.status())
    except BaseException:
        crew.stop()
        raise
    return conductor.failed


def _games_so_far(folder: StudyFolder, cell: Cell) -> int:
    lines = folder.metrics(cell)
    return int(lines[-1]["games"]) if lines else 0


def strength(folder: StudyFolder, cell: Cell) -> float | None:
    """The win rate of a cell's last net against its first opponent, if it is finished."""
    if folder.result(cell) is None:
        return None
    for line in reversed(folder.metrics(cell)):
        if line.get("assessments"):
            return float(line["assessments"][0]["win_rate"])
    return None
