"""Training runs that the page shows, starts and stops.

A name from a request is looked up among the folders that are there, and never becomes a path.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from astragal.errors import InputError, quote
from astragal.files import alone
from astragal.games.catalogue import find_game
from astragal.games.game import Game
from astragal.learning.fresh import features_of
from astragal.learning.run import LATEST, LOCK, NETS, SETTINGS, Run, told_if_it_fails
from astragal.learning.settings import LEARNERS, AssessSettings, NetSettings, TrainSettings, check
from astragal.serve.faults import TooMuchError
from astragal.studies.net_view import effects_of, picture_of
from astragal.values.checkpoint import load_net

State: TypeAlias = Literal["running", "finished", "stopped"]

MOST_GAMES, MOST_UNITS, MOST_LAYERS = 2_000_000, 512, 4
LOG = "page.log"
_UNITS_SHOWN = 24
_LEAVE_SECONDS = 10.0
_LOOK_SECONDS = 0.2
_SEEDS = 2**32
_ASSESS_GAMES = 100
_REFUSED = 2  # the exit code of a command that says what is wrong in its last sentence


class _Assessment(msgspec.Struct):
    against: str
    win_rate: float
    margin: float | None = None


class _Line(msgspec.Struct):
    """What is shown of a line of the metrics."""

    games: int
    seconds: float | None = None
    loss: float | None = None
    games_per_second: float | None = None
    assessments: list[_Assessment] = []


@dataclass(frozen=True)
class RunView:
    """A run as it is now; what could not be read of it is left out, and said in a sentence."""

    name: str
    state: State = "stopped"
    has_net: bool = False
    is_ours: bool = False
    """Whether it was begun on the page, and can be stopped there."""
    settings: TrainSettings | None = None
    features: str | None = None
    lines: Sequence[_Line] = field(default=(), repr=False)
    fault: str | None = None

    @property
    def game(self) -> str | None:
        """The name of its game, if that could be read."""
        return None if self.settings is None else self.settings.game

    def as_dict(self) -> dict[str, Any]:
        """All that the page shows, for JSON."""
        settings, last = self.settings, self.lines[-1] if self.lines else _Line(0)
        return {
            "name": self.name,
            "game": self.game,
            "learner": settings and settings.learner,
            "hidden": settings and list(settings.net.hidden),
            "features": self.features,
            "games": last.games,
            "of": settings and settings.games,
            "seconds": last.seconds or 0.0,
            "games_per_second": last.games_per_second,
            "state": self.state,
            "curves": self._curves(),
            "loss": [[line.games, line.loss] for line in self.lines if line.loss is not None],
            "has_net": self.has_net,
            "is_ours": self.is_ours,
            "fault": self.fault,
        }

    def _curves(self) -> list[dict[str, Any]]:
        """For each opponent, the win rates as it learned."""
        curves: dict[str, list[list[float | None]]] = {}
        for line in self.lines:
            for found in line.assessments:
                point = [line.games, found.win_rate, found.margin]
                curves.setdefault(found.against, []).append(point)
        return [{"against": name, "points": points} for name, points in curves.items()]


class Runs:
    """The runs in a folder, and those among them that were started here; any thread may ask."""

    def __init__(self, folder: Path, most_running: int = 1, most_seconds: float = 3600) -> None:
        self._folder = folder
        self._most_running, self._most_seconds = most_running, most_seconds
        self._ours: dict[str, _Training] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The names of all runs, the newest first."""
        folders = self._folders()
        return sorted(folders, key=lambda name: (_changed(folders[name] / SETTINGS), name))[::-1]

    def find(self, name: str) -> RunView | None:
        """What can be seen of the run of this name, if there is one."""
        folder = self._folders().get(name)
        return None if folder is None else _view(folder, self._ours.get(name))

    def newest_net(self, name: str) -> Path | None:
        """The file of the net that has learned most, if there is one yet."""
        folder = self._folders().get(name)
        return None if folder is None else _newest_net(folder)

    def picture(self, name: str) -> str | None:
        """The newest net's weights on the board as SVG, if there is a net that can be read."""
        folder = self._folders().get(name)
        path = None if folder is None else _newest_net(folder)
        if folder is None or path is None:
            return None
        try:
            net = load_net(path, find_game(Run.open(folder).settings.game))
            return picture_of(net, effects_of(net), _UNITS_SHOWN)
        except InputError:
            return None

    def start(
        self,
        game: str,
        learner: str = "td",
        hidden: tuple[int, ...] = (80,),
        games: int = 100_000,
        alpha: float | None = None,
        seed: int | None = None,
    ) -> str:
        """The name of a new run, or InputError that tells all faults; TooMuchError if one is on."""
        found = find_game(game)
        settings = _settings(found, learner, hidden, games, alpha, seed)
        with self._lock:
            if sum(each.is_running for each in self._ours.values()) >= self._most_running:
                raise TooMuchError("A net is being taught already: expected that to end first.")
            folder = self._new_folder(found)
            Run.create(folder, settings)
            self._ours[folder.name] = _Training(folder, self._most_seconds)
            return folder.name

    def stop(self, name: str) -> bool:
        """Whether it was started here and goes on; then it ends soon, and keeps what it has."""
        training = self._ours.get(name)
        if training is None or not training.is_running:
            return False
        training.stop()
        return True

    def close(self) -> None:
        """Stops all that were started here; they are gone when it returns."""
        with self._lock:
            for training in self._ours.values():
                training.stop()
            for training in self._ours.values():
                training.join()

    def _folders(self) -> dict[str, Path]:
        """The folders of runs by name; links may lead anywhere, and are left out."""
        try:
            with os.scandir(self._folder) as entries:
                return {entry.name: Path(entry.path) for entry in entries if _is_run(entry)}
        except OSError:
            return {}

    def _new_folder(self, game: Game) -> Path:
        with told_if_it_fails(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            for number in count(1):
                folder = self._folder / f"page-{game.name.replace(':', '-')}-{number}"
                if not os.path.lexists(folder):
                    break
            folder.mkdir()
            return folder


def _is_run(entry: os.DirEntry[str]) -> bool:
    # A name that is not text, as files may have, is not printable either.
    return (
        entry.name.isprintable()
        and entry.is_dir(follow_symlinks=False)
        and os.path.isfile(os.path.join(entry.path, SETTINGS))
    )


def _changed(path: Path) -> float:
    """When the file was last written, in seconds since 1970; never is 0."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _newest_net(folder: Path) -> Path | None:
    """The latest net, or the last one that was measured where that is newer."""
    measured = sorted((folder / NETS).glob("[0-9]*.safetensors"))[-1:]
    found = [path for path in (*measured, folder / LATEST) if path.is_file()]
    return max(reversed(found), key=_changed, default=None)


def _view(folder: Path, training: _Training | None) -> RunView:
    view = RunView(folder.name, is_ours=training is not None)
    # Whatever a file holds, the other runs can be shown.
    try:
        view = replace(view, has_net=_newest_net(folder) is not None)
        run = Run.open(folder)
        view = replace(view, settings=run.settings)
        view = replace(view, features=features_of(find_game(run.settings.game), run.settings.net))
        view = replace(view, lines=[msgspec.convert(line, _Line) for line in run.metrics()])
        view = replace(view, fault=None if training is None else training.fault)
    except InputError as fault:
        view = replace(view, fault=str(fault))
    except Exception as fault:
        view = replace(view, fault=f"The run cannot be read ({type(fault).__name__}).")
    return replace(view, state=_state(view, folder, training))


def _state(view: RunView, folder: Path, training: _Training | None) -> State:
    if training is not None and training.is_running:
        return "running"
    if view.settings and view.lines and view.lines[-1].games >= view.settings.games:
        return "finished"
    return "running" if training is None and _is_worked_in(folder) else "stopped"


def _is_worked_in(folder: Path) -> bool:
    """Whether a command, wherever it was begun, trains in the folder."""
    if not (folder / LOCK).exists():
        return False
    with alone(folder / LOCK) as is_free:
        return not is_free


def _settings(
    game: Game,
    learner: str,
    hidden: tuple[int, ...],
    games: int,
    alpha: float | None,
    seed: int | None,
) -> TrainSettings:
    """The settings of a run that can be watched, or InputError with all that is wrong."""
    if learner not in LEARNERS:
        raise InputError(
            f"{quote(learner)} is not a learner: expected one of {', '.join(LEARNERS)}."
        )
    settings = TrainSettings(
        game.name,
        learner=learner,  # type: ignore[arg-type]
        games=games,
        seed=secrets.randbelow(_SEEDS) if seed is None else seed,
        workers=1,
        net=NetSettings(hidden=hidden),
        assess=_assess_settings(games),
    )
    if alpha is not None:
        own = replace(settings.own, alpha=alpha)
        settings = replace(settings, **{learner: own})  # type: ignore[arg-type]
    check(settings, game, list(_faults(hidden, games)))
    return settings


def _assess_settings(games: int) -> AssessSettings:
    """Measured so often that a curve grows while one looks, and in few games, so as to learn on."""
    every = min(max(500, games // 20), 10_000)
    return AssessSettings(every=every, games=_ASSESS_GAMES, judge="none")


def _faults(hidden: tuple[int, ...], games: int) -> Iterator[str]:
    """What training could take, and the page will not give."""
    if games > MOST_GAMES:
        yield f"{games:,} games are too many here: expected at most {MOST_GAMES:,}."
    if len(hidden) > MOST_LAYERS or any(units > MOST_UNITS for units in hidden):
        told = quote(",".join(map(str, hidden)))
        yield (
            f"{told} hidden units are too many here: expected at most {MOST_LAYERS} layers of "
            f"{MOST_UNITS}."
        )


class _Training:
    """A process that trains in a folder, and a thread that sees to its end."""

    def __init__(self, folder: Path, most_seconds: float) -> None:
        self._log = folder / LOG
        words = [sys.executable, "-m", "astragal", "train", "--resume", str(folder)]
        with told_if_it_fails(folder), self._log.open("wb") as log:
            # A session of its own: Ctrl-C in the terminal is the server's, which then stops it.
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._deadline = time.monotonic() + most_seconds
        self._is_told_to_stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    @property
    def fault(self) -> str | None:
        """What it said when it ended for a reason of its own, if it did."""
        code = self._process.poll()
        if self._is_told_to_stop.is_set() or code in (None, 0):
            return None
        if code != _REFUSED:
            return f"The training ended with code {code}: expected 0."
        said = self._log.read_text(errors="replace").rpartition("astragal: ")[2]
        return said.strip()[:1000]

    def stop(self) -> None:
        """Has it end soon."""
        self._is_told_to_stop.set()

    def join(self) -> None:
        """Returns when it has ended."""
        self._thread.join(2 * _LEAVE_SECONDS)

    def _watch(self) -> None:
        while self.is_running and time.monotonic() < self._deadline:
            if self._is_told_to_stop.wait(_LOOK_SECONDS):
                break
        if not self.is_running:
            return
        self._is_told_to_stop.set()
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
