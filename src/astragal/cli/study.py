"""`astragal study`: many runs of training that differ in some settings, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from astragal.cli.common import (
    ClusterOption,
    JsonOption,
    WorkersOption,
    get_ready,
    print_json,
    print_table,
    progress_bar,
    say,
)
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.studies.conduct import Status
    from astragal.studies.folder import StudyFolder
    from astragal.studies.study import Cell, Study

_FOLDER = Path("runs/studies")
REPORT = "report.html"


def run(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[report] FILE", help="A study; report only writes its page."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where its runs are kept; else runs/studies/NAME.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many cells, how long and how much disk.")
    ] = False,
    cluster: ClusterOption = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    only_report = len(words) > 1 and words[0] == "report"
    if len(words) != 1 + only_report:
        raise InputError(
            f"{quote(' '.join(words))} is not one study: expected FILE, or report FILE."
        )
    file = Path(words[-1])
    get_ready()
    from astragal.studies.folder import StudyFolder
    from astragal.studies.study_file import read_study
    from astragal.workers import check_workers

    check_workers(workers)
    study = read_study(file)
    if dry_run:
        _foresee(study, as_json)
        return
    folder = StudyFolder(out or _FOLDER / file.stem, study)
    cells: Sequence[Cell] = study.cells
    failed: dict[str, str] = {}
    if not only_report:
        try:
            with folder.alone():
                cells, failed = _conduct(study, folder, cluster, workers)
        except KeyboardInterrupt:
            say("interrupted; what was finished is kept, and the same command goes on.")
            raise
    elif study.search is not None:
        cells = _searched(study, folder)
    _report(study, folder, cells, file)
    _print(study, folder, cells, failed, as_json)
    if failed:
        told = f"{len(failed)} cell{'s' if len(failed) > 1 else ''} failed"
        raise InputError(f"{told}: the page says why; the same command tries again.")


def _conduct(
    study: Study, folder: StudyFolder, cluster: str | None, workers: int | None
) -> tuple[Sequence[Cell], dict[str, str]]:
    """Runs what is missing, with a bar; the cells, and what went wrong with which."""
    from astragal.studies.search import search_cells
    from astragal.workers import cores, hired

    failed: dict[str, str] = {}
    places = workers or cores()
    with hired(workers or cores(), cluster) as crew, progress_bar("study") as bar:
        task = bar.add_task("", total=1.0)
        places = crew.places or places

        def tell(status: Status) -> None:
            bar.update(task, completed=status.share, description=_described(status))

        def run_all(cells: Sequence[Cell]) -> list[float | None]:
            from astragal.studies.conduct import conduct, strength

            failed.update(conduct(folder, cells, crew, places, tell))
            return [strength(folder, cell) for cell in cells]

        if study.search is not None:
            return search_cells(study, study.search, run_all), failed
        run_all(study.cells)
    return study.cells, failed


def _searched(study: Study, folder: StudyFolder) -> Sequence[Cell]:
    """The cells of a search that have been tried."""
    from astragal.studies.conduct import strength
    from astragal.studies.search import search_cells

    assert study.search is not None
    tried = search_cells(
        study, study.search, lambda cells: [strength(folder, cell) for cell in cells]
    )
    return [cell for cell in tried if folder.is_finished(cell)]


def _described(status: Status) -> str:
    parts = [f"{status.done} of {status.total} cells", f"{status.running} running"]
    if status.failed:
        parts.append(f"{status.failed} failed")
    if status.seconds_left is not None:
        parts.append(f"about {told_seconds(status.seconds_left)} left")
    return ", ".join(parts)


def told_seconds(seconds: float) -> str:
    """A duration in the unit that matters."""
    from astragal.show.training_page import told_time

    return told_time(max(0.0, seconds))


def _foresee(study: Study, as_json: bool) -> None:
    from astragal.studies.foresight import foresee

    say("trying a second of each kind of cell...")
    told = foresee(study)
    if as_json:
        print_json(told)
        return
    print(
        f"{study.title}: {told['cells']} cells of {told['games_a_cell']:,} games on average, "
        f"about {told_seconds(told['seconds'])} on {told['workers']} cores, "
        f"{told['bytes'] / 1e6:,.1f} MB on disk."
    )


def _report(study: Study, folder: StudyFolder, cells: Sequence[Cell], file: Path) -> None:
    from astragal.files import write_text
    from astragal.learning.run import told_if_it_fails
    from astragal.studies.report import report_page

    with told_if_it_fails(folder.path):
        write_text(folder.path / REPORT, report_page(study, folder, cells, str(file)))


def _print(
    study: Study,
    folder: StudyFolder,
    cells: Sequence[Cell],
    failed: dict[str, str],
    as_json: bool,
) -> None:
    from astragal.studies.summary import groups_of

    groups = groups_of(folder, cells)
    if as_json:
        print_json(
            {
                "title": study.title,
                "folder": str(folder.path),
                "cells": [_told(folder, cell) for cell in cells],
                "failed": len(failed),
            }
        )
        return
    table = Table(box=None)
    for name in ("", "seeds", "wins"):
        table.add_column(name, justify="left" if not name else "right")
    for group in sorted(groups, key=lambda group: -(group.final.mean if group.final else -1)):
        final = "-" if group.final is None else group.final.percent()
        table.add_row(Text(group.name), str(len(group.results)), final)
    print_table(study.title, table)
    Console(highlight=False).print(
        f"The page: {folder.path / REPORT}", soft_wrap=True, markup=False
    )


def _told(folder: StudyFolder, cell: Cell) -> dict[str, Any]:
    from astragal.studies.conduct import strength

    result = folder.result(cell)
    return {
        "name": cell.name,
        "seed": cell.settings.seed,
        "changes": dict(cell.changes),
        "folder": str(folder.of(cell)),
        "is_finished": folder.is_finished(cell),
        "win_rate": strength(folder, cell),
        "measures": {} if result is None else result.measures,
        "error": folder.error(cell),
    }
