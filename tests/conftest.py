"""Every test run has a data folder of its own, so that tables of the user's change nothing."""

import os
import signal
import tempfile
from pathlib import Path

import pytest

from astragal.games.catalogue import find_game
from astragal.solving.solve import SolveSettings, solve

_DATA = tempfile.TemporaryDirectory(prefix="astragal-tests-")
os.environ["ASTRAGAL_DATA"] = _DATA.name

# A job in the background of a shell ignores Ctrl-C, and so would every command that the tests send
# it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def _tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the exact values of small games."""
    folder = tmp_path_factory.mktemp("tables")
    before, os.environ["ASTRAGAL_DATA"] = os.environ["ASTRAGAL_DATA"], str(folder)
    for name in ("ur:2", "ur:3", "tictactoe"):
        solve(find_game(name), SolveSettings(threads=2), lambda told, share: None)
    os.environ["ASTRAGAL_DATA"] = before
    return folder


@pytest.fixture
def tables(_tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, with the exact values of ur:2, ur:3 and tictactoe."""
    monkeypatch.setenv("ASTRAGAL_DATA", str(_tables))
    return _tables


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder."""
    monkeypatch.setenv("ASTRAGAL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"
