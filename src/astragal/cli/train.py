"""`astragal train`: teach a net to play."""

from __future__ import annotations

import inspect
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from astragal.cli.common import (
    ClusterOption,
    JsonOption,
    chosen_game,
    print_json,
    progress_bar,
    say,
)
from astragal.cli.train_options import option_named, parameters, told_settings
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.learning.loop import News
    from astragal.learning.run import Mark, Run
    from astragal.learning.settings import TrainSettings

_RUNS = Path("runs")


def run(
    game_name: str | None = None,
    out: Path | None = None,
    resume: Path | None = None,
    settings_file: Path | None = None,
    cluster: str | None = None,
    as_json: bool = False,
    **options: Any,
) -> None:
    given = {name: value for name, value in options.items() if value not in (None, [])}
    if resume is not None:
        _refuse_with_resume(game_name, out, settings_file, given)
        _go_on(resume, as_json, cluster)
        return
    settings, faults = _settings(game_name, settings_file, given)
    game = chosen_game(settings.game)
    from astragal.learning.loop import check_start
    from astragal.learning.run import Run
    from astragal.learning.settings import check
    from astragal.studies.measuring import assessor

    check(settings, game, faults)
    # Whoever cannot play or begin is refused before there is a folder.
    assessor(game, settings)
    check_start(game, settings)
    run_training(game, Run.create(out or _new_folder(settings), settings), as_json, cluster)


def _signature() -> inspect.Signature:
    """The command's own options, and one for each setting."""
    own = [
        ("game_name", str, typer.Argument(metavar="[GAME]", help="Which game, such as ur.")),
        ("out", Path, typer.Option(help="The run's folder; without it, a new one in runs.")),
        ("resume", Path, typer.Option(metavar="RUN", help="Go on with the run in this folder.")),
        ("settings_file", Path, typer.Option("--settings", metavar="FILE", help=_FILE_HELP)),
    ]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [
        inspect.Parameter(name, kind, default=None, annotation=Annotated[type_ | None, info])
        for name, type_, info in own
    ]
    only = inspect.Parameter.KEYWORD_ONLY
    last = [
        inspect.Parameter("cluster", only, default=None, annotation=ClusterOption),
        inspect.Parameter("as_json", only, default=False, annotation=JsonOption),
    ]
    return inspect.Signature([*first, *parameters(), *last])


_FILE_HELP = "Take the settings from this file; other options change them."
run.__signature__ = _signature()  # type: ignore[attr-defined]


def _refuse_with_resume(
    game: str | None, out: Path | None, file: Path | None, given: dict[str, Any]
) -> None:
    others = {"GAME": game, "--out": out, "--settings": file}
    names = [name for name, value in others.items() if value is not None]
    names += [f"--{option_named(name)}" for name in given]
    if names:
        raise InputError(
            f"A run goes on with its own settings: expected no {', '.join(names)} with --resume."
        )


def _settings(
    game: str | None, file: Path | None, given: dict[str, Any]
) -> tuple[TrainSettings, list[str]]:
    """The settings that are asked for, and what was asked for that cannot be."""
    from astragal.learning.settings import LEARNERS, TrainSettings
    from astragal.learning.settings_file import changed, read_settings

    if file is None and game is None:
        raise InputError("No game was named: expected GAME, --settings FILE or --resume RUN.")
    settings = read_settings(file) if file is not None else TrainSettings(str(game))
    if game is not None and settings.game != game:
        raise InputError(
            f"{quote(game)} is not the game of the settings: expected {settings.game}."
        )
    learner = str(given.get("learner", settings.learner))
    told, strange = told_settings(given, learner)
    result, faults = changed(settings, told)
    if learner in LEARNERS:
        faults += [f"--{name} cannot be given: {learner} has no such setting." for name in strange]
    return result, faults


def _new_folder(settings: TrainSettings) -> Path:
    name = f"{settings.game.replace(':', '-')}-{settings.learner}"
    folders = (_RUNS / (name if number == 1 else f"{name}-{number}") for number in range(1, 10_000))
    return next(folder for folder in folders if not folder.exists())


def _go_on(folder: Path, as_json: bool, cluster: str | None) -> None:
    from astragal.learning.run import Run
    from astragal.learning.settings import check

    found = Run.open(folder)
    game = chosen_game(found.settings.game)
    check(found.settings, game)
    run_training(game, found, as_json, cluster)


def run_training(game: Game, run: Run, as_json: bool = False, cluster: str | None = None) -> None:
    """Trains, with a bar on the way, and at the end a curve, a model card and a page."""
    from astragal.cli.run_reports import write_reports
    from astragal.learning.loop import train
    from astragal.studies.measuring import assessor
    from astragal.workers import cluster as cluster_at

    executor = None if cluster is None else cluster_at(cluster)
    assess = assessor(game, run.settings)
    say(f"training in {run.folder}; Ctrl-C stops it, --resume {run.folder} goes on.")
    with progress_bar("training") as bar:
        task = bar.add_task("", total=run.settings.games)
        told = 0.0

        def tell(news: News) -> None:
            nonlocal told
            if time.monotonic() - told > 0.2:
                told = time.monotonic()
                bar.update(task, completed=news.mark.games, description=_described(news))

        try:
            mark = train(game, run, assess, tell, executor=executor)
        except KeyboardInterrupt:
            say(f"interrupted; astragal train --resume {shlex.quote(str(run.folder))} goes on.")
            raise
    write_reports(run, mark)
    _print(run, mark, as_json)


def _described(news: News) -> str:
    parts = [f"{news.games_per_second:,.0f} games/s", f"error {news.learned.loss:.3f}"]
    parts += [f"{each['win_rate']:.1%} against {each['against']}" for each in news.assessments[:1]]
    return ", ".join(parts)


def _print(run: Run, mark: Mark, as_json: bool) -> None:
    from rich.console import Console

    from astragal.learning.run import LATEST
    from astragal.show.axis import Chart
    from astragal.show.text_chart import text_chart
    from astragal.show.training_page import learning_curves

    if as_json:
        answer = {"run": str(run.folder), "games": mark.games, "seconds": mark.seconds}
        print_json(answer | {"metrics": run.metrics()[-1:]})
        return
    console = Console(highlight=False)
    series = learning_curves(run.metrics())
    if series:
        chart = Chart("Win rate", "games of training", "games won", series, is_share=True)
        console.print(text_chart(chart, width=min(console.width, 100), height=16))
    print(f"{mark.games:,} games in {mark.seconds:,.0f} s. The net: {run.folder / LATEST}")
