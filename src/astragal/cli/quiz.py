"""`astragal quiz`: positions where the choice matters: asked, answered, explained, and scored."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from astragal.cli.common import (
    AgentOption,
    GameName,
    MaybeAimOption,
    RulesOption,
    SeedOption,
    StonesOption,
    chosen_game,
)
from astragal.cli.lines import ask_line
from astragal.errors import InputError

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.play.quiz import Question, Score
    from astragal.values.values import Aim

_SHOWN = 5
_HELP = "Answer with a move or its number; skip leaves one out, quit ends the quiz."


def run(
    game_name: GameName,
    count: Annotated[int, typer.Option("--questions", min=1, max=1000, help="How many.")] = 10,
    agent_spec: AgentOption = None,
    seed: SeedOption = None,
    aim: MaybeAimOption = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
) -> None:
    from astragal.background import run_apart

    game = chosen_game(game_name, rules, stones)
    try:
        run_apart(lambda: _quiz(game, count, agent_spec, seed, aim))
    except KeyboardInterrupt:
        print()
        raise typer.Exit(130) from None


def _quiz(game: Game, count: int, spec: str | None, seed: int | None, aim: Aim | None) -> None:
    from astragal.agents.specs import parse_agent
    from astragal.play.judges import find_judge
    from astragal.play.quiz import Score, Scores, questions
    from astragal.values.table_file import data_folder

    found = find_judge(game, spec, aim)
    aim, judge = found.aim, parse_agent(game, found.spec, found.aim)
    scores = Scores(data_folder() / "quiz.json")
    console, now = Console(highlight=False), Score()
    console.print(f"{game.title}: what would you play? {_HELP}", soft_wrap=True)
    seed = secrets.randbelow(2**32) if seed is None else seed
    for question in itertools.islice(questions(game, judge, aim, seed), count):
        answer = _answered(console, game, question)
        if answer is None:
            break
        if answer:
            lost = float(question.play_of(answer)["loss"])
            now.note(lost)
            scores.note(game.name, lost)
            _explain(console, question, answer, judge.name)
    _tell(console, now, scores.of(game.name))


def _answered(console: Console, game: Game, question: Question) -> str | None:
    """The move that was answered, nothing if it was skipped, or None to end the quiz."""
    from astragal.play.asking import chosen_move, list_moves
    from astragal.show.scene import Scene

    console.print()
    console.print(Scene(game, *question.standing, roll=question.roll).text(), soft_wrap=True)
    console.print()
    moves = list(question.deeds)
    list_moves(console, moves, list(question.deeds.values()))
    while True:
        line = ask_line("your move> ")
        word = "quit" if line is None else line.strip()
        if word.lower() in ("quit", "q"):
            return None
        if word.lower() == "skip":
            return ""
        if word.lower() in ("help", "?", ""):
            console.print(_HELP)
            continue
        try:
            return chosen_move(game, question.standing, question.roll, moves, word)
        except InputError as fault:
            console.print(str(fault), markup=False, soft_wrap=True)


def _explain(console: Console, question: Question, answer: str, judge: str) -> None:
    for sentence in _reasons(question, answer):
        console.print(sentence, markup=False, soft_wrap=True)
    table = Table(box=None)
    for name in ("move", "wins", "gives away", "can be hit", ""):
        table.add_column(name, justify="left" if name in ("move", "") else "right")
    for play in question.plays[:_SHOWN]:
        move = play["move"]
        worth = f"{play['win']:.1%}", f"{play['loss']:.4f}", f"{question.risks[move]:.0%}"
        table.add_row(move, *worth, question.deeds[move])
    console.print(table)
    console.print(f"says {judge}", style="dim", markup=False)


def _reasons(question: Question, answer: str) -> Iterator[str]:
    """What is to be said of an answer."""
    from astragal.arena.analysis import error_name
    from astragal.arena.mistakes import PLAIN

    best, mine = question.plays[0], question.play_of(answer)
    if mine["loss"] == 0:
        second = question.plays[1]
        yield (
            f"Right: {answer} wins {best['win']:.1%}; the next best, {second['move']}, would give "
            f"away {second['loss']:.3f} points."
        )
        return
    kind = error_name(mine["loss"])
    name = f" ({kind})" if kind else ""
    yield f"{answer} wins {mine['win']:.1%} and gives away {mine['loss']:.3f} points{name}."
    deed = question.deeds[best["move"]]
    does = "" if deed == PLAIN else f" {deed} and"
    yield f"Better is {best['move']}: it{does} wins {best['win']:.1%}."
    risk, least = question.risks[answer], question.risks[best["move"]]
    if risk > least:
        yield f"After {answer} {risk:.0%} of rolls can hit you, after {best['move']} {least:.0%}."


def _tell(console: Console, now: Score, ever: Score) -> None:
    if now.asked:
        console.print(f"\nThis time {now}.", soft_wrap=True)
        console.print(f"In all {ever}.", soft_wrap=True)
