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


class _Chain:
    """Those who wait for work apart, each for work that the next one is part of."""

    def __init__(self) -> None:
        self.interrupted = threading.Event()
        self._waiting: list[threading.Event] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def waiting_for(self, done: threading.Event) -> Iterator[None]:
        """While it lasts, whoever waits for this is innermost, but for those who come later."""
        with self._lock:
            self._waiting.append(done)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.remove(done)

    def wait_for(self, done: threading.Event, patience: int) -> None:
        """Returns when it is done; KeyboardInterrupt if it is interrupted and this is innermost."""
        is_done = False
        while not is_done:
            is_done = done.wait(_HEARING_SECONDS)
            with self._lock:
                if self.interrupted.is_set() and self._waiting[-1] is done:
                    patience -= 1
                    if patience < 0:
                        self.interrupted.clear()
                        raise KeyboardInterrupt


class _Thread(threading.local):
    chain: _Chain | None = None  # of the work that this thread does


_this_thread = _Thread()


def run_apart(work: Callable[[], T]) -> T:
    """What the work gives back; an interruption leaves it behind, to end with the process.

    Work may itself run work apart. An interruption then comes to whoever waits innermost, who may
    still make something of what has been done.
    """
    results: list[T] = []
    faults: list[BaseException] = []

    is_outermost = _this_thread.chain is None
    chain = _this_thread.chain or _Chain()
    done = threading.Event()

    def run() -> None:
        _this_thread.chain = chain
        try:
            results.append(work())
        except BaseException as fault:
            faults.append(fault)
        finally:
            done.set()

    # Whoever waits is known before the work begins, so that no interruption comes in between.
    with _interruptions_noted(chain), chain.waiting_for(done):
        threading.Thread(target=run, daemon=True).start()
        chain.wait_for(done, _PATIENCE if is_outermost else 0)
    if faults:
        raise faults[0]
    return results[0]


@contextlib.contextmanager
def _interruptions_noted(chain: _Chain) -> Iterator[None]:
    """While it lasts, Ctrl-C is noted for whoever waits, instead of raised wherever it hits."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: chain.interrupted.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
