"""`astragal regret`: what an agent's choices give away against perfect play."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from astragal.cli.common import (
    AimOption,
    GameName,
    JsonOption,
    RulesOption,
    SeedOption,
    StonesOption,
    WorkersOption,
    chosen_game,
    print_json,
    print_table,
)
from astragal.cli.match import played_with_bar
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.arena.mistakes import Mistake
    from astragal.arena.result import MatchResult
    from astragal.games.game import Game


def run(
    game_name: GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Such as champion or net:FILE@1.")],
    games: Annotated[int, typer.Option(help="How many games it plays.")] = 2_000,
    worst: Annotated[int, typer.Option(min=0, max=50, help="How many mistakes to show.")] = 3,
    seed: SeedOption = None,
    aim: AimOption = "points",
    workers: WorkersOption = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    from astragal.agents.perfect import PERFECT
    from astragal.arena.settings import MatchSettings
    from astragal.values.table import exact_values

    exact_values(game)  # says what is wrong where there are none
    settings = MatchSettings(
        games,
        secrets.randbelow(2**32) if seed is None else seed,
        aim,
        judge=PERFECT,
        keeps_mistakes=True,
        workers=workers,
    )
    result = played_with_bar(game, (agent, PERFECT), settings)
    mistakes = [_told(game, mistake) for mistake in result.played.mistakes.worst[:worst]]
    if as_json:
        print_json(_answer(result, mistakes))
    else:
        _print(result, mistakes)
    if result.fault is not None:
        raise InputError(result.fault)


def _told(game: Game, mistake: Mistake) -> dict[str, Any]:
    """A mistake as people read it."""
    import numpy as np

    position = np.array(mistake.position, np.int8)
    found = game.afterstates_of(position, mistake.roll)
    moves = game.notation.format_moves(position, mistake.side, mistake.roll, found)
    return {
        "position": game.notation.format_position(position, mistake.side),
        "roll": game.rolls[mistake.roll],
        "played": moves[mistake.choice],
        "best": moves[mistake.best],
        "lost": mistake.lost,
    }


def _answer(result: MatchResult, mistakes: list[dict[str, Any]]) -> dict[str, Any]:
    report = result.as_dict()
    rate = result.adjusted_win_rate
    kinds = {
        way: {
            kind: {"decisions": count, "points_a_decision": lost / count}
            for kind, (count, lost) in kinds.items()
        }
        for way, kinds in result.played.mistakes.ordered(result.game).items()
    }
    told = ("game", "aim", "seed", "games", "is_complete", "seconds")
    adjusted = result.adjusted_points
    return {
        **{name: report[name] for name in told},
        "agent": result.agents[0],
        "win_rate": rate.as_dict() if rate else None,
        "points_a_game": adjusted.as_dict() if adjusted else None,
        "gave_away": report["gave_away"][0],
        "kinds": kinds,
        "worst": mistakes,
    }


def _print(result: MatchResult, mistakes: list[dict[str, Any]]) -> None:
    game, name = result.game, result.agents[0]
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    rate = result.adjusted_win_rate
    if rate is not None:
        table.add_row("wins", f"{rate.percent()}, luck taken out; 50 % is perfect")
    else:
        told = f"{result.adjusted_points} points a game, luck taken out; 0 is perfect"
        table.add_row("has", told)
    table.add_row("gives away", f"{result.lost_a_decision(0):.6f} points a decision")
    table.add_row("", f"{result.lost_a_game(0)} points a game")
    decisions = result.decisions(0)
    table.add_row("games", f"{result.games:,}, seed {result.settings.seed}")
    table.add_row("decisions", f"{decisions:,}, {decisions / result.games:.1f} a game")
    print_table(f"{game.title}: {name} against perfect play", table)
    print_table("\nWhere it is given away", _kinds(result))
    for number, mistake in enumerate(mistakes, 1):
        _print_mistake(game, number, mistake)


def _kinds(result: MatchResult) -> Table:
    table = Table(box=None)
    table.add_column("")
    for heading in ("decisions", "points a decision", "share of all"):
        table.add_column(heading, justify="right")
    whole = max(1e-12, float(result.played.lost[:, 0].sum()))
    for way, kinds in result.played.mistakes.ordered(result.game).items():
        table.add_row(f"[dim]{way}[/dim]")
        for kind, (count, lost) in kinds.items():
            told = f"{count:,}", f"{lost / count:.6f}", f"{lost / whole:.1%}"
            table.add_row(f"  {kind}", *told)
    return table


def _print_mistake(game: Game, number: int, mistake: dict[str, Any]) -> None:
    from astragal.show.scene import Scene

    standing = game.notation.parse_position(mistake["position"])
    roll = game.parse_roll(mistake["roll"])
    console = Console(highlight=False)
    console.print(
        f"\nMistake {number}: {mistake['played']} with a roll of {mistake['roll']} instead of "
        f"{mistake['best']} gives away {mistake['lost']:.4f} points.",
        markup=False,
        soft_wrap=True,
    )
    console.print(Scene(game, *standing, roll=roll).text(), soft_wrap=True)
