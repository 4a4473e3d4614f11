"""Games into a file, in the form that its name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from astragal.arena.mat import format_mat
from astragal.arena.records import Record, format_records
from astragal.errors import InputError, quote
from astragal.files import write_text


def write_games(path: Path, records: Sequence[Record]) -> None:
    """Writes a `.mat` match if the file is called so, and else lines of JSON, or InputError."""
    text = format_mat(records) if path.suffix.lower() == ".mat" else format_records(records)
    try:
        write_text(path, text)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or str(fault)
        raise InputError(
            f"{quote(path, 200)} cannot be written ({why}): expected the name of a "
            "file in a folder that can be."
        ) from fault
