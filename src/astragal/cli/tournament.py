"""`astragal tournament`: every agent against every other, and their ratings."""

from __future__ import annotations

import secrets
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
    chosen_game,
    chosen_judge,
    make_folder,
    print_json,
    print_table,
    progress_bar,
    say,
)
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.arena.chunks import Played
    from astragal.arena.settings import MatchSettings
    from astragal.arena.tournament import Tournament
    from astragal.games.game import Game


def run(
    game_name: GameName,
    agents: Annotated[list[str], typer.Argument(metavar="A B...", help="Two agents or more.")],
    games: Annotated[int, typer.Option(help="How many games each two play.")] = 1_000,
    seed: SeedOption = None,
    aim: AimOption = "points",
    luck_adjusted: JudgeOption = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the matches and a report page to this folder.")
    ] = None,
    records: Annotated[bool, typer.Option(help="Write every game to the folder as well.")] = False,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    from astragal.arena.settings import MatchSettings

    if records and out is None:
        raise InputError("There is no place for the games: expected --records with --out FOLDER.")
    seed = secrets.randbelow(2**32) if seed is None else seed
    settings = MatchSettings(
        games,
        seed,
        aim,
        chosen_judge(game, luck_adjusted, aim),
        keeps_records=records,
        workers=workers,
    )
    if out is not None:
        make_folder(out)
    result = _played(game, tuple(agents), settings, cluster)
    if as_json:
        print_json(result.as_dict())
    else:
        _print(result)
    if out is not None:
        result.save(out)
        say(f"the report is {out / 'report.html'}.")
    if result.fault is not None:
        raise InputError(result.fault)


def _played(
    game: Game, agents: tuple[str, ...], settings: MatchSettings, cluster: str | None
) -> Tournament:
    from astragal.arena.tournament import play_tournament
    from astragal.workers import hired

    pairings = len(agents) * (len(agents) - 1) // 2
    with hired(settings.workers, cluster) as crew, progress_bar("playing") as bar:
        task = bar.add_task("", total=pairings * settings.games)

        def tell(number: int, parts: Sequence[Played]) -> None:
            played = sum(len(part.numbers) for part in parts)
            match = f"match {number + 1} of {pairings}"
            bar.update(task, completed=number * settings.games + played, description=match)

        result = play_tournament(game, agents, settings, tell, crew)
    if not result.is_complete and result.fault is None:
        say(f"interrupted in match {len(result.matches)} of {pairings}.")
    return result


def _print(result: Tournament) -> None:
    print_table(f"{result.game.title}: {len(result.agents)} agents", _standings(result))
    print_table("\nMatches", _matches(result))


def _standings(result: Tournament) -> Table:
    table = Table(box=None)
    table.add_column("")
    for name in ("Elo", "", "games", "score"):
        table.add_column(name, justify="right")
    for line in result.standings():
        table.add_row(
            line["agent"],
            f"{line['elo']:+.0f}",
            f"± {line['margin']:.0f}",
            f"{line['games']:,}",
            f"{line['score'] / max(line['games'], 1):.1%}",
        )
    return table


def _matches(result: Tournament) -> Table:
    table = Table(box=None)
    is_judged = result.settings.judge is not None
    given = ("gives away", "gives away") if is_judged else ()
    for name in ("", "", "games", "won", "points a game", "luck taken out", *given):
        table.add_column(name, justify="right" if name else "left")
    for match in result.matches:
        adjusted = match.adjusted_points
        lost = (match.lost_a_decision(agent) for agent in (0, 1))
        table.add_row(
            *match.agents,
            f"{match.games:,}",
            f"{match.win_rate.mean:.1%}",
            str(match.points_a_game),
            "-" if adjusted is None else str(adjusted),
            *(f"{each:.5f}" for each in lost if each is not None),
        )
    return table
