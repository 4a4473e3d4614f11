"""`astragal legal`: the plays of a position and a roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    RulesOption,
    StonesOption,
    chosen_game,
    chosen_roll,
    print_json,
)
from astragal.cli.questions import Question, answer_lines

if TYPE_CHECKING:
    from astragal.games.game import Game


def run(
    game_name: GameName,
    position: Annotated[str, typer.Argument(help="The position, or - to read JSON Lines.")],
    roll: Annotated[str | None, typer.Argument(help="The roll, such as 3 or 61.")] = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    if position == "-":
        answer_lines(lambda question: _answer(game, question))
        return
    answer = _answer(game, Question(position, roll))
    if as_json:
        print_json(answer)
    else:
        Console().print(_table(answer))


def _answer(game: Game, question: Question) -> dict[str, Any]:
    from astragal.games.plays import legal_plays

    standing = game.notation.parse_position(question.position)
    roll = chosen_roll(game, question.roll_text)
    return {
        "position": game.notation.format_position(*standing),
        "roll": game.rolls[roll],
        "afterstates": [play._asdict() for play in legal_plays(game, standing, roll)],
    }


def _table(answer: dict[str, Any]) -> Table:
    plays = answer["afterstates"]
    counted = "1 play" if len(plays) == 1 else f"{len(plays)} plays"
    table = Table(title=f"{answer['position']}  roll {answer['roll']}: {counted}", box=None)
    table.add_column("", justify="right", style="dim")
    table.add_column("move", style="bold")
    table.add_column("leads to")
    table.add_column("")
    for number, play in enumerate(plays, 1):
        table.add_row(str(number), play["move"], play["position"], _remark(play))
    return table


def _remark(play: dict[str, Any]) -> str:
    if play["outcome"] is not None:
        return f"ends the game: {play['outcome']:+d}"
    return "" if play["turn_passes"] else "rolls again"
