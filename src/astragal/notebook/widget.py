"""The board of a notebook: a game with its players in Python, drawn by the page's own script."""

from __future__ import annotations

import secrets
from typing import Any, Literal

import anywidget
import msgspec
import traitlets

from astragal.agents.agent import Agent
from astragal.agents.specs import parse_agent
from astragal.arena.records import Record
from astragal.errors import InputError, quote
from astragal.games.game import Game
from astragal.notebook.insight import best_plays, insight_of
from astragal.notebook.script import script, style
from astragal.play.judges import FoundJudge, find_judge
from astragal.play.session import HUMAN, Session
from astragal.play.table import Table
from astragal.show.scene import Scene
from astragal.show.stage import stage_of


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """What a person asks for at the board."""

    do: Literal["play", "undo", "hint", "new"]
    turn: int | None = None
    """How many turns they have seen, so that what comes late is not done."""
    move: str | None = None


class BoardWidget(anywidget.AnyWidget):
    """A game to play in a notebook; all that its script shows is in `stage`, `shown`, `insight`
    and `message`.
    """

    _esm = script()
    _css = style()
    stage = traitlets.Dict().tag(sync=True)
    """How the board is drawn."""
    shown = traitlets.Dict().tag(sync=True)
    """All that a player sees of the game."""
    insight = traitlets.Dict().tag(sync=True)
    """What the judge says of it."""
    message = traitlets.Unicode().tag(sync=True)
    """Why the last wish could not be granted, if it could not."""

    def __init__(self, game: Game, players: tuple[str, str], seed: int | None = None) -> None:
        if seed is not None and seed < 0:
            raise InputError(f"{seed} cannot be a seed: expected 0 or more.")
        self._game, self._players, self._seed = game, players, seed
        self._agents = {spec: parse_agent(game, spec) for spec in set(players) - {HUMAN}}
        self._judge = _judge_of(game)
        self._table = self._new_table()
        super().__init__(stage=stage_of(game), shown=self._seen(), insight=insight_of(self._table))
        self.on_msg(lambda widget, content, buffers: self.receive(content))

    def receive(self, content: object) -> None:
        """Does what a message from the board asks for; a wrong one or a late one is told why."""
        hint: list[dict[str, str]] = []
        message = ""
        try:
            hint = self._grant(_parse_wish(content))
        except InputError as fault:
            message = str(fault)
        with self.hold_sync():
            self.shown, self.insight = self._seen(), insight_of(self._table, hint)
            self.message = message
        # Nothing may have changed, and the board waits for an answer.
        self.send({"done": True})

    def record(self) -> Record:
        """The game so far."""
        return self._table.session.record()

    def scene(self) -> Scene:
        """The position as a picture that does not move."""
        session = self._table.session
        roll = None if session.is_over else session.roll
        return Scene(session.game, *session.standing, roll=roll)

    def _repr_mimebundle_(self, **wishes: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget, and a picture for where there are no widgets."""
        told = super()._repr_mimebundle_(**wishes)
        return None if told is None else ({**told[0], "image/svg+xml": self.scene().svg()}, told[1])

    def _new_table(self) -> Table:
        """A new game, in which agents have played until it is a person's turn."""
        seed = secrets.randbits(48) if self._seed is None else self._seed
        self._seed = None if self._seed is None else self._seed + 1
        table = Table(Session(self._game, self._players, seed), self._find, lambda _: self._judge)
        table.answer()
        return table

    def _find(self, game: Game, spec: str) -> Agent:
        return self._agents[spec]

    def _grant(self, wish: Wish) -> list[dict[str, str]]:
        """Does it, or InputError; the best plays, if that was the wish."""
        played = len(self._table.session.steps)
        if wish.turn is not None and wish.turn != played:
            raise InputError(f"The game has gone on: {played} turns are played, not {wish.turn}.")
        if wish.do == "new":
            self._table = self._new_table()
        elif wish.do == "undo":
            self._table.undo()
        elif wish.do == "play":
            self._table.play(wish.move or "")
            self._table.answer()
        return best_plays(self._table) if wish.do == "hint" else []

    def _seen(self) -> dict[str, Any]:
        shown: dict[str, Any] = msgspec.to_builtins(self._table.show())
        return shown


def seated(game: Game, against: str, side: str | None) -> tuple[str, str]:
    """Who plays each side, or InputError; a person without a side begins."""
    if side is not None and side not in game.sides:
        raise InputError(f"{quote(side)} is not a side: expected {' or '.join(game.sides)}.")
    return (against, HUMAN) if side == game.sides[1] else (HUMAN, against)


def _judge_of(game: Game) -> tuple[FoundJudge, Agent]:
    told = find_judge(game, None, None)
    return told, parse_agent(game, told.spec, told.aim)


def _parse_wish(content: object) -> Wish:
    """The wish in a message, or InputError."""
    try:
        wish = msgspec.convert(content, Wish)
    except msgspec.ValidationError as fault:
        raise InputError(f"{quote(content)} cannot be done: {fault}.") from fault
    if wish.do == "play" and (wish.turn is None or wish.move is None):
        raise InputError(f"{quote(content)} cannot be done: expected a turn and a move.")
    return wish
