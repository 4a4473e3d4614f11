"""What may be asked of `/api/`, checked before anything is done, and what it answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from astragal.arena.records import Record
from astragal.play.table import Halves, ShownGame, ShownTurn

Name = Annotated[str, Meta(max_length=60)]
Text = Annotated[str, Meta(max_length=200)]
Seed = Annotated[int, Meta(ge=0, lt=2**53)]
Units = Annotated[int, Meta(ge=1, le=512)]
Turn = Annotated[int, Meta(ge=0, le=100_000)]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A question; a field that nobody knows is refused."""


class Nothing(Asked):
    """A question without fields."""


# Games


class NewGame(Asked):
    """A game to be played."""

    game: Name
    players: tuple[Name, Name]
    """Who plays each side, the one that begins first: `human` or an agent."""
    seed: Seed | None = None
    """For the dice; without one nobody knows them beforehand."""


class At(Asked):
    """A deed at a turn; refused with 409 if the game has gone on since."""

    turn: Turn
    """How many turns have been played."""


class Move(At):
    """A person's move."""

    move: Text
    """As people write it, such as `d2` or `24/18 13/11`."""


class Resignation(At):
    """A person gives up."""

    points: Annotated[int, Meta(ge=1, le=3)] = 1


class Since(Asked):
    """From which turn on the turns are wanted."""

    since: Turn = 0


class RecordForm(Asked):
    """In which form a game is wanted."""

    form: Literal["jsonl", "mat"] = "jsonl"


class KeptGame(msgspec.Struct):
    """A game by its name, with all that can be seen of it."""

    id: str
    shown: ShownGame


class ListedGame(msgspec.Struct):
    """A game in a list."""

    id: str
    game: str
    title: str
    players: tuple[str, str]
    turns: int
    points: int | None
    changed: float
    """When it was last played at, in seconds since 1970."""


# Positions


class AskedPosition(Asked):
    """A position, as text or as what stands where."""

    game: Name
    position: Text | None = None
    """The game's text form; in backgammon an XGID too. Without it, the halves or the start."""
    halves: (
        Annotated[list[Annotated[list[int], Meta(max_length=64)]], Meta(max_length=2)] | None
    ) = None
    """What stands on each place, side 0's half first."""
    side: Annotated[int, Meta(ge=0, le=1)] = 0
    """Who is to roll, where halves are given."""
    roll: Name | None = None


class AskedValue(AskedPosition):
    """A position, and who is asked about it."""

    agent: Name | None = None
    """Such as `champion@1` or `run:NAME`; without one, whoever knows best."""
    aim: Literal["points", "win"] | None = None


class ShownPosition(msgspec.Struct):
    """A position in every form."""

    game: str
    position: str
    side: int
    roll: str | None
    halves: Halves
    status: str
    points: int | None
    """What the game counts for side 0 if it is over."""
    forms: dict[str, str]
    choices: dict[str, Any] | None


# Records


class AskedRecords(Asked):
    """Games as a file holds them: lines of JSON, or a `.mat` match."""

    text: Annotated[str, Meta(max_length=900_000)]


class AskedAnalysis(Asked):
    """A game to be judged."""

    record: Record
    agent: Name | None = None


class OpenedGame(msgspec.Struct):
    """A game of a record, turn by turn."""

    record: Record
    title: str
    sides: tuple[str, str]
    start: Halves
    turns: list[ShownTurn]
    status: str


# Slow questions


class AskedJob(AskedValue):
    """A question that takes its time."""

    kind: Literal["rollout", "evaluate", "best"] = "rollout"
    games: Annotated[int, Meta(ge=36, le=10_000)] = 324


# Training


class NewRun(Asked):
    """A net to be taught."""

    game: Name
    learner: Literal["td", "mc", "lookahead"] = "td"
    hidden: Annotated[tuple[Units, ...], Meta(min_length=1, max_length=4)] = (40,)
    games: Annotated[int, Meta(ge=100, le=2_000_000)] = 50_000
    alpha: Annotated[float, Meta(gt=0, le=10)] | None = None
    seed: Seed | None = None


class Fault(msgspec.Struct):
    """What was wrong, as a sentence."""

    error: str
