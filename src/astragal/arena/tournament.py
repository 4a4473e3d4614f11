"""A round robin: every agent plays a match with every other, and all are rated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from astragal.arena.chunks import Played
from astragal.arena.match import check_players, play_match
from astragal.arena.rating import Ratings, rate
from astragal.arena.records import format_records
from astragal.arena.report import report_page
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError, quote
from astragal.files import write_text
from astragal.games.game import Game
from astragal.workers import Crew

# Called with the number of the match, counted from 0, and what of it has been played.
Listener = Callable[[int, Sequence[Played]], None]


@dataclass(frozen=True)
class Tournament:
    """The matches that were played, all of them unless one was cut short."""

    game: Game
    agents: tuple[str, ...]
    settings: MatchSettings
    matches: list[MatchResult] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @cached_property
    def tables(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each scored against each, wins and half the draws, of so many games [A, A]."""
        scores, games = np.zeros((2, len(self.agents), len(self.agents)))
        for match in self.matches:
            i, j = (self.agents.index(agent) for agent in match.agents)
            won, drawn, lost = match.counts
            scores[i, j], scores[j, i] = won + drawn / 2, lost + drawn / 2
            games[i, j] = games[j, i] = match.games
        return scores, games

    @cached_property
    def ratings(self) -> Ratings:
        """Elo of each agent, in their order."""
        return rate(*self.tables)

    @property
    def fault(self) -> str | None:
        """Why it ended early, where that was nobody's wish."""
        return self.faults[0] if self.faults else self.matches[-1].fault

    @property
    def is_complete(self) -> bool:
        """Whether everyone played everyone to the end."""
        pairings = len(self.agents) * (len(self.agents) - 1) // 2
        return len(self.matches) == pairings and all(match.is_complete for match in self.matches)

    def standings(self) -> list[dict[str, Any]]:
        """One line for each agent that has played, the best first."""
        scores, games = (table.sum(axis=1) for table in self.tables)
        order = np.argsort(-self.ratings.elo, kind="stable")
        return [
            {
                "agent": self.agents[i],
                "elo": float(self.ratings.elo[i]),
                "margin": float(self.ratings.margin[i]),
                "games": int(games[i]),
                "score": float(scores[i]),
            }
            for i in order
            if games[i]
        ]

    def as_dict(self) -> dict[str, Any]:
        """The standings for JSON."""
        return {
            "game": self.game.name,
            "aim": self.settings.aim,
            "seed": self.settings.seed,
            "games_a_match": self.settings.games,
            "is_complete": self.is_complete,
            "fault": self.fault,
            "standings": self.standings(),
            "matches": [match.as_dict() for match in self.matches],
        }

    def save(self, folder: Path) -> None:
        """Writes the matches, the report page, and the games if they were kept."""
        lines = [msgspec.json.encode(match.as_dict()).decode() + "\n" for match in self.matches]
        page = report_page(self.game, self.standings(), self.matches)
        texts = {"matches.jsonl": "".join(lines), "report.html": page}
        if self.settings.keeps_records:
            texts["games.jsonl"] = "".join(
                format_records(match.records()) for match in self.matches
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                write_text(folder / name, text)
        except OSError as fault:
            raise InputError(f"{folder} cannot be written to: {fault.strerror}.") from fault


def play_tournament(
    game: Game,
    agents: tuple[str, ...],
    settings: MatchSettings,
    tell: Listener = lambda number, parts: None,
    crew: Crew | None = None,
) -> Tournament:
    """A match of so many games for each two agents; what was played, if it is interrupted."""
    _check_field(agents)
    check_players(game, agents, settings)
    result = Tournament(game, agents, settings)
    with nullcontext(crew) if crew else Crew(settings.workers) as hired:
        for number, two in enumerate(itertools.combinations(agents, 2)):
            own = replace(settings, seed=_seed_of(settings.seed, number))
            try:
                match = play_match(game, two, own, partial(tell, number), hired)
            except (KeyboardInterrupt, InputError) as fault:
                if not result.matches:
                    raise
                result.faults.extend([str(fault)] if isinstance(fault, InputError) else [])
                break
            result.matches.append(match)
            if not match.is_complete:
                break
    return result


def _check_field(agents: tuple[str, ...]) -> None:
    if len(agents) < 2:
        raise InputError(f"{len(agents)} agents make no tournament: expected two or more.")
    for agent in agents:
        if agents.count(agent) > 1:
            raise InputError(f"{quote(agent)} is there twice: expected every agent once.")


def _seed_of(seed: int, number: int) -> int:
    """Each match has dice of its own, or the ratings would share their luck."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
