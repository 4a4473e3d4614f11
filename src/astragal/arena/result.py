"""What came out of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astragal.arena.chunks import Played
from astragal.arena.estimates import Estimate, estimate
from astragal.arena.mistakes import Tally
from astragal.arena.records import Record
from astragal.arena.settings import MatchSettings
from astragal.games.game import Game

_COLUMNS = ("numbers", "outcomes", "turns", "moves", "luck", "lost", "decisions")


def joined(parts: Sequence[Played]) -> Played:
    """The games of all parts, in order."""
    ordered = sorted(parts, key=lambda part: int(part.numbers[0]))
    records = [record for part in ordered for record in part.records]
    columns = {name: np.concatenate([getattr(part, name) for part in ordered]) for name in _COLUMNS}
    mistakes = Tally()
    for part in ordered:
        mistakes.join(part.mistakes)
    return Played(mistakes=mistakes, records=records, **columns)


@dataclass(frozen=True)
class MatchResult:
    """The games that were finished; all points are those of the first agent."""

    game: Game
    agents: tuple[str, str]
    settings: MatchSettings
    played: Played
    seconds: float
    fault: str | None = None
    """Why it ended early, where that was nobody's wish."""

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """What each game counted [G]: with the aim to win, 1 for any win and -1 for any loss."""
        outcomes = self.played.outcomes.astype(np.float64)
        return outcomes if self.settings.aim == "points" else np.sign(outcomes)

    def of_seat(self, seat: int) -> MatchResult:
        """Only the games in which the first agent began, seat 0, or those in which it did not."""
        rows = np.flatnonzero(self.played.numbers % 2 == seat)
        columns = {name: getattr(self.played, name)[rows] for name in _COLUMNS}
        records = [self.played.records[row] for row in rows] if self.played.records else []
        return replace(self, played=self.played._replace(**columns, records=records))

    @property
    def games(self) -> int:
        """How many games were finished."""
        return len(self.played.outcomes)

    @property
    def is_complete(self) -> bool:
        """Whether that is all of them."""
        return self.games == self.settings.games

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, draws and losses."""
        won, lost = int((self.played.outcomes > 0).sum()), int((self.played.outcomes < 0).sum())
        return won, self.games - won - lost, lost

    @property
    def points_a_game(self) -> Estimate:
        """As the games went."""
        return self._estimate(self.points, unseen=1.0)

    @property
    def adjusted_points(self) -> Estimate | None:
        """With the luck of the dice taken out, if a judge was asked."""
        if self.settings.judge is None:
            return None
        return self._estimate(self.points - self.played.luck)

    @property
    def win_rate(self) -> Estimate:
        """The share of games won, a draw counted as half a win."""
        return self._estimate((1 + np.sign(self.played.outcomes)) / 2, unseen=0.5)

    @property
    def adjusted_win_rate(self) -> Estimate | None:
        """The same with the luck taken out, if a judge was asked and every win counts the same."""
        adjusted = self.adjusted_points
        counts_more = self.settings.aim == "points" and max(self.game.outcomes) > 1
        if adjusted is None or counts_more:
            return None
        return Estimate((1 + adjusted.mean) / 2, adjusted.margin / 2)

    def lost_a_game(self, agent: int) -> Estimate | None:
        """What the choices of the first agent, 0, or the second gave away, if a judge was asked."""
        return None if self.settings.judge is None else self._estimate(self.played.lost[:, agent])

    def lost_a_decision(self, agent: int) -> float | None:
        """The same by the turns in which there was more than one play."""
        if self.settings.judge is None:
            return None
        return float(self.played.lost[:, agent].sum() / max(1, self.decisions(agent)))

    def decisions(self, agent: int) -> int:
        """In how many turns an agent had more than one play, if a judge was asked."""
        return int(self.played.decisions[:, agent].sum())

    @property
    def first_mover(self) -> Estimate:
        """Points a game of whichever agent began."""
        signed = np.where(self.played.numbers % 2 == 0, self.points, -self.points)
        return self._estimate(signed, unseen=1.0)

    def _estimate(self, amounts: NDArray[np.float64], unseen: float | None = None) -> Estimate:
        return estimate(amounts, self.played.numbers // 2, unseen)

    def records(self) -> list[Record]:
        """The games with dice and moves, if they were kept."""
        return [self._record(row, turns) for row, turns in enumerate(self.played.records)]

    def _record(self, row: int, turns: list[tuple[str, str]]) -> Record:
        number, outcome = int(self.played.numbers[row]), int(self.played.outcomes[row])
        swapped = number % 2
        return Record(
            game=self.game.name,
            version=self.game.version,
            agents=(self.agents[swapped], self.agents[1 - swapped]),
            turns=turns,
            outcome=-outcome if swapped else outcome,
            number=number + 1,
            seed=self.settings.seed,
        )

    def _gave_away(self, agent: int) -> dict[str, Any] | None:
        a_game = self.lost_a_game(agent)
        if a_game is None:
            return None
        return {
            "decisions": self.decisions(agent),
            "points_a_decision": self.lost_a_decision(agent),
            "points_a_game": a_game.as_dict(),
        }

    def as_dict(self) -> dict[str, Any]:
        """All of it for JSON, but not the games themselves."""
        won, drawn, lost = self.counts
        turns, moves = self.played.turns, int(self.played.moves.sum())
        outcomes = self.played.outcomes
        adjusted = self.adjusted_points
        return {
            "game": self.game.name,
            "version": self.game.version,
            "agents": self.agents,
            "aim": self.settings.aim,
            "seed": self.settings.seed,
            "games": self.games,
            "is_complete": self.is_complete,
            "fault": self.fault,
            "wins": won,
            "draws": drawn,
            "losses": lost,
            "outcomes": {points: int((outcomes == points).sum()) for points in self.game.outcomes},
            "win_rate": self.win_rate.as_dict(),
            "points_a_game": self.points_a_game.as_dict(),
            "judge": self.settings.judge,
            "luck_adjusted_points_a_game": adjusted.as_dict() if adjusted else None,
            "gave_away": [self._gave_away(agent) for agent in (0, 1)],
            "first_mover_points_a_game": self.first_mover.as_dict(),
            "turns_a_game": {
                "mean": float(turns.mean()),
                "shortest": int(turns.min()),
                "longest": int(turns.max()),
            },
            "moves": moves,
            "seconds": self.seconds,
            "moves_per_second": moves / self.seconds,
            "games_per_second": self.games / self.seconds,
        }
