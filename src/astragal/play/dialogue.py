"""A game in the terminal, turn by turn: what is shown, what is asked, and what can be answered."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
from rich.console import Console
from rich.table import Table

from astragal.agents.agent import Agent
from astragal.agents.specs import parse_agent
from astragal.arena.analysis import analyse
from astragal.arena.asking import rank_plays
from astragal.arena.mistakes import deeds_of
from astragal.arena.reading import read_games
from astragal.arena.records import Step
from astragal.errors import InputError, quote
from astragal.play.analysis_text import share_sentences, turns_table
from astragal.play.asking import Ask, chosen_move, is_numbered, list_moves
from astragal.play.session import HUMAN, Session
from astragal.show.scene import Scene
from astragal.values.values import Aim

_HINTS = 5
_COMMANDS = {
    "hint": "the best plays, and what each is worth",
    "undo": "take your last choice back; the dice stay the same",
    "board": "draw the board and list the plays again",
    "save FILE": "keep the game in this file from now on",
    "load FILE": "go on with a game that was kept",
    "resign": "give the game up; in backgammon `resign 2` gives up a gammon",
    "help": "this list",
    "quit": "leave; the game is kept",
}


class Leave(Exception):  # noqa: N818 - nobody made an error
    """The person leaves."""


class Dialogue:
    """One session at the terminal; players that are no agents are people."""

    def __init__(
        self,
        session: Session,
        console: Console,
        ask: Ask,
        *,
        judge: str,
        aim: Aim = "points",
        keep: Path | None = None,
        delay: float = 0.0,
    ) -> None:
        self.session, self.console, self._ask = session, console, ask
        self._judge, self._aim, self.keep, self.delay = judge, aim, keep, delay
        self._agents = self._seated(session)
        self._stored = session.record()

    def _seated(self, session: Session) -> list[Agent | None]:
        """Who plays each side: an agent, or None for a person."""
        return [
            None if name == HUMAN else parse_agent(session.game, name, self._aim)
            for name in session.players
        ]

    @property
    def people(self) -> list[int]:
        """The sides that people play."""
        return [side for side, agent in enumerate(self._agents) if agent is None]

    def run(self) -> None:
        """Plays until the game is over or the person leaves."""
        try:
            while not self.session.is_over:
                agent = self._agents[self.session.side]
                if agent is None:
                    self._person_plays()
                else:
                    self._agent_plays(agent)
                self._store()
        except Leave:
            self._store()
            return
        self._tell_end()

    def _store(self) -> None:
        """Keeps the game if it has changed; where that fails it is said, and the game goes on."""
        record = self.session.record()
        if self.keep is None or record == self._stored:
            return
        try:
            self.session.save(self.keep)
            self._stored = record
        except InputError as fault:
            self._say(f"{fault} The game goes on; save FILE keeps it elsewhere.")

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _draw(self, *, with_roll: bool = True) -> None:
        session = self.session
        roll = session.roll if with_roll and not session.is_over else None
        self.console.print()
        self.console.print(Scene(session.game, *session.standing, roll=roll).text(), soft_wrap=True)
        self.console.print()

    def _name(self, side: int) -> str:
        """How a side is spoken of."""
        name = self.session.game.sides[side]
        return name if len(self.people) != 1 or side in self.people else f"{name} (the machine)"

    # An agent's turn

    def _agent_plays(self, agent: Agent) -> None:
        session = self.session
        position, rolls = session.standing.position[np.newaxis], np.array([session.roll])
        if not self.people:
            self._draw()
        choice = int(agent.choose(position, rolls, session.players_luck)[0])
        step = session.take(choice)
        self._say(self._told(step))
        if self.delay:
            time.sleep(self.delay)

    def _told(self, step: Step) -> str:
        game, side = self.session.game, step.standing.side
        again = ", and rolls again" if step.after.side == side and step.points is None else ""
        dice = "" if len(game.rolls) == 1 else f" rolls {game.rolls[step.roll]} and"
        if step.move == "pass":
            return f"{self._name(side)}{dice} cannot move{again}."
        return f"{self._name(side)}{dice} plays {step.move}{again}."

    # A person's turn

    def _person_plays(self) -> None:
        """Asks until something has been played or the game has changed otherwise."""
        session = self.session
        self._draw()
        if session.moves() == ["pass"]:
            session.play("pass")
            self._say(f"{session.game.rolls[session.steps[-1].roll]}: nothing can be played.")
            return
        self._list_moves()
        turn, before = len(session.steps), session
        while self.session is before and len(session.steps) == turn and not session.is_over:
            try:
                self._answer(self._asked())
            except InputError as fault:
                self._say(str(fault))

    def _asked(self) -> str:
        session = self.session
        roll = "" if len(session.game.rolls) == 1 else f", {session.game.rolls[session.roll]}"
        line = self._ask(f"{session.game.sides[session.side]}{roll}> ")
        if line is None:
            raise Leave
        return line.strip()

    def _answer(self, line: str) -> None:
        """Does what a line asks for."""
        word, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "hint": self._hint,
            "undo": self._undo,
            "board": self._show_again,
            "save": self._save,
            "load": self._load,
            "resign": self._resign,
            "help": self._help,
            "?": self._help,
            "quit": self._quit,
        }
        command = commands.get(word.lower())
        if command is not None:
            command(rest.strip())
        elif line:
            self.session.play(self._chosen(line))

    def _chosen(self, line: str) -> str:
        session = self.session
        return chosen_move(session.game, session.standing, session.roll, session.moves(), line)

    def _list_moves(self) -> None:
        session = self.session
        position, roll = session.standing.position, session.roll
        found = session.game.afterstates_of(position, roll)
        list_moves(self.console, session.moves(), deeds_of(session.game, position, found))

    # Commands

    def _hint(self, _: str) -> None:
        session = self.session
        agent = parse_agent(session.game, self._judge, self._aim)
        plays = rank_plays(agent, session.standing, session.roll, self._aim)["plays"]
        table = Table(box=None)
        for name in ("move", "wins", "gives away"):
            table.add_column(name, justify="left" if name == "move" else "right")
        for play in itertools.islice(plays, _HINTS):
            table.add_row(play["move"], f"{play['win']:.1%}", f"{play['loss']:.4f}")
        self.console.print(table)

    def _undo(self, _: str) -> None:
        if not self.session.undo(self.people):
            raise InputError("There is no choice of yours to take back.")
        self._say("Your last choice is taken back.")

    def _show_again(self, _: str) -> None:
        self._draw()
        self._list_moves()

    def _save(self, name: str) -> None:
        if not name:
            raise InputError("Save where? Expected the name of a file, such as 'save ur.jsonl'.")
        path = Path(name)
        if path != self.keep and _is_there(path):
            raise InputError(f"{quote(name)} is there already: expected the name of a new file.")
        self.session.save(path)
        if path.suffix.lower() == ".mat":
            self._say(f"A copy is in {name}.")  # it does not tell all that is needed to go on
            return
        self.keep, self._stored = path, self.session.record()
        self._say(f"The game is kept in {name}.")

    def _load(self, name: str) -> None:
        if not name:
            raise InputError("Load what? Expected the name of a file, such as 'load ur.jsonl'.")
        session = load_session(Path(name), self.session.game.name, self.session.seed)
        self._agents = self._seated(session)
        self.session, self.keep, self._stored = session, Path(name), session.record()
        self._say(f"The game in {name} goes on, after {len(session.steps)} turns.")

    def _resign(self, amount: str) -> None:
        if amount and not (amount.isdecimal() and len(amount) < 3):
            raise InputError(f"{quote(amount)} cannot be resigned: expected a number of points.")
        side = self.session.side
        self.session.resign(side, int(amount or 1))
        self._say(f"{self._name(side)} gives up.")

    def _help(self, _: str) -> None:
        moves = self.session.moves()
        numbers = " or its number in the list" if is_numbered(moves) else ""
        self._say(f"Answer with a move such as {moves[0]}{numbers}, or one of these:")
        table = Table(box=None, show_header=False)
        for command, what in _COMMANDS.items():
            table.add_row(f"  {command}", what)
        self.console.print(table, highlight=False)

    def _quit(self, _: str) -> NoReturn:
        raise Leave

    # The end

    def _tell_end(self) -> None:
        session = self.session
        self._draw(with_roll=False)
        self._say(self._ending())
        if not self.people:
            return
        analysis = analyse(session.record(), self._judge, self._aim)
        for side in self.people:
            table = turns_table(analysis, side, at_least=0.001)
            if table is not None:
                self._say(f"\nWhat {session.game.sides[side]} gave away, says {self._judge}:")
                self.console.print(table)
            self.console.print()
            for sentence in share_sentences(analysis, side):
                self._say(sentence)

    def _ending(self) -> str:
        session = self.session
        points = session.points
        assert points is not None
        if points == 0:
            return "The game is drawn."
        winner = self._name(int(points < 0))
        if max(session.game.outcomes) == 1:
            return f"{winner} wins."
        return f"{winner} wins {abs(points)} point{'s' if abs(points) > 1 else ''}."


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except ValueError:  # a name that no file can have
        return False


def load_session(path: Path, game: str, seed: int) -> Session:
    """The game in a file, to be gone on with, or InputError."""
    records = list(itertools.islice(read_games(path), 2))
    if len(records) != 1:
        raise InputError(
            f"{quote(path, 200)} holds several games: expected a file with one, as `save` writes."
        )
    if records[0].game != game:
        raise InputError(
            f"{quote(path, 200)} holds a game of {quote(records[0].game)}: expected one of {game}."
        )
    return Session.of(records[0], seed)
