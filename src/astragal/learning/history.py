"""The runs that led to a net, one after the other: kept with a champion, for its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from astragal.errors import InputError, quote
from astragal.learning.run import SETTINGS, START, Run
from astragal.values.checkpoint import describe_net

NOTE = "history"


@dataclass(frozen=True)
class Part:
    """One run."""

    name: str
    """Of its folder."""
    features: str
    hidden: tuple[int, ...]
    outputs: str
    games: int
    seconds: float


def format_history(parts: Sequence[Part]) -> str:
    """The parts as a note to be kept with a net."""
    return msgspec.json.encode(parts).decode()


def history_of_net(path: Path) -> list[Part]:
    """The parts that led to the net in a file, if it tells."""
    text = describe_net(path).get(f"note: {NOTE}", "[]")
    try:
        return msgspec.json.decode(text, type=list[Part])
    except msgspec.DecodeError as fault:
        raise InputError(
            f"{quote(path, shown=200)} cannot tell its history ({fault}): expected a list of runs."
        ) from fault


def history_of(run: Run) -> list[Part]:
    """A run, and before it those that led to the net that it began with, and to its peers.

    As the nets tell, or the runs that they came from, as long as those are there.
    """
    net, mark = run.settings.net, run.logged()
    own = Part(
        run.folder.resolve().name, net.features, net.hidden, net.outputs, mark.games, mark.seconds
    )
    start = [run.folder / START] if (run.folder / START).exists() else []
    sources = [run.settings.start][: len(start)] + list(run.settings.lookahead.peers)
    earlier = [
        part
        for copy, source in zip([*start, *run.peers], sources, strict=True)
        for part in _history_before(copy, Path(source).parent)
    ]
    return [*dict.fromkeys(earlier), own]  # what led to several is told once


def _history_before(net: Path, folder: Path) -> list[Part]:
    """What led to a net, as it tells, or the run in the folder that it came from."""
    told = history_of_net(net)
    if not told and (folder / SETTINGS).exists():
        return history_of(Run.open(folder))
    return told
