"""A run can be killed at any moment and ends as if it had not been; its faults are sentences."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning import loop
from astragal.learning import run as training_run
from astragal.learning.loop import News, new_learner, train
from astragal.learning.run import BEST, CHECKPOINT, LATEST, METRICS, Run, check_health
from astragal.learning.settings import (
    AssessSettings,
    LookaheadSettings,
    McSettings,
    NetSettings,
    TdSettings,
    TrainSettings,
)
from astragal.learning.settings_file import format_settings
from astragal.values.checkpoint import load_net

TD = TrainSettings(
    "ur:3", games=3_000, stretch=50, net=NetSettings("unary", (8,)), td=TdSettings(pool=2)
)
TD = replace(TD, td=replace(TD.td, pool_every=500, epsilon=0.1))
MC = TrainSettings(
    "tictactoe",
    learner="mc",
    games=2_000,
    stretch=50,
    net=NetSettings("cells18", (8,)),
    mc=McSettings(update_games=50, batch=64, memory=500),
)
LOOKAHEAD = TrainSettings(
    "ur:2",
    learner="lookahead",
    games=1_200,
    stretch=40,
    workers=2,
    net=NetSettings("unary", (8, 4), "relu"),
    lookahead=LookaheadSettings(lam=0.9, memory=2_000, batch=64),
)
ALL = {"td": TD, "mc": MC, "lookahead": LOOKAHEAD}

SCRIPT = """
import sys
from pathlib import Path
from astragal.games.catalogue import find_game
from astragal.learning import loop
from astragal.learning.run import Run

def main():
    loop._SAVE_SECONDS = 0
    run = Run.open(Path(sys.argv[1]))
    loop.train(find_game(run.settings.game), run, lambda path: [{"win_rate": 0.5}])

if __name__ == "__main__":
    main()
"""


def no_assessment(path: Path) -> list[dict[str, Any]]:
    return []


def weights(run: Run) -> list[Any]:
    net = load_net(run.folder / LATEST, find_game(run.settings.game))
    return [part for layer in net.layers for part in (layer.weights, layer.biases)]


def are_the_same(one: Run, other: Run) -> bool:
    pairs = zip(weights(one), weights(other), strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def without_clock(run: Run) -> list[dict[str, Any]]:
    timed = ("seconds", "games_per_second")
    return [{k: v for k, v in line.items() if k not in timed} for line in run.metrics()]


@pytest.fixture(scope="module", params=ALL)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that was never stopped."""
    run = Run.create(tmp_path_factory.mktemp("run") / "whole", ALL[request.param])
    train(find_game(run.settings.game), run, lambda path: [{"win_rate": 0.5}])
    return run


def test_a_run_that_is_killed_and_resumed_ends_bit_for_bit_as_if_it_had_not_been(
    finished: Run, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "killed", finished.settings)
    command = script_command(run, tmp_path)
    for share in (0.05, 0.4, 0.8):
        process = subprocess.Popen(command)
        while process.poll() is None and last_games(run) < share * run.settings.games:
            time.sleep(0.002)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert last_games(run) < run.settings.games
        with (run.folder / METRICS).open("ab") as file:
            file.write(b'{"games": 9')  # a line that was cut off
    subprocess.run(command, check=True)
    assert are_the_same(run, finished)
    assert without_clock(run) == without_clock(finished)


def script_command(run: Run, folder: Path, before: str = "") -> list[str]:
    """A command that goes on with the run, and saves it at every occasion."""
    script = folder / "script.py"
    script.write_text(before + SCRIPT)
    return [sys.executable, str(script), str(run.folder)]


def last_games(run: Run) -> int:
    path = run.folder / METRICS
    if not path.exists() or not (run.folder / CHECKPOINT).exists():
        return 0
    lines = run.metrics()
    return int(lines[-1]["games"]) if lines else 0


def test_workers_leave_with_the_process_that_started_them(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", replace(LOOKAHEAD, games=100_000))
    process = subprocess.Popen(script_command(run, tmp_path))
    while len(children(process.pid)) < 2 or last_games(run) == 0:
        time.sleep(0.05)
    workers = children(process.pid)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while any(is_running(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def children(parent: int) -> list[int]:
    return [
        number
        for number in map(int, filter(str.isdigit, os.listdir("/proc")))
        if parent == parent_of(number)
    ]


def parent_of(process: int) -> int | None:
    fields = stat_of(process)
    return int(fields[1]) if fields else None


def is_running(process: int) -> bool:
    fields = stat_of(process)
    return bool(fields) and fields[0] != "Z"


def stat_of(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def test_the_number_of_workers_does_not_matter(finished: Run, tmp_path: Path) -> None:
    if finished.settings.learner != "lookahead":
        pytest.skip("only lookahead has workers")
    alone = Run.create(tmp_path / "alone", replace(finished.settings, workers=1))
    train(find_game(alone.settings.game), alone, no_assessment)
    assert are_the_same(alone, finished)


def test_another_seed_gives_other_weights(finished: Run, tmp_path: Path) -> None:
    other = Run.create(tmp_path / "other", replace(finished.settings, seed=5, games=200))
    train(find_game(other.settings.game), other, no_assessment)
    assert not are_the_same(other, finished)


def test_the_best_net_is_kept_by_its_assessments(tmp_path: Path) -> None:
    settings = replace(TD, games=400, assess=AssessSettings(every=100))
    run = Run.create(tmp_path / "run", settings)
    rates = iter([0.3, 0.6, 0.5, 0.4])
    seen: list[Path] = []

    def assess(path: Path) -> list[dict[str, Any]]:
        seen.append(path)
        return [{"win_rate": next(rates)}]

    train(find_game(settings.game), run, assess)
    assert [path.stem for path in seen] == ["0000000100", "0000000200", "0000000300", "0000000400"]
    best, second = (load_net(path, find_game(TD.game)) for path in (run.folder / BEST, seen[1]))
    assert np.array_equal(best.layers[0].weights, second.layers[0].weights)


def test_it_is_measured_as_often_as_asked_whatever_is_logged(tmp_path: Path) -> None:
    settings = replace(TD, games=6_000, stretch=10, assess=AssessSettings(every=1_000))
    run = Run.create(tmp_path / "run", settings)  # a line of the log every 30 games
    train(find_game(settings.game), run, lambda path: [{"win_rate": 0.5}])
    measured = [line["games"] for line in run.metrics() if "assessments" in line]
    assert measured == [1_000, 2_000, 3_000, 4_000, 5_000, 6_000]


@pytest.fixture
def saves_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_SAVE_SECONDS", 0)
    return


LIMIT = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
"""


def test_a_full_disk_is_told_in_a_sentence_and_the_last_checkpoint_is_whole(
    finished: Run, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "full", finished.settings)
    limited = script_command(run, tmp_path, before=LIMIT)
    done = subprocess.run(limited, capture_output=True, text=True)
    assert "cannot be written to (File too large)" in done.stderr
    assert not list(run.folder.glob(".*"))  # nothing half-written is left
    subprocess.run(script_command(run, tmp_path), check=True)
    assert are_the_same(run, finished)


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written to \(Not a directory\)"):
        Run.create(tmp_path / "file" / "run", TD)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", TD)
    with pytest.raises(InputError, match="holds a run already: expected another folder"):
        Run.create(tmp_path / "run", TD)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", TD)
    learner = new_learner(find_game(TD.game), TD)
    learner.restore(learner.state() | {"weights": learner.state()["weights"] * np.nan})
    check_health(new_learner(find_game(TD.game), TD).net, run.folder, 5)
    with pytest.raises(InputError, match=r"out of bounds by game 5 .* no checkpoint was written"):
        check_health(learner.net, run.folder, 5)


def test_a_run_stops_when_its_weights_explode_and_the_last_good_checkpoint_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_SAVE_SECONDS", 0)
    run = Run.create(tmp_path / "run", replace(TD, games=400))

    def tell(news: News) -> None:
        if news.mark.games == 250:  # from here on no weight is small enough
            monkeypatch.setattr(training_run, "MOST_WEIGHT", 0)

    with pytest.raises(InputError, match=r"out of bounds by game 250 .* last good checkpoint is"):
        train(find_game(TD.game), run, no_assessment, tell)
    monkeypatch.undo()
    mark, _ = run.load() or (None, None)
    assert mark is not None
    assert mark.games == 200
    assert all(np.isfinite(part).all() for part in weights(run))


@pytest.mark.usefixtures("saves_always")
def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", replace(TD, games=100))
    train(find_game(TD.game), run, no_assessment)
    (run.folder / "settings.toml").write_text(format_settings(replace(TD, games=200)))
    with pytest.raises(InputError, match="is not a checkpoint of this run"):
        Run.open(run.folder).load()
    whole = (run.folder / CHECKPOINT).read_bytes()
    (run.folder / CHECKPOINT).write_bytes(whole[:-10])
    with pytest.raises(InputError, match="expected a whole checkpoint"):
        run.load()
