"""Training runs on the page, and questions that take their time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response

from astragal.errors import quote
from astragal.games.catalogue import find_game
from astragal.serve.desk import Desk
from astragal.serve.faults import NotFoundError
from astragal.serve.jobs import Job, Question
from astragal.serve.messages import AskedJob, NewRun, Nothing
from astragal.serve.position_routes import standing_of
from astragal.serve.runs import RunView

_LOOK_SECONDS = 1.0
_JOB_PLIES = 3


async def runs(desk: Desk, _: str, asked: Nothing) -> list[dict[str, Any]]:
    """All training runs, the newest first."""

    def look() -> list[dict[str, Any]]:
        views = [desk.runs.find(name) for name in desk.runs.names()]
        return [view.as_dict() for view in views if view is not None]

    return await desk.think(look)


async def run(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """One training run with its curves."""
    return (await desk.think(lambda: _found(desk, name))).as_dict()


async def start(desk: Desk, _: str, asked: NewRun) -> dict[str, Any]:
    """Begins to teach a net."""

    def begin() -> dict[str, Any]:
        find_game(asked.game)
        name = desk.runs.start(
            asked.game, asked.learner, asked.hidden, asked.games, asked.alpha, asked.seed
        )
        return {"name": name}

    return await desk.think(begin)


async def stop(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """Stops a run that was begun on the page; it keeps what it has learned."""
    await desk.think(lambda: _found(desk, name))
    return {"name": name, "stopped": await desk.think(lambda: desk.runs.stop(name))}


async def picture(desk: Desk, name: str, asked: Nothing) -> Response:
    """What the newest net of a run has learned, drawn on its board."""
    svg = await desk.think(lambda: desk.runs.picture(name))
    if svg is None:
        raise NotFoundError(f"{quote(name)} has no net yet: expected a run with one.")
    return Response(svg, media_type="image/svg+xml")


async def run_events(desk: Desk, name: str, asked: Nothing) -> AsyncIterator[dict[str, Any]]:
    """Tells of a run, at first and whenever something has changed."""
    await desk.think(lambda: _found(desk, name))
    return _run_news(desk, name)


async def _run_news(desk: Desk, name: str) -> AsyncIterator[dict[str, Any]]:
    told: dict[str, Any] = {}
    while True:
        view = await desk.think(lambda: desk.runs.find(name))
        if view is None:
            return
        now = view.as_dict()
        if now != told:
            told = now
            yield now
        await asyncio.sleep(_LOOK_SECONDS)


def _found(desk: Desk, name: str) -> RunView:
    view = desk.runs.find(name)
    if view is None:
        raise NotFoundError(f"{quote(name)} is no run here: expected the name of one.")
    return view


async def ask(desk: Desk, _: str, asked: AskedJob) -> dict[str, Any]:
    """Asks a question that takes its time; its name finds the answer."""

    def begin() -> dict[str, Any]:
        game = find_game(asked.game)
        standing, roll = standing_of(game, asked)
        judge, _ = desk.players.chosen_judge(game, asked.agent, asked.aim, _JOB_PLIES)
        question = Question(
            kind=asked.kind,
            game=game.name,
            position=game.notation.format_position(*standing),
            roll=roll,
            agent=desk.players.spec_of(judge.spec),
            aim=judge.aim,
            games=asked.games,
        )
        return desk.jobs.ask(question).as_dict()

    return await desk.think(begin)


async def job(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """How a slow question stands."""
    return _job(desk, name).as_dict()


async def stop_job(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """Gives a slow question up."""
    found = _job(desk, name)
    await desk.think(lambda: desk.jobs.stop(name))
    return found.as_dict()


async def job_events(desk: Desk, name: str, asked: Nothing) -> AsyncIterator[dict[str, Any]]:
    """Tells of a slow question until it is answered."""
    return _job_news(_job(desk, name))


async def _job_news(job: Job) -> AsyncIterator[dict[str, Any]]:
    told: dict[str, Any] = {}
    while True:
        now = job.as_dict()
        if now != told:
            told = now
            yield now
        if now["state"] not in ("waiting", "working"):
            return
        await asyncio.sleep(0.2)


def _job(desk: Desk, name: str) -> Job:
    found = desk.jobs.find(name)
    if found is None:
        raise NotFoundError(f"{quote(name)} is no question here: expected the name of one.")
    return found
