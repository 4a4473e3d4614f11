"""Many questions in one process: JSON Lines on standard input, an answer to each in its place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec
import typer

from astragal.cli.common import print_json
from astragal.errors import InputError, quote

LONGEST_LINE = 64 * 1024


class Question(msgspec.Struct):
    """One line: a position, and a roll where the command asks for one."""

    position: str
    roll: str | int | None = None

    @property
    def roll_text(self) -> str | None:
        """The roll as people write it."""
        return None if self.roll is None else str(self.roll)


def answer_lines(answer: Callable[[Question], dict[str, Any]]) -> None:
    """Answers every line of standard input; exit code 2 at the end if one could not be read."""
    if sys.stdin is None:
        raise InputError("Standard input is closed: expected lines of JSON in it.")
    all_read = True
    for line in _lines(sys.stdin.buffer):
        try:
            print_json(answer(parse_question(line)))
        except InputError as fault:
            all_read = False
            print_json({"error": str(fault)})
    if not all_read:
        raise typer.Exit(2)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines without their ends; of one that is too long, a little more than the limit."""
    while line := stream.readline(LONGEST_LINE + 2):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 2)
        yield line.rstrip(b"\r\n")


def parse_question(line: bytes) -> Question:
    """The question that a line asks, or InputError."""
    shown = quote(line.decode(errors="replace"))
    if len(line) > LONGEST_LINE:
        raise InputError(f"{shown} is too long: expected a line of {LONGEST_LINE:,} bytes at most.")
    try:
        return msgspec.json.decode(line, type=Question)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise InputError(
            f"{shown} is not a question ({fault}): "
            'expected a line of JSON, {"position": ..., "roll": ...}.'
        ) from fault
