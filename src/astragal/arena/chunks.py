"""Some games of a match, played in step by one process: each turn, one choice for all of them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from astragal.agents.agent import Agent, first_of_each
from astragal.agents.specs import parse_agent
from astragal.arena.dice import PairedDice, players_luck
from astragal.arena.judging import Judge, values_of
from astragal.arena.mistakes import Tally, Turns
from astragal.arena.records import written_turns
from astragal.arena.settings import MatchSettings
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Game, Positions, Rolls, other_view
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import Luck
from astragal.values.values import Aim

_FEWEST_CHUNKS = 12  # so that all cores have work to the end, and news comes often
_MOST_GAMES = 500
_MOST_SLOW_GAMES = 20  # of agents that look ahead: an interruption keeps whole chunks only


class Chunk(NamedTuple):
    """What a process has to be told to play some games of a match."""

    game: str
    agents: tuple[str, str]
    settings: MatchSettings
    number: int
    games: range


class Played(NamedTuple):
    """Finished games, in order; points and luck are those of the match's first agent."""

    numbers: NDArray[np.int64]  # [G] the first agent begins those that are even
    outcomes: NDArray[np.int8]  # [G] in points
    turns: NDArray[np.int32]  # [G]
    moves: NDArray[np.int32]  # [G] turns without those in which nothing could be played
    luck: NDArray[np.float64]  # [G] in what the aim counts, zero without a judge
    lost: NDArray[np.float64]  # [G, 2] what each agent's choices gave away, zero without a judge
    decisions: NDArray[np.int32]  # [G, 2] how often each had more than one play
    mistakes: Tally  # those of the first agent, if they were to be kept
    records: list[list[tuple[str, str]]]  # [G] roll and move of each turn, or nothing at all


def chunks_of(game: Game, agents: tuple[str, str], settings: MatchSettings) -> list[Chunk]:
    """The match in chunks of whole pairs; how they are cut depends on the settings alone."""
    told = (*agents, settings.judge or "")
    is_slow = any(re.search("@|gnubg|pubeval|rollout|tree", spec) for spec in told)
    most = _MOST_SLOW_GAMES if is_slow else _MOST_GAMES
    size = min(most, max(2, settings.games // _FEWEST_CHUNKS // 2 * 2))
    begins = range(0, settings.games, size)
    return [
        Chunk(game.name, agents, settings, number, range(begin, min(begin + size, settings.games)))
        for number, begin in enumerate(begins)
    ]


@functools.lru_cache(maxsize=16)
def _agent(game: str, spec: str, aim: Aim) -> Agent:
    return parse_agent(find_game(game), spec, aim)


def _judge(chunk: Chunk) -> Judge | None:
    spec, settings = chunk.settings.judge, chunk.settings
    if spec is None:
        return None
    return Judge(values_of(_agent(chunk.game, spec, settings.aim)), settings.aim)


@dataclass
class _Step:
    """The games that are still going on, all at the same turn."""

    positions: Positions  # [B, W]
    sides: NDArray[np.int64]  # [B] which seat rolls
    numbers: NDArray[np.int64]  # [B] which games they are, counted from 0 in the chunk

    @property
    def movers(self) -> NDArray[np.int64]:
        """Which agent rolls [B]: seats alternate from game to game."""
        result: NDArray[np.int64] = self.sides ^ (self.numbers & 1)
        return result


@dataclass
class _Ledger:
    """What became of the games, and on demand what happened in them."""

    played: Played
    keeps_log: bool
    log: list[tuple[NDArray[np.int64], Rolls, NDArray[np.int64]]] = field(default_factory=list)

    def turn(self, step: _Step, rolls: Rolls, choice: NDArray[np.int64]) -> None:
        if self.keeps_log:
            self.log.append((step.numbers, rolls, choice))

    def records(self, game: Game) -> list[list[tuple[str, str]]]:
        """Roll and move of every turn of every game."""
        if not self.keeps_log:
            return []
        numbers, rolls, choices = (np.concatenate(column) for column in zip(*self.log, strict=True))
        of_game = [np.flatnonzero(numbers == i) for i in range(len(self.played.numbers))]
        return [written_turns(game, rolls[rows], choices[rows]) for rows in of_game]


def play_chunk(chunk: Chunk) -> Played:
    """Plays the games to their end."""
    game, settings = find_game(chunk.game), chunk.settings
    agents = [_agent(chunk.game, spec, settings.aim) for spec in chunk.agents]
    judge, luck = _judge(chunk), players_luck(settings.seed, chunk.number)
    pairs = range(chunk.games.start // 2, (chunk.games.stop + 1) // 2)
    dice = PairedDice(game, settings.seed, pairs)
    ledger = _Ledger(_nothing_played(chunk.games), settings.keeps_records)
    step = _first_step(game, len(chunk.games))
    turn = 0
    while len(step.numbers):
        rolls = dice.rolls(turn)[step.numbers // 2]
        choice = _chosen(agents, step, rolls, luck)
        found = game.afterstates(step.positions, rolls)
        begins = first_of_each(found.owner, len(rolls))
        if judge is not None:
            turns = Turns(step.positions, step.sides, rolls, found, begins, choice)
            opening, keeps = turn == 0, settings.keeps_mistakes
            _note_judgement(judge, turns, step, ledger.played, opening, keeps)
        ledger.turn(step, rolls, choice)
        step = _next_step(step, found, begins + choice, ledger.played)
        turn += 1
    return ledger.played._replace(records=ledger.records(game))


def _note_judgement(
    judge: Judge, turns: Turns, step: _Step, played: Played, opening: bool, keeps_mistakes: bool
) -> None:
    """Adds up luck and what was given away."""
    movers = step.movers
    judgement = judge.look(turns.positions)
    gained = judgement.luck(turns.rolls, opening=opening)
    played.luck[step.numbers] += np.where(movers == 0, gained, -gained)
    worth = judge.worth(turns.found, turns.begins + turns.choice)
    # Rounding apart, nothing is worth more than the best.
    lost = np.maximum(0.0, judgement.best(turns.rolls) - worth)
    played.lost[step.numbers, movers] += lost
    is_real = np.diff([*turns.begins, len(turns.found.owner)]) > 1
    played.decisions[step.numbers, movers] += is_real
    if keeps_mistakes:
        rows = np.flatnonzero(is_real & (movers == 0))
        played.mistakes.add(judge, turns, rows, lost[rows])


def _nothing_played(games: range) -> Played:
    turns, moves = np.zeros((2, len(games)), np.int32)
    outcomes = np.full(len(games), UNFINISHED, np.int8)
    lost, decisions = np.zeros((len(games), 2)), np.zeros((len(games), 2), np.int32)
    luck = np.zeros(len(games))
    return Played(np.array(games), outcomes, turns, moves, luck, lost, decisions, Tally(), [])


def _first_step(game: Game, count: int) -> _Step:
    positions = np.repeat(game.start[np.newaxis], count, axis=0)
    return _Step(positions, np.zeros(count, np.int64), np.arange(count))


def _chosen(agents: list[Agent], step: _Step, rolls: Rolls, luck: Luck) -> NDArray[np.int64]:
    choice = np.empty(len(rolls), np.int64)
    movers = step.movers
    for i, agent in enumerate(agents):
        rows = np.flatnonzero(movers == i)
        if len(rows):
            choice[rows] = agent.choose(step.positions[rows], rolls[rows], luck)
    return choice


def _next_step(step: _Step, found: Afterstates, rows: NDArray[np.int64], played: Played) -> _Step:
    """The games that go on after these choices; the others go into what was played."""
    positions, outcomes = found.positions[rows], found.outcome[rows]
    played.turns[step.numbers] += 1
    played.moves[step.numbers] += (positions != other_view(step.positions)).any(axis=1)
    after = _Step(positions, step.sides ^ found.turn_passes[rows], step.numbers)
    over, on = outcomes != UNFINISHED, outcomes == UNFINISHED
    # An outcome belongs to whoever would roll next.
    points = np.where(after.movers == 0, outcomes, -outcomes)
    played.outcomes[step.numbers[over]] = points[over]
    return _Step(positions[on], after.sides[on], after.numbers[on])
