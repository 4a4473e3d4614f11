"""Questions about a position: what it is, what can be played, what it is worth."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from astragal.arena.asking import evaluate as evaluated
from astragal.arena.asking import rank_plays, rank_rolls
from astragal.arena.judging import tells_gammons
from astragal.errors import InputError, quote
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Standing
from astragal.games.plays import legal_plays
from astragal.games.xgid import PREFIX
from astragal.play.choices import choices_of
from astragal.play.rules import rules_of
from astragal.play.table import halves_of
from astragal.serve.desk import Desk
from astragal.serve.messages import AskedPosition, AskedValue, Nothing, ShownPosition
from astragal.show.scene import Scene
from astragal.show.stage import stage_of

_ROLLS_PLIES = 1


async def catalogue(desk: Desk, _: str, asked: Nothing) -> list[dict[str, Any]]:
    """The games, and who can be played against."""
    return await desk.think(lambda: [_listed(desk, find_game(name)) for name in VARIANTS])


def _listed(desk: Desk, game: Game) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "sides": game.sides,
        "rolls": game.rolls,
        "chances": game.chances.tolist(),
        "most_points": max(game.outcomes),
        "start": game.notation.format_position(game.start, 0),
        "rules": rules_of(game),
        "opponents": [each._asdict() for each in desk.players.opponents(game)],
        "learners": [each._asdict() for each in desk.players.learners(game)],
    }


async def stage(desk: Desk, name: str, asked: Nothing) -> dict[str, Any]:
    """How the board of a game is drawn."""
    return await desk.think(lambda: stage_of(find_game(name)))


async def position(desk: Desk, _: str, asked: AskedPosition) -> ShownPosition:
    """A position in every form, and with a roll what can be played."""
    return await desk.think(lambda: _shown(asked))


def _shown(asked: AskedPosition) -> ShownPosition:
    game = find_game(asked.game)
    standing = _standing(game, asked)
    roll = _roll(game, asked)
    outcome = game.outcome_of(standing.position)
    is_over = outcome is not None
    return ShownPosition(
        game=game.name,
        position=game.notation.format_position(*standing),
        side=standing.side,
        roll=None if roll is None or is_over else game.rolls[roll],
        halves=halves_of(standing),
        status=Scene(game, *standing, roll=None if is_over else roll).status,
        points=None if outcome is None else outcome * (1 - 2 * standing.side),
        forms=game.notation.other_forms(*standing),
        choices=None if roll is None or is_over else choices_of(game, standing, roll),
    )


async def legal(desk: Desk, _: str, asked: AskedPosition) -> dict[str, Any]:
    """The plays of a position and a roll."""

    def work() -> dict[str, Any]:
        game, standing, roll = _turn(asked)
        plays = [play._asdict() for play in legal_plays(game, standing, roll)]
        position = game.notation.format_position(*standing)
        return {"position": position, "roll": game.rolls[roll], "plays": plays}

    return await desk.think(work)


async def evaluate(desk: Desk, _: str, asked: AskedValue) -> dict[str, Any]:
    """What a position is worth to the player about to roll."""

    def work() -> dict[str, Any]:
        game = find_game(asked.game)
        judge, agent = desk.players.chosen_judge(game, asked.agent, asked.aim)
        standing = _standing(game, asked)
        told = evaluated(agent, standing)
        return told | {"agent": judge.spec, "tells_gammons": tells_gammons(agent)}

    return await desk.ponder(work)


async def best(desk: Desk, _: str, asked: AskedValue) -> dict[str, Any]:
    """The plays of a position and a roll, the best first."""

    def work() -> dict[str, Any]:
        game, standing, roll = _turn(asked)
        judge, agent = desk.players.chosen_judge(game, asked.agent, asked.aim)
        ranked = rank_plays(agent, standing, roll, judge.aim)
        return ranked | {"agent": judge.spec, "aim": judge.aim}

    return await desk.ponder(work)


async def rolls(desk: Desk, _: str, asked: AskedValue) -> dict[str, Any]:
    """For every roll its best play, and what that is worth."""

    def work() -> dict[str, Any]:
        game = find_game(asked.game)
        spec = asked.agent
        if spec is not None and re.search(r"@[2-9]$", spec):
            spec = f"{spec[:-1]}{_ROLLS_PLIES}"  # twenty-one times as deep would take too long
        judge, agent = desk.players.chosen_judge(game, spec, asked.aim)
        standing = _going_on(game, _standing(game, asked))
        table = rank_rolls(agent, standing, judge.aim)
        return {"rolls": table, "agent": judge.spec, "aim": judge.aim}

    return await desk.ponder(work)


def _standing(game: Game, asked: AskedPosition) -> Standing:
    """The position that is asked about, or InputError."""
    if asked.position is not None:
        return _with_side(game, asked.position, asked.side)
    if asked.halves is None:
        return Standing(game.start, 0)
    size, most = game.width // 2, game.rules.pieces
    halves = asked.halves
    is_sound = len(halves) == 2 and all(
        len(half) == size and min(half) >= 0 and sum(half) <= most for half in halves
    )
    if not is_sound:
        raise InputError(
            f"{quote(halves)} is no position of {game.name}: expected two halves of {size} "
            f"numbers, none below 0, that add up to {most} at most."
        )
    mine, theirs = halves if asked.side == 0 else halves[::-1]
    position = np.array(mine + theirs, np.int8)
    # The text is checked as a person's would be, and must tell all that was given.
    text = game.notation.format_position(position, asked.side)
    standing = Standing(game.notation.parse_position(text).position, asked.side)
    if not np.array_equal(standing.position, position):
        raise InputError(
            f"{quote(halves)} is no position of {game.name}: expected what {quote(text)} tells, "
            f"{quote(halves_of(standing))}."
        )
    return standing


def _with_side(game: Game, text: str, side: int) -> Standing:
    """The position with this side to roll, if its text does not tell whose turn it is."""
    standing, write = game.notation.parse_position(text), game.notation.format_position
    tells = write(standing.position, 0) != write(standing.position, 1)
    return standing if tells or text.startswith(PREFIX) else Standing(standing.position, side)


def standing_of(game: Game, asked: AskedPosition) -> tuple[Standing, str | None]:
    """A position that goes on, and the roll that was told with it, or InputError."""
    roll = _roll(game, asked)
    return _going_on(game, _standing(game, asked)), None if roll is None else game.rolls[roll]


def _roll(game: Game, asked: AskedPosition) -> int | None:
    told = asked.roll or game.notation.roll_told_with(asked.position or "")
    if told is not None:
        return game.parse_roll(told)
    return 0 if len(game.rolls) == 1 else None


def _turn(asked: AskedPosition) -> tuple[Game, Standing, int]:
    game = find_game(asked.game)
    standing = _going_on(game, _standing(game, asked))
    roll = _roll(game, asked)
    if roll is None:
        raise InputError(f"No roll was given: expected one of {', '.join(game.rolls)}.")
    return game, standing, roll


def _going_on(game: Game, standing: Standing) -> Standing:
    if game.outcome_of(standing.position) is not None:
        position = game.notation.format_position(*standing)
        raise InputError(f"{quote(position)} is over: expected a position to play in.")
    return standing
