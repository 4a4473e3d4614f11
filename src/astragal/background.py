"""Work in a thread of its own, so that an interruption is heard at once, and harmless.

Python raises KeyboardInterrupt in the main thread only. If that is inside a compiled function, it
is heard when the function ends; and Numba, which does not expect it while it compiles or hands over
a result, may end the process with a segmentation fault.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

_HEARING_SECONDS = 0.05
_PATIENCE = 20  # times that, for work that runs work apart, but not at this very moment

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

    with _interruptions_noted():
        threading.Thread(target=run, daemon=True).start()
        _wait_for(done)
    if faults:
        raise faults[0]
    return results[0]


@contextlib.contextmanager
def _interruptions_noted() -> Iterator[None]:
    """While it lasts, Ctrl-C is noted for whoever waits, instead of raised wherever it hits."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: _interrupted.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _interrupted.clear()


def _wait_for(done: threading.Event) -> None:
    me = threading.current_thread()
    _waiting.append(me)
    try:
        unheard = 0
        while True:
            is_done = done.wait(_HEARING_SECONDS)
            if _interrupted.is_set() and _waiting[-1] is me:
                unheard += 1
            if unheard > (_PATIENCE if len(_waiting) == 1 else 0):
                _interrupted.clear()
                raise KeyboardInterrupt
            if is_done:
                return
    finally:
        _waiting.remove(me)
