"""Long compiled work in a thread of its own, so that an interruption is heard, and harmless.

Python raises KeyboardInterrupt in the main thread only. If that is inside a compiled function, it
is heard when the function ends; and Numba, which does not expect it while it hands over the
result, may end the process with a segmentation fault.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_HEARING_SECONDS = 0.05


def run_apart(work: Callable[[], T]) -> T:
    """What the work gives back; an interruption leaves it behind, to end with the process."""
    results: list[T] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_HEARING_SECONDS)
    if faults:
        raise faults[0]
    return results[0]
