"""`astragal solve`: the exact value of every position of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from astragal.background import run_apart
from astragal.cli.common import (
    GameName,
    JsonOption,
    RulesOption,
    StonesOption,
    chosen_game,
    print_json,
    print_table,
    progress_bar,
    say,
)
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.values.table_file import Header


def run(
    game_name: GameName,
    precision: Annotated[
        float | None, typer.Option(help="How far a chance may be off. Usually 1e-7.")
    ] = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="A table half as large, good to 1.5e-5 only.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--verify", help="Only compare every value with its best plays'."),
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="How many threads work; without it, one for each core.")
    ] = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    from astragal.values.bearoff import is_backgammon

    threads = _checked_threads(workers)
    if is_backgammon(game):
        _solve_bearoff(check or compact or precision is not None, as_json)
        return
    if check:
        if compact or precision is not None:
            raise InputError(
                "--verify solves nothing: expected no --precision or --compact with it."
            )
        header, residual = _verified(game, threads)
    else:
        header, residual = _solved(game, precision or 1e-7, compact, threads), None
    answer = _answer(game, header, residual)
    if as_json:
        print_json(answer)
    else:
        _print(game, answer)
    if residual is not None and residual > _allowed(header):
        raise InputError(
            f"The table of {game.name} is not what it says: values differ from their plays' by up "
            f"to {residual:.2g}, expected at most {_allowed(header):.2g}."
        )


def _solve_bearoff(with_options: bool, as_json: bool) -> None:
    """Makes the tables of how backgammon ends."""
    if with_options:
        raise InputError(
            "Of backgammon only the end is solved: expected no --precision, --compact or --verify."
        )
    from astragal.solving.bearoff import make_bearoff
    from astragal.values.bearoff import FEW, bearoff_of

    game = chosen_game("backgammon")
    if bearoff_of(game) is None:
        with _progress("solving") as tell:
            run_apart(lambda: make_bearoff(lambda share: tell("bearing off", share)))
    tables = bearoff_of(game)
    assert tables is not None
    files = {
        table.path: table.path.stat().st_size for table in (tables.two_sided, tables.one_sided)
    }
    if as_json:
        print_json({"game": game.name, "files": {str(path): size for path, size in files.items()}})
        return
    table = Table(box=None, show_header=False)
    table.add_row(
        f"exact, up to {FEW} checkers a side", f"{tables.two_sided.header.rows:,} positions"
    )
    table.add_row("each side alone, up to 15", f"{tables.one_sided.header.rows:,} halves")
    for path, size in files.items():
        table.add_row(str(path), f"{size / 1e6:,.1f} MB")
    print_table("Backgammon, the bear-off", table)


def _allowed(header: Header) -> float:
    """How far a value may be from its plays': both are rounded."""
    from astragal.values.table_file import unit

    return header.precision + unit(header.bytes_each)


def _checked_threads(workers: int | None) -> int:
    from astragal.workers import cores

    if workers is not None and not 1 <= workers <= 256:
        raise InputError(f"{quote(workers)} is not a number of workers: expected 1 to 256.")
    return workers or cores()


def _solved(game: Game, precision: float, compact: bool, threads: int) -> Header:
    from astragal.solving.solve import SolveSettings, is_solved_in_layers, solve

    settings = SolveSettings(precision, compact, threads)
    try:
        with _progress("solving") as tell:
            return run_apart(lambda: solve(game, settings, tell))
    except KeyboardInterrupt:
        goes_on = "the same command goes on from the last layer that was finished"
        say(f"interrupted; {goes_on if is_solved_in_layers(game) else 'nothing was kept'}.")
        raise


def _verified(game: Game, threads: int) -> tuple[Header, float]:
    from astragal.solving.solve import verify

    with _progress("checking") as tell:
        return run_apart(lambda: verify(game, threads, tell))


@contextmanager
def _progress(what: str) -> Iterator[Callable[[str, float], None]]:
    with progress_bar(what) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda told, share: bar.update(task, completed=share, description=told)


def _answer(game: Game, header: Header, residual: float | None) -> dict[str, Any]:
    from astragal.values.table_file import HEADER_BYTES, table_path

    answer = {
        "game": game.name,
        "positions": header.positions or header.rows,
        "outcomes": _for_first(game),
        "precision": header.precision,
        "residual": header.residual,
        "file": str(table_path(game)),
        "bytes": HEADER_BYTES + header.rows * header.columns * header.bytes_each,
    }
    return answer if residual is None else answer | {"verified_residual": residual}


def _for_first(game: Game) -> dict[str, float]:
    """The chances of each outcome for whoever makes the first move, once it is known who."""
    from astragal.search.lookahead import Lookahead
    from astragal.values.table import exact_values

    by_roll = Lookahead(exact_values(game)).chances_by_roll(game.start[None])
    chances = game.opening_chances @ by_roll
    told = zip(game.outcomes, chances.tolist(), strict=True)
    return {f"{points:+d}": chance for points, chance in told}


def _print(game: Game, answer: dict[str, Any]) -> None:
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    table.add_row("positions", f"{answer['positions']:,}")
    chances = answer["outcomes"]
    if len(chances) == 2:
        table.add_row("who begins wins", f"{100 * chances['+1']:.8f} %")
    else:
        told = ", ".join(f"{points}: {chance:.6f}" for points, chance in chances.items())
        table.add_row("who begins has", told)
        expected = sum(int(points) * chance for points, chance in chances.items())
        table.add_row("expected points", f"{expected:+.9f}")
    table.add_row("chances are good to", f"{answer['precision']:g}")
    table.add_row("last change", f"{answer['residual']:.2g} at most")
    if "verified_residual" in answer:
        table.add_row("every value and its plays", f"within {answer['verified_residual']:.2g}")
    table.add_row("table", f"{answer['file']}, {answer['bytes'] / 1e6:,.1f} MB")
    print_table(f"{game.title}, solved", table)
