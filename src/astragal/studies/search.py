"""A guided search: Optuna says what to try next, given what has come out so far."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from astragal.errors import InputError
from astragal.studies.study import Cell, Changes, Range, Search, Study, change_name
from astragal.studies.study_file import cells_of

# Runs cells to their end; the strength of each, or None for one that failed.
RunCells = Callable[[Sequence[Cell]], list[float | None]]


def search_cells(study: Study, search: Search, run: RunCells) -> list[Cell]:
    """Tries some settings at a time; all cells that were tried, in order.

    What is tried depends on the search's seed and on what came out, so a search that is begun again
    asks for the same cells, which are finished already, and goes on where it was.
    """
    optuna = _optuna()
    sampler = optuna.samplers.TPESampler(seed=search.seed)
    guide = optuna.create_study(direction="maximize", sampler=sampler)
    tried: dict[str, Cell] = {}
    for begin in range(0, search.trials, search.at_once):
        count = min(search.at_once, search.trials - begin)
        trials = [guide.ask() for _ in range(count)]
        groups = [_cells(study, _suggested(trial, search)) for trial in trials]
        # What has been drawn twice is run once.
        cells = {cell.identity: cell for group in groups for cell in group}
        strengths = dict(zip(cells, run(list(cells.values())), strict=True))
        for trial, group in zip(trials, groups, strict=True):
            told = [strengths[cell.identity] for cell in group]
            known = [strength for strength in told if strength is not None]
            if known:
                guide.tell(trial, statistics.mean(known))
            else:
                guide.tell(trial, state=optuna.trial.TrialState.FAIL)
        tried |= cells
    return list(tried.values())


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as fault:
        raise InputError(
            "A guided search needs Optuna: expected it to be installed; "
            "pip install 'astragal[search]' does that."
        ) from fault
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _suggested(trial: Any, search: Search) -> Changes:
    """The settings to try; numbers with the digits that matter, so that names stay short."""
    changes: dict[str, Any] = {}
    for key, values in search.space.items():
        if isinstance(values, tuple):
            changes[key] = values[trial.suggest_categorical(key, list(range(len(values))))]
        elif values.whole:
            low, high = int(values.low), int(values.high)
            changes[key] = trial.suggest_int(key, low, high, log=values.log)
        else:
            changes[key] = _rounded(trial, key, values)
    return changes


def _rounded(trial: Any, key: str, values: Range) -> float:
    return float(f"{trial.suggest_float(key, values.low, values.high, log=values.log):.4g}")


def _cells(study: Study, changes: Changes) -> list[Cell]:
    cells, faults = cells_of(study.base, study.seeds, change_name(changes), changes)
    if faults:
        raise InputError("\n".join(faults))
    return cells
