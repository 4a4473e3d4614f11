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
    from astragal.show.net_picture import Unit
    from astragal.values.effects import Effects
    from astragal.values.network import NetworkValues

POSITIONS = 2000  # of random play, with a fixed seed, over which effects are averaged
_NOTE = "note: "


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A net, a .safetensors file.")],
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file.")] = None,
    units: Annotated[
        int, typer.Option(min=0, help="Hidden units to show, the weightiest first.")
    ] = 24,
    as_json: JsonOption = False,
) -> None:
    from astragal.values.checkpoint import describe_net, load_net

    check_folder_of(svg)
    description = describe_net(file)
    net = load_net(file, chosen_game(description["game"]))
    effects = _effects(net)
    if svg is not None:
        _write_svg(svg, net, effects, units)
    if as_json:
        print_json(_answer(file, net, description, effects, units))
    elif svg is None:
        _print(file, net, description, effects)


def _effects(net: NetworkValues) -> Effects:
    import numpy as np

    from astragal.games.random_play import random_positions
    from astragal.values.effects import piece_effects

    return piece_effects(net, random_positions(net.game, POSITIONS, np.random.default_rng(0)))


def _sizes(net: NetworkValues) -> list[int]:
    """The inputs, the units of each hidden layer and the outputs."""
    return [net.features.size, *(layer.biases.size for layer in net.layers)]


def _weight_count(net: NetworkValues) -> int:
    return sum(layer.weights.size + layer.biases.size for layer in net.layers)


def _notes(description: dict[str, str]) -> dict[str, str]:
    return {
        key.removeprefix(_NOTE): note
        for key, note in sorted(description.items())
        if key.startswith(_NOTE)
    }


def _units(net: NetworkValues, effects: Effects, count: int) -> list[Unit]:
    """The hidden units through which pieces change most, if there are any."""
    import numpy as np

    from astragal.show.net_picture import Unit

    if len(net.layers) == 1:
        return []
    by_unit = effects.by_unit
    order = np.argsort(-np.nansum(by_unit**2, axis=0), kind="stable")[:count]
    return [Unit(int(unit), by_unit[:, unit]) for unit in order]


def _write_svg(path: Path, net: NetworkValues, effects: Effects, count: int) -> None:
    from astragal.files import write_text
    from astragal.show.net_picture import net_svg

    sizes = "-".join(map(str, _sizes(net)))
    title = f"{net.game.title}: {net.features.name}, {sizes}"
    units = _units(net, effects, count)
    write_text(path, net_svg(net.game, title, effects.total, units, effects.slopes.size))


def _answer(
    file: Path, net: NetworkValues, description: dict[str, str], effects: Effects, count: int
) -> dict[str, Any]:
    """What the net is, and the effects of own pieces and of the other side's along their places."""
    return {
        "file": _clean(str(file)).plain,
        "game": net.game.name,
        "features": net.features.name,
        "features_version": net.features.version,
        "layers": _sizes(net),
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
            for unit in _units(net, effects, count)
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
    return {
        "game": f"{net.game.title} ({net.game.name})",
        "features": f"{net.features.name}, version {net.features.version}",
        "layers": "-".join(map(str, _sizes(net))),
        "activation": net.activation,
        "weights": f"{_weight_count(net):,}",
    }


def _clean(text: str) -> Text:
    """The text line by line, with nothing that could disturb a terminal."""
    from astragal.errors import printable

    return Text("\n".join(map(printable, text.splitlines())))
