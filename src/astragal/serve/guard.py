"""Who may ask, how much, and what a browser may do with the answer.

A page of somebody else's must not reach this server through a person's browser: the Host and the
Origin of a request are checked. What is served loads nothing from elsewhere and is never framed.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from astragal.errors import quote
from astragal.serve.faults import TooLargeError
from astragal.serve.messages import Fault

MOST_BYTES = 1024 * 1024
_OTHER_SITES = ("cross-site", "same-site")  # the latter may be another port of this machine
_OWN_NAMES = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def fault_response(status: int, sentence: str) -> Response:
    """The answer to a request that cannot be served."""
    body = msgspec.json.encode(Fault(sentence))
    return Response(body, status, _HEADERS, "application/json")


class Guard:
    """Lets through what comes from the page itself, or from a program on this machine."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset((*_OWN_NAMES, *(name.lower() for name in names)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        headers = Headers(scope=scope)
        refusal = self._refusal(headers, scope["path"])
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, _limited(receive), guarded)

    def _refusal(self, headers: Headers, path: str) -> Response | None:
        host = headers.get("host", "")
        if not self._is_ours(f"//{host}"):
            return fault_response(
                403, f"{quote(host)} is not this server: expected a host such as localhost."
            )
        origin = headers.get("origin")
        is_foreign = origin is not None and urlsplit_netloc(origin) != host.lower()
        is_foreign |= path.startswith("/api/") and headers.get("sec-fetch-site") in _OTHER_SITES
        if is_foreign:
            return fault_response(
                403, f"{quote(origin or 'another site')} may not ask this server."
            )
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:12]) > MOST_BYTES:
            return fault_response(413, f"The request is too large: expected {MOST_BYTES:,} bytes.")
        return None

    def _is_ours(self, address: str) -> bool:
        try:
            return (urlsplit(address).hostname or "").lower() in self._names
        except ValueError:
            return False


def urlsplit_netloc(address: str) -> str:
    """Name and port of an address, or nothing if it has none."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _limited(receive: Receive) -> Receive:
    """Receives no more than is read, whatever was announced."""
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MOST_BYTES:
            raise TooLargeError(f"The request is too large: expected {MOST_BYTES:,} bytes at most.")
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers
