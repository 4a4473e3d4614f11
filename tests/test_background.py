"""Work in a thread of its own gives back what it gives, and hears an interruption at once."""

import _thread
import threading
import time

import pytest

from astragal.background import run_apart


def test_the_result_comes_back() -> None:
    assert run_apart(lambda: 42) == 42


def test_a_fault_comes_back_as_it_was() -> None:
    with pytest.raises(ZeroDivisionError):
        run_apart(lambda: 1 / 0)


def test_an_interruption_comes_to_the_innermost_who_waits() -> None:
    done_so_far = []

    def work() -> None:
        done_so_far.append("half")
        time.sleep(30)

    def command() -> str:
        try:
            run_apart(work)
        except KeyboardInterrupt:
            return f"{done_so_far[0]} is done"
        return "all is done"

    threading.Timer(0.3, _thread.interrupt_main).start()
    assert run_apart(command) == "half is done"


def test_an_interruption_does_not_wait_for_the_work() -> None:
    threading.Timer(0.2, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_apart(lambda: time.sleep(30))
    assert time.monotonic() - began < 10
