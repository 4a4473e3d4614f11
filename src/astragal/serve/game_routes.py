"""Games on the page: begun, played, taken back, judged, downloaded, opened again."""

from __future__ import annotations

import io
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from starlette.responses import Response

from astragal.arena.mat import format_mat
from astragal.arena.reading import games_in
from astragal.arena.records import Record, format_records
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
_MOST_TURNS = 10_000  # of all games in a file: a few seconds
_MOST_JUDGED = 500
_JUDGE_PLIES = 1  # a turn takes 30 ms so, and with one more nearly two seconds


async def create(desk: Desk, _: str, asked: NewGame) -> KeptGame:
    """Begins a game; agents that begin have moved already."""
    game = await desk.think(lambda: find_game(asked.game))
    made = await desk.think(lambda: desk.games.create(game, asked.players, asked.seed))
    async with desk.holding(made.id) as seat:

        def begin() -> KeptGame:
            seat.table.answer()
            if seat.table.session.steps:
                desk.games.keep(seat)
            return KeptGame(seat.id, seat.table.show())

        return await _hands(desk, seat)(begin)


def _hands(desk: Desk, seat: Seat) -> Callable[[Callable[[], KeptGame]], Awaitable[KeptGame]]:
    """Who plays at the game: others than those of quick games if an agent takes its time."""
    return desk.ponder if seat.is_slow else desk.think


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
    async with desk.holding(name) as seat:
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
    async with desk.holding(name) as seat:
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
            return await _hands(desk, seat)(work)
        finally:
            seat.tell()


async def forget(desk: Desk, name: str, asked: Nothing) -> dict[str, str]:
    """Removes a game."""
    seat = desk.games.opened(name)
    if seat is None:
        await desk.think(lambda: desk.games.forget(name))
    else:
        async with seat.lock:
            desk.games.forget(name)
        seat.tell()
    return {"forgotten": name}


async def hint(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """The plays of this turn, the best first."""
    async with desk.holding(name) as seat:
        return await desk.ponder(seat.table.hint)


async def analysis(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """What every turn gave away, and how lucky the rolls were."""
    async with desk.holding(name) as seat:
        _check_length(len(seat.table.session.steps), _MOST_JUDGED, "The game")
        return await desk.ponder(seat.table.judgement)


async def record(desk: Desk, name: str, asked: RecordForm) -> Response:
    """The game as a file: a line of JSON, or a `.mat` match."""
    async with desk.holding(name) as seat:
        kept = seat.table.session.record()
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
    async with desk.holding(name):
        return _news(desk, name)


async def _news(desk: Desk, name: str) -> AsyncIterator[dict[str, Any]]:
    """Goes on until the game is deleted, which is a NotFoundError."""
    while True:
        async with desk.holding(name) as seat:
            news, session = seat.news, seat.table.session
            told = {"turn": len(session.steps), "is_over": session.is_over}
            seat.watchers += 1
        try:
            yield told
            await news.wait()
        finally:
            seat.watchers -= 1


async def opened(desk: Desk, _: str, asked: AskedRecords) -> list[OpenedGame]:
    """The games that a file holds, turn by turn."""

    def read() -> list[OpenedGame]:
        file = io.BytesIO(asked.text.encode())
        records = list(itertools.islice(games_in(file, "the file"), _MOST_OPENED + 1))
        if len(records) > _MOST_OPENED:
            raise InputError(f"There are too many games: expected {_MOST_OPENED} at most.")
        _check_length(sum(len(each.turns) for each in records), _MOST_TURNS, "The file")
        return list(map(partial(_opened, desk), records))

    return await desk.ponder(read)


def _opened(desk: Desk, record: Record) -> OpenedGame:
    table = Table(Session.of(record, 0), desk.players.find, desk.players.judge)
    game, shown = table.session.game, table.show()
    start = halves_of(Standing(game.start, 0))
    return OpenedGame(record, game.title, game.sides, start, shown.turns, shown.status)


def _check_length(turns: int, most: int, place: str) -> None:
    if turns > most:
        raise InputError(f"{place} is too long: {turns:,} turns, expected {most:,} at most.")


async def analysed(desk: Desk, _: str, asked: AskedAnalysis) -> dict[str, Any]:
    """A record, judged."""

    def work() -> dict[str, Any]:
        _check_length(len(asked.record.turns), _MOST_JUDGED, asked.record.place)
        session = Session.of(asked.record, 0)
        judge = partial(desk.players.chosen_judge, spec=asked.agent, most=_JUDGE_PLIES)
        return Table(session, desk.players.find, judge).judgement()

    return await desk.ponder(work)
