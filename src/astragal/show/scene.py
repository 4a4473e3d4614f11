"""A position as a picture: what stands where, whose turn it is, and what to point at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from astragal.errors import InputError, quote

if TYPE_CHECKING:
    from collections.abc import Collection

    from rich.text import Text

    from astragal.games.game import Game, Positions
    from astragal.show.artists import Artist


@dataclass(frozen=True, eq=False)
class Scene:
    """A position as a picture, drawn the same way round whoever is to move."""

    game: Game
    position: Positions
    """[W], seen by the player about to roll."""
    side: int
    """Who is about to roll: 0 for game.sides[0], else 1."""
    roll: int | None = None
    """The index of the roll, shown as dice when given."""
    marks: frozenset[str] = frozenset()
    """Squares, points or cells to point at, as the mover writes them."""
    caption: str = ""

    def text(self) -> Text:
        """The picture for a terminal, at most 78 columns wide, readable without its colours."""
        return self._artist.text(self)

    def svg(self) -> str:
        """The picture as one SVG element that needs nothing else."""
        return self._artist.svg(self)

    def __str__(self) -> str:
        return self.text().plain

    def _repr_svg_(self) -> str:
        return self.svg()

    @property
    def _artist(self) -> Artist:
        # Imported when something is drawn: the artists bring the rules of every game with them.
        from astragal.show.artists import find_artist

        return find_artist(self.game.rules)

    @property
    def halves(self) -> Positions:
        """The position as [2, W / 2], the half of game.sides[0] first."""
        halves = self.position.reshape(2, -1)
        return halves[::-1] if self.side else halves

    @cached_property
    def status(self) -> str:
        """Whose turn it is and what was rolled, or how the game ended."""
        outcome = self.game.outcome_of(self.position)
        if outcome is not None:
            return self._ending(abs(outcome))
        mover = self.game.sides[self.side]
        if len(self.game.rolls) == 1:
            return f"{mover} to move"
        if self.roll is None:
            return f"{mover} to roll"
        return f"{mover} rolled {self.game.rolls[self.roll]}"

    def _ending(self, points: int) -> str:
        if self.lead is None:
            return "a draw"
        winner = self.game.sides[self.lead]
        if max(self.game.outcomes) == 1:
            return f"{winner} won"
        return f"{winner} won {points} point{'s' if points > 1 else ''}"

    @cached_property
    def lead(self) -> int | None:
        """The side that the status tells of: the one to move or the winner, None after a draw."""
        outcome = self.game.outcome_of(self.position)
        if outcome == 0:
            return None
        return 1 - self.side if outcome is not None and outcome < 0 else self.side

    @property
    def title(self) -> str:
        """The game and the status."""
        return f"{self.game.title}: {self.status}"

    @property
    def text_form(self) -> str:
        """The position as its notation writes it."""
        return self.game.notation.format_position(self.position, self.side)

    def checked_marks(self, known: Collection[str]) -> list[str]:
        """The marks in a fixed order, or InputError for one that this game has no place for."""
        for mark in sorted(self.marks):
            if mark not in known:
                raise InputError(f"{quote(mark)} is not a place on the board of {self.game.name}.")
        return sorted(self.marks)


def picture(game: str | Game, position: str | None = None, roll: str | None = None) -> Scene:
    """The scene that the text forms tell: a game, a position (the start) and a roll (none yet)."""
    if isinstance(game, str):
        from astragal.games.catalogue import find_game

        game = find_game(game)
    index = None if roll is None else game.parse_roll(roll)
    if position is None:
        return Scene(game, game.start, 0, index)
    standing = game.notation.parse_position(position)
    return Scene(game, standing.position, standing.side, index)
