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


def interrupt_after(begun: threading.Event) -> None:
    """Ctrl-C, as soon as the work has begun and so not before it can be heard."""

    def wait() -> None:
        begun.wait()
        _thread.interrupt_main()

    threading.Thread(target=wait, daemon=True).start()


def test_an_interruption_comes_to_the_innermost_who_waits() -> None:
    begun = threading.Event()

    def work() -> None:
        begun.set()
        time.sleep(30)

    def command() -> str:
        try:
            run_apart(work)
        except KeyboardInterrupt:
            return "half is done"
        return "all is done"

    interrupt_after(begun)
    assert run_apart(command) == "half is done"


def test_who_waits_is_innermost_before_the_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def start_and_pause(thread: threading.Thread) -> None:
        start(thread)
        time.sleep(0.5)  # the work has begun, and nobody waits for it yet

    monkeypatch.setattr(threading.Thread, "start", start_and_pause)
    monkeypatch.setattr("astragal.background._PATIENCE", 0)
    test_an_interruption_comes_to_the_innermost_who_waits()


def test_an_interruption_does_not_wait_for_the_work() -> None:
    begun = threading.Event()

    def work() -> None:
        begun.set()
        time.sleep(30)

    interrupt_after(begun)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_apart(work)
    assert time.monotonic() - began < 10


def test_work_left_behind_hears_no_later_interruption() -> None:
    begun, begun_again, is_over = threading.Event(), threading.Event(), threading.Event()
    heard: list[str] = []

    def stubborn() -> None:
        begun.set()
        begun_again.wait(30)
        try:
            run_apart(lambda: is_over.wait(30))
        except KeyboardInterrupt:
            heard.append("stubborn")

    def work() -> None:
        begun_again.set()
        is_over.wait(30)

    for task, start in ((stubborn, begun), (work, begun_again)):
        interrupt_after(start)
        with pytest.raises(KeyboardInterrupt):
            run_apart(task)
    assert not heard
    is_over.set()
