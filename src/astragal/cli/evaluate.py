"""`astragal evaluate`: what a position is worth to the player about to roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from astragal.cli.common import (
    AgentOption,
    AimOption,
    GameName,
    JsonOption,
    PositionText,
    RulesOption,
    StonesOption,
    chosen_agent,
    chosen_game,
    print_json,
    print_table,
    tell_of_gammons,
)
from astragal.cli.questions import Question, answer_lines

if TYPE_CHECKING:
    from astragal.agents.agent import Agent


def run(
    game_name: GameName,
    position: PositionText,
    agent_spec: AgentOption = None,
    aim: AimOption = "points",
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    agent = chosen_agent(chosen_game(game_name, rules, stones), agent_spec, aim)
    if position == "-":
        answer_lines(lambda question: _answer(agent, question))
        return
    answer = _answer(agent, Question(position))
    if as_json:
        print_json(answer)
    else:
        _print(answer, agent.name)
        tell_of_gammons(agent)


def _answer(agent: Agent, question: Question) -> dict[str, Any]:
    from astragal.arena.asking import evaluate

    return evaluate(agent, agent.game.notation.parse_position(question.position))


def _print(answer: dict[str, Any], agent: str) -> None:
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_row("wins", f"{answer['win']:.2%}")
    table.add_row("points", f"{answer['points']:+.4f}")
    for points, chance in answer["outcomes"].items():
        table.add_row(f"{points:+d}", f"{chance:.2%}")
    if "error" in answer:
        table.add_row("error", f"{answer['error']:.4f}")
    print_table(f"{answer['position']}, says {agent}", table)
