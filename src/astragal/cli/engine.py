"""`astragal engine`: answers other programs, line by line or through a socket."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from astragal.cli.common import AgentOption, AimOption, GameName, chosen_agent, chosen_game, say
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from astragal.games.game import Game
    from astragal.values.values import Aim

PortOption = Annotated[
    int | None,
    typer.Option(
        "--socket",
        metavar="PORT",
        min=0,
        max=65535,
        help="Play backgammon with GNU Backgammon, which connects here; 0 takes a free port.",
    ),
]
HostOption = Annotated[
    str | None,
    typer.Option(
        help="The address of this machine to listen on, with --socket; without it loopback."
    ),
]


def run(
    game_name: GameName,
    agent_spec: AgentOption = None,
    aim: AimOption = "points",
    port: PortOption = None,
    host: HostOption = None,
) -> None:
    game = chosen_game(game_name)
    if port is not None:
        _serve(game, agent_spec, aim, host, port)
    elif host is not None:
        raise InputError(f"--host {quote(host)} is for sockets: expected --socket PORT with it.")
    else:
        _converse(game, agent_spec, aim)


def _serve(game: Game, spec: str | None, aim: Aim, host: str | None, port: int) -> None:
    from astragal.engine.external import GAME
    from astragal.engine.server import LOOPBACK, Server, listen

    if game.name != GAME:
        raise InputError(f"--socket is for {GAME}: expected that as GAME, not {game.name}.")
    server = Server(chosen_agent(game, spec, aim), say)
    with listen(host or LOOPBACK, port) as listener:
        address, chosen_port = listener.getsockname()[:2]
        say(f"listening on {address}:{chosen_port}")
        server.serve(listener)


def _converse(game: Game, spec: str | None, aim: Aim) -> None:
    from astragal.engine.ubgi import Session, converse

    session = Session(game, spec, aim)
    try:
        converse(session, _standard_input(), lambda line: print(line, flush=True))
    except BrokenPipeError:
        # What is still buffered must not be flushed into a pipe whose reader has gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _standard_input() -> BinaryIO:
    """Standard input, with a buffer that the interpreter does not want back when it ends.

    An interruption leaves the thread behind that waits for a line.
    """
    if sys.stdin is None:
        raise InputError("Standard input is closed: expected commands in it.")
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        return sys.stdin.buffer
