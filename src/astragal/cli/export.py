"""`astragal export`: a net as an ONNX file, for programs that know nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from astragal.cli.common import JsonOption, check_folder_of, chosen_game, print_json
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.values.network import NetworkValues


def run(
    net: Annotated[
        str,
        typer.Argument(metavar="NET", help="A .safetensors file, or a game for its champion."),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT.onnx", help="The file to write.")],
    as_json: JsonOption = False,
) -> None:
    from astragal.values.onnx_file import write_onnx

    _check_name(out)
    chosen = _chosen_net(net)
    write_onnx(out, chosen)
    if as_json:
        print_json(_answer(out, chosen))
    else:
        _print(out, chosen)


def _check_name(out: Path) -> None:
    if out.suffix != ".onnx":
        raise InputError(
            f"{quote(out, shown=200)} is not the name of an ONNX file: "
            "expected one that ends in .onnx."
        )
    check_folder_of(out)


def _chosen_net(text: str) -> NetworkValues:
    """The net in a file, or the champion of a game."""
    from astragal.agents.champions import champion
    from astragal.games.catalogue import GAMES, VARIANTS
    from astragal.values.checkpoint import describe_net, load_net

    if text.split(":")[0] in GAMES:
        return champion(chosen_game(text))
    path = Path(text)
    if path.suffix != ".safetensors" and not path.is_file():
        raise InputError(
            f"{quote(text, shown=200)} is neither a net nor a game: expected a .safetensors file, "
            f"or one of {', '.join(VARIANTS)}."
        )
    return load_net(path, chosen_game(describe_net(path)["game"]))


def _answer(out: Path, net: NetworkValues) -> dict[str, Any]:
    from astragal.errors import printable
    from astragal.values.onnx_file import INPUT, OUTPUT

    outcomes = net.game.outcomes
    return {
        "file": printable(str(out)),
        "game": net.game.name,
        "features": net.features.name,
        "inputs": {INPUT: {"type": "int8", "shape": ["N", net.game.width]}},
        "outputs": {
            OUTPUT: {"type": "float32", "shape": ["N", len(outcomes)], "outcomes": outcomes}
        },
    }


def _print(out: Path, net: NetworkValues) -> None:
    from astragal.errors import printable
    from astragal.values.onnx_file import INPUT, OUTPUT

    game, file = net.game, printable(str(out))
    print(
        f"{file}: a net for {game.name}, {out.stat().st_size / 1000:,.0f} kB. It takes {INPUT}, "
        f"int8 [N, {game.width}], and gives {OUTPUT}, float32 [N, {len(game.outcomes)}], of the "
        f"outcomes {', '.join(map(str, game.outcomes))}."
    )
    print(f"To run it: onnxruntime.InferenceSession({file!r}).run(None, {{{INPUT!r}: ...}})")
