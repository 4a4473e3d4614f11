"""The command `astragal`: finds the command that is asked for, and turns faults into sentences."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

import astragal
from astragal.background import run_apart
from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS

COMMANDS = {
    "show": "Draw the board of a position.",
    "legal": "List the plays of a position and a roll.",
    "perft": "Count the ways in which a game can go, ply by ply.",
    "evaluate": "Say what a position is worth to the player about to roll.",
    "best": "List the plays of a position and a roll, the best first.",
    "match": "Play many games between two agents and say who is stronger.",
    "tournament": "Play every agent against every other and rate them.",
    "train": "Teach a net to play, from nothing or from another net.",
    "study": "Train many nets that differ in some settings, and compare them.",
    "solve": "Find the exact value of every position, and keep them for perfect play.",
    "regret": "Say what an agent's choices give away against perfect play.",
    "benchmark": "Measure how strong and how quick a champion is.",
    "play": "Play a game in the terminal.",
    "analyse": "Say what every move of a game gave away, and how lucky the rolls were.",
    "replay": "Step through a game, drawn.",
    "quiz": "Answer what to play where it matters, and learn why.",
    "show-net": "Show what a net has learned, square by square.",
    "export": "Write a net as an ONNX file, which other programs can run.",
    "serve": "Open the page: play, analyse and watch it learn in a browser.",
    "engine": "Answer other programs, line by line or through a socket.",
    "random": "Play whole games at random and say what came out, and how fast.",
    "warmup": "Compile everything now, so that no command has to later.",
    "demo": "Watch a net learn Ur from nothing, and meet the champion.",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; ends the process with 0, or 2 when something given was wrong."""
    # One thread for matrix products: several are slower for small ones, and far slower under load.
    # What a command imports may load NumPy, which looks at this once.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A terminal that cannot show a glyph shows a question mark, not a traceback.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        _app(words)(words, prog_name="astragal")
    except InputError as fault:
        print(f"astragal: {fault}", file=sys.stderr)
        sys.exit(2)
    except OSError as fault:
        # What is still buffered must not be flushed into a pipe whose reader has gone, or onto a
        # full disk.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            print(f"astragal: The answer cannot be written ({fault.strerror}).", file=sys.stderr)
        sys.exit(1)


def _app(words: Sequence[str]) -> typer.Typer:
    """All commands, of which only the one that is called has been imported."""
    called = next((word for word in words if not word.startswith("-")), None)
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=_HELP)(_astragal)
    for name, summary in COMMANDS.items():
        app.command(name, help=summary)(_imported(name) if name == called else _not_called)
    return app


def _imported(name: str) -> Callable[..., Any]:
    run: Callable[..., Any] = importlib.import_module(f"astragal.cli.{name.replace('-', '_')}").run

    @functools.wraps(run)
    def apart(*words: Any, **options: Any) -> Any:
        return run_apart(lambda: run(*words, **options))

    return apart


def _not_called() -> None:
    """Stands for a command in the list of commands."""


def _version(is_asked: bool) -> None:
    if is_asked:
        print(f"astragal {astragal.__version__}")
        raise typer.Exit


def _astragal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    pass


_HELP = f"""Games of luck and skill, their rules, and machines that play them.

GAME is one of {", ".join(VARIANTS)}; ur with a number, such as ur:3 or ur:blitz:3, has so many
stones.
"""
