"""A run's folder: its settings, its metrics, its nets, and a checkpoint from which it goes on.

Whatever happens, each file is whole. What was written after the last checkpoint is dropped when the
run goes on, and comes out the same again.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import safetensors
import safetensors.numpy

import astragal
from astragal.errors import InputError, quote
from astragal.files import alone, write_bytes, write_text
from astragal.learning.learner import State
from astragal.learning.settings import TrainSettings
from astragal.learning.settings_file import format_settings, read_settings
from astragal.values.checkpoint import save_net
from astragal.values.network import NetworkValues

FORMAT = "astragal run 1"
SETTINGS, METRICS, CHECKPOINT = "settings.toml", "metrics.jsonl", "checkpoint.safetensors"
START, PEER, LOCK = "start.safetensors", "peer-{}.safetensors", "lock"
LATEST, BEST, NETS = "latest.safetensors", "best.safetensors", "nets"
MOST_WEIGHT = 1e4


@dataclass(frozen=True)
class Mark:
    """How far a run has come."""

    stretch: int = 0
    games: int = 0
    seconds: float = 0.0


class Run:
    """One run and its folder."""

    def __init__(self, folder: Path, settings: TrainSettings) -> None:
        self.folder, self.settings = folder, settings
        self._saved = time.monotonic()

    @staticmethod
    def create(folder: Path, settings: TrainSettings) -> Run:
        """A new run in a new folder."""
        if (folder / SETTINGS).exists():
            raise InputError(
                f"{quote(folder, shown=200)} holds a run already: expected another folder, or "
                "--resume to go on with it."
            )
        with told_if_it_fails(folder):
            (folder / NETS).mkdir(parents=True, exist_ok=True)
            if settings.start:
                shutil.copyfile(settings.start, folder / START)
            for number, peer in enumerate(settings.lookahead.peers, 1):
                shutil.copyfile(peer, folder / PEER.format(number))
            write_text(folder / SETTINGS, format_settings(settings))
        return Run(folder, settings)

    @staticmethod
    def open(folder: Path) -> Run:
        """A run that is there."""
        if not (folder / SETTINGS).exists():
            raise InputError(
                f"{quote(folder, shown=200)} holds no run: expected a folder that train made."
            )
        return Run(folder, read_settings(folder / SETTINGS))

    def alone(self) -> AbstractContextManager[None]:
        """InputError if another command is training in the folder."""
        return alone_in(self.folder)

    @property
    def peers(self) -> list[Path]:
        """The copies of its peers that the run keeps."""
        numbers = range(1, len(self.settings.lookahead.peers) + 1)
        return [self.folder / PEER.format(number) for number in numbers]

    def with_own_nets(self) -> TrainSettings:
        """The settings, with the copies of the first net and of the peers that the run keeps."""
        start = self.folder / START
        own = replace(self.settings.lookahead, peers=tuple(map(str, self.peers)))
        kept = replace(self.settings, lookahead=own)
        return replace(kept, start=str(start)) if start.exists() else kept

    def load(self) -> tuple[Mark, State] | None:
        """Where the run stood at its last checkpoint, if it has one; what came later is dropped."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            self._write_metrics([])
            return None
        try:
            with safetensors.safe_open(path, "numpy") as file:
                told = file.metadata() or {}
                state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (OSError, safetensors.SafetensorError, ValueError) as fault:
            raise InputError(
                f"{quote(path, shown=200)} cannot be read ({fault}): expected a whole checkpoint."
            ) from fault
        if told.get("format") != FORMAT or told.get("settings") != self._digest():
            raise InputError(
                f"{quote(path, shown=200)} is not a checkpoint of this run: expected one with "
                f"format {FORMAT!r} and the settings in {SETTINGS}."
            )
        mark = msgspec.json.decode(told.get("mark", "{}"), type=Mark)
        kept = [line for line in self.metrics() if line["games"] <= mark.games]
        self._write_metrics(kept)
        return mark, state

    def logged(self) -> Mark:
        """How far the run had come at the last line that it logged."""
        lines = self.metrics()
        return Mark(games=lines[-1]["games"], seconds=lines[-1]["seconds"]) if lines else Mark()

    def save(self, mark: Mark, state: Mapping[str, Any], net: NetworkValues) -> None:
        """A checkpoint, and the net as it is now."""
        told = {
            "format": FORMAT,
            "settings": self._digest(),
            "mark": msgspec.json.encode(mark).decode(),
        }
        tensors = {name: np.asarray(tensor, order="C") for name, tensor in state.items()}
        with told_if_it_fails(self.folder):
            save_net(self.folder / LATEST, net, self.notes(mark))
            write_bytes(self.folder / CHECKPOINT, safetensors.numpy.save(tensors, metadata=told))
        self._saved = time.monotonic()

    def seconds_since_save(self) -> float:
        """How long ago the last checkpoint was written."""
        return time.monotonic() - self._saved

    def save_snapshot(self, mark: Mark, net: NetworkValues) -> Path:
        """A net to be measured, and kept."""
        path = self.folder / NETS / f"{mark.games:010d}.safetensors"
        with told_if_it_fails(self.folder):
            save_net(path, net, self.notes(mark))
        return path

    def save_best(self, mark: Mark, net: NetworkValues) -> None:
        """The net that did best so far."""
        with told_if_it_fails(self.folder):
            save_net(self.folder / BEST, net, self.notes(mark))

    def notes(self, mark: Mark) -> dict[str, str]:
        """How a net came to be, to be kept with it."""
        return {
            "made by": f"astragal {astragal.__version__}",
            "learner": self.settings.learner,
            "games": f"{mark.games:,}",
            "seed": str(self.settings.seed),
            "settings": format_settings(self.settings),
        }

    def metrics(self) -> list[dict[str, Any]]:
        """All lines that were logged; one that was cut off is left out."""
        path = self.folder / METRICS
        if not path.exists():
            return []
        with told_if_it_fails(self.folder):
            lines = path.read_bytes().split(b"\n")
        return [self._decoded(number, line) for number, line in enumerate(lines[:-1], 1) if line]

    def _decoded(self, number: int, line: bytes) -> dict[str, Any]:
        """A line of the metrics, or InputError."""
        try:
            told = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError:
            told = {}
        if not isinstance(told.get("games"), int):
            raise InputError(
                f"{quote(self.folder / METRICS, shown=200)} cannot be read: line {number} is "
                f"{quote(line.decode(errors='replace'))}, expected JSON with games."
            )
        return told

    def log(self, line: Mapping[str, Any]) -> None:
        """Adds a line to the metrics."""
        with told_if_it_fails(self.folder), (self.folder / METRICS).open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _write_metrics(self, lines: Sequence[Mapping[str, Any]]) -> None:
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with told_if_it_fails(self.folder):
            write_bytes(self.folder / METRICS, text)

    def _digest(self) -> str:
        return hashlib.sha256(format_settings(self.settings).encode()).hexdigest()


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """InputError if another command is at work in the folder."""
    with told_if_it_fails(folder), alone(folder / LOCK) as is_ours:
        if not is_ours:
            raise InputError(
                f"{quote(folder, shown=200)} is being worked in by another command: expected that "
                "to end first, or --out with another folder."
            )
        yield


class told_if_it_fails:  # noqa: N801
    """A disk that is full, or a folder that cannot be written to, is told in a sentence."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, OSError):
            raise InputError(
                f"{quote(self._folder, shown=200)} cannot be written to ({fault.strerror}): "
                "expected a folder with room in it. What was saved before is whole."
            ) from fault


def _last_good(folder: Path) -> str:
    path = folder / CHECKPOINT
    return f"the last good checkpoint is {path}" if path.exists() else "no checkpoint was written"


def check_health(net: NetworkValues, folder: Path, games: int) -> None:
    """InputError if the weights are no numbers any more, or far too large."""
    for layer in net.layers:
        for numbers in (layer.weights, layer.biases):
            largest = np.abs(numbers).max()
            if not largest < MOST_WEIGHT:
                raise InputError(
                    f"The weights have grown out of bounds by game {games:,} (a weight is "
                    f"{largest:g}): expected them within {MOST_WEIGHT:g}. A smaller alpha may "
                    f"help; {_last_good(folder)}."
                )
