"""Lines from a program that may send anything: of any length, in any bytes, without an end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from astragal.errors import InputError, quote

LONGEST_LINE = 4096


class Line(NamedTuple):
    """What was read, without space around it."""

    text: str
    is_whole: bool
    """Whether it is all of the line, and not the beginning of one that is too long."""

    def checked(self) -> str:
        """The text, or InputError if there was too much of it."""
        if self.is_whole:
            return self.text
        raise InputError(
            f"{quote(self.text[:60])}... is too long: expected {LONGEST_LINE:,} bytes in a line "
            "at most."
        )


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines of a stream that have something in them.

    A line that is too long is told at once, and the rest of it dropped, so that none takes more
    memory than LONGEST_LINE. GNU Backgammon ends its lines with a zero byte after the line feed,
    which is left out.
    """
    is_rest = False
    while piece := stream.readline(LONGEST_LINE + 1):
        is_whole = piece.endswith(b"\n") or len(piece) <= LONGEST_LINE
        line = Line(piece.decode(errors="replace").strip("\0").strip(), is_whole)
        if not is_rest and (line.text or not is_whole):
            yield line
        is_rest = not is_whole
