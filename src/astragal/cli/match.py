"""`astragal match`: two agents, many games, and who is stronger."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from astragal.cli.common import (
    AimOption,
    ClusterOption,
    GameName,
    JsonOption,
    JudgeOption,
    RulesOption,
    SeedOption,
    StonesOption,
    WorkersOption,
    check_folder_of,
    chosen_game,
    chosen_judge,
    print_json,
    print_table,
    progress_bar,
    say,
)
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.arena.chunks import Played
    from astragal.arena.result import MatchResult
    from astragal.arena.settings import MatchSettings
    from astragal.games.game import Game

_NEWS_SECONDS = 0.2


def run(
    game_name: GameName,
    first: Annotated[str, typer.Argument(metavar="A", help="An agent, such as pips@1.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    games: Annotated[int, typer.Option(help="How many games.")] = 1_000,
    seed: SeedOption = None,
    aim: AimOption = "points",
    luck_adjusted: JudgeOption = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    records: Annotated[
        Path | None, typer.Option(help="Write the games to this file, one line of JSON each.")
    ] = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    from astragal.arena.settings import MatchSettings

    seed = secrets.randbelow(2**32) if seed is None else seed
    settings = MatchSettings(
        games,
        seed,
        aim,
        chosen_judge(game, luck_adjusted, aim),
        keeps_records=records is not None,
        workers=workers,
    )
    check_folder_of(records)
    result = played_with_bar(game, (first, second), settings, cluster)
    if records is not None:
        _save_records(result, records)
    if as_json:
        print_json(result.as_dict())
    else:
        _print(result)
    if result.fault is not None:
        raise InputError(result.fault)


def played_with_bar(
    game: Game, agents: tuple[str, str], settings: MatchSettings, cluster: str | None = None
) -> MatchResult:
    """The result of a match, with a bar in the terminal while it is played."""
    from astragal.arena.match import play_match
    from astragal.workers import hired

    with hired(settings.workers, cluster) as crew, progress_bar("playing") as bar:
        task, told = bar.add_task("", total=settings.games), 0.0

        def tell(parts: Sequence[Played]) -> None:
            nonlocal told
            bar.update(task, completed=sum(len(part.numbers) for part in parts))
            if not bar.disable and time.monotonic() - told > _NEWS_SECONDS:
                told = time.monotonic()
                bar.update(task, description=score_so_far(game, agents, settings, parts))

        try:
            result = play_match(game, agents, settings, tell, crew)
        except KeyboardInterrupt:
            say("interrupted before the first games were finished.")
            raise
    if not result.is_complete and result.fault is None:
        say(f"interrupted after {result.games:,} of {settings.games:,} games.")
    return result


def score_so_far(
    game: Game, agents: tuple[str, str], settings: MatchSettings, parts: Sequence[Played]
) -> str:
    """The first agent's points a game and their interval."""
    from astragal.arena.result import MatchResult, joined

    result = MatchResult(game, agents, settings, joined(parts), 1.0)
    return f"{agents[0]} {result.adjusted_points or result.points_a_game}"


def _save_records(result: MatchResult, path: Path) -> None:
    from astragal.arena.writing import write_games

    write_games(path, result.records())


def _print(result: MatchResult) -> None:
    report = result.as_dict()
    lengths, (first, second) = report["turns_a_game"], result.agents
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    table.add_row("games", f"{result.games:,}, seed {report['seed']}")
    table.add_row(
        first, f"{report['wins']:,} won, {report['draws']:,} drawn, {report['losses']:,} lost"
    )
    table.add_row("win rate", result.win_rate.percent())
    table.add_row("points a game", str(result.points_a_game))
    if result.adjusted_points is not None:
        rate = result.adjusted_win_rate
        told = "" if rate is None else f", wins {rate.percent()}"
        judge = f"judged by {report['judge']}"
        table.add_row("luck taken out", f"{result.adjusted_points}{told}, {judge}")
    for agent, name in enumerate(result.agents):
        lost = result.lost_a_decision(agent)
        if lost is not None:
            told = f"{lost:.5f} points a decision, {result.lost_a_game(agent)} a game"
            table.add_row(f"{name} gives away", told)
    table.add_row("who begins", f"{result.first_mover} points a game")
    table.add_row(
        "turns a game",
        f"{lengths['mean']:.1f} on average, {lengths['shortest']:,} to {lengths['longest']:,}",
    )
    table.add_row("games a second", f"{report['games_per_second']:,.0f}")
    table.add_row("moves a second", f"{report['moves_per_second']:,.0f}")
    print_table(f"{result.game.title}: {first} against {second}", table)
