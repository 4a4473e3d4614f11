"""Solves a game and keeps its table: goes on where it was stopped, does nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.games.ur import UrRules
from astragal.memory import available_memory
from astragal.solving.checking import residual
from astragal.solving.draft import FULL, Draft
from astragal.solving.iteration import memory_for_iteration, solve_by_iteration
from astragal.solving.ur import (
    Pair,
    UrSolver,
    layer_slice,
    layers_of,
    memory_needed,
    pairs_in_order,
)
from astragal.values.layout import Layout
from astragal.values.table import exact_values, layout_of
from astragal.values.table_file import (
    KINDS,
    Header,
    Table,
    as_numbers,
    check_room,
    checksum,
    open_table,
    table_path,
    unit,
    write_table,
)
from astragal.values.ur_tables import ur_tables

FINEST, COARSEST = 1e-8, 1e-2
COMPACT = 2  # bytes a number
_AT_ONCE = 2**22  # rows that are made compact together

# What is being done, and how much of it is: from 0 to 1.
Tell = Callable[[str, float], None]


@dataclass(frozen=True)
class SolveSettings:
    """What is wanted."""

    precision: float = 1e-7
    """How far a chance may be off."""
    compact: bool = False
    """Half the bytes, and chances good to 1.5e-5 only."""
    threads: int = 1

    def __post_init__(self) -> None:
        if not FINEST <= self.precision <= COARSEST:
            raise InputError(
                f"{quote(self.precision)} is not a precision: expected {FINEST:g} to {COARSEST:g}."
            )


@dataclass(frozen=True)
class _Job:
    """A game to be solved, and where its table goes."""

    game: Game
    layout: Layout
    path: Path
    settings: SolveSettings
    tell: Tell


def solve(game: Game, settings: SolveSettings, tell: Tell) -> Header:
    """The header of the game's table, which is made if there is none so good yet."""
    job = _Job(game, layout_of(game), table_path(game), settings, tell)
    known = _known(job)
    wanted = settings.precision + (unit(COMPACT) if settings.compact else 0)
    if known is None or known.precision > wanted:
        check_room(job.path, _bytes_needed(job))
        known = _solve_layers(job) if is_solved_in_layers(game) else _solve_at_once(job)
    if settings.compact and known.bytes_each == FULL:
        known = _compacted(job)
    return known


def _known(job: _Job) -> Header | None:
    """The header of a table that is there, if it can be used; one that cannot is replaced."""
    try:
        return _opened(job.path, job.game, job.layout).header if job.path.exists() else None
    except InputError:
        return None


def _bytes_needed(job: _Job) -> int:
    """The room that the tables take; a compact one is made beside a full one."""
    each = FULL + (COMPACT if job.settings.compact else 0)
    return job.layout.size * (len(job.game.outcomes) - 1) * each


def is_solved_in_layers(game: Game) -> bool:
    """Whether what is done is kept on the way."""
    return isinstance(game.rules, UrRules)


def verify(game: Game, threads: int, tell: Tell) -> tuple[Header, float]:
    """The header of the game's table, and how far values are at most from their best plays'."""
    known = exact_values(game)
    table = known.table
    if checksum(table.numbers) != table.header.checksum:
        raise InputError(f"{quote(table.path, shown=200)} is damaged: expected a whole table.")
    told = partial(tell, "looking at plays")
    return table.header, residual(game, known.layout, table, threads, told)


def _opened(path: Path, game: Game, layout: Layout) -> Table:
    return open_table(path, game, "values", layout.size, len(game.outcomes) - 1)


def _check_memory(needed: int) -> None:
    available = available_memory()
    if available is not None and available < needed:
        raise InputError(
            f"Only {available / 2**20:,.0f} MiB of memory are free: expected "
            f"{needed / 2**20:,.0f} MiB to solve it."
        )


def _solve_layers(job: _Job) -> Header:
    rules = job.game.rules
    assert isinstance(rules, UrRules)
    tables = ur_tables(rules)
    _check_memory(memory_needed(tables))
    draft = Draft(job.path, job.game, tables.size, job.settings.precision)
    solver = UrSolver(job.game, tables, job.settings.threads)
    done = 0
    with draft.opened():
        for pair in pairs_in_order(tables.pieces):
            done += _solve_pair(job, solver, draft, pair, done)
        return draft.finish()


def _solve_pair(job: _Job, solver: UrSolver, draft: Draft, pair: Pair, done: int) -> int:
    """Solves a pair of layers if that has not been done; how many positions it has."""
    tables, told = solver.tables, f"{pair[0]} and {pair[1]} stones home"
    rows = [layer_slice(tables, layer) for layer in layers_of(pair)]
    size = sum(each.stop - each.start for each in rows)
    if not draft.has(str(pair), rows):
        solved = solver.solve(
            pair,
            lambda layer: draft.chances(layer_slice(tables, layer)),
            job.settings.precision,
            lambda share: job.tell(told, (done + share * size) / tables.size),
        )
        draft.put(str(pair), solved.chances, rows, solved.change)
    return size


def _solve_at_once(job: _Job) -> Header:
    """For small games: nothing is kept before the end."""
    game, settings = job.game, job.settings
    columns = len(game.outcomes) - 1
    _check_memory(memory_for_iteration(game, job.layout))
    solution = solve_by_iteration(
        game, job.layout, settings.precision, settings.threads, partial(job.tell, "all positions")
    )
    numbers = as_numbers(solution.chances, FULL)
    header = Header(
        game=game.name,
        game_version=game.version,
        contents="values",
        rows=job.layout.size,
        positions=solution.positions,
        columns=columns,
        bytes_each=FULL,
        precision=settings.precision,
        residual=solution.change,
        checksum=checksum(numbers),
    )
    write_table(job.path, header, numbers)
    return header


def _compacted(job: _Job) -> Header:
    """The table written again with half the bytes."""
    job.tell("making it compact", 1.0)
    full = _opened(job.path, job.game, job.layout)
    numbers = np.empty(full.numbers.shape, KINDS[COMPACT])
    for begin in range(0, len(numbers), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        numbers[part] = as_numbers(full.numbers[part] * unit(FULL), COMPACT)
    header = msgspec.structs.replace(
        full.header,
        bytes_each=COMPACT,
        precision=full.header.precision + unit(COMPACT),
        checksum=checksum(numbers),
    )
    write_table(job.path, header, numbers)
    return header
