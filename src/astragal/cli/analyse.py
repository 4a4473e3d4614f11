"""`astragal analyse`: a game record, move by move: what it cost, and how lucky the rolls were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from astragal.cli.common import (
    JsonOption,
    MaybeAimOption,
    WorkersOption,
    check_folder_of,
    get_ready,
    print_json,
    print_table,
    progress_bar,
)
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.arena.analysis import Analysis
    from astragal.arena.records import Record
    from astragal.values.values import Aim

_MOST_TABLES = 3  # of games that are shown turn by turn


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, .jsonl or .mat.")],
    judge: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="Who judges; else the exact table or the champion."),
    ] = None,
    number: Annotated[
        int | None, typer.Option("--game", min=1, help="Only this game of the file, from 1.")
    ] = None,
    worst: Annotated[int, typer.Option(min=0, max=50, help="How many mistakes to draw.")] = 3,
    html: Annotated[Path | None, typer.Option(help="Write a page to this file.")] = None,
    aim: MaybeAimOption = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    check_folder_of(html)
    records, fault = _read(file, number)
    analyses = _analysed(records, judge, aim, workers)
    if analyses and html is not None:
        from astragal.files import write_text
        from astragal.play.analysis_page import analysis_page

        write_text(html, analysis_page(analyses, worst))
    if as_json:
        print_json(_answer(analyses, worst, fault))
    elif analyses:
        _print(analyses, worst)
    if fault is not None:
        raise InputError(fault)


def _read(file: Path, number: int | None) -> tuple[list[Record], str | None]:
    """The games that can be read and played again, and what is wrong with the one after them."""
    get_ready()
    from astragal.arena.reading import read_games
    from astragal.arena.records import replay

    records: list[Record] = []
    try:
        for place, record in enumerate(read_games(file), 1):
            if number is not None and place != number:
                continue
            for _ in replay(record):
                pass
            records.append(record)
    except InputError as fault:
        return records, str(fault)
    if not records:
        if number is not None:
            raise InputError(f"{file} has no game {number}: expected a smaller number.")
        raise InputError(f"{file} holds no game.")
    return records, None


def _analysed(
    records: Sequence[Record], judge: str | None, aim: Aim | None, workers: int | None
) -> list[Analysis]:
    from astragal.arena.analysis import Task, analyse_task
    from astragal.arena.records import game_of
    from astragal.play.judges import find_judge
    from astragal.workers import Crew, check_workers

    check_workers(workers)
    judges = {}
    tasks = []
    for place, record in enumerate(records):
        if record.game not in judges:
            judges[record.game] = find_judge(game_of(record), judge, aim)
        found = judges[record.game]
        tasks.append(Task(place, record, found.spec, found.aim))
    done: dict[int, Analysis] = {}
    with progress_bar("analysing") as bar, Crew(workers) as crew:
        task = bar.add_task("", total=len(tasks))
        for place, analysis in crew.each(analyse_task, tasks):
            done[place] = analysis
            bar.update(task, completed=len(done))
    return [done[place] for place in sorted(done)]


def _answer(analyses: Sequence[Analysis], worst: int, fault: str | None) -> dict[str, Any]:
    from astragal.arena.analysis import shares_of, worst_turns

    return {
        "games": [analysis.as_dict() for analysis in analyses],
        "players": [share.as_dict() for share in shares_of(analyses)],
        "worst": [
            {"game": analysis.record.number, **turn.as_dict(analysis.game)}
            for analysis, turn in worst_turns(analyses, worst)
        ],
        "fault": fault,
    }


def _print(analyses: Sequence[Analysis], worst: int) -> None:
    from astragal.arena.analysis import shares_of, worst_turns
    from astragal.play.analysis_text import ending, mistake_scene, shares_table, turns_table

    console = Console(highlight=False)
    first = analyses[0]
    players = " against ".join(first.record.agents)
    told = f"{first.game.title}: {players}, judged by {first.judge}"
    console.print(told, style="bold", markup=False, soft_wrap=True)
    if first.aim == "win" and max(first.game.outcomes) > 1:
        console.print("Every win counts the same: gammons are not told apart.", style="dim")
    for analysis in analyses:
        heading = f"{analysis.record.place}: {ending(analysis)}"
        table = turns_table(analysis) if len(analyses) <= _MOST_TABLES else None
        if table is None:
            console.print(heading, markup=False, soft_wrap=True)
        else:
            console.print()
            print_table(heading, table)
    console.print()
    if any(analysis.record.cube for analysis in analyses):
        console.print("Doubles are not judged, and points are those without the cube.")
    console.print(shares_table(shares_of(analyses), len(first.game.rolls) > 1))
    for analysis, turn in worst_turns(analyses, worst):
        console.print()
        console.print(mistake_scene(analysis, turn).text(), soft_wrap=True)
