"""Games on the page: begun, played, taken back, judged, downloaded, opened again."""

from __future__ import annotations

import io
import itertools
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from starlette.responses import Response

from astragal.arena.mat import format_mat
from astragal.arena.reading import games_in
from astragal.arena.records import Record, format_records, game_of
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from astragal.play.session import Session
from astragal.play.table import Table, halves_of
from astragal.serve.desk import Desk
from astragal.serve.games import Seat
from astragal.serve.messages import (
    AskedAnalysis,
    AskedRecords,
    At,
    KeptGame,
    ListedGame,
    Move,
    NewGame,
    Nothing,
    OpenedGame,
    RecordForm,
    Resignation,
    Since,
)

_MOST_LISTED = 30
_MOST_OPENED = 100
_MOST_TURNS = 2_000


async def create(desk: Desk, _: str, asked: NewGame) -> KeptGame:
    """Begins a game; agents that begin have moved already."""
    game = await desk.think(lambda: find_game(asked.game))
    seat = await desk.think(lambda: desk.games.create(game, asked.players, asked.seed))
    async with seat.lock:
        await desk.think(seat.table.answer)
        await desk.think(lambda: desk.games.keep(seat))
    return KeptGame(seat.id, seat.table.show())


async def listed(desk: Desk, _: str, asked: Nothing) -> list[ListedGame]:
    """The games that were played last."""

    def find() -> list[ListedGame]:
        return [
            ListedGame(
                name,
                record.game,
                find_game(record.game).title,
                record.agents,
                len(record.turns),
                record.outcome,
                changed,
            )
            for name, record, changed in desk.games.listed(_MOST_LISTED)
        ]

    return await desk.think(find)


async def show(desk: Desk, name: str, asked: Since) -> KeptGame:
    """A game as it stands."""
    seat = desk.games.find(name)
    return KeptGame(seat.id, await desk.think(lambda: seat.table.show(asked.since)))


async def move(desk: Desk, name: str, asked: Move) -> KeptGame:
    """Plays a person's move, and then whatever agents answer."""

    def play(table: Table) -> None:
        table.play(asked.move)

    return await _done(desk, name, asked, play, then=Table.answer)


async def advance(desk: Desk, name: str, asked: At) -> KeptGame:
    """Plays one turn of an agent."""
    return await _done(desk, name, asked, Table.advance)


async def undo(desk: Desk, name: str, asked: At) -> KeptGame:
    """Takes the last choice of a person back."""
    return await _done(desk, name, asked, Table.undo)


async def resign(desk: Desk, name: str, asked: Resignation) -> KeptGame:
    """Gives the game up for whoever is to move."""
    return await _done(desk, name, asked, lambda table: table.resign(asked.points))


async def _done(
    desk: Desk,
    name: str,
    asked: At,
    deed: Callable[[Table], None],
    then: Callable[[Table], None] = lambda table: None,
) -> KeptGame:
    """The game after a deed, which is kept before anybody hears of it.

    What agents answer is kept together with it; if they cannot, the deed alone.
    """
    seat = desk.games.find(name)
    async with seat.lock:
        seat.check_turn(asked.turn)

        def work() -> KeptGame:
            deed(seat.table)
            try:
                then(seat.table)
            finally:
                desk.games.keep(seat)
            since = min(asked.turn, len(seat.table.session.steps))
            return KeptGame(seat.id, seat.table.show(since))

        try:
            return await desk.think(work)
        finally:
            seat.tell()


async def forget(desk: Desk, name: str, asked: Nothing) -> dict[str, str]:
    """Removes a game."""
    desk.games.forget(name)
    return {"forgotten": name}


async def hint(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """The plays of this turn, the best first."""
    seat = desk.games.find(name)
    async with seat.lock:
        return await desk.think(seat.table.hint)


async def analysis(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """What every turn gave away, and how lucky the rolls were."""
    seat = desk.games.find(name)
    async with seat.lock:
        return await desk.think(lambda: seat.table.analysis().as_dict())


async def record(desk: Desk, name: str, asked: RecordForm) -> Response:
    """The game as a file: a line of JSON, or a `.mat` match."""
    kept = desk.games.find(name).table.session.record()
    text = format_mat([kept]) if asked.form == "mat" else format_records([kept])
    file = f"{kept.game.replace(':', '-')}.{asked.form}"
    kind = "application/jsonl" if asked.form == "jsonl" else "text/plain"
    return Response(
        text,
        media_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )


async def events(desk: Desk, name: str, asked: Nothing) -> AsyncIterator[dict[str, Any]]:
    """Tells how many turns have been played, at first and whenever that changes."""
    seat = desk.games.find(name)
    return _news(seat)


async def _news(seat: Seat) -> AsyncIterator[dict[str, Any]]:
    while True:
        news = seat.news
        session = seat.table.session
        yield {"turn": len(session.steps), "is_over": session.is_over}
        await news.wait()


async def opened(desk: Desk, _: str, asked: AskedRecords) -> list[OpenedGame]:
    """The games that a file holds, turn by turn."""

    def read() -> list[OpenedGame]:
        file = io.BytesIO(asked.text.encode())
        records = list(itertools.islice(games_in(file, "the file"), _MOST_OPENED + 1))
        if len(records) > _MOST_OPENED:
            raise InputError(f"There are too many games: expected {_MOST_OPENED} at most.")
        return list(map(partial(_opened, desk), records))

    return await desk.think(read)


def _opened(desk: Desk, record: Record) -> OpenedGame:
    table = Table(_session(record), desk.players.find, desk.players.judge)
    game, shown = table.session.game, table.show()
    start = halves_of(Standing(game.start, 0))
    return OpenedGame(record, game.title, game.sides, start, shown.turns, shown.status)


def _session(record: Record) -> Session:
    if len(record.turns) > _MOST_TURNS:
        raise InputError(f"{record.place} is too long: expected {_MOST_TURNS:,} turns at most.")
    game_of(record)
    return Session.of(record, 0)


async def analysed(desk: Desk, _: str, asked: AskedAnalysis) -> dict[str, Any]:
    """A record, judged."""

    def work() -> dict[str, Any]:
        session = _session(asked.record)
        judge = partial(desk.players.chosen_judge, spec=asked.agent)
        return Table(session, desk.players.find, judge).analysis().as_dict()

    return await desk.think(work)
