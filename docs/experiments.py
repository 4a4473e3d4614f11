"""Runs the studies that repeat the seeds' experiments, and fills in the tables of `experiments.md`.

    astragal solve ur
    astragal solve tictactoe
    python docs/experiments.py

What is finished is not run again. All of it takes about an hour and a half on two cores.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from astragal.arena.estimates import Estimate
from astragal.files import write_text
from astragal.studies.folder import StudyFolder
from astragal.studies.report import report_page, told_points, told_share
from astragal.studies.study import Study, change_name
from astragal.studies.study_file import read_study
from astragal.studies.summary import Group, by_setting, groups_of, swept

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGE = DOCS / "experiments.md"
STUDIES = (
    "td-ur-curves",
    "td-ur-parameters",
    "td-ur-long",
    "ocaml-teachers",
    "ocaml-nets",
    "tictactoe-nets",
    "tictactoe-selfplay",
    "java-choices",
)
MOST_ROWS = 12


def main() -> None:
    """Runs, and writes the pages; names of studies as arguments leave the others out."""
    for name in sys.argv[1:] or STUDIES:
        file = f"studies/{name}.toml"
        subprocess.run([sys.executable, "-m", "astragal", "study", file], cwd=ROOT, check=True)
        study = read_study(ROOT / file)
        folder = StudyFolder(ROOT / "runs" / "studies" / name, study)
        (DOCS / "studies").mkdir(exist_ok=True)
        write_text(DOCS / "studies" / f"{name}.html", report_page(study, folder, study.cells, file))
        _fill(name, "\n".join(_table(name, study, groups_of(folder, study.cells))))


def _fill(name: str, text: str) -> None:
    """Puts the text between the marks of a study."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    page = PAGE.read_text()
    page, count = re.subn(f"{begin}.*?{end}", f"{begin}\n{text}\n{end}", page, flags=re.DOTALL)
    assert count == 1, f"{PAGE.name} has no place for {name}"
    write_text(PAGE, page)


def _table(name: str, study: Study, groups: list[Group]) -> Iterator[str]:
    opponents = list(dict.fromkeys(agent for group in groups for agent in group.curves))
    names = ["", *(f"against {agent}" for agent in opponents)]
    names += [measure.name for measure in study.measures]
    has_regret = any(group.regret for group in groups)
    names += ["gives away a decision"] if has_regret else []
    yield f"| {' | '.join(names)} |"
    yield "| --- " * len(names) + "|"
    ordered = sorted(groups, key=lambda group: -(group.final or Estimate(-1, 0)).mean)
    for group in ordered[:MOST_ROWS]:
        cells = [group.name, *(told_share(group.last(agent)) for agent in opponents)]
        cells += [told_share(group.measure(measure)) for measure in study.measures]
        cells += [told_points(group.regret)] if has_regret else []
        yield f"| {' | '.join(cells)} |"
    keys = swept(groups)
    for key in keys if len(keys) > 1 else []:
        found = (
            f"{change_name({key: value})} {told_share(rate)}"
            for value, rate in by_setting(groups, key)
        )
        yield ""
        yield f"All cells by {key}: {'; '.join(found)}."
    left = len(groups) - MOST_ROWS
    yield ""
    more = f"{left} more rows and the curves" if left > 0 else "The curves"
    yield f"{more} are on [the page](studies/{name}.html) of the study."


if __name__ == "__main__":
    main()
