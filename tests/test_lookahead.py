"""Look-ahead agrees with a plain search, one position at a time, straight from its definition."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from astragal.agents.searching import SearchingAgent
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.search.lookahead import ALL_PLAYS, Filter, Lookahead, look_ahead
from astragal.search.rows import best_of_groups, distinct_rows, kept_of_groups
from astragal.values.heuristics import heuristic
from astragal.values.values import Aim, Values, score_for
from positions import scattered_backgammon, scattered_ur, walked
from reference import Row, tictactoe
from small_games import minimax, unfinished_tictactoe

NARROW = Filter(keep=2, margin=0.05)

unhurried = settings(deadline=None)  # what is tested may have to be compiled first


class Reply(NamedTuple):
    """A play, with what it is worth to whoever makes it at once."""

    position: Row
    turn_passes: bool
    outcome: int
    score: float


@dataclass
class PlainSearch:
    """Look-ahead by recursion."""

    values: Values
    aim: Aim
    only: Filter
    opinions: dict[Row, list[float]] = field(default_factory=dict)

    def chances(self, position: Row, plies: int) -> list[float]:
        """For the player about to roll."""
        if plies == 0:
            return self.opinion(position)
        total = [0.0] * len(self.values.game.outcomes)
        for roll, odds in enumerate(self.values.game.chances):
            best = self.after_best_reply(position, roll, plies)
            total = [so_far + odds * chance for so_far, chance in zip(total, best, strict=True)]
        return total

    def after_best_reply(self, position: Row, roll: int, plies: int) -> list[float]:
        replies = list(self.replies(position, roll))
        if plies > 1:
            replies.sort(key=lambda reply: -reply.score)
            worth_it = replies[0].score - self.only.margin
            replies = [reply for reply in replies[: self.only.keep] if reply.score >= worth_it]
        return max((self.after(reply, plies - 1) for reply in replies), key=self.score)

    def replies(self, position: Row, roll: int) -> Iterator[Reply]:
        found = self.values.game.afterstates_of(np.array(position, np.int8), roll)
        for after, passes, outcome in zip(
            found.positions.tolist(), found.turn_passes, found.outcome, strict=True
        ):
            reply = Reply(tuple(after), passes, outcome, 0.0)
            yield reply._replace(score=self.score(self.after(reply, 0)))

    def after(self, reply: Reply, plies: int) -> list[float]:
        """The chances of the player who makes this reply."""
        if reply.outcome != UNFINISHED:
            chances = [float(points == reply.outcome) for points in self.values.game.outcomes]
        else:
            chances = self.chances(reply.position, plies)
        return chances[::-1] if reply.turn_passes else chances

    def score(self, chances: list[float]) -> float:
        worth = score_for(self.values.game, self.aim)
        return sum(chance * float(points) for chance, points in zip(chances, worth, strict=True))

    def opinion(self, position: Row) -> list[float]:
        if position not in self.opinions:
            one = np.array([position], np.int8)
            self.opinions[position] = self.values.chances(one)[0].tolist()
        return self.opinions[position]


def sample(game: Game, count: int) -> list[Row]:
    """Half of random play, half scattered where that makes sense."""
    rows = walked(game, count // 2, seed=31)
    if game.name.startswith("ur"):
        rows += scattered_ur(game, count - count // 2, seed=32)
    elif game.name == "hypergammon":
        rows += scattered_backgammon(game, count - count // 2, seed=33)
    else:
        rows += walked(game, count - count // 2, seed=34)
    return [position for position, _ in rows]


def as_array(rows: list[Row]) -> Positions:
    return np.array(rows, np.int8)


@pytest.mark.parametrize(
    ("name", "thumb", "plies", "count", "only", "aim"),
    [
        ("ur", "pips", 1, 1_000, ALL_PLAYS, "points"),
        ("ur", "pips", 2, 80, ALL_PLAYS, "win"),
        ("ur", "material", 2, 400, NARROW, "points"),
        ("ur", "material", 3, 8, NARROW, "points"),
        ("ur:blitz", "pips", 1, 1_000, NARROW, "win"),
        ("ur:blitz", "material", 2, 60, ALL_PLAYS, "points"),
        ("ur:blitz", "pips", 2, 400, NARROW, "points"),
        ("tictactoe", "pips", 1, 1_000, ALL_PLAYS, "points"),
        ("tictactoe", "material", 2, 1_000, ALL_PLAYS, "win"),
        ("tictactoe", "pips", 2, 1_000, NARROW, "points"),
        ("tictactoe", "pips", 3, 100, NARROW, "points"),
        ("hypergammon", "pips", 1, 150, ALL_PLAYS, "points"),
        ("hypergammon", "material", 1, 150, ALL_PLAYS, "win"),
        ("hypergammon", "material", 2, 4, NARROW, "points"),
        ("hypergammon", "pips", 2, 4, NARROW, "win"),
        ("backgammon", "ratio", 1, 10, ALL_PLAYS, "points"),
    ],
)
def test_look_ahead_is_what_the_plain_search_finds(
    name: str, thumb: str, plies: int, count: int, only: Filter, aim: Aim
) -> None:
    values = heuristic(find_game(name), thumb)
    rows = sample(values.game, count)
    plain = PlainSearch(values, aim, only)
    found = look_ahead(values, plies, aim, only).chances(as_array(rows))
    expected = np.array([plain.chances(row, plies) for row in rows])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "tictactoe", "hypergammon"])
def test_without_a_ply_an_agent_takes_what_is_best_at_once(name: str) -> None:
    values = heuristic(find_game(name), "pips")
    agent, plain = SearchingAgent(values), PlainSearch(values, "points", ALL_PLAYS)
    pairs = walked(values.game, 1_000, seed=35)
    rolls = np.array([values.game.parse_roll(roll) for _, roll in pairs])
    choices = agent.choose(as_array([row for row, _ in pairs]), rolls, np.random.default_rng(0))
    for (row, _), roll, choice in zip(pairs, rolls.tolist(), choices, strict=True):
        scores = [reply.score for reply in plain.replies(row, roll)]
        assert choice == scores.index(max(scores))


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "tictactoe"])
@pytest.mark.parametrize("plies", [1, 2])
def test_with_plies_an_agent_takes_what_the_plain_search_finds_best(name: str, plies: int) -> None:
    values = heuristic(find_game(name), "pips")
    agent = SearchingAgent(values, plies, only=ALL_PLAYS, replies=NARROW)
    plain = PlainSearch(values, "points", NARROW)
    for row, text in walked(values.game, 400 if plies == 1 else 60, seed=36):
        roll = values.game.parse_roll(text)
        choice = agent.choose(as_array([row]), np.array([roll]), np.random.default_rng(0))[0]
        scores = [plain.score(plain.after(reply, plies)) for reply in plain.replies(row, roll)]
        assert scores[choice] == pytest.approx(max(scores), abs=1e-12)


@pytest.mark.parametrize("plies", [1, 2])
def test_only_plays_that_are_good_at_first_sight_are_looked_at_ahead(plies: int) -> None:
    game = find_game("ur")
    values = heuristic(game, "pips")
    pairs = walked(game, 200, seed=37)
    rolls = np.array([game.parse_roll(roll) for _, roll in pairs])
    chosen = [
        SearchingAgent(values, deep, only=only, replies=NARROW).choose(
            as_array([row for row, _ in pairs]), rolls, np.random.default_rng(0)
        )
        for deep, only in ((0, ALL_PLAYS), (plies, Filter(keep=1, margin=0.0)), (plies, ALL_PLAYS))
    ]
    assert np.array_equal(chosen[1], chosen[0])
    assert not np.array_equal(chosen[2], chosen[0])


def test_tictactoe_at_full_depth_is_minimax_everywhere() -> None:
    game = find_game("tictactoe")
    rows = unfinished_tictactoe()
    found = look_ahead(heuristic(game, "material"), 9, only=ALL_PLAYS).chances(as_array(rows))
    expected = [[minimax(row) == points for points in game.outcomes] for row in rows]
    assert np.array_equal(found, np.array(expected, float))
    assert len(rows) == 4_520
    assert minimax(tictactoe.START) == 0


def test_a_capture_that_rolls_again_is_answered_by_the_same_player() -> None:
    game = find_game("ur:blitz:1")
    values = heuristic(game, "pips")
    standing = game.notation.parse_position("0....o...........0/0.....o..........0 r")
    by_roll = Lookahead(values).chances_by_roll(standing.position[np.newaxis])
    found = game.afterstates_of(standing.position, game.parse_roll("1"))
    assert found.turn_passes.tolist() == [False]
    assert np.array_equal(by_roll[1], values.chances(found.positions)[0])


@unhurried
@given(st.integers(1, 20), st.data())
def test_distinct_rows_are_the_first_of_their_kind(width: int, data: st.DataObject) -> None:
    row = st.lists(st.integers(0, 2), min_size=width, max_size=width).map(tuple)
    rows = data.draw(st.lists(row, max_size=40))
    firsts, kinds = distinct_rows(np.array(rows, np.int8).reshape(len(rows), width))
    assert [rows[first] for first in firsts] == list(Counter(rows))
    assert [rows[firsts[kind]] for kind in kinds] == rows


groups_of_scores = st.lists(
    st.lists(st.integers(-8, 8).map(lambda eighths: eighths / 8), min_size=1, max_size=8),
    max_size=8,
)


def flattened(groups: list[list[float]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All scores in a row, and which group each is of."""
    scores = [score for group in groups for score in group]
    owner = [number for number, group in enumerate(groups) for _ in group]
    return np.array(scores, np.float64), np.array(owner, np.int64)


@unhurried
@given(groups_of_scores)
def test_the_best_of_a_group_is_its_first_highest(groups: list[list[float]]) -> None:
    scores, owner = flattened(groups)
    begins = np.searchsorted(owner, np.arange(len(groups)))
    best = best_of_groups(scores, owner, len(groups)) - begins
    assert best.tolist() == [group.index(max(group)) for group in groups]


@unhurried
@given(groups_of_scores, st.integers(1, 9), st.integers(0, 16))
def test_what_is_kept_is_among_the_best_and_near_the_best(
    groups: list[list[float]], keep: int, eighths: int
) -> None:
    margin = eighths / 8
    scores, owner = flattened(groups)
    mask = kept_of_groups(scores, owner, len(groups), keep, margin)
    for number, group in enumerate(groups):
        ranked = sorted(range(len(group)), key=lambda i: -group[i])[:keep]
        kept = [i for i in ranked if group[i] >= max(group) - margin]
        assert np.flatnonzero(mask[owner == number]).tolist() == sorted(kept)
