"""A socket at which any number of programs have a player each, one thread for each of them."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from astragal.agents.agent import Agent
from astragal.engine.external import ExternalPlayer
from astragal.engine.lines import Line, read_lines
from astragal.errors import InputError, quote

LOOPBACK = "127.0.0.1"
MOST_CLIENTS = 64
LONGEST_ERROR = 240
"""GNU Backgammon reads no more than 256 bytes of an answer, and then is out of step."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for clients, at any free port if it is 0; InputError if it cannot."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except (OSError, UnicodeError) as fault:
        listener.close()
        reason = getattr(fault, "strerror", None) or "not the name of a machine"
        raise InputError(
            f"Nothing can listen on port {port} of {quote(host)} ({reason}): expected an address "
            "of this machine and a free port from 1024 to 65535, or 0 for any."
        ) from fault
    return listener


@dataclass(frozen=True)
class Server:
    """Gives every client a player of its own; they all ask the same agent, one at a time."""

    agent: Agent
    log: Callable[[str], None]
    """Told what people may want to know, in a line."""
    luck: np.random.Generator = field(default_factory=np.random.default_rng)
    _asking: threading.Lock = field(default_factory=threading.Lock)

    def serve(self, listener: socket.socket) -> NoReturn:
        """Serves whoever connects, until the process ends."""
        places = threading.Semaphore(MOST_CLIENTS)

        def attend(client: socket.socket, name: str) -> None:
            try:
                self._attend(client, name)
            finally:
                places.release()

        while True:
            places.acquire()
            client, (host, port) = listener.accept()
            name = f"{host}:{port}"
            threading.Thread(target=attend, args=(client, name), daemon=True).start()

    def _attend(self, client: socket.socket, name: str) -> None:
        """Answers a client until it goes, in whatever way."""
        player = ExternalPlayer(self.agent, self.luck)
        self.log(f"{name} is here.")
        with contextlib.suppress(OSError), client, client.makefile("rb") as stream:
            for line in read_lines(stream):
                answer = self._answer(player, line, name)
                if answer is None:
                    break
                client.sendall(answer.encode() + b"\n")
        self.log(f"{name} has gone.")

    def _answer(self, player: ExternalPlayer, line: Line, name: str) -> str | None:
        try:
            with self._asking:
                return player.answer(line.checked())
        except InputError as fault:
            self.log(f"{name}: {fault}")
            return f"Error: {fault}"[:LONGEST_ERROR]
