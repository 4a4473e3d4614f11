"""Training runs on the page: seen as they are, started, stopped, and never reached by a path."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.run import Mark, Run
from astragal.learning.settings import NetSettings, TrainSettings
from astragal.serve import runs as module
from astragal.serve.faults import TooMuchError
from astragal.serve.runs import Runs
from astragal.values.checkpoint import load_net

PATIENCE = 60.0
SETTINGS = TrainSettings("ur:2", games=1000, net=NetSettings(hidden=(6,)))
LINES: list[dict[str, Any]] = [
    {"games": 500, "seconds": 1.5, "loss": 0.25, "games_per_second": 400.0},
    {
        "games": 600,
        "seconds": 2.5,
        "loss": None,
        "games_per_second": 300.0,
        "assessments": [
            {"against": "pips", "win_rate": 0.5, "margin": 0.25, "games": 10},
            {"against": "random", "win_rate": 0.75, "margin": None},
        ],
    },
]


def a_run(folder: Path, *lines: dict[str, Any], settings: TrainSettings = SETTINGS) -> Run:
    """A run that nothing has been written to for an hour."""
    run = Run.create(folder, settings)
    for line in lines:
        run.log(line)
    age(folder, 3600)
    return run


def age(folder: Path, seconds: float) -> None:
    then = time.time() - seconds
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def save(run: Run) -> None:
    net = fresh_net(find_game(run.settings.game), run.settings.net, 1)
    run.save(Mark(), {}, net)


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


def shown(runs: Runs, name: str) -> dict[str, Any]:
    view = runs.find(name)
    assert view is not None
    told = view.as_dict()
    assert msgspec.json.decode(msgspec.json.encode(told)) == told
    return told


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    found = Runs(tmp_path / "runs")
    yield found
    found.close()


def test_a_run_is_shown_as_its_files_tell_it(runs: Runs, tmp_path: Path) -> None:
    a_run(tmp_path / "runs" / "one", *LINES)
    assert shown(runs, "one") == {
        "name": "one",
        "game": "ur:2",
        "learner": "td",
        "hidden": [6],
        "features": "unary",
        "games": 600,
        "of": 1000,
        "seconds": 2.5,
        "games_per_second": 300.0,
        "state": "stopped",
        "curves": [
            {"against": "pips", "points": [[600, 0.5, 0.25]]},
            {"against": "random", "points": [[600, 0.75, None]]},
        ],
        "loss": [[500, 0.25]],
        "has_net": False,
        "is_ours": False,
        "fault": None,
    }


def test_a_run_that_somebody_else_trains_is_running_as_long_as_they_do(
    runs: Runs, tmp_path: Path
) -> None:
    run = a_run(tmp_path / "runs" / "one", LINES[0])
    assert shown(runs, "one")["state"] == "stopped"
    with run.alone():
        run.log(LINES[1])
        before = (run.folder / "metrics.jsonl").read_bytes()
        assert shown(runs, "one")["state"] == "running"
        assert (run.folder / "metrics.jsonl").read_bytes() == before
        with pytest.raises(InputError, match="by another command"), run.alone():
            pass
    assert shown(runs, "one")["state"] == "stopped"
    run.log(LINES[0] | {"games": 1000})
    assert shown(runs, "one")["state"] == "finished"
    assert not runs.stop("one")


def test_the_newest_run_comes_first(runs: Runs, tmp_path: Path) -> None:
    for name, seconds in (("b", 30), ("c", 10), ("a", 20)):
        a_run(tmp_path / "runs" / name)
        age(tmp_path / "runs" / name, seconds)
    assert runs.names() == ["c", "a", "b"]


def test_only_folders_of_runs_count(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "runs")
    assert runs.names() == []
    a_run(tmp_path / "outside")
    a_run(tmp_path / "runs" / "one")
    a_run(tmp_path / "runs" / "studies" / "deeper")
    (tmp_path / "runs" / "empty").mkdir()
    (tmp_path / "runs" / "file").write_text("")
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "outside")
    shutil.copytree(tmp_path / "runs" / "one", tmp_path / "runs" / "\udcff")
    assert runs.names() == ["one"]


NO_NAMES = ["", ".", "..", "../x", "../outside", "one/", "one/nets", "./one", "one\0", "\0", "ONE"]
NO_NAMES += ["link", "studies/deeper", "\udcff", "a" * 100_000]


@pytest.mark.parametrize("name", NO_NAMES, ids=lambda name: ascii(name)[:20])
def test_a_name_that_is_no_run_finds_nothing(runs: Runs, tmp_path: Path, name: str) -> None:
    for place in ("outside", "runs/one", "runs/studies/deeper"):
        save(a_run(tmp_path / place))
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "outside")
    assert runs.find("one") is not None
    assert runs.find(name) is None
    assert runs.newest_net(name) is None
    assert runs.picture(name) is None
    assert not runs.stop(name)


def test_the_newest_net_is_the_latest_or_the_last_that_was_measured(
    runs: Runs, tmp_path: Path
) -> None:
    run = a_run(tmp_path / "runs" / "one")
    assert runs.newest_net("one") is None
    assert runs.picture("one") is None
    net = fresh_net(find_game("ur:2"), SETTINGS.net, 1)
    older = run.save_snapshot(Mark(games=9), net)
    newer = run.save_snapshot(Mark(games=10), net)
    age(run.folder, 100)
    assert runs.newest_net("one") == newer != older
    save(run)
    assert runs.newest_net("one") == run.folder / "latest.safetensors"
    age(run.folder, 100)
    assert runs.newest_net("one") == run.folder / "latest.safetensors"
    last = run.save_snapshot(Mark(games=11), net)
    assert runs.newest_net("one") == last
    assert shown(runs, "one")["has_net"]


def test_a_net_is_drawn(runs: Runs, tmp_path: Path) -> None:
    save(a_run(tmp_path / "runs" / "one"))
    picture = runs.picture("one")
    assert picture is not None
    root = ElementTree.fromstring(picture)
    units = root.findall(".//{http://www.w3.org/2000/svg}g[@class='unit']")
    assert len(units) == 6
    (tmp_path / "runs" / "one" / "latest.safetensors").write_bytes(b"nonsense")
    assert runs.picture("one") is None


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("metrics.jsonl", b"nonsense\n", "cannot be read: line 1"),
        ("metrics.jsonl", b'{"games": 5, "loss": "much"}\n', "cannot be read"),
        ("metrics.jsonl", b'{"games": 5, "assessments": 3}\n', "cannot be read"),
        ("metrics.jsonl", b'{"games": 5, "a": "\xff"}\n', "cannot be read"),
        ("metrics.jsonl", b"[" * 100_000 + b"\n", "cannot be read"),
        ("settings.toml", b"games = ", "is not TOML"),
        ("settings.toml", b"\xff\xfe", "cannot be read"),
        ("settings.toml", b'game = "chess"', "'chess' is not a game"),
        ("settings.toml", b'game = "ur"\nnet = 5', "net cannot be"),
    ],
)
def test_a_broken_file_is_told_in_a_sentence(
    runs: Runs, tmp_path: Path, file: str, content: bytes, words: str
) -> None:
    run = a_run(tmp_path / "runs" / "one", *LINES)
    save(run)
    (run.folder / file).write_bytes(content)
    told = shown(runs, "one")
    assert words in told["fault"]
    assert told["curves"] == []
    assert runs.names() == ["one"]
    if file == "settings.toml":
        assert runs.picture("one") is None


def test_all_that_is_wrong_is_told_at_once(runs: Runs) -> None:
    with pytest.raises(InputError) as told:
        runs.start("ur", "td", (600, 6), 2_000_001, alpha=-1.0, seed=-5)
    for words in ("2,000,001 games", "'600,6' hidden", "td.alpha", "seed", "one hidden layer"):
        assert words in str(told.value)
    with pytest.raises(InputError, match="'chess' is not a game"):
        runs.start("chess")
    with pytest.raises(InputError, match="'guessing' is not a learner"):
        runs.start("ur", "guessing")
    assert runs.names() == []


def test_a_run_is_started_seen_to_grow_and_stopped(runs: Runs, tmp_path: Path) -> None:
    name = runs.start("ur", hidden=(10,), games=200_000, seed=1)
    assert name == "page-ur-1"
    assert shown(runs, name)["state"] == "running"
    with pytest.raises(TooMuchError):
        runs.start("ur")
    assert runs.names() == [name]
    wait_until(lambda: shown(runs, name)["games"] > 0)
    games = shown(runs, name)["games"]
    wait_until(lambda: shown(runs, name)["curves"])
    assert shown(runs, name)["games"] > games
    told = shown(runs, name)
    assert [curve["against"] for curve in told["curves"]] == ["champion"]
    assert told["games_per_second"] > 0
    assert runs.stop(name)
    wait_until(lambda: shown(runs, name)["state"] == "stopped")
    assert not runs.stop(name)
    told = shown(runs, name)
    assert told["fault"] is None
    assert told["games"] < told["of"] == 200_000
    net = runs.newest_net(name)
    assert net is not None
    assert load_net(net, find_game("ur")).layers[0].biases.size == 10


def test_a_run_to_its_end_is_finished_and_the_next_has_another_name(runs: Runs) -> None:
    name = runs.start("tictactoe", hidden=(5,), games=1000, alpha=0.25, seed=3)
    wait_until(lambda: shown(runs, name)["state"] != "running")
    told = shown(runs, name)
    assert (told["state"], told["games"], told["fault"]) == ("finished", 1000, None)
    assert [curve["against"] for curve in told["curves"]] == ["random"]
    view = runs.find(name)
    assert view is not None
    assert view.settings is not None
    assert (view.settings.td.alpha, view.settings.seed) == (0.25, 3)
    assert runs.start("tictactoe", games=1000) == "page-tictactoe-2"


def test_a_run_that_fails_says_why(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "check", lambda *_: None)
    name = runs.start("ur:2", alpha=-1.0)
    wait_until(lambda: shown(runs, name)["state"] != "running")
    told = shown(runs, name)
    assert told["state"] == "stopped"
    assert told["fault"].startswith("td.alpha cannot be -1")


def test_a_run_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    runs = Runs(tmp_path, most_seconds=0.5)
    name = runs.start("ur:2", games=2_000_000)
    wait_until(lambda: shown(runs, name)["state"] == "stopped")
    assert shown(runs, name)["fault"] is None
    runs.close()


def test_closing_leaves_no_process(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    name = runs.start("ur:2", games=2_000_000)
    wait_until(lambda: shown(runs, name)["games"] > 0)
    process = runs._ours[name]._process
    runs.close()
    assert process.returncode is not None
    assert shown(runs, name)["state"] == "stopped"
