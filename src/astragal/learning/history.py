"""The runs that led to a net, one after the other: kept with it, so that they need not be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from astragal.errors import InputError, quote
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


def history_of(path: Path) -> list[Part]:
    """The parts that led to the net in a file, as far as it tells."""
    text = describe_net(path).get(f"note: {NOTE}", "[]")
    try:
        return msgspec.json.decode(text, type=list[Part])
    except msgspec.DecodeError as fault:
        raise InputError(
            f"{quote(path, shown=200)} cannot tell its history ({fault}): expected a list of runs."
        ) from fault
