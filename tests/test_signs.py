"""Signs of whole positions: what they tell is what the rules say."""

import numpy as np
import pytest
from numpy.typing import NDArray

from astragal.games.backgammon_places import BAR, HALF
from astragal.games.catalogue import find_game
from astragal.games.game import Game, Positions
from astragal.games.ur import UrRules
from astragal.learning.kernels.changes import changes_of
from astragal.values import backgammon_signs, ur_signs
from astragal.values.feature_sets import features
from astragal.values.signs import signs_of, with_signs
from positions import scattered_backgammon, scattered_ur, walk, walked

BACKGAMMON = find_game("backgammon")
SHOTS = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
SHOTS |= {13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0}
"""How many of 36 rolls hit a blot so far away with nothing between, as every player learns them."""


def signs(game: Game, positions: Positions) -> NDArray[np.int8]:
    return with_signs(game, positions)[:, game.width :]


def a_board(mine: dict[int, int], theirs: dict[int, int]) -> Positions:
    """A position with these checkers, all others borne off; places as their owner counts them."""
    position = np.zeros((2, HALF), np.int8)
    for half, checkers in zip(position, (mine, theirs), strict=True):
        for place, count in checkers.items():
            half[place] = count
        half[0] = 15 - half.sum()
    return position.reshape(1, -1)


def many(game: Game) -> Positions:
    if game.name == "backgammon":
        pairs = walked(game, 1500) + scattered_backgammon(game, 500)
    else:
        pairs = walked(game, 1500) + scattered_ur(game, 500)
    return np.array([position for position, _ in pairs], np.int8)


@pytest.mark.parametrize("name", ["backgammon", "ur", "ur:masters", "tictactoe"])
def test_signs_stand_behind_the_places_and_are_within_their_limits(name: str) -> None:
    game = find_game(name)
    *_, (positions, _) = walk(game, games=30, turns=5, seed=3)
    longer = with_signs(game, positions)
    assert np.array_equal(longer[:, : game.width], positions)
    highest = [sign.highest for sign in signs_of(game)]
    found = longer[:, game.width :]
    assert found.shape == (len(positions), len(highest))
    assert (found >= 0).all()
    assert (found <= np.array(highest, np.int64)).all()


@pytest.mark.parametrize(("distance", "shots"), SHOTS.items())
def test_a_lone_blot_is_hit_as_often_as_the_books_say(distance: int, shots: int) -> None:
    (found,) = signs(BACKGAMMON, a_board({24: 1}, {BAR - (24 - distance): 1}))
    assert found[backgammon_signs.HITS] == shots
    assert found[backgammon_signs.COST] == shots * (24 - distance) // 36


def test_a_point_in_between_stops_a_shot() -> None:
    blot = {BAR - 16: 1}
    (free,) = signs(BACKGAMMON, a_board({24: 1}, blot))
    (barred,) = signs(BACKGAMMON, a_board({24: 1}, blot | {BAR - 20: 2}))
    assert (free[backgammon_signs.HITS], barred[backgammon_signs.HITS]) == (6, 4)


@pytest.mark.parametrize(("entering", "shots"), [(1, 14), (2, 12), (3, 11), (4, 11)])
def test_checkers_on_the_bar_enter_first(entering: int, shots: int) -> None:
    # The blot is on the third point: a three hits, two and one by a lone checker, and double ones
    # if they leave two steps to go.
    position = a_board({BAR: entering}, {3: 1})
    (found,) = signs(BACKGAMMON, position)
    assert found[backgammon_signs.HITS] == shots == hits_by_rules(position)[0]


def hits_by_rules(positions: Positions) -> NDArray[np.int64]:
    """How many of the 36 rolls have a play that sends a checker to the bar."""
    hits = np.zeros(len(positions), np.int64)
    for roll, chance in enumerate(BACKGAMMON.chances):
        found = BACKGAMMON.afterstates(positions, np.full(len(positions), roll))
        sent = found.positions[:, BAR] > positions[found.owner, HALF + BAR]
        hits += np.bincount(found.owner, sent, len(positions)).astype(np.bool_) * round(36 * chance)
    return hits


def test_shots_are_those_of_the_rules() -> None:
    """But for rolls of which both dice must be played, and only plays that do not hit do so."""
    positions = many(BACKGAMMON)
    told, right = signs(BACKGAMMON, positions)[:, backgammon_signs.HITS], hits_by_rules(positions)
    assert right.std() > 5
    assert (told >= right).all()
    assert (told == right).mean() > 0.97


def test_the_other_sides_signs_are_its_own_when_it_rolls() -> None:
    positions = many(BACKGAMMON)
    turned = np.roll(positions, HALF, axis=1)
    ours, theirs = signs(BACKGAMMON, positions), signs(BACKGAMMON, turned)
    other = backgammon_signs.OTHER
    assert np.array_equal(ours[:, :other], theirs[:, other : 2 * other])


def test_a_prime_lets_nobody_out() -> None:
    prime = dict.fromkeys(range(4, 10), 2)
    (found,) = signs(BACKGAMMON, a_board({22: 1, 3: 2}, prime))
    assert found[backgammon_signs.FREE] == 0
    assert found[backgammon_signs.REAR] == 22
    assert found[backgammon_signs.OTHER + backgammon_signs.HELD] == 3
    assert found[backgammon_signs.OTHER + backgammon_signs.RUN] == 6
    assert found[backgammon_signs.OTHER + backgammon_signs.EDGE] == 1
    (open_board,) = signs(BACKGAMMON, a_board({24: 1}, {}))
    assert open_board[backgammon_signs.FREE] == 36


def test_the_lead_is_counted_in_steps_of_four_pips() -> None:
    (even,) = signs(BACKGAMMON, BACKGAMMON.start[np.newaxis])
    (ahead,) = signs(BACKGAMMON, a_board({1: 1}, {10: 1}))
    assert even[backgammon_signs.LEAD] == 32
    assert ahead[backgammon_signs.LEAD] == 32 + 9 // 4


@pytest.mark.parametrize("name", ["ur", "ur:blitz", "ur:masters", "ur:aseb", "ur:3"])
def test_captures_and_rosettes_of_ur_are_those_of_the_rules(name: str) -> None:
    game = find_game(name)
    positions, half = many(game), game.width // 2
    told = signs(game, positions)
    rules = game.rules
    assert isinstance(rules, UrRules)
    rosettes = np.flatnonzero(rules.rosette)
    for roll, step in enumerate(rules.steps):
        if step == 0:
            continue
        found = game.afterstates(positions, np.full(len(positions), roll))
        # As the mover sees them, whoever rolls next.
        after = np.where(
            found.turn_passes[:, np.newaxis],
            np.roll(found.positions, half, axis=1),
            found.positions,
        )
        before = positions[found.owner]
        has_captured = after[:, half] > before[:, half]
        target = np.argmax(after[:, 1 : half - 1] > before[:, 1 : half - 1], axis=1) + 1
        farthest = np.zeros(len(positions), np.int64)
        np.maximum.at(farthest, found.owner, np.where(has_captured, target, 0))
        assert np.array_equal(told[:, ur_signs.CAPTURES + step - 1], farthest)
        has_moved = (after[:, 1 : half - 1] > before[:, 1 : half - 1]).any(axis=1)
        reached = np.zeros(len(positions), np.int64)
        for bit, rosette in enumerate(rosettes):
            np.bitwise_or.at(reached, found.owner, (has_moved & (target == rosette)) << bit)
        assert np.array_equal(told[:, ur_signs.REACHED + step - 1], reached)
    assert told[:, : ur_signs.OTHER].max(axis=0).min() > 0


def test_signs_of_time_are_counted_as_they_are_told() -> None:
    mine = {BAR: 1, 20: 1, 13: 2, 8: 3, 6: 4}
    (found,) = signs(BACKGAMMON, a_board(mine, {1: 15}))
    assert found[backgammon_signs.GONE] == 4
    assert found[backgammon_signs.BACK] == 2
    assert found[backgammon_signs.SPARE] == (2 * 7 + 3 * 2) // 4
    assert found[backgammon_signs.PIPS] == (25 + 20 + 26 + 24 + 24) // 12
    assert found[backgammon_signs.NEXT] == 36
    # Their point is on place 24, which nobody passes any more but the checker on the bar.
    assert found[backgammon_signs.WAY] == 36
    (held,) = signs(BACKGAMMON, a_board({22: 1, 13: 1}, dict.fromkeys(range(4, 10), 2)))
    assert held[backgammon_signs.NEXT] == 36
    assert held[backgammon_signs.WAY] == 18
    (anchored,) = signs(BACKGAMMON, a_board({22: 2}, dict.fromkeys(range(4, 10), 2)))
    assert anchored[backgammon_signs.NEXT] == 0


def test_a_roll_may_reach_two_blots() -> None:
    (found,) = signs(BACKGAMMON, a_board({24: 1}, {BAR - 23: 1, BAR - 22: 1}))
    # One and two, one and one, and no other roll.
    assert found[backgammon_signs.CHOICE] == 3
    (one,) = signs(BACKGAMMON, a_board({24: 1}, {BAR - 23: 1}))
    assert one[backgammon_signs.CHOICE] == 0


HELD_SETS = {"HOME": 1, "MIDDLE": 4, "OUTER": 7, "ANCHORS": 19}
"""Where the six points begin of which each sign tells which are held."""


def points_of(position: NDArray[np.int8]) -> tuple[list[int], list[int]]:
    """Checkers of the player about to roll and of the other, both by the former's places."""
    theirs = [int(position[HALF + BAR - place]) for place in range(HALF)]
    return [int(count) for count in position[:HALF]], theirs


def test_points_held_and_loose_checkers_are_counted_one_by_one() -> None:
    positions = many(BACKGAMMON)
    told = signs(BACKGAMMON, positions)
    for position, found in zip(positions, told, strict=True):
        mine, _ = points_of(position)
        for name, first in HELD_SETS.items():
            held = sum(2**i for i in range(6) if mine[first + i] > 1)
            assert found[getattr(backgammon_signs, name)] == held
        assert found[backgammon_signs.BLOTS] == min(mine[1:BAR].count(1), 7)
        assert found[backgammon_signs.DEEP] == min(mine[1] + mine[2], 10)
        assert found[backgammon_signs.ENTERING] == min(mine[BAR], 2)
        pips = [sum(place * half[place] for place in range(HALF)) for half in halves_of(position)]
        lead = min(max(pips[1] - pips[0] + 32, 0), 63)
        assert found[backgammon_signs.EXACT_LEAD] == lead


def halves_of(position: NDArray[np.int8]) -> list[list[int]]:
    return [[int(count) for count in half] for half in (position[:HALF], position[HALF:])]


def test_a_run_is_the_longest_block_that_the_rearmost_checker_must_pass() -> None:
    positions = many(BACKGAMMON)
    told = signs(BACKGAMMON, positions)
    for position, found in zip(positions, told, strict=True):
        mine, theirs = points_of(position)
        rear = next((place for place in range(BAR) if theirs[place] > 0), BAR)
        runs = [
            (length, first - rear)
            for first in range(rear + 1, BAR)
            for length in range(1, BAR - first + 1)
            if all(mine[place] > 1 for place in range(first, first + length))
        ]
        longest = max(runs, key=lambda run: (run[0], -run[1]), default=(0, 0))
        assert (found[backgammon_signs.RUN], found[backgammon_signs.EDGE]) == longest
    assert told[:, backgammon_signs.RUN].max() >= 4


def rolls_that_make(mine: list[int], theirs: list[int], goals: range, is_hit: bool) -> int:
    """How many of the 36 rolls bring two loose checkers, or by a double two of a point, together.

    Loose is who stands alone, or is a third on a point.
    """
    if mine[BAR] > 0:
        return 0

    def is_loose(place: int) -> bool:
        return place < BAR and (mine[place] == 1 or mine[place] > 2)

    def makes(goal: int, one: int, two: int) -> bool:
        if mine[goal] > 1 or theirs[goal] > 1 or (is_hit and theirs[goal] != 1):
            return False
        if mine[goal] == 1 and (is_loose(goal + one) or is_loose(goal + two)):
            return True
        if one != two:
            return is_loose(goal + one) and is_loose(goal + two)
        there, beyond = goal + one, goal + 2 * one
        return (there < BAR and mine[there] > 1) or (
            beyond < BAR and mine[beyond] > 1 and theirs[there] < 2
        )

    dice = range(1, 7)
    return sum(any(makes(goal, one, two) for goal in goals) for one in dice for two in dice)


def test_rolls_that_make_points_are_found_one_by_one() -> None:
    positions = many(BACKGAMMON)
    told = signs(BACKGAMMON, positions)
    for position, found in zip(positions, told, strict=True):
        board = points_of(position)
        made, pointed, anchored = (
            rolls_that_make(*board, goals, is_hit)
            for goals, is_hit in ((range(3, 9), False), (range(1, 7), True), (range(18, 23), False))
        )
        assert found[backgammon_signs.MADE] == made
        assert found[backgammon_signs.POINTED] == pointed
        assert found[backgammon_signs.ANCHORED] == anchored


def test_at_the_start_fourteen_rolls_make_a_good_point() -> None:
    """Three and one, four and two, five and three, six and one; and every double."""
    (found,) = signs(BACKGAMMON, BACKGAMMON.start[np.newaxis])
    assert found[backgammon_signs.MADE] == 4 * 2 + 6
    assert found[backgammon_signs.ANCHORED] == 5  # all doubles but fives
    assert found[backgammon_signs.POINTED] == 0


def test_what_learns_from_differences_alone_refuses_signs() -> None:
    for name in ("ur", "backgammon"):
        with pytest.raises(ValueError, match="signs reads signs"):
            changes_of(features(find_game(name), "signs"))
