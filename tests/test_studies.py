"""Studies: what a file may say, what is run again and what not, and what survives a loss."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from re import DOTALL, findall
from typing import Any, NamedTuple

import pytest
from safetensors.numpy import load_file

from astragal.arena.estimates import Estimate
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.run import CHECKPOINT, LATEST
from astragal.learning.settings import NetSettings
from astragal.studies.conduct import Status, conduct, strength
from astragal.studies.folder import ERROR, RESULT, VERSION, StudyFolder
from astragal.studies.foresight import foresee
from astragal.studies.report import report_page
from astragal.studies.search import search_cells
from astragal.studies.study import Cell, Study
from astragal.studies.study_file import line_of, parse_study
from astragal.studies.summary import by_setting, groups_of, mean_of, swept
from astragal.values.checkpoint import save_net
from astragal.workers import Crew, hired
from test_cli import Shell, astragal

__all__ = ["astragal"]

pytestmark = pytest.mark.usefixtures("data_folder")

ROOT = Path(__file__).parents[1]
SMALL = """
title = "Small"
seeds = 2

[train]
game = "ur:2"
games = 300
stretch = 50

[train.assess]
against = ["pips"]
every = 100
games = 10

[grid]
"net.hidden" = [4, 6]
"td.alpha" = [0.1, 0.01]

[[measure]]
name = "one ply"
first = "net@1"
second = "net"
games = 4
judge = "none"
"""


def small(*changes: tuple[str, str]) -> Study:
    text = SMALL
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return parse_study(text, "small.toml")


def run(study: Study, path: Path, seconds: float = 60, crew: Crew | None = None) -> StudyFolder:
    folder = StudyFolder(path, study)
    with crew or Crew(1) as hired_crew:
        failed = conduct(folder, study.cells, hired_crew, places=1, seconds=seconds)
    assert failed == {}
    return folder


def outcome(folder: StudyFolder, cells: tuple[Cell, ...]) -> list[Any]:
    """What came out of every cell, but for how long it took."""
    found = []
    for cell in cells:
        result = folder.result(cell)
        assert result is not None
        lines = [
            {key: value for key, value in line.items() if "second" not in key}
            for line in folder.metrics(cell)
        ]
        found.append((cell.told, lines, result.measures))
    return found


def weights(path: Path) -> dict[str, list[Any]]:
    """What is in a file of weights."""
    return {name: array.tolist() for name, array in load_file(path).items()}


# Files


def test_a_grid_has_a_cell_for_each_combination_and_seed() -> None:
    study = small()
    assert len(study.cells) == 2 * 2 * 2
    assert len({cell.identity for cell in study.cells}) == 8
    assert study.cells[0].name == "hidden 4, alpha 0.1"
    assert study.cells[0].settings.net.hidden == (4,)
    assert [cell.settings.seed for cell in study.cells[:2]] == [0, 1]


def test_a_list_and_a_sample_are_cells_too() -> None:
    study = small(
        ('[grid]\n"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]\n',
         '[[cells]]\nname = "one"\n"td.alpha" = 0.3\n[[cells]]\ntd.lambda = 0.1\n'
         '[sample]\ncount = 3\nseed = 7\n"net.hidden" = { from = 2, to = 9 }\n'
         '"td.alpha" = { from = 0.001, to = 0.1, log = true }\n"td.lambda" = [0.5, 0.9]\n'),
    )  # fmt: skip
    names = list(dict.fromkeys(cell.name for cell in study.cells))
    assert names[:2] == ["one", "lambda 0.1"]
    assert len(names) == 5
    for cell in study.cells[4:]:
        assert 2 <= cell.settings.net.hidden[0] <= 9
        assert 0.001 <= float(cell.settings.td.alpha) <= 0.1
        assert cell.settings.td.lam in (0.5, 0.9)


def test_the_identity_of_a_cell_is_what_it_is_trained_with() -> None:
    before, after = small(), small(("[4, 6]", "[6, 4, 8]"), ('"Small"', '"Larger"'))
    known = {cell.identity for cell in before.cells}
    assert known < {cell.identity for cell in after.cells}
    assert known.isdisjoint(cell.identity for cell in small(("games = 300", "games = 301")).cells)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Small"', 'title = "Small', "is not TOML"),
        ("seeds = 2", "seeds = 0", "Line 3: seeds cannot be '0'"),
        ("seeds = 2", "seeds = [1, 1]", "Line 3: seeds cannot be"),
        ("seeds = 2", "sedes = 2", "Line 3: sedes is no part of a study"),
        ('game = "ur:2"', 'game = "chess"', "Line 6: 'chess' is not a game"),
        ('game = "ur:2"', "", "expected .train. with game"),
        ("games = 300", 'games = "many"', "Line 7: games cannot be 'many'"),
        ('"td.alpha" = [0.1, 0.01]', '"td.alfa" = [0.1]', "Line 17: td.alfa is not a setting"),
        ('"td.alpha" = [0.1, 0.01]', '"td.alpha" = [-1]', "Line 17: td.alpha cannot be -1"),
        ('"td.alpha" = [0.1, 0.01]', '"td.alpha" = []', "Line 17: td.alpha has no values"),
        ('"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]', "", "Line 15: The grid is empty"),
        ("[4, 6]", str(list(range(1, 3000))), "There are 11,996 cells: expected 10,000 at most"),
        ("[4, 6]", "[4, 4]", "Two cells are called 'hidden 4, alpha 0.1'"),
        ("[4, 6]", "[4, [4]]", "Two cells are called"),
        ('first = "net@1"', 'first = "nobody"', "'one ply': 'nobody' is not an agent"),
        ('first = "net@1"', 'frist = "net@1"', "frist is not of a measure"),
        ('judge = "none"', 'judge = "random"', "'random' has no values"),
        ("[grid]", "[search]\ntrials = 3", "expected a list of values|alone|tries"),
        ('"td.alpha" = [0.1, 0.01]', '"td.alpha" = 0.1', "Line 17: td.alpha has no values"),
        ("games = 300", "games = 300\nseed = 7", "expected seeds"),
        ("games = 300", 'games = 300\nstart = "nowhere"', "nowhere"),
        ("[grid]", "[grid]\nseed = [1, 2]", "expected seeds"),
        ("seeds = 2", "seeds = [99999999999999999999999]", "seeds cannot be"),
        ("seeds = 2", "seeds = true", "seeds cannot be"),
        ('first = "net@1"', 'first = "net@banana"', "is not an agent"),
        ("[grid]", '[sample]\ncount = 2\nseed = -1\n"td.lambda" = [0.1]\n[grid]', "seed cannot"),
        (
            "[grid]",
            '[sample]\ncount = 2\n"td.lambda" = { from = 0.1, to = inf }\n[grid]',
            "expected a list of values",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(
    old: str, new: str, complaint: str
) -> None:
    if new == "[search]\ntrials = 3":
        new += '\n"td.lambda" = 7\n[grid]'
    with pytest.raises(InputError, match=complaint):
        small((old, new))


@pytest.mark.parametrize("alpha", ["{ from = -1, to = 0.5 }", "[0.1, 99]"])
def test_what_a_search_could_try_is_checked_before(alpha: str) -> None:
    grid = '[grid]\n"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]\n'
    with pytest.raises(InputError, match=r"td\.alpha cannot be"):
        small((grid, f'[search]\ntrials = 3\n"td.alpha" = {alpha}\n'))


def test_a_sample_never_has_the_same_cell_twice() -> None:
    grid = '[grid]\n"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]\n'
    study = small((grid, '[sample]\ncount = 9\n"td.alpha" = [0.1, 0.2, 0.3]\n'))
    assert len(study.cells) == 3 * 2


def test_another_net_to_begin_with_is_another_cell(tmp_path: Path) -> None:
    path = tmp_path / "start.safetensors"
    net = fresh_net(find_game("ur:2"), NetSettings(hidden=(4,)), seed=1)
    save_net(path, net)
    change = ("games = 300", f'games = 300\nstart = "{path}"'), ("[4, 6]", "[4]")
    before = small(*change).cells[0].identity
    save_net(path, fresh_net(find_game("ur:2"), NetSettings(hidden=(4,)), seed=2))
    assert small(*change).cells[0].identity != before


def test_a_million_cells_are_refused_at_once() -> None:
    values = str([i / 1e6 for i in range(1, 1001)])
    began = time.monotonic()
    with pytest.raises(InputError, match="There are 2,000,000 cells"):
        small(("[4, 6]", str(list(range(1, 1001)))), ("[0.1, 0.01]", values))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("key", "line"), [("td.alpha", 2), ("alpha", 4), ("grid", 1), ("no", None)]
)
def test_the_line_of_a_setting_is_found(key: str, line: int | None) -> None:
    assert line_of('[grid]\n"td.alpha" = [1]\n[other]\nalpha = 1\n', key) == line


@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("*.toml")), ids=lambda p: p.stem)
def test_the_studies_that_come_with_it_can_be_used(path: Path, tables: Path) -> None:
    text = path.read_text().replace('"perfect"', '"champion"')  # whose table is made by solving
    study = parse_study(text, path.name)
    assert study.cells
    assert study.about


# Running


def test_cells_that_are_finished_are_never_run_again(tmp_path: Path) -> None:
    study = small()
    folder = run(study, tmp_path / "study")
    stamps = {path: path.stat().st_mtime_ns for path in folder.path.rglob(RESULT)}
    assert len(stamps) == 8
    larger = small(("[4, 6]", "[4, 6, 8]"))
    told: list[Status] = []
    with Crew(1) as crew:
        folder = StudyFolder(tmp_path / "study", larger)
        conduct(folder, larger.cells, crew, 1, told.append)
    assert (told[0].total, told[0].done, told[-1].done) == (12, 8, 12)
    assert stamps.items() <= {p: p.stat().st_mtime_ns for p in folder.path.rglob(RESULT)}.items()


def test_where_the_work_is_cut_makes_no_difference(tmp_path: Path) -> None:
    study = small()
    whole = run(study, tmp_path / "whole")
    cut = run(study, tmp_path / "cut", seconds=0)
    assert outcome(cut, study.cells) == outcome(whole, study.cells)
    nets = [
        {path.parent.name: weights(path) for path in folder.path.rglob(LATEST)}
        for folder in (whole, cut)
    ]
    assert nets[0] == nets[1]


def test_a_cell_that_fails_stops_nothing_and_is_tried_again(tmp_path: Path) -> None:
    study = small()
    folder = StudyFolder(tmp_path / "study", study)
    bad = study.cells[3]
    folder.files(bad)
    (folder.of(bad) / CHECKPOINT).write_bytes(b"not a checkpoint")
    with Crew(1) as crew:
        failed = conduct(folder, study.cells, crew, 1)
    assert list(failed) == [bad.identity]
    assert "cannot be read" in failed[bad.identity]
    assert "cannot be read" in (folder.of(bad) / ERROR).read_text()
    assert sum(folder.is_finished(cell) for cell in study.cells) == 7
    assert "What went wrong" in report_page(study, folder, study.cells, "small.toml")
    (folder.of(bad) / CHECKPOINT).unlink()
    with Crew(1) as crew:
        assert conduct(folder, study.cells, crew, 1) == {}
    assert folder.error(bad) is None


def test_a_process_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    study = small(("games = 300", "games = 1_000"))
    expected = outcome(run(study, tmp_path / "whole"), study.cells)
    folder = StudyFolder(tmp_path / "study", study)
    killed: list[int] = []
    with Crew(2) as crew:

        def kill_one(status: Status) -> None:
            pool = crew._pool
            if status.done >= 2 and not killed and pool is not None and pool._processes:
                killed.append(next(iter(pool._processes)))
                os.kill(killed[0], signal.SIGKILL)

        assert conduct(folder, study.cells, crew, 2, kill_one, seconds=0.2) == {}
    assert killed
    assert outcome(folder, study.cells) == expected


def test_two_commands_never_work_in_one_folder(tmp_path: Path) -> None:
    study = small()
    first, second = StudyFolder(tmp_path, study), StudyFolder(tmp_path, study)
    with first.alone(), pytest.raises(InputError, match="by another command"), second.alone():
        pass
    with second.alone():
        pass


def test_a_folder_of_another_version_or_of_something_else_is_recognised(tmp_path: Path) -> None:
    study = small()
    StudyFolder(tmp_path / "old", study)
    (tmp_path / "old" / VERSION).write_text("astragal study 0\n")
    with pytest.raises(InputError, match=r"another version \('astragal study 0'\)"):
        StudyFolder(tmp_path / "old", study)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        StudyFolder(tmp_path / "other", study)


# On a cluster


@pytest.fixture(autouse=True)
def _swept() -> Iterator[None]:
    """A client that never reached its cluster leaves sockets, which are not for later tests."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


class Cluster(NamedTuple):
    """A scheduler with two workers, in processes of their own."""

    address: str
    workers: list[int]
    process: subprocess.Popen[str]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    script = (
        "import sys, time\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)\n"
        "    pids = [nanny.pid for nanny in cluster.workers.values()]\n"
        "    print(cluster.scheduler_address, *pids, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    path = tmp_path / "cluster.py"
    path.write_text(script)
    process = subprocess.Popen(
        [sys.executable, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdin
    assert process.stdout
    address, *pids = process.stdout.readline().split()
    yield Cluster(address, [int(pid) for pid in pids], process)
    process.stdin.close()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def test_a_cluster_gives_the_same_numbers_with_a_worker_killed_in_the_middle(
    tmp_path: Path, cluster: Cluster
) -> None:
    study = small(("games = 300", "games = 1_000"))
    expected = outcome(run(study, tmp_path / "whole"), study.cells)
    folder = StudyFolder(tmp_path / "study", study)
    killed: list[int] = []

    def kill_one(status: Status) -> None:
        if status.done >= 2 and not killed:
            killed.append(cluster.workers[0])
            os.kill(killed[0], signal.SIGKILL)

    with hired(2, cluster.address) as crew:
        assert crew.places == 2
        assert conduct(folder, study.cells, crew, 2, kill_one, seconds=0.2) == {}
    assert killed
    assert outcome(folder, study.cells) == expected


def test_matches_and_training_use_the_cluster_too(
    astragal: Shell, tmp_path: Path, cluster: Cluster
) -> None:
    address = cluster.address
    words = ["match", "ur:2", "pips", "greedy", "--games", "40", "--seed", "3", "--json"]
    there, here = astragal(*words, "--cluster", address).json, astragal(*words).json
    for answer in (there, here):
        for key in ("seconds", "moves_per_second", "games_per_second"):
            del answer[key]
    assert there == here
    train = ["train", "ur:2", "--learner", "lookahead", "--games", "200", "--hidden", "8"]
    train += ["--assess-games", "4", "--against", "random", "--workers", "1", "--json"]
    one = astragal(*train, "--out", str(tmp_path / "one"))
    two = astragal(*train, "--out", str(tmp_path / "two"), "--cluster", address)
    assert one.code == two.code == 0
    assert weights(tmp_path / "one" / LATEST) == weights(tmp_path / "two" / LATEST)


def test_a_cluster_that_goes_away_leaves_what_is_finished(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("astragal.workers._REACH_SECONDS", 1.0)
    study = small(("games = 300", "games = 600"))
    folder = StudyFolder(tmp_path / "study", study)

    def kill_all(status: Status) -> None:
        if status.done >= 2:
            cluster.process.kill()

    with (
        pytest.raises(InputError, match="The cluster went away"),
        hired(2, cluster.address) as crew,
    ):
        conduct(folder, study.cells, crew, 2, kill_all, seconds=0.2)
    done = sum(folder.is_finished(cell) for cell in study.cells)
    assert 2 <= done < 8
    with Crew(1) as crew:
        told: list[Status] = []
        assert conduct(folder, study.cells, crew, 1, told.append) == {}
    assert told[0].done == done


@pytest.mark.parametrize(
    "words",
    [
        ["study", "FILE"],
        ["match", "ur:2", "pips", "greedy", "--games", "4"],
        ["tournament", "ur:2", "pips", "greedy", "--games", "4"],
    ],
)
def test_a_cluster_that_cannot_be_reached_is_named(
    astragal: Shell, tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("astragal.workers._REACH_SECONDS", 0.5)
    (tmp_path / "s.toml").write_text(SMALL)
    told = [str(tmp_path / "s.toml") if word == "FILE" else word for word in words]
    more = ["--out", str(tmp_path / "out")] if words[0] == "study" else []
    answer = astragal(*told, *more, "--cluster", "tcp://127.0.0.1:1")
    assert answer.code == 2
    assert "'tcp://127.0.0.1:1' cannot be reached" in answer.err


@pytest.mark.parametrize("address", ["", "garbage", "tcp://", "localhost:notaport", "a b:1"])
def test_what_is_no_address_is_refused_at_once(astragal: Shell, address: str) -> None:
    answer = astragal("match", "ur:2", "pips", "greedy", "--games", "4", "--cluster", address)
    assert answer.code == 2
    assert "is not the address of a cluster" in answer.err


# What comes out


def test_groups_have_means_over_seeds_and_settings_their_own(tmp_path: Path) -> None:
    study = small()
    folder = run(study, tmp_path / "study")
    groups = groups_of(folder, study.cells)
    assert len(groups) == 4
    first = groups[0]
    rates = [strength(folder, cell) for cell in first.cells]
    assert first.final is not None
    assert first.final.mean == pytest.approx(sum(map(float, filter(None, rates))) / 2)
    assert swept(groups) == ["net.hidden", "td.alpha"]
    measure = first.measure(study.measures[0])
    assert measure is not None
    assert 0 <= measure.mean <= 1
    (_, small_nets), (_, large_nets) = by_setting(groups, "net.hidden")
    means = [group.final.mean for group in groups if group.final is not None]
    assert small_nets.mean == pytest.approx((means[0] + means[1]) / 2)
    assert large_nets.mean == pytest.approx((means[2] + means[3]) / 2)


def test_what_a_setting_is_at_counts_if_a_cell_says_nothing_of_it(tmp_path: Path) -> None:
    grid = '[grid]\n"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]\n'
    cells = '[[cells]]\nname = "[/x] plain"\n[[cells]]\ntd.lambda = 0.9\n[[cells]]\n' + (
        'td.lambda = 0.9\ntd.view = "own"\n'
    )
    study = small((grid, cells), ("games = 4\n", "games = 2\n"), ("seeds = 2", "seeds = 1"))
    folder = run(study, tmp_path / "study")
    groups = groups_of(folder, study.cells)
    assert [value for value, _ in by_setting(groups, "td.lambda")] == [0.7, 0.9]
    assert [value for value, _ in by_setting(groups, "td.view")] == ["other", "own"]
    page = report_page(study, folder, study.cells, "small.toml")
    assert "view own" in page
    assert groups[0].final is not None
    assert groups[0].final.margin > 0  # of its games, since there is one seed


def test_seeds_are_what_varies_and_not_opponents_or_other_settings() -> None:
    told = [Estimate(0.4, 0.1), Estimate(0.6, 0.1)]
    assert mean_of(told).mean == pytest.approx(0.5)
    assert mean_of(told).margin == pytest.approx(12.706 * 0.1)
    assert mean_of(told[:1]) == told[0]


def test_the_report_has_curves_a_parameter_study_a_table_and_the_settings(tmp_path: Path) -> None:
    study = replace(small(), title="<Small> & more")
    folder = run(study, tmp_path / "study")
    page = report_page(study, folder, study.cells, "small.toml")
    charts = findall("<svg.*?</svg>", page, DOTALL)
    titles = [ElementTree.fromstring(chart)[0].text for chart in charts]
    assert titles == [
        "Win rate against pips",
        "Final win rate by net.hidden",
        "Final win rate by td.alpha",
    ]
    for words in ("hidden 6, alpha 0.01", "one ply", "astragal study small.toml", "&lt;Small&gt;"):
        assert words in page


def test_what_a_study_will_take_is_foreseen() -> None:
    told = foresee(small(("[0.1, 0.01]", "[0.1]")))
    assert told["cells"] == 4
    assert told["games_a_cell"] == 300
    assert 0 < told["seconds"] < 600
    assert 1000 < told["bytes"] < 10_000_000


def test_a_search_tries_what_did_best_and_goes_on_where_it_was() -> None:
    grid = '[grid]\n"net.hidden" = [4, 6]\n"td.alpha" = [0.1, 0.01]\n'
    study = small(
        (grid, '[search]\ntrials = 30\nat_once = 3\n"td.alpha" = { from = 0.001, to = 1.0 }\n')
    )
    assert study.search is not None
    runs: list[int] = []

    def pretend(cells: Any) -> list[float | None]:
        runs.append(len(cells))
        return [1 - abs(float(cell.settings.td.alpha) - 0.7) for cell in cells]

    tried = search_cells(study, study.search, pretend)
    assert max(runs) == 6
    assert len({cell.identity for cell in tried}) == len(tried)
    assert search_cells(study, study.search, pretend) == tried
    away = [abs(float(cell.settings.td.alpha) - 0.7) for cell in tried]
    assert sum(away[-20:]) < 0.8 * sum(away[:20])


# The command


def test_the_command_runs_reports_and_says_what_failed(astragal: Shell, tmp_path: Path) -> None:
    file, out = tmp_path / "small.toml", tmp_path / "out"
    file.write_text(SMALL)
    told = astragal("study", str(file), "--out", str(out), "--workers", "1")
    assert told.code == 0
    assert "hidden 4, alpha 0.1" in told.out
    assert (out / "report.html").exists()
    again = astragal("study", "report", str(file), "--out", str(out), "--json").json
    assert all(cell["is_finished"] for cell in again["cells"])
    assert again["failed"] == 0
    forecast = astragal("study", str(file), "--dry-run", "--json").json
    assert forecast["cells"] == 8
    assert json.loads((next(out.rglob(RESULT))).read_text())["games"] == 300


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.toml"], "cannot be read"),
        (["one.toml", "two.toml"], "is not one study"),
        (["report"], "cannot be read"),
        (["studies/java-choices.toml", "--workers", "-1"], "expected 1 to 256"),
    ],
)
def test_what_is_no_study_is_refused(
    astragal: Shell, words: list[str], complaint: str, tmp_path: Path
) -> None:
    answer = astragal("study", *words, "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert complaint in answer.err
    assert not (tmp_path / "out").exists()
