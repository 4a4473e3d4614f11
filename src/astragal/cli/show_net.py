"""`astragal show-net`: what a net is, and what it thinks of a piece on each place of the board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from astragal.cli.common import (
    JsonOption,
    check_folder_of,
    chosen_game,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from astragal.values.effects import Effects
    from astragal.values.network import NetworkValues

_NOTE = "note: "


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A net, a .safetensors file.")],
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.")] = None,
    units: Annotated[
        int, typer.Option(min=0, help="Hidden units to show, the weightiest first.")
    ] = 24,
    as_json: JsonOption = False,
) -> None:
    from astragal.files import write_text
    from astragal.studies.net_view import effects_of, picture_of
    from astragal.values.checkpoint import describe_net, load_net

    check_folder_of(svg)
    description = describe_net(file)
    net = load_net(file, chosen_game(description["game"]))
    effects = effects_of(net)
    if svg is not None:
        write_text(svg, picture_of(net, effects, units))
    if as_json:
        print_json(_answer(file, net, description, effects, units))
    elif svg is None:
        _print(file, net, description, effects)


def _weight_count(net: NetworkValues) -> int:
    return sum(layer.weights.size + layer.biases.size for layer in net.layers)


def _notes(description: dict[str, str]) -> dict[str, str]:
    return {
        key.removeprefix(_NOTE): note
        for key, note in sorted(description.items())
        if key.startswith(_NOTE)
    }


def _answer(
    file: Path, net: NetworkValues, description: dict[str, str], effects: Effects, count: int
) -> dict[str, Any]:
    """What the net is, and the effects of own pieces and of the other side's along their places."""
    from astragal.studies.net_view import sizes_of, weightiest_units

    return {
        "file": _clean(str(file)).plain,
        "game": net.game.name,
        "features": net.features.name,
        "features_version": net.features.version,
        "layers": sizes_of(net),
        "activation": net.activation,
        "weights": _weight_count(net),
        "notes": _notes(description),
        **_halves(net, effects.total),
        "units": [
            {
                "unit": unit.number,
                "slope": float(effects.slopes[unit.number]),
                **_halves(net, unit.effects),
            }
            for unit in weightiest_units(net, effects, count)
        ],
    }


def _halves(net: NetworkValues, numbers: Any) -> dict[str, dict[str, float]]:
    from astragal.show.places import cells_of

    own, other = cells_of(net.game)
    mine, theirs = numbers.reshape(2, -1).tolist()
    return {
        "mine": {cell.name: number for cell, number in zip(own, mine, strict=True)},
        "theirs": {cell.name: number for cell, number in zip(other, theirs, strict=True)},
    }


def _print(file: Path, net: NetworkValues, description: dict[str, str], effects: Effects) -> None:
    from astragal.show.net_text import net_text

    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, told in (*_facts(net).items(), *_notes(description).items()):
        table.add_row(_clean(name), _clean(told))
    print_table(_clean(str(file)).plain, table)
    console = Console(highlight=False)
    console.print(_EXPLAINED, style="italic", soft_wrap=True)
    console.print(net_text(net.game, effects.total), soft_wrap=True)


_EXPLAINED = """
What one piece on a place adds to the log odds of winning of the player about
to roll, all else as it is, on average over positions of random play. At even
odds, +.40 makes the chance 60 %.
"""


def _facts(net: NetworkValues) -> dict[str, str]:
    from astragal.studies.net_view import sizes_of

    return {
        "game": f"{net.game.title} ({net.game.name})",
        "features": f"{net.features.name}, version {net.features.version}",
        "layers": "-".join(map(str, sizes_of(net))),
        "activation": net.activation,
        "weights": f"{_weight_count(net):,}",
    }


def _clean(text: str) -> Text:
    """The text line by line, with nothing that could disturb a terminal."""
    from astragal.errors import printable

    return Text("\n".join(map(printable, text.splitlines())))
