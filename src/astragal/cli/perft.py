"""`astragal perft`: how many ways a game can go."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from astragal.cli.common import (
    GameName,
    JsonOption,
    RulesOption,
    StonesOption,
    chosen_game,
    chosen_standing,
    print_json,
    print_table,
    progress_bar,
)


def run(
    game_name: GameName,
    depth: Annotated[int, typer.Option(min=1, max=100, help="How many plies.")],
    position: Annotated[str | None, typer.Option(help="Where to begin; else the start.")] = None,
    rules: RulesOption = None,
    stones: StonesOption = None,
    as_json: JsonOption = False,
) -> None:
    from astragal.games.perft import count_tree

    game = chosen_game(game_name, rules, stones)
    standing = chosen_standing(game, position)
    with progress_bar("counting") as bar:
        task = bar.add_task("", total=1.0)
        counts = count_tree(
            game, standing.position, depth, lambda share: bar.update(task, completed=share)
        )
    plies = [
        dict(zip(("ply", "afterstates", "finished", "turn_kept"), (ply, *row), strict=True))
        for ply, row in enumerate(counts.tolist(), 1)
    ]
    text = game.notation.format_position(*standing)
    if as_json:
        print_json({"game": game.name, "position": text, "plies": plies})
    else:
        print_table(f"{game.title}, {text}", _table(plies))


def _table(plies: list[dict[str, Any]]) -> Table:
    table = Table(box=None)
    for heading in ("ply", "afterstates", "finished", "turn kept"):
        table.add_column(heading, justify="right")
    for ply in plies:
        table.add_row(*(f"{number:,}" for number in ply.values()))
    return table
