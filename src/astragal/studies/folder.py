"""A study's folder: a run for every cell, what came out of each, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from astragal.errors import InputError, quote
from astragal.files import write_bytes, write_text
from astragal.learning.run import (
    BEST,
    CHECKPOINT,
    LATEST,
    METRICS,
    SETTINGS,
    START,
    Run,
    alone_in,
    told_if_it_fails,
)
from astragal.studies.study import Cell, Measure, Study

FORMAT = "astragal study 1"
STUDY, VERSION, RESULT, ERROR = "study.toml", "format.txt", "result.json", "error.txt"
RUN_FILES = (SETTINGS, START, METRICS, CHECKPOINT, BEST, LATEST)

Files = dict[str, bytes]


class Result(msgspec.Struct):
    """What came out of a cell."""

    games: int
    seconds: float
    measures: dict[str, dict[str, Any]]
    """By the identity of the measure."""


class StudyFolder:
    """Everything of one study on disk."""

    def __init__(self, path: Path, study: Study) -> None:
        self.path, self.study = path, study
        with told_if_it_fails(path):
            path.mkdir(parents=True, exist_ok=True)
            self._check_format()
            write_text(path / VERSION, f"{FORMAT}\n")
            write_text(path / STUDY, study.text)

    def alone(self) -> AbstractContextManager[None]:
        """InputError if another command is at work in the folder."""
        return alone_in(self.path)

    def _check_format(self) -> None:
        version = self.path / VERSION
        if version.exists():
            told = version.read_text(errors="replace").strip()
            if told != FORMAT:
                raise InputError(
                    f"{quote(self.path, 200)} was written by another version ({quote(told)}): "
                    f"expected {FORMAT!r}. --out names another folder."
                )
        elif any(self.path.iterdir()):
            raise InputError(
                f"{quote(self.path, 200)} holds something else: expected an empty folder, or that "
                "of a study."
            )

    def of(self, cell: Cell) -> Path:
        """The folder of a cell."""
        return self.path / "cells" / cell.identity

    def files(self, cell: Cell) -> Files:
        """What a cell needs to go on, made anew for one that has not begun."""
        folder = self.of(cell)
        if not (folder / SETTINGS).exists():
            Run.create(folder, cell.settings)
        with told_if_it_fails(folder):
            return {
                name: (folder / name).read_bytes() for name in RUN_FILES if (folder / name).exists()
            }

    def keep(self, cell: Cell, files: Mapping[str, bytes], result: Result | None) -> None:
        """Writes how far a cell has come; its checkpoint last, from which it would go on."""
        folder = self.of(cell)
        if result is None and (folder / RESULT).exists() and self.is_finished(cell):
            return  # somebody else was faster
        with told_if_it_fails(folder):
            for name in (METRICS, BEST, LATEST, CHECKPOINT):
                if name in files:
                    write_bytes(folder / name, files[name])
            if result is not None:
                write_bytes(folder / RESULT, msgspec.json.format(msgspec.json.encode(result)))
                (folder / ERROR).unlink(missing_ok=True)

    def keep_error(self, cell: Cell, error: str) -> None:
        """Writes why a cell could not go on."""
        with told_if_it_fails(self.of(cell)):
            self.of(cell).mkdir(parents=True, exist_ok=True)
            write_text(self.of(cell) / ERROR, f"{error}\n")

    def error(self, cell: Cell) -> str | None:
        """Why a cell could not go on, the last time that it was tried."""
        path = self.of(cell) / ERROR
        return path.read_text().strip() if path.exists() else None

    def result(self, cell: Cell) -> Result | None:
        """What came out of a cell, if it is finished."""
        path = self.of(cell) / RESULT
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Result)
        except (OSError, msgspec.MsgspecError) as fault:
            raise InputError(
                f"{quote(path, 200)} cannot be read ({fault}): expected what a study wrote; "
                "without it the cell is run again."
            ) from fault

    def is_finished(self, cell: Cell) -> bool:
        """Whether a cell is trained, and all that the study asks for is measured."""
        result = self.result(cell)
        if result is None:
            return False
        return all(identity_of(measure) in result.measures for measure in self.study.measures)

    def metrics(self, cell: Cell) -> list[dict[str, Any]]:
        """The lines that a cell's run has logged."""
        folder = self.of(cell)
        return Run(folder, cell.settings).metrics() if (folder / METRICS).exists() else []


def identity_of(measure: Measure) -> str:
    """A measure by what it is, and not by its name."""
    judge = measure.judge
    return f"{measure.first} against {measure.second}, {measure.games}, {judge}, {measure.aim}"
