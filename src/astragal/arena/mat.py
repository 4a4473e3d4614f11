"""Backgammon matches as `.mat` files, which nearly every backgammon program reads and writes.

Two columns, a player each; a turn is `31: 8/5 6/5`, with 25 for the bar and 0 for off. We write
sessions for money without a cube; doubles are read, and kept beside the moves.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from astragal.arena.backgammon_steps import format_steps
from astragal.arena.records import Record, Step, replay
from astragal.errors import InputError, printable, quote
from astragal.games.backgammon_places import BAR, OFF
from astragal.games.catalogue import find_game

GAME = "backgammon"
LONGEST_LINE = 500
_VARIATIONS = {
    "standard": GAME,
    "backgammon": GAME,
    "nackgammon": "nackgammon",
    "hypergammon (3)": "hypergammon",
    "hypergammon": "hypergammon",
}
_COLUMN = 34  # where the second player's turns begin in what we write
_MIDDLE = 20  # and where they never do in what others write
_MOST_NAME = 20

_VARIATION = re.compile(r'\s*;\s*\[Variation\s+"(.*)"\]\s*', re.IGNORECASE)
_MATCH = re.compile(r"\s*([0-9]{1,6}) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game ([0-9]{1,6})\s*", re.IGNORECASE)
_NAMES = re.compile(r"\s*(\S.*?)\s*:\s*([0-9]+)\s\s*(\S.*?)\s*:\s*([0-9]+)\s*")
_LINE = re.compile(r"\s*([0-9]{1,4})\)(.*)")
_CELL = re.compile(
    r"(?P<roll>[1-6][1-6])\s*:|(?P<doubles>Doubles)|(?P<takes>Takes)|(?P<drops>Drops|Passes)"
    r"|(?P<wins>Wins)\s+(?P<points>[0-9]{1,4})\s+points?",
    re.IGNORECASE,
)
_CANNOT = ("cannot move", "can't move", "no move", "dances")


def is_mat(text: str) -> bool:
    """Whether the beginning of a file looks like that of a match, and not like anything else."""
    lines = (line for line in text.splitlines() if line.strip() and line.lstrip()[0] != ";")
    return _MATCH.fullmatch(next(lines, "")) is not None


def parse_mat(text: str, source: str) -> Iterator[Record]:
    """The games of a match; InputError names the game and the line that cannot be read."""
    game: _Game | None = None
    kind = GAME
    for number, line in enumerate(text.splitlines(), 1):
        place = f"Line {number} of {source}"
        if len(line) > LONGEST_LINE:
            raise InputError(f"{place} has {len(line):,} letters: expected {LONGEST_LINE} at most.")
        if told := _VARIATION.fullmatch(line):
            kind = _variation(told[1], place)
        if not line.strip() or line.lstrip()[0] == ";" or _MATCH.fullmatch(line):
            continue
        begins = _GAME.fullmatch(line)
        if begins is not None:
            if game is not None:
                yield game.record()
            game = _Game(kind, int(begins[1]))
        elif game is None:
            raise InputError(
                f"{place}: {quote(line)} is before the first game: expected a line 'Game 1'."
            )
        elif not game.names:
            game.names = _parse_names(line, place)
        else:
            _read_line(game, line, f"Game {game.number}, {place[0].lower()}{place[1:]}")
    if game is None:
        raise InputError(f"{source} holds no game: expected a line 'Game 1'.")
    yield game.record()


def _variation(name: str, place: str) -> str:
    """The game that a match was played at."""
    if name.lower() not in _VARIATIONS:
        raise InputError(
            f"{place}: {quote(name)} is not played here: expected one of {', '.join(_VARIATIONS)}."
        )
    return _VARIATIONS[name.lower()]


def _parse_names(line: str, place: str) -> tuple[str, str]:
    told = _NAMES.fullmatch(line)
    if told is None:
        raise InputError(
            f"{place}: {quote(line)} names no players: expected 'NAME : SCORE   NAME : SCORE'."
        )
    return printable(told[1]), printable(told[3])


@dataclass
class _Game:
    """What has been read of a game; columns are 0 and 1."""

    kind: str
    number: int
    names: tuple[str, str] | None = None
    turns: list[tuple[int, str, str]] = field(default_factory=list)  # column, roll and move
    cube: list[tuple[int, Literal["take", "drop"]]] = field(default_factory=list)
    doubled: int | None = None  # the column of a double that has not been answered
    won: tuple[int, int] | None = None  # column and points, the cube counted

    def record(self) -> Record:
        """The game with whoever began first."""
        if self.names is None:
            raise InputError(f"Game {self.number} has no players: expected a line with both names.")
        first = self.turns[0][0] if self.turns else 0
        turns = [(roll, move) for _, roll, move in self.turns]
        record = Record(
            game=self.kind,
            version=find_game(self.kind).version,
            agents=(self.names[first], self.names[1 - first]),
            turns=turns,
            outcome=None,
            number=self.number,
            cube=self.cube,
        )
        if self.won is not None:
            column, points = self.won
            played = _points_played(record)
            record.given_up = played is None
            points = _told_points(points, record) if played is None else abs(played)
            record.outcome = points if column == first else -points
        return record


def _told_points(points: int, record: Record) -> int:
    """What a game that was given up counts without its cube."""
    if not record.stake <= points <= 3 * record.stake:
        raise InputError(
            f"{record.place} cannot be won with {points} points: expected {record.stake} to "
            f"{3 * record.stake} with the cube where it was."
        )
    return points // record.stake


def _points_played(record: Record) -> int | None:
    """What the moves lead to, if to the end; where they cannot be played, `replay` will say so."""
    points = None
    with contextlib.suppress(InputError):
        for step in replay(record):
            points = step.points
    return points


def _read_line(game: _Game, line: str, place: str) -> None:
    told = _LINE.fullmatch(line)
    begin = told.start(2) if told else 0
    cells = list(_CELL.finditer(line, begin))
    before = line[begin : cells[0].start() if cells else None]
    if not cells or before.strip():
        raise InputError(
            f"{place}: {quote(line.strip())} is not a turn: expected one such as '1) 31: 8/5 6/5'."
        )
    for i, cell in enumerate(cells):
        end = cells[i + 1].start() if i + 1 < len(cells) else len(line)
        column = 1 if i > 0 or cell.start() - begin >= _MIDDLE else 0
        _read_cell(game, column, cell, line[cell.end() : end].strip(), place)


def _read_cell(game: _Game, column: int, cell: re.Match[str], rest: str, place: str) -> None:
    if game.won is not None:
        raise InputError(f"{place}: {quote(cell[0])} comes after the end of the game.")
    if cell["roll"]:
        _check_column(game, column, place)
        move = "pass" if not rest or rest.lower() in _CANNOT else rest
        game.turns.append((column, cell["roll"], move))
    elif cell["doubles"]:
        game.doubled = column
    elif cell["wins"]:
        game.won = column, int(cell["points"])
    elif game.doubled is None:
        raise InputError(f"{place}: {quote(cell[0])} answers no double.")
    else:
        game.cube.append((len(game.turns), "take" if cell["takes"] else "drop"))
        game.doubled = None


def _check_column(game: _Game, column: int, place: str) -> None:
    if game.turns and game.turns[-1][0] == column:
        who = (game.names or ("", ""))[column]
        raise InputError(f"{place}: {quote(who)} moves twice in a row.")


class _Cells(NamedTuple):
    """A game as the cells of its two columns."""

    rows: list[list[str]]
    won: str


def format_mat(records: Sequence[Record]) -> str:
    """The games as one session; InputError for a game that `.mat` has no room for."""
    if not records:
        raise InputError("There is no game to write: expected one at least.")
    if len({frozenset(_checked(record)) for record in records}) > 1:
        raise InputError(
            "A .mat file is a match of two players: expected the same two in all games."
        )
    players, names = records[0].agents, _plain_names(records[0].agents)
    scores = [0, 0]
    parts = [" 0 point match\n"]
    for number, record in enumerate(records, 1):
        swapped = record.agents != players
        parts.append(_format_game(number, record, names, scores, swapped))
        if record.outcome is not None:
            scores[(record.outcome < 0) ^ swapped] += abs(record.outcome) * record.stake
    return "\n".join(parts)


def _plain_names(players: tuple[str, str]) -> tuple[str, str]:
    """Both names as they can be written, and told apart if they could be before."""
    first, second = map(plain_name, players)
    if first == second and players[0] != players[1]:
        return f"{first[:-2]}_1", f"{second[:-2]}_2"
    return first, second


def _checked(record: Record) -> tuple[str, str]:
    if record.game != GAME:
        raise InputError(
            f"{record.place} is one of {record.game}: expected {GAME} in a .mat file, "
            "or a .jsonl file, which holds any game."
        )
    return record.agents


def _format_game(
    number: int, record: Record, names: tuple[str, str], scores: list[int], swapped: bool
) -> str:
    heads = [f"{name} : {score}" for name, score in zip(names, scores, strict=True)]
    cells = _cells(record, swapped)
    lines = [f" Game {number}", f" {heads[0]:<{_COLUMN - 2}} {heads[1]}"]
    for row, (left, right) in enumerate(cells.rows, 1):
        lines.append(f"{row:3}) {left:<{_COLUMN - 6}} {right}".rstrip())
    return "\n".join([*lines, cells.won, ""])


def _cells(record: Record, swapped: bool) -> _Cells:
    cube = dict(record.cube)
    cells: list[tuple[int, str]] = []
    for number, step in enumerate(replay(record)):
        column = step.standing.side ^ swapped
        cells += _cube_cells(record, number, column, cube)
        roll = find_game(GAME).rolls[step.roll]
        cells.append((column, f"{roll}: {_plain_move(step)}".rstrip()))
    end = len(record.turns)
    if end in cube:
        cells += _cube_cells(record, end, (end % 2) ^ swapped, cube)
    rows: list[list[str]] = []
    for column, text in cells:
        if not rows or column == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][column] = text
    return _Cells(rows, _format_winner(record, swapped))


def _cube_cells(
    record: Record, turns: int, column: int, cube: dict[int, Literal["take", "drop"]]
) -> list[tuple[int, str]]:
    if turns not in cube:
        return []
    stake = 2 ** (1 + sum(n < turns for n, answer in record.cube if answer == "take"))
    answer = " Takes" if cube[turns] == "take" else " Drops"
    return [(column, f" Doubles => {stake}"), (1 - column, answer)]


def _format_winner(record: Record, swapped: bool) -> str:
    if record.outcome is None:
        return ""
    points = abs(record.outcome) * record.stake
    column = (record.outcome < 0) ^ swapped
    told = f"Wins {points} point{'s' if points > 1 else ''}"
    return " " * (_COLUMN if column else 6) + told


def _plain_move(step: Step) -> str:
    """The move step by step, with numbers for the bar and for off; nothing for a pass."""
    roll = find_game(GAME).rolls[step.roll]
    steps = format_steps(step.standing.position, step.found.positions[step.choice], roll)
    return steps.replace("bar", str(BAR)).replace("off", str(OFF))


def plain_name(name: str) -> str:
    """A player's name with nothing in it that a `.mat` file would read otherwise."""
    return re.sub(r"[^A-Za-z0-9_.@+-]", "_", name)[:_MOST_NAME] or "_"
