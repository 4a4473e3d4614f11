"""Everything that `/api/` answers, one line each: what is asked, what comes back, who does it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from astragal.serve import game_routes as games
from astragal.serve import learn_routes as learn
from astragal.serve import messages
from astragal.serve import position_routes as positions
from astragal.serve.desk import Desk


class File:
    """In place of a type: the answer is a file."""


@dataclass(frozen=True)
class Endpoint:
    """One question that the server answers."""

    method: str
    path: str
    takes: type
    """What is read from the body, or of a GET or DELETE from the query."""
    gives: Any
    """The type of the answer; of events, of each."""
    run: Callable[[Desk, str, Any], Awaitable[Any]]

    @property
    def is_stream(self) -> bool:
        """Whether the answer goes on as long as there is news."""
        return self.path.endswith("/events")

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""
        return (self.run.__doc__ or "").strip()


_ANY: TypeAlias = dict[str, Any]
_KEPT, _NOTHING, _OPENED = messages.KeptGame, messages.Nothing, list[messages.OpenedGame]

ENDPOINTS = (
    Endpoint("GET", "/api/catalogue", _NOTHING, list[_ANY], positions.catalogue),
    Endpoint("GET", "/api/stages/{name}", _NOTHING, _ANY, positions.stage),
    Endpoint("GET", "/api/games", _NOTHING, list[messages.ListedGame], games.listed),
    Endpoint("POST", "/api/games", messages.NewGame, _KEPT, games.create),
    Endpoint("GET", "/api/games/{name}", messages.Since, _KEPT, games.show),
    Endpoint("DELETE", "/api/games/{name}", _NOTHING, _ANY, games.forget),
    Endpoint("POST", "/api/games/{name}/moves", messages.Move, _KEPT, games.move),
    Endpoint("POST", "/api/games/{name}/advance", messages.At, _KEPT, games.advance),
    Endpoint("POST", "/api/games/{name}/undo", messages.At, _KEPT, games.undo),
    Endpoint("POST", "/api/games/{name}/resign", messages.Resignation, _KEPT, games.resign),
    Endpoint("GET", "/api/games/{name}/hint", _NOTHING, _ANY, games.hint),
    Endpoint("GET", "/api/games/{name}/analysis", _NOTHING, _ANY, games.analysis),
    Endpoint("GET", "/api/games/{name}/record", messages.RecordForm, File, games.record),
    Endpoint("GET", "/api/games/{name}/events", _NOTHING, _ANY, games.events),
    Endpoint("POST", "/api/records", messages.AskedRecords, _OPENED, games.opened),
    Endpoint("POST", "/api/analyse", messages.AskedAnalysis, _ANY, games.analysed),
    Endpoint(
        "POST", "/api/position", messages.AskedPosition, messages.ShownPosition, positions.position
    ),
    Endpoint("POST", "/api/legal", messages.AskedPosition, _ANY, positions.legal),
    Endpoint("POST", "/api/evaluate", messages.AskedValue, _ANY, positions.evaluate),
    Endpoint("POST", "/api/best", messages.AskedValue, _ANY, positions.best),
    Endpoint("POST", "/api/rolls", messages.AskedValue, _ANY, positions.rolls),
    Endpoint("POST", "/api/jobs", messages.AskedJob, _ANY, learn.ask),
    Endpoint("GET", "/api/jobs/{name}", _NOTHING, _ANY, learn.job),
    Endpoint("DELETE", "/api/jobs/{name}", _NOTHING, _ANY, learn.stop_job),
    Endpoint("GET", "/api/jobs/{name}/events", _NOTHING, _ANY, learn.job_events),
    Endpoint("GET", "/api/runs", _NOTHING, list[_ANY], learn.runs),
    Endpoint("POST", "/api/runs", messages.NewRun, _ANY, learn.start),
    Endpoint("GET", "/api/runs/{name}", _NOTHING, _ANY, learn.run),
    Endpoint("POST", "/api/runs/{name}/stop", _NOTHING, _ANY, learn.stop),
    Endpoint("GET", "/api/runs/{name}/picture", _NOTHING, File, learn.picture),
    Endpoint("GET", "/api/runs/{name}/events", _NOTHING, _ANY, learn.run_events),
)

Stream = AsyncIterator[dict[str, Any]]
