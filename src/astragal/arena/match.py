"""A match: two agents, many games, in pairs with the same dice and the seats swapped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext

from astragal.agents.specs import parse_agent
from astragal.arena.chunks import Played, chunks_of, play_chunk
from astragal.arena.judging import values_of
from astragal.arena.result import MatchResult, joined
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.game import Game
from astragal.workers import Crew

# Called with all that has been played so far, whenever more has been.
Listener = Callable[[Sequence[Played]], None]


def play_match(
    game: Game,
    agents: tuple[str, str],
    settings: MatchSettings,
    tell: Listener = lambda parts: None,
    crew: Crew | None = None,
) -> MatchResult:
    """The result, of the games that were finished if it is interrupted or a process dies.

    If there are none, the interruption or an InputError is raised.
    """
    check_players(game, agents, settings)
    parts: list[Played] = []
    fault, began = None, time.perf_counter()
    try:
        with nullcontext(crew) if crew else Crew(settings.workers) as hired:
            for part in hired.each(play_chunk, chunks_of(game, agents, settings)):
                parts.append(part)
                tell(parts)
    except KeyboardInterrupt:
        if not parts:
            raise
    except BrokenExecutor as death:
        played = sum(len(part.numbers) for part in parts)
        fault = (
            f"A player process died in the match of {agents[0]} against {agents[1]}: "
            f"{played:,} of {settings.games:,} games were finished."
        )
        if not parts:
            raise InputError(fault) from death
    seconds = time.perf_counter() - began
    return MatchResult(game, agents, settings, joined(parts), seconds, fault)


def check_players(game: Game, agents: Sequence[str], settings: MatchSettings) -> None:
    """InputError if one of the agents does not exist, or the judge has no opinions."""
    for spec in agents:
        parse_agent(game, spec, settings.aim)
    if settings.judge is not None:
        values_of(parse_agent(game, settings.judge, settings.aim))
