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
    """A run, and before it those that led to the net that it began with.

    As the net tells, or the run that it came from, as long as that is there.
    """
    net, mark = run.settings.net, run.logged()
    own = Part(
        run.folder.resolve().name, net.features, net.hidden, net.outputs, mark.games, mark.seconds
    )
    if not (run.folder / START).exists():
        return [own]
    earlier, before = history_of_net(run.folder / START), Path(run.settings.start).parent
    if not earlier and (before / SETTINGS).exists():
        earlier = history_of(Run.open(before))
    return [*earlier, own]
