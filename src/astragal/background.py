"""Work in a thread of its own, so that an interruption is heard at once, and harmless.

Python raises KeyboardInterrupt in the main thread only. If that is inside a compiled function, it
is heard when the function ends; and Numba, which does not expect it while it compiles or hands over
a result, may end the process with a segmentation fault.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_HEARING_SECONDS = 0.05

_interrupted = threading.Event()
_waiting: list[threading.Thread] = []  # threads that wait for work apart, and so can be told


def run_apart(work: Callable[[], T]) -> T:
    """What the work gives back; an interruption leaves it behind, to end with the process.

    Work may itself run work apart. An interruption then comes to whoever waits innermost, who may
    still make something of what has been done.
    """
    results: list[T] = []
    faults: list[BaseException] = []

    done = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as fault:
            faults.append(fault)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    _wait_for(done)
    if faults:
        raise faults[0]
    return results[0]


def _wait_for(done: threading.Event) -> None:
    me = threading.current_thread()
    _waiting.append(me)
    try:
        while not done.is_set():
            try:
                done.wait(_HEARING_SECONDS)
            except KeyboardInterrupt:
                _interrupted.set()
            if _interrupted.is_set() and _waiting[-1] is me:
                _interrupted.clear()
                raise KeyboardInterrupt
    finally:
        _waiting.remove(me)
