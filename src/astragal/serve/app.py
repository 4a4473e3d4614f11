"""The server: routes made of the list of endpoints, the page's own files, faults as JSON."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from astragal.errors import InputError, quote
from astragal.serve.desk import MOST_STREAMS, Desk, ServeSettings
from astragal.serve.endpoints import ENDPOINTS, Endpoint, Stream
from astragal.serve.faults import TooMuchError, status_of
from astragal.serve.guard import Guard, fault_response
from astragal.serve.schema import schema
from astragal.serve.wording import told_fault

_KINDS = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
_HEARTBEAT_SECONDS, _LOOK_SECONDS = 15.0, 0.5


def application(settings: ServeSettings, desk: Desk | None = None) -> Starlette:
    """The server as an ASGI application."""
    desk = desk or Desk(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    told = msgspec.json.encode(schema())
    app = Starlette(
        routes=[
            *(_route(desk, endpoint) for endpoint in ENDPOINTS),
            Route("/api/schema", lambda _: Response(told, media_type="application/json")),
            *_own_files(),
        ],
        middleware=[Middleware(Guard, names=(settings.host, *settings.names))],
        exception_handlers={
            InputError: _tell_input,
            HTTPException: _tell_http,
            ClientDisconnect: _tell_gone,
            Exception: _tell_fault,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    return app


def _route(desk: Desk, endpoint: Endpoint) -> Route:
    async def answer(request: Request) -> Response:
        asked = await _asked(request, endpoint)
        found = await endpoint.run(desk, request.path_params.get("name", ""), asked)
        if endpoint.is_stream:
            return _stream(desk, found)
        if isinstance(found, Response):
            return found
        return Response(msgspec.json.encode(found), media_type="application/json")

    return Route(endpoint.path, answer, methods=[endpoint.method])


async def _asked(request: Request, endpoint: Endpoint) -> Any:
    """What the body or the query asks, checked, or InputError."""
    try:
        if endpoint.method == "POST":
            return msgspec.json.decode(await request.body() or b"{}", type=endpoint.takes)
        return msgspec.convert(dict(request.query_params), endpoint.takes, strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise InputError(told_fault(fault)) from fault


def _stream(desk: Desk, news: Stream) -> StreamingResponse:
    """Server-sent events; now and then a comment, so that who has gone away is noticed."""
    if desk.streams >= MOST_STREAMS:
        raise TooMuchError("Too many are listening: expected some to leave first.")

    return _Events(desk, _with_heartbeat(desk, news))


class _Events(StreamingResponse):
    """A stream that is counted from when it is made until it is over."""

    def __init__(self, desk: Desk, pieces: AsyncIterator[bytes]) -> None:
        headers = {"Cache-Control": "no-store"}
        super().__init__(pieces, media_type="text/event-stream", headers=headers)
        self._desk = desk
        desk.streams += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._desk.streams -= 1


async def _with_heartbeat(desk: Desk, news: Stream) -> AsyncIterator[bytes]:
    coming = asyncio.ensure_future(anext(news))
    spoken = time.monotonic()
    try:
        while not desk.is_leaving:
            done, _ = await asyncio.wait({coming}, timeout=_LOOK_SECONDS)
            if not done:
                if time.monotonic() - spoken > _HEARTBEAT_SECONDS:
                    yield b": still here\n\n"
                    spoken = time.monotonic()
                continue
            try:
                message = coming.result()
            except (StopAsyncIteration, InputError):
                return
            yield b"data: " + msgspec.json.encode(message) + b"\n\n"
            coming = asyncio.ensure_future(anext(news))
    finally:
        coming.cancel()


def _own_files() -> list[Route]:
    """A route for each file of the page: no path is ever made of a request."""
    folder = resources.files("astragal.serve") / "static"
    routes = []
    for file in folder.iterdir():
        kind = _KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            route = _file_route(file.read_bytes(), f"{kind}; charset=utf-8")
            routes.append(Route(f"/{file.name}", route))
            if file.name == "index.html":
                routes.append(Route("/", route))
    return routes


def _file_route(content: bytes, kind: str) -> Any:
    async def answer(_: Request) -> Response:
        return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})

    return answer


async def _tell_input(_: Request, fault: Exception) -> Response:
    assert isinstance(fault, InputError)
    return fault_response(status_of(fault), str(fault))


async def _tell_http(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    sentences = {
        404: "There is nothing here: expected / or one of the paths in /api/schema.",
        405: f"{quote(request.method)} cannot be asked here: expected {_methods(request)}.",
    }
    answer = fault_response(fault.status_code, sentences.get(fault.status_code, fault.detail))
    if fault.status_code == 405:
        answer.headers["Allow"] = _methods(request)
    return answer


def _methods(request: Request) -> str:
    """What can be asked at a path that is there."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    there = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in there for method in route.methods or ()}))


async def _tell_gone(_: Request, fault: Exception) -> Response:
    return fault_response(400, "The request was not sent to its end.")


async def _tell_fault(_: Request, fault: Exception) -> Response:
    logging.getLogger("astragal").error("a request failed", exc_info=fault)
    return fault_response(500, "Something went wrong here; the server's own log tells what.")
