"""`astragal show`: a position as a board, in the terminal or as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from astragal.cli.common import (
    GameName,
    JsonOption,
    RollText,
    RulesOption,
    StonesOption,
    chosen_game,
    chosen_standing,
    print_json,
)
from astragal.cli.questions import answer_lines
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.show.scene import Scene


def run(
    game_name: GameName,
    position: Annotated[
        str | None,
        typer.Argument(metavar="POSITION", help="Else the start; - reads JSON Lines."),
    ] = None,
    roll: RollText = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.")] = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    game = chosen_game(game_name, rules, stones)
    if position == "-":
        if svg is not None:
            raise InputError("--svg draws one position: expected a position in place of '-'.")
        answer_lines(lambda question: _answer(_scene(game, question.position, question.roll_text)))
        return
    scene = _scene(game, position, roll)
    if svg is not None:
        _write(svg, scene.svg())
    if as_json:
        print_json(_answer(scene))
    elif svg is None:
        Console(highlight=False).print(scene.text(), soft_wrap=True)


def _scene(game: Game, position: str | None, roll: str | None) -> Scene:
    from astragal.show.scene import Scene

    standing = chosen_standing(game, position)
    if roll is not None and game.outcome_of(standing.position) is not None:
        raise InputError(f"{quote(position)} is over: expected no roll beside it.")
    roll = roll or game.notation.roll_told_with(position or "")
    return Scene(game, *standing, roll=None if roll is None else game.parse_roll(roll))


def _answer(scene: Scene) -> dict[str, Any]:
    game = scene.game
    mine, theirs = scene.position.reshape(2, -1).tolist()
    return {
        "game": game.name,
        "position": game.notation.format_position(scene.position, scene.side),
        "roll": None if scene.roll is None else game.rolls[scene.roll],
        "turn": game.sides[scene.side],
        "outcome": game.outcome_of(scene.position),
        **game.notation.other_forms(scene.position, scene.side),
        "mine": mine,
        "theirs": theirs,
        "board": str(scene),
    }


def _write(path: Path, text: str) -> None:
    from astragal.files import write_text

    try:
        write_text(path, text)
    except OSError as fault:
        raise InputError(
            f"{quote(path, shown=200)} cannot be written ({fault.strerror}): expected the name of "
            "a file in a folder that exists."
        ) from fault
