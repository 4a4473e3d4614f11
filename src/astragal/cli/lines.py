"""Lines that a person or a script answers on standard input."""

from __future__ import annotations

import sys

LONGEST = 4096
_SHOWN = 80


def ask_line(prompt: str) -> str | None:
    """The next line of standard input, or None at its end; shown again where nobody typed it.

    Of a line that is too long to be an answer, the beginning.
    """
    print(prompt, end="", flush=True)
    line = "" if sys.stdin is None else sys.stdin.readline(LONGEST)
    rest = line
    while len(rest) == LONGEST and not rest.endswith("\n"):
        rest = sys.stdin.readline(LONGEST)
    if len(line) == LONGEST:
        line = f"{line[:_SHOWN]}..."
    if sys.stdin is None or not sys.stdin.isatty():
        print(line.strip())
    return line if line else None
