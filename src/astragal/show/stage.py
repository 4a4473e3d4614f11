"""A board for a page that knows no game: what is drawn, where pieces stand, and what is clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from astragal.show.sheet import CARNELIAN, EARTH, LAPIS, SAND
from astragal.show.svg import Markup, box, group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from astragal.games.game import Game

Shape: TypeAlias = Literal["disc", "slab"]


class Spot(NamedTuple):
    """The centre of a piece, and its size beside that of a piece on the board."""

    x: float
    y: float
    scale: float = 1


class Area(NamedTuple):
    """A rectangle from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Tally:
    """Where to write how many pieces are on a place, with what word after the number."""

    x: float
    y: float
    word: str


@dataclass(frozen=True)
class Label:
    """A text in the middle of a place."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Place:
    """Where the pieces are that one number of a half counts."""

    name: str
    """What people call it."""
    spots: Sequence[Spot]
    """For the first piece, the second... as many as are shown; beyond them the last is numbered."""
    hit: Area
    """What can be clicked."""
    shape: Shape = "disc"
    label: Tally | None = None


@dataclass(frozen=True)
class Ink:
    """How a text looks that is written on the board."""

    fill: str = EARTH
    size: float = 13


@dataclass(frozen=True)
class Stage:
    """All of a game that a page needs for showing its positions; pairs have side 0's first."""

    view: Area
    board: Markup
    """Everything that never changes, in one group."""
    pieces: dict[Shape, tuple[Markup, Markup]]
    """A piece round 0, 0."""
    places: tuple[Sequence[Place], Sequence[Place]]
    """As the numbers of a half."""
    dice: dict[str, str | int | None] | None
    """What kind of dice is thrown, and how many; None for a game without."""
    labels: tuple[Sequence[Label], Sequence[Label]] = ((), ())
    """What is written on the board while it is a side's turn."""
    ink: Ink = Ink()
    """Of labels."""
    count_ink: tuple[Ink, Ink] = (Ink(), Ink())
    """Of the number on a side's piece."""
    colours: tuple[str, str] = (CARNELIAN, LAPIS)
    """By which a side is known."""
    pips: Sequence[int] | None = None
    """How far a piece on each place still has to go, where people count that."""
    store: int | None = None
    """The place of pieces that are not in play, if there is one."""
    walks: bool = False
    """Whether a piece is seen on every place between two."""


def stage_of(game: Game) -> dict[str, Any]:
    """The stage of a game with its title and sides, as JSON has it."""
    # Imported when it is asked for: the artists bring the rules of every game with them.
    from astragal.show.artists import find_artist

    stage = msgspec.json.encode(find_artist(game.rules).stage(game))
    return {"title": game.title, "sides": list(game.sides), **msgspec.json.decode(stage)}


def on_sand(view: Area, board: Iterable[Markup]) -> Markup:
    """The group of a board on the ground that pictures have."""
    return group("board", box(*view, rx=10, fill=SAND), *board)
