"""`astragal best`: the plays of a position and a roll, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from astragal.cli.common import (
    AgentOption,
    AimOption,
    GameName,
    JsonOption,
    PositionText,
    RollText,
    RulesOption,
    StonesOption,
    chosen_agent,
    chosen_game,
    chosen_roll,
    print_json,
    print_table,
    tell_of_gammons,
)
from astragal.cli.questions import Question, answer_lines

if TYPE_CHECKING:
    from astragal.agents.agent import Agent
    from astragal.values.values import Aim


def run(
    game_name: GameName,
    position: PositionText,
    roll: RollText = None,
    agent_spec: AgentOption = None,
    aim: AimOption = "points",
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    agent = chosen_agent(chosen_game(game_name, rules, stones), agent_spec, aim)
    if position == "-":
        answer_lines(lambda question: _answer(agent, question, aim, roll))
        return
    answer = _answer(agent, Question(position, roll), aim)
    if as_json:
        print_json(answer)
    else:
        _print(answer, agent.name)
        tell_of_gammons(agent)


def _answer(
    agent: Agent, question: Question, aim: Aim, usual_roll: str | None = None
) -> dict[str, Any]:
    from astragal.arena.asking import rank_plays

    standing = agent.game.notation.parse_position(question.position)
    roll = chosen_roll(agent.game, question.roll_text or usual_roll, question.position)
    return rank_plays(agent, standing, roll, aim)


def _print(answer: dict[str, Any], agent: str) -> None:
    table = Table(box=None)
    table.add_column("", justify="right", style="dim")
    table.add_column("move", style="bold")
    for name in ("wins", "points", "gives away"):
        table.add_column(name, justify="right")
    table.add_column("leads to")
    for number, play in enumerate(answer["plays"], 1):
        worth = f"{play['win']:.2%}", f"{play['points']:+.4f}", f"{play['loss']:.4f}"
        table.add_row(str(number), play["move"], *worth, play["position"])
    print_table(f"{answer['position']}, roll {answer['roll']}, says {agent}", table)
