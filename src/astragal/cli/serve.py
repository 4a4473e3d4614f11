"""`astragal serve`: the page, on this machine."""

from __future__ import annotations

import socket
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from astragal.background import run_apart
from astragal.cli.common import get_ready, say
from astragal.errors import InputError, quote

if TYPE_CHECKING:
    import uvicorn

    from astragal.serve.desk import Desk

_WAITING = 2048  # connections


def run(
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than the usual let others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    runs: Annotated[Path, typer.Option(metavar="FOLDER", help="Where training runs are.")] = Path(
        "runs"
    ),
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which the server may be called, as well."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    get_ready()
    try:
        import uvicorn

        from astragal.serve.app import application
    except ImportError as fault:
        raise InputError(
            "The page needs Starlette and uvicorn: expected them to be installed; "
            "pip install 'astragal[serve]' does that."
        ) from fault
    from astragal.serve.desk import Desk, ServeSettings

    settings = ServeSettings(host, port, runs, names=tuple(name or ()))
    desk = Desk(settings)
    app = application(settings, desk)
    with _listening(host, port) as listener:
        address = _address(host, listener.getsockname()[1])
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        print(f"Astragal is at {address}  (Ctrl-C stops it)", flush=True)
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        _serve(server, listener, desk)
    say("the page is closed; games are kept.")


def _serve(server: uvicorn.Server, listener: socket.socket, desk: Desk) -> None:
    """Serves until Ctrl-C, and then lets what has begun come to its end."""
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        run_apart(thread.join)
    except KeyboardInterrupt:
        desk.leave()
        server.should_exit = True
        thread.join()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_WAITING)
        # Small answers go off at once, instead of waiting for more to send with them.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as fault:
        listener.close()
        raise InputError(
            f"{quote(f'{host}:{port}')} cannot be listened on ({fault.strerror}): expected an "
            "address of this machine and a free port; --port 0 finds one."
        ) from fault
    return listener


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
