"""A real browser and a real server for the tests of the page."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@contextlib.contextmanager
def serving(data: Path, runs: Path) -> Iterator[str]:
    """The address of a server with these folders."""
    words = [sys.executable, "-m", "astragal", "serve", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [*words, "--runs", str(runs)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"ASTRAGAL_DATA": str(data)},
    )
    assert process.stdout
    try:
        yield process.stdout.readline().split()[3]
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@contextlib.contextmanager
def browsing() -> Iterator[Any]:
    """Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def asked(address: str, path: str, body: object = None) -> Any:
    """What the server answers to a program."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{address}api/{path}", data)) as answer:
        return json.load(answer)
