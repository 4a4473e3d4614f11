"""Positions to test with: those that random play meets, and boards scattered at random."""

from collections.abc import Callable, Iterator

import numpy as np

from astragal.games.game import Game, Positions, Rolls
from astragal.games.kernels import UNFINISHED
from reference import Play, Row


def walk(game: Game, games: int, turns: int, seed: int) -> Iterator[tuple[Positions, Rolls]]:
    """Unfinished positions [B, W] with rolls [B], turn by turn; a finished game begins anew."""
    luck = np.random.default_rng(seed)
    positions = np.repeat(game.start[np.newaxis], games, axis=0)
    for _ in range(turns):
        rolls = game.draw(luck, games)
        yield positions, rolls
        found = game.afterstates(positions, rolls)
        counts = np.bincount(found.owner)
        choice = np.cumsum(counts) - counts + luck.integers(counts)
        is_over = found.outcome[choice, np.newaxis] != UNFINISHED
        positions = np.where(is_over, game.start, found.positions[choice])


def rows_with_rolls(positions: Positions, rolls: Rolls, game: Game) -> list[tuple[Row, str]]:
    """Positions and rolls in the words of the reference engines."""
    pairs = zip(positions.tolist(), rolls.tolist(), strict=True)
    return [(tuple(position), game.rolls[roll]) for position, roll in pairs]


def walked(game: Game, count: int, seed: int = 1) -> list[tuple[Row, str]]:
    """So many positions and rolls that random play meets, in games of every age."""
    games = max(1, count // 100)
    turns = walk(game, games, -(-count // games), seed)
    return [pair for batch in turns for pair in rows_with_rolls(*batch, game)][:count]


def scattered_ur(game: Game, count: int, seed: int = 2) -> list[tuple[Row, str]]:
    """Ur with stones anywhere that the rules allow, as random play hardly ever has them."""
    luck = np.random.default_rng(seed)
    return list(_unfinished(game, count, luck, lambda: _scatter_ur(game, luck)))


def _scatter_ur(game: Game, luck: np.random.Generator) -> Row:
    length, stones = game.width // 2 - 2, int(game.start[0])
    meets = game.rules.meets  # type: ignore[attr-defined]
    halves = np.zeros((2, length + 2), np.int8)
    for side in (0, 1):
        for square in luck.permutation(length)[: luck.integers(stones + 1)] + 1:
            halves[side, square] = side == 0 or not (meets[square] and halves[0, meets[square]])
        left = stones - halves[side].sum()
        halves[side, 0] = luck.integers(left + 1)
        halves[side, -1] = left - halves[side, 0]
    return tuple(halves.ravel().tolist())


def scattered_backgammon(game: Game, count: int, seed: int = 3) -> list[tuple[Row, str]]:
    """Backgammon with checkers anywhere, often all near home, where the rules are subtlest."""
    luck = np.random.default_rng(seed)
    return list(_unfinished(game, count, luck, lambda: _scatter_backgammon(game, luck)))


def _scatter_backgammon(game: Game, luck: np.random.Generator) -> Row:
    checkers = int(game.start.sum()) // 2
    highest = int(luck.choice([6, 7, 9, 12, 24, 25, 25, 25]))
    halves = np.zeros((2, 26), np.int8)
    for side in (0, 1):
        places = luck.integers(0, highest + 1, luck.integers(1, 9))
        for place in luck.choice(places, checkers):
            is_taken = side == 1 and 1 <= place <= 24 and halves[0, 25 - place] > 0
            halves[side, 0 if is_taken else place] += 1
    return tuple(halves.ravel().tolist())


def _unfinished(
    game: Game, count: int, luck: np.random.Generator, scatter: Callable[[], Row]
) -> Iterator[tuple[Row, str]]:
    while count:
        row = scatter()
        if game.outcome_of(np.array(row, np.int8)) is None:
            count -= 1
            yield row, game.rolls[luck.integers(len(game.rolls))]


def plays_of(game: Game, position: Row, roll: str) -> set[Play]:
    """What the fast engine finds, in the words of the reference engines, each once."""
    found = game.afterstates_of(np.array(position, np.int8), game.parse_roll(roll))
    plays = [
        Play(tuple(after), bool(passes), None if outcome == UNFINISHED else int(outcome))
        for after, passes, outcome in zip(
            found.positions.tolist(), found.turn_passes, found.outcome, strict=True
        )
    ]
    assert len(set(plays)) == len(plays), f"an afterstate comes twice: {position} {roll}"
    return set(plays)
