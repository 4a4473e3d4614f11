"""`astragal legal`: the plays of a position and a roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    PositionText,
    RollText,
    RulesOption,
    StonesOption,
    chosen_game,
    chosen_roll,
    print_json,
    print_table,
)
from astragal.cli.questions import Question, answer_lines

if TYPE_CHECKING:
    from astragal.games.game import Game


def run(
    game_name: GameName,
    position: PositionText,
    roll: RollText = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    if position == "-":
        answer_lines(lambda question: _answer(game, question, roll))
        return
    answer = _answer(game, Question(position, roll))
    if as_json:
        print_json(answer)
    else:
        _print(answer)


def _answer(game: Game, question: Question, usual_roll: str | None = None) -> dict[str, Any]:
    from astragal.games.plays import legal_plays

    standing = game.notation.parse_position(question.position)
    roll = chosen_roll(game, question.roll_text or usual_roll, question.position)
    return {
        "position": game.notation.format_position(*standing),
        "roll": game.rolls[roll],
        "afterstates": [play._asdict() for play in legal_plays(game, standing, roll)],
    }


def _print(answer: dict[str, Any]) -> None:
    plays = answer["afterstates"]
    counted = "1 play" if len(plays) == 1 else f"{len(plays)} plays"
    table = Table(box=None)
    table.add_column("", justify="right", style="dim")
    table.add_column("move", style="bold")
    table.add_column("leads to")
    table.add_column("")
    for number, play in enumerate(plays, 1):
        table.add_row(str(number), play["move"], play["position"], _remark(play))
    print_table(f"{answer['position']}, roll {answer['roll']}: {counted}", table)


def _remark(play: dict[str, Any]) -> str:
    if play["outcome"] is not None:
        return f"ends the game: {play['outcome']:+d}"
    return "" if play["turn_passes"] else "rolls again"
