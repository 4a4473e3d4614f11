"""A stretch of a cell's work: files in, files out, in whatever process or machine there is."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from astragal.games.catalogue import find_game
from astragal.learning.loop import train
from astragal.learning.run import LATEST, NETS, Run
from astragal.studies.folder import RUN_FILES, Files, Result, identity_of
from astragal.studies.measuring import assessor, measured
from astragal.studies.study import Measure
from astragal.workers import Crew


class Task(NamedTuple):
    """What a worker has to be told."""

    files: Files
    """Of the run, as it stands."""
    seconds: float
    """After how long it should hand back what it has."""
    measures: tuple[Measure, ...]


class Advanced(NamedTuple):
    """How far a cell has come."""

    files: Files
    games: int
    seconds: float
    """Of training, in all."""
    result: Result | None
    """If it is finished."""


def advance(task: Task) -> Advanced:
    """Goes on with a run for a while; where it is cut makes no difference to what comes out."""
    with tempfile.TemporaryDirectory(prefix="astragal-cell-") as name:
        folder = Path(name)
        _unpack(folder, task.files)
        run, crew = Run.open(folder), Crew(1)
        game = find_game(run.settings.game)
        end = time.monotonic() + task.seconds
        assess = assessor(game, run.settings, crew)
        mark = train(game, run, assess, is_enough=lambda: time.monotonic() > end)
        result = None
        if mark.games >= run.settings.games:
            measures = {
                identity_of(measure): measured(
                    game, measure, folder / LATEST, run.settings.seed, crew
                )
                for measure in task.measures
            }
            result = Result(mark.games, mark.seconds, measures)
        return Advanced(_packed(folder), mark.games, mark.seconds, result)


def _unpack(folder: Path, files: Files) -> None:
    (folder / NETS).mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _packed(folder: Path) -> Files:
    return {name: (folder / name).read_bytes() for name in RUN_FILES if (folder / name).exists()}
