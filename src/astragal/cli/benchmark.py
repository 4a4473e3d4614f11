"""`astragal benchmark`: how strong and how quick a game's champion is, measured now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    WorkersOption,
    chosen_game,
    print_json,
    print_table,
)
from astragal.cli.match import played_with_bar
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.arena.benchmark import Found, Measure
    from astragal.arena.result import MatchResult
    from astragal.arena.settings import MatchSettings

_MOVES = {"champion": 300, "champion@1": 100}


def run(
    game_name: GameName,
    share: Annotated[
        float, typer.Option(min=0.001, max=100, help="Of the usual number of games.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="For the dice.")] = 1,
    aim: Annotated[
        Literal["points", "win"] | None,
        typer.Option(help="Only what is played for points, or for wins alone."),
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name)
    from dataclasses import replace

    from astragal.agents.champions import champion
    from astragal.arena.benchmark import found_by, measures_of, milliseconds_a_move
    from astragal.values.bearoff import bearoff_of, is_backgammon

    champion(game)  # says what is wrong where there is none

    def play(agents: tuple[str, str], settings: MatchSettings) -> MatchResult:
        return played_with_bar(game, agents, replace(settings, workers=workers))

    measures = [each for each in measures_of(game) if aim in (None, each.aim)]
    if not measures:
        raise InputError(f"{game.name} is not measured for {quote(aim)}: expected points.")
    found = [found_by(measure, seed, share, play) for measure in measures]
    speeds = {
        spec: milliseconds_a_move(game, spec, moves, aim or "points")
        for spec, moves in _MOVES.items()
    }
    knows_bearoff = bearoff_of(game) is not None if is_backgammon(game) else None
    if as_json:
        measured = [_answer(each) for each in found]
        answer = {"game": game.name, "measures": measured, "milliseconds_a_move": speeds}
        print_json(answer if knows_bearoff is None else answer | {"knows_bearoff": knows_bearoff})
        return
    _print(game.title + _told_bearoff(knows_bearoff), found, speeds)


def _answer(found: Found) -> dict[str, Any]:
    measure = found.measure
    return {
        "measure": measure.name,
        "first": measure.first,
        "second": measure.second,
        "aim": measure.aim,
        "judge": measure.judge,
        "games": found.games,
        "seed": found.seed,
        "points" if measure.is_points else "win_rate": found.amount.as_dict(),
    }


def _told_bearoff(is_known: bool | None) -> str:
    if is_known is None:
        return ""
    return ", the bear-off solved" if is_known else ", the bear-off not solved"


def _print(title: str, found: list[Found], speeds: dict[str, float]) -> None:
    table = Table(box=None)
    for name in ("", "seed's", "best known", "champion", "games"):
        table.add_column(name, justify="left" if not name else "right")
    for each in found:
        measure = each.measure
        amount = str(each.amount) if measure.is_points else each.amount.percent()
        others = (_other(measure, measure.seed), _other(measure, measure.best))
        table.add_row(measure.name, *others, amount, f"{each.games:,}")
    for spec, milliseconds in speeds.items():
        table.add_row(f"a move of {spec}", "", "", f"{milliseconds:.2f} ms", "")
    print_table(f"{title}: the champion, luck taken out", table)


def _other(measure: Measure, amount: float | None) -> str:
    if amount is None:
        return ""
    return f"{amount:+.3f}" if measure.is_points else f"{amount:.2%}"
