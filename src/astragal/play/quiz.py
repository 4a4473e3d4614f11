"""Positions where the choice matters, to think over: asked, answered and explained."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from astragal.agents.agent import Agent
from astragal.agents.playing import play_game
from astragal.agents.specs import parse_agent
from astragal.arena.asking import rank_plays
from astragal.arena.mistakes import CAPTURES, deeds_of
from astragal.errors import InputError, quote
from astragal.files import write_bytes
from astragal.games.game import Afterstates, Game, Positions, Standing
from astragal.games.kernels import UNFINISHED
from astragal.values.values import Aim

LEAST = 0.02
"""What the second best play gives away at least, in points: else the choice would not matter."""
FEWEST_PLAYS = 2
_MOST_GAMES = 200  # without a question, after which none is to be expected
_PLAYER = "expert"  # who plays the games that the positions come from


class Question(NamedTuple):
    """What to play with this roll, and what each play is worth."""

    standing: Standing
    roll: int
    plays: list[dict[str, Any]]
    """As `astragal best` answers: the best first."""
    deeds: dict[str, str]
    """What each move does, in a few words."""
    risks: dict[str, float]
    """How likely the other side's next roll lets it capture something after each move."""

    def play_of(self, move: str) -> dict[str, Any]:
        """What is known of one of the moves."""
        return next(play for play in self.plays if play["move"] == move)


def questions(game: Game, judge: Agent, aim: Aim, seed: int) -> Iterator[Question]:
    """Questions without end, one from each game that the machine plays against itself."""
    luck = np.random.default_rng(seed)
    player = parse_agent(game, _PLAYER, aim)
    without = 0
    while without < _MOST_GAMES:
        found = list(_of_game(game, player, judge, aim, luck))
        without = 0 if found else without + 1
        if found:
            yield found[int(luck.integers(len(found)))]
    raise InputError(
        f"No choice in {_MOST_GAMES} games of {game.name} mattered: expected a game with more to "
        "choose."
    )


def _of_game(
    game: Game, player: Agent, judge: Agent, aim: Aim, luck: np.random.Generator
) -> Iterator[Question]:
    """Every turn of one game in which the choice mattered."""
    standing = Standing(game.start, 0)
    for turn in play_game(game, (player, player), luck):
        question = _asked(game, judge, aim, standing, turn.roll)
        if question is not None:
            yield question
        standing = turn.after


def _asked(game: Game, judge: Agent, aim: Aim, standing: Standing, roll: int) -> Question | None:
    found = game.afterstates_of(standing.position, roll)
    if len(found.positions) < FEWEST_PLAYS:
        return None
    plays = rank_plays(judge, standing, roll, aim)["plays"]
    if plays[1]["loss"] < LEAST:
        return None
    moves = game.notation.format_moves(*standing, roll, found)
    deeds = deeds_of(game, standing.position, found)
    risks = risks_of(game, found)
    return Question(
        standing,
        roll,
        plays,
        dict(zip(moves, deeds, strict=True)),
        dict(zip(moves, risks, strict=True)),
    )


def risks_of(game: Game, found: Afterstates) -> list[float]:
    """How likely the next roll lets whoever moves next capture something, after each play.

    Nothing is at risk where the same player rolls again, or where the game is over.
    """
    return [
        _capture_chance(game, position) if passes and outcome == UNFINISHED else 0.0
        for position, _, passes, outcome in zip(*found, strict=True)
    ]


def _capture_chance(game: Game, position: Positions) -> float:
    chance = 0.0
    for roll, often in enumerate(game.chances):
        deeds = deeds_of(game, position, game.afterstates_of(position, roll))
        chance += float(often) * any(deed in CAPTURES for deed in deeds)
    return chance


class Score(msgspec.Struct):
    """How somebody did in the quiz of one game."""

    asked: int = 0
    right: int = 0
    lost: float = 0.0
    """Points given away in all."""

    def note(self, lost: float) -> None:
        """Counts an answer that gave away so much."""
        self.asked += 1
        self.right += lost == 0
        self.lost += lost

    def __str__(self) -> str:
        if self.asked == 0:
            return "nothing answered yet"
        share = self.right / self.asked
        return (
            f"{self.right} of {self.asked} right ({share:.0%}), "
            f"{self.lost / self.asked:.3f} points given away each"
        )


class Scores:
    """The scores of all games, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._scores = self._read()

    def of(self, game: str) -> Score:
        """The score of a game."""
        return self._scores.get(game, Score())

    def note(self, game: str, lost: float) -> None:
        """Counts an answer beside whatever others have been counted since, and keeps it."""
        self._scores = self._read()
        self._scores.setdefault(game, Score()).note(lost)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(self._path, msgspec.json.format(msgspec.json.encode(self._scores)))
        except OSError as fault:
            raise InputError(
                f"{quote(self._path, 200)} cannot be written ({fault.strerror})."
            ) from fault

    def _read(self) -> dict[str, Score]:
        if not self._path.exists():
            return {}
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Score])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise InputError(
                f"{quote(self._path, 200)} does not hold scores ({fault}): expected a file that "
                "`astragal quiz` wrote; remove it to begin anew."
            ) from fault
