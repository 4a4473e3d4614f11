"""Online TD(lambda) is what the book says, move by move, and by hand."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from astragal.agents.searching import SearchingAgent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Afterstates, Positions, Rules, other_view
from astragal.games.kernels import UNFINISHED
from astragal.games.luck import Luck, scripted
from astragal.learning.fresh import fresh_net
from astragal.learning.kernels.changes import changes_of
from astragal.learning.kernels.plays import ACTIVATIONS, Net, new_scratch
from astragal.learning.kernels.td import ITSELF, Plan, Pool, Told, td_games
from astragal.learning.kernels.vectors import LANES
from astragal.learning.learner import Learned
from astragal.learning.loop import new_learner
from astragal.learning.settings import NetSettings, TdSettings, TrainSettings
from astragal.learning.td import TdLearner, usual_alpha
from astragal.search.lookahead import ALL_PLAYS
from astragal.values.feature_sets import feature_sets, features
from astragal.values.network import Activation, Layer, NetworkValues
from astragal.values.values import win_chance
from positions import walk
from reference import Row, tictactoe
from small_games import SmallGame, small_game

Weights: TypeAlias = list[NDArray[Any]]  # [I, H], [H], [H] and [1], biases second and last
ALWAYS = 1 << 30  # what decides whether a play is by lot is drawn below this

SETS = [
    ("ur", "rows32", 10),
    ("ur", "unary", 44),
    ("ur", "patterns", 16),
    ("ur:blitz:3", "unary", 3),
    ("backgammon", "tesauro198", 44),
    ("backgammon", "hilton326", 5),
    ("tictactoe", "cells9", 44),
    ("tictactoe", "lines", 7),
]


def random_net(
    name: str, set_name: str, units: int, activation: Activation = "sigmoid", seed: int = 1
) -> NetworkValues:
    """One hidden layer and one output, nothing of it zero."""
    chosen, luck = features(find_game(name), set_name), np.random.default_rng(seed)
    shapes = [((chosen.size, units), units), ((units, 1), 1)]
    layers = [
        Layer(*(luck.normal(0, 0.3, shape).astype(np.float32) for shape in pair)) for pair in shapes
    ]
    return NetworkValues(chosen, tuple(layers), activation)


def weights_of(net: NetworkValues) -> Weights:
    first, last = net.layers
    return [first.weights, first.biases, last.weights[:, 0], last.biases]


def net_with(net: NetworkValues, weights: Weights) -> NetworkValues:
    first, biases, out, last = (part.astype(np.float32) for part in weights)
    return replace(net, layers=(Layer(first, biases), Layer(out[:, np.newaxis], last)))


@dataclass(frozen=True)
class How:
    """How one game is played and learned from."""

    alpha: float = 0.1
    lam: float = 0.7
    epsilon: float = 0.0
    opening: int = 0
    rival: NetworkValues | None = None
    rival_begins: bool = True
    plies: int = 0
    own_view: bool = False


class Move(NamedTuple):
    """What there is to learn from, all for the side which began."""

    value: float
    target: float
    slopes: Weights

    @property
    def error(self) -> float:
        return self.target - self.value


@dataclass
class PlainTd:
    """TD(lambda) in 64 bits, with dense inputs and one move after the other, as obvious as can be.

    The value is always that of the side which began.
    """

    net: NetworkValues
    luck: np.random.Generator
    script: list[int] = field(default_factory=list)
    """All that was drawn, so that others can draw the same."""

    def __post_init__(self) -> None:
        self.game = self.net.game
        self.weights = [part.astype(np.float64) for part in weights_of(self.net)]

    def play(self, how: How) -> Iterator[Move]:
        """The moves of one game, each as soon as it has been learned from."""
        traces = [np.zeros_like(part) for part in self.weights]
        position, beginner_rolls = self.opened(how.opening)
        roll = self.throw(is_first=how.opening == 0)
        outcome = UNFINISHED
        while outcome == UNFINISHED:
            value, slopes = self.value(position), self.slopes(position)
            if not beginner_rolls:
                value, slopes = 1 - value, [-slope for slope in slopes]
            traces = [how.lam * z + slope for z, slope in zip(traces, slopes, strict=True)]
            found = self.game.afterstates_of(position, roll)
            choice = self.choose(found, position, roll, beginner_rolls, how)
            position, outcome = found.positions[choice], int(found.outcome[choice])
            beginner_rolls ^= bool(found.turn_passes[choice])
            mine = self.value(position) if outcome == UNFINISHED else (1 + np.sign(outcome)) / 2
            target = mine if beginner_rolls else 1 - mine
            error = target - value
            for part, trace in zip(self.weights, traces, strict=True):
                part += how.alpha * error * trace
            yield Move(value, target, slopes)
            if outcome == UNFINISHED:
                roll = self.throw()

    def hidden(self, position: Positions) -> NDArray[Any]:
        first, biases, _, _ = self.weights
        (inputs,) = self.net.features.dense(position[np.newaxis])
        sums = inputs.astype(np.float64) @ first + biases
        kinds = {"sigmoid": 1 / (1 + np.exp(-sums)), "tanh": np.tanh(sums)}
        values: NDArray[Any] = kinds.get(self.net.activation, np.maximum(sums, 0))
        return values

    def value(self, position: Positions) -> float:
        """The chance of winning of the player about to roll."""
        _, _, out, last = self.weights
        return float(1 / (1 + np.exp(-(self.hidden(position) @ out + last[0]))))

    def slopes(self, position: Positions) -> Weights:
        """How that value changes with every weight, by the chain rule."""
        value, hidden, out = self.value(position), self.hidden(position), self.weights[2]
        of_output = value * (1 - value)
        of_units = {
            "sigmoid": hidden * (1 - hidden),
            "tanh": 1 - hidden**2,
            "relu": (hidden > 0).astype(np.float64),
        }[self.net.activation]
        of_sums = of_output * out * of_units
        (inputs,) = self.net.features.dense(position[np.newaxis])
        return [np.outer(inputs, of_sums), of_sums, of_output * hidden, np.array([of_output])]

    def choose(
        self, found: Afterstates, position: Positions, roll: int, beginner_rolls: bool, how: How
    ) -> int:
        player = self
        if how.rival is not None and beginner_rolls == how.rival_begins:
            player = PlainTd(how.rival, self.luck)
        choice = player.best(found, position, roll, how)
        if how.epsilon > 0 and self.draw(ALWAYS) < how.epsilon * ALWAYS:
            choice = self.draw(len(found.owner))
        return choice

    def best(self, found: Afterstates, position: Positions, roll: int, how: How) -> int:
        """The first of the plays that are best for the player who makes them."""
        if how.plies > 0:
            agent = SearchingAgent(net_with(self.net, self.weights), how.plies, "win", ALL_PLAYS)
            return int(agent.choose(position[np.newaxis], np.array([roll]), self.luck)[0])
        worth = []
        for after, passes, outcome in zip(*found[:1], *found[2:], strict=True):
            mine = self.value(after) if outcome == UNFINISHED else (1 + np.sign(outcome)) / 2
            if how.own_view and passes and outcome == UNFINISHED:
                worth.append(self.value(other_view(after)))
            else:
                worth.append(1 - mine if passes else mine)
        return worth.index(max(worth))

    def opened(self, turns: int) -> tuple[Positions, bool]:
        """A position after so many turns by lot, and whether who began rolls; all anew if over."""
        position, beginner_rolls = self.game.start, True
        for turn in range(turns):
            found = self.game.afterstates_of(position, self.throw(is_first=turn == 0))
            choice = self.draw(len(found.owner))
            if found.outcome[choice] != UNFINISHED:
                return self.opened(turns)
            beginner_rolls ^= bool(found.turn_passes[choice])
            position = found.positions[choice]
        return position, beginner_rolls

    def throw(self, is_first: bool = False) -> int:
        throws = self.game.rules.opening if is_first else self.game.rules.throws
        return int(throws[self.draw(throws.size)])

    def draw(self, count: int) -> int:
        self.script.append(int(self.luck.integers(count)))
        return self.script[-1]


def laid_out(net: NetworkValues) -> Net:
    """The net as the compiled loop has it, with no traces."""
    first, biases, out, last = weights_of(net)
    weights = np.zeros((len(first) + 1, -(-len(out) // LANES) * LANES), np.float32)
    weights[:, : len(out)] = [*first, biases]
    numbers = np.zeros(len(weights), np.float32)
    return Net(
        ACTIVATIONS[net.activation],
        weights,
        np.pad(np.append(out, last), (0, weights.shape[1] - len(out))),
        np.zeros_like(weights),
        np.zeros(len(out) + 1, np.float32),
        numbers,
        numbers.copy(),
    )


def pool_of(like: Net, rivals: list[NetworkValues]) -> Pool:
    nets = [laid_out(rival) for rival in rivals]
    return Pool(
        np.array([net.weights for net in nets], np.float32).reshape(-1, *like.weights.shape),
        np.array([net.out for net in nets], np.float32).reshape(-1, like.out.size),
        np.zeros_like(like.pending),
    )


known_changes = cache(changes_of)


class CompiledTd:
    """The compiled loop with a net of its own."""

    def __init__(self, net: NetworkValues, rules: Rules | None = None) -> None:
        self.first, self.net, self.game = net, laid_out(net), net.game
        self.rules = rules or net.game.rules

    def play(self, luck: Luck, *hows: How) -> Told:
        """Plays a game as each of these says; lambda and plies are those of the first."""
        rivals = [how.rival for how in hows if how.rival is not None]
        ranks = accumulate(how.rival is not None for how in hows)
        plan = Plan(
            np.array([how.alpha for how in hows], np.float32),
            np.array([how.epsilon for how in hows], np.float64),
            np.array([how.opening for how in hows]),
            np.array(
                [ITSELF if h.rival is None else r - 1 for h, r in zip(hows, ranks, strict=True)]
            ),
            np.float32(hows[0].lam),
            hows[0].plies,
            hows[0].own_view,
            self.game.chances.astype(np.float32),
        )
        units = len(self.net.out_trace) - 1
        told: Told = td_games(
            self.rules,
            known_changes(self.first.features),
            self.net,
            pool_of(self.net, rivals),
            new_scratch(self.rules, units),
            new_scratch(self.rules, units),
            plan,
            luck,
        )
        return told

    @property
    def weights(self) -> Weights:
        """What the weights are, with all that their traces still owe them."""
        net, units = self.net, len(self.net.out_trace) - 1
        whole = (net.weights + net.pending[:, np.newaxis] * net.trace)[:, :units]
        return [whole[:-1], whole[-1], net.out[:units], net.out[units : units + 1]]


def assert_same(found: Weights, expected: Weights, tolerance: float = 1e-5) -> None:
    # Of all weights: a single bias may by chance be close to nothing.
    scale = max(np.abs(theirs).max() for theirs in expected)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * scale)


def assert_agree(net: NetworkValues, hows: list[How]) -> list[Move]:
    """Has both loops play these games with the same luck; all moves of the last game."""
    plain, fast, moves = PlainTd(net, np.random.default_rng(2)), CompiledTd(net), []
    for how in hows:
        plain.script.clear()
        moves = list(plain.play(how))
        luck = scripted(plain.script)
        told = fast.play(luck, how)
        assert luck.cursor[0] == len(plain.script)
        assert (told.turns, told.beginner_wins) == (len(moves), moves[-1].target)
        assert told.squares == pytest.approx(sum(move.error**2 for move in moves), rel=1e-4)
        assert_same(fast.weights, plain.weights)
    return moves


@pytest.mark.parametrize(("name", "set_name", "units"), SETS)
@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_games_are_learned_from_as_the_book_says(
    name: str, set_name: str, units: int, activation: Activation, lam: float
) -> None:
    assert_agree(random_net(name, set_name, units, activation), [How(lam=lam)] * 2)


@pytest.mark.parametrize(("name", "set_name", "units"), SETS)
def test_the_weights_are_those_of_the_book_after_every_move(
    name: str, set_name: str, units: int
) -> None:
    net = random_net(name, set_name, units)
    plain = PlainTd(net, np.random.default_rng(3))
    for moves, _ in zip(range(1, 40), plain.play(How()), strict=False):
        fast, luck = CompiledTd(net), scripted(plain.script)
        with contextlib.suppress(IndexError):  # the next throw is not known yet
            fast.play(luck, How())
        assert luck.cursor[0] == moves
        assert_same(fast.weights, plain.weights)


EACH_KIND = [("ur", "unary"), ("hypergammon", "tesauro198"), ("tictactoe", "lines")]


@pytest.mark.parametrize(("name", "set_name"), EACH_KIND)
@pytest.mark.parametrize(
    "how",
    [
        How(epsilon=0.3),
        How(epsilon=1.0, lam=1.0),
        How(opening=1),
        How(opening=6),
        How(opening=5, epsilon=0.2),
        How(plies=1),
        How(plies=1, epsilon=0.2, opening=2),
        How(own_view=True),
        How(own_view=True, epsilon=0.2, opening=2),
    ],
    ids=["exploring", "by lot", "one", "six", "both", "plies", "all at once", "own", "own by lot"],
)
def test_exploring_openings_and_plies_are_as_the_plain_loop_has_them(
    name: str, set_name: str, how: How
) -> None:
    assert_agree(random_net(name, set_name, 12), [how] * 3)


@pytest.mark.parametrize(("name", "set_name"), EACH_KIND)
@pytest.mark.parametrize("plies", [0, 1])
def test_a_rival_chooses_for_its_side_and_the_net_learns_from_all_moves(
    name: str, set_name: str, plies: int
) -> None:
    net, rival = (random_net(name, set_name, 12, seed=seed) for seed in (1, 9))
    first = How(rival=rival, plies=plies)
    assert_agree(net, [first] * 2)
    plain, fast = PlainTd(net, np.random.default_rng(2)), CompiledTd(net)
    second = replace(first, rival_begins=False)  # which it does in every second game
    for how in (first, second):
        list(plain.play(how))
    fast.play(scripted(plain.script), first, second)
    assert_same(fast.weights, plain.weights)


# Ur with one stone: red, who begins, stands on 10, and blue on 13. Red throws 4 and comes to the
# rosette on 14; throws again, a 0, and passes; blue throws 2 and is home.
THREE_MOVES = [15, 0, 3]  # by the number of the throw
MINE_10, MINE_13, MINE_14, THEIRS_13, THEIRS_14 = 10, 13, 14, 16 + 13, 16 + 14


def three_moves(lam: float) -> tuple[Told, list[float]]:
    """Plays them with one unit that adds up its inputs, and alpha 1.

    What comes back is the weights of MINE_10, MINE_13, MINE_14, THEIRS_13 and THEIRS_14, the bias
    of the unit, and the weight and the bias of the output.
    """
    game = find_game("ur:1")
    start, weights = np.zeros(32, np.int8), np.zeros((32, 1), np.float32)
    start[[MINE_10, THEIRS_13]] = 1
    weights[[MINE_10, MINE_13, MINE_14]] = [[1], [1], [2]]
    out = np.log(np.array([[3]], np.float32))
    layers = Layer(weights, np.zeros(1, np.float32)), Layer(out, np.zeros(1, np.float32))
    net = NetworkValues(features(game, "rows32"), layers, "relu")
    rules = game.rules._replace(start=start)  # type: ignore[attr-defined]
    fast = CompiledTd(net, rules)
    told = fast.play(scripted(THREE_MOVES), How(alpha=1, lam=lam))
    first, bias, (weight,), (last,) = fast.weights
    places = [MINE_10, MINE_13, MINE_14, THEIRS_13, THEIRS_14]
    return told, [*first[places, 0].tolist(), float(bias[0]), float(weight), float(last)]


def test_td_0_by_hand() -> None:
    """Odds of 3 for each of the unit's sum: 0.75 for 1, 0.9 for 2. Slopes are p (1 - p).

    1. Sum 1: 0.75, and then 0.9, an error of 0.15. Slopes: 0.1875 for the output's bias and, since
       the sum is 1, its weight; times ln 3, 0.205990 for the inputs that are on and the unit's
       bias. So the output has 1.098612 + 0.15 * 0.1875 = 1.126737 and 0.028125; MINE_10 1.030898,
       THEIRS_13 and the unit's bias 0.030898.
    2. Sum 2 + 2 * 0.030898 = 2.061797: 0.913032. Blue then has a sum of 1.030898 and says
       0.766683, which is 0.233317 for red: an error of -0.679715. Slopes: 0.079405 for the bias,
       times 2.061797 for the weight, times 1.126737 for the inputs. So the output has 1.015457 and
       -0.025848; MINE_14 1.939187, THEIRS_13 and the unit's bias -0.029914.
    3. Sum 1 - 0.029914 = 0.970086: blue says 0.722968, which is 0.277032 for red, and is lost: an
       error of -0.277032. Slopes, for red: -0.200285, times 0.970086, and times 1.015457.
    """
    told, weights = three_moves(lam=0)
    assert (told.turns, told.beginner_wins) == (3, 0)
    assert told.squares == pytest.approx(0.15**2 + 0.679715**2 + 0.277032**2, abs=1e-5)
    expected = [1.030898, 1.056343, 1.939187, -0.029914, 0.056343, 0.026429, 1.069282, 0.029638]
    assert weights == pytest.approx(expected, abs=2e-6)


def test_td_1_by_hand() -> None:
    """The first move is as above. The others go back to all moves before them.

    2. Error -0.679715, with traces of 0.187500 + 0.079405 = 0.266905 for the output's bias,
       0.187500 + 0.163716 = 0.351216 for its weight; 0.205990 for MINE_10, 0.089468 for MINE_14,
       and both for THEIRS_13 and the unit's bias, 0.295458. So MINE_10 has 1.030898 - 0.679715 *
       0.205990 = 0.890884, MINE_14 1.939187, THEIRS_13 and the unit's bias -0.169929, and the
       output 0.888010 and -0.153294.
    3. Sum 0.830071: blue says 0.641945, which is 0.358055 for red: an error of -0.358055. Its
       slopes of -0.229852, -0.190793 and -0.204110 make the traces 0.037053 and 0.160423 for the
       output, 0.091348 for the unit's bias, and -0.204110 for MINE_13 and THEIRS_14; the other
       traces stay.
    """
    told, weights = three_moves(lam=1)
    assert told.squares == pytest.approx(0.15**2 + 0.679715**2 + 0.358055**2, abs=1e-5)
    expected = [0.817128, 1.073083, 1.907153, -0.275719, 0.073083, -0.202636, 0.830570, -0.166561]
    assert weights == pytest.approx(expected, abs=2e-6)


def test_td_lambda_by_hand() -> None:
    """With lambda 0.5 a trace halves with every move.

    2. Error -0.679715, with traces of 0.093750 + 0.079405 for the output's bias, 0.093750 +
       0.163716 for its weight; 0.102995 for MINE_10, 0.089468 for MINE_14, and both for THEIRS_13
       and the unit's bias. So MINE_10 has 0.960891, MINE_14 1.939187, THEIRS_13 and the unit's bias
       -0.099922, and the output 0.951734 and -0.089571.
    3. Sum 0.900078: blue says 0.682885, which is 0.317115 for red: an error of -0.317115. Slopes:
       -0.216553, -0.194915 and -0.206101, beside half of each trace. MINE_10, say, has a trace of
       0.205990 / 4 and ends with 0.960891 - 0.317115 * 0.051498 = 0.944561.
    """
    told, weights = three_moves(lam=0.5)
    assert told.squares == pytest.approx(0.15**2 + 0.679715**2 + 0.317115**2, abs=1e-5)
    expected = [0.944561, 1.065358, 1.925001, -0.130438, 0.065358, -0.065081, 0.972721, -0.048354]
    assert weights == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(("name", "set_name"), EACH_KIND)
@pytest.mark.parametrize("lam", [0, 1])
def test_in_small_steps_td_1_goes_to_the_result_and_td_0_to_the_next_value(
    name: str, set_name: str, lam: float
) -> None:
    net = random_net(name, set_name, 12)
    plain, fast = PlainTd(net, np.random.default_rng(4)), CompiledTd(net)
    moves = list(plain.play(How(alpha=0)))
    fast.play(scripted(plain.script), How(alpha=1e-4, lam=lam))
    result = moves[-1].target
    for number, part in enumerate(fast.weights):
        goals = [result if lam == 1 else move.target for move in moves]
        pairs = zip(goals, moves, strict=True)
        change = sum(1e-4 * (goal - move.value) * move.slopes[number] for goal, move in pairs)
        found = part - weights_of(net)[number]
        np.testing.assert_allclose(found, change, rtol=0, atol=0.02 * np.abs(change).max())


@pytest.mark.parametrize(("name", "set_name", "units"), SETS)
def test_nothing_is_left_of_a_games_traces_in_the_next(
    name: str, set_name: str, units: int
) -> None:
    net, how = random_net(name, set_name, units), How(lam=1)
    plain, scripts = PlainTd(net, np.random.default_rng(5)), []
    for _ in range(2):
        plain.script.clear()
        list(plain.play(how))
        scripts.append(list(plain.script))
    together = CompiledTd(net)
    together.play(scripted(scripts[0] + scripts[1]), how, how)
    first = CompiledTd(net)
    first.play(scripted(scripts[0]), how)
    second = CompiledTd(net_with(net, first.weights))  # which has no traces
    second.play(scripted(scripts[1]), how)
    for mine, theirs in zip(together.weights, second.weights, strict=True):
        assert np.array_equal(mine, theirs)
    for left in (together.net.pending, together.net.decay, together.net.out_trace):
        assert not left.any()


@cache
def by_lot(position: Row) -> tuple[float, float]:
    """Of tic-tac-toe in which all moves are by lot: the mover's chance, and the moves to come."""
    chances, moves = [], []
    for play in tictactoe.plays(position, "-"):
        theirs, later = by_lot(play.position) if play.outcome is None else (0.0, 0.0)
        theirs = theirs if play.outcome is None else (1 + play.outcome) / 2
        chances.append(1 - theirs)
        moves.append(1 + later)
    return sum(chances) / len(chances), sum(moves) / len(moves)


def test_with_epsilon_one_all_plays_are_equally_likely() -> None:
    net, games = random_net("tictactoe", "cells9", 8), 40_000
    told = CompiledTd(net).play(np.random.default_rng(6), *[How(alpha=0, epsilon=1)] * games)
    wins, turns = by_lot(tictactoe.START)
    assert told.beginner_wins / games == pytest.approx(wins, abs=4 * 0.5 / games**0.5)
    assert told.turns / games == pytest.approx(turns, abs=4 * 1.5 / games**0.5)


def test_nothing_is_learned_from_the_turns_of_an_opening() -> None:
    net, luck = random_net("tictactoe", "cells18", 8), np.random.default_rng(7)
    for _ in range(20):
        fast = CompiledTd(net)
        assert fast.play(luck, How(opening=0)).turns >= 5
        assert fast.play(luck, How(opening=4)).turns <= 5  # after which five cells are free


def test_an_opening_stops_before_it_would_end_the_game() -> None:
    net, luck = random_net("tictactoe", "cells18", 8), np.random.default_rng(7)
    for _ in range(20):
        assert 1 <= CompiledTd(net).play(luck, How(opening=1000)).turns <= 5


def racer(eagerness: float) -> NetworkValues:
    """A net that wants its foremost stones ahead, or with the opposite sign, none."""
    game = find_game("ur")
    half = np.square(np.arange(16, dtype=np.float32)[:, np.newaxis]) / 2_000
    layers = [
        Layer(np.array(weights, np.float32), np.zeros(1, np.float32))
        for weights in ([*half, *-half], [[eagerness]])
    ]
    return NetworkValues(features(game, "rows32"), tuple(layers), "tanh")


def test_a_rival_that_plays_to_lose_loses_whichever_side_it_has() -> None:
    alone, against = How(alpha=0), How(alpha=0, rival=racer(-1))
    wins = []
    for hows in ([alone, alone], [against, alone], [alone, against]):
        told = CompiledTd(racer(1)).play(np.random.default_rng(8), *hows * 100)
        wins.append(told.beginner_wins)
    assert 80 < wins[0] < 120
    assert wins[1] < 75  # the rival began half of the games, and lost most of them
    assert wins[2] > 125


@pytest.mark.parametrize(("name", "set_name"), EACH_KIND)
@pytest.mark.parametrize("plies", [0, 1])
def test_against_itself_from_a_pool_the_games_are_those_against_itself(
    name: str, set_name: str, plies: int
) -> None:
    net = random_net(name, set_name, 12)
    alone = How(alpha=0, epsilon=0.1, plies=plies)
    mine, theirs = (
        CompiledTd(net).play(np.random.default_rng(10), *[how] * 20)
        for how in (alone, replace(alone, rival=net))
    )
    assert mine[:2] == theirs[:2]
    assert mine.squares == pytest.approx(theirs.squares, rel=1e-4)


EXPLORING = TdSettings(epsilon=0.1)
ALL_AT_ONCE = TdSettings(
    alpha=0.1,
    alpha_end=0.01,
    epsilon=0.2,
    epsilon_end=0.1,
    decay="linear",
    starts=0.5,
    pool=2,
    pool_share=0.5,
    pool_every=40,
)


def learner_of(name: str, td: TdSettings, seed: int = 3, net: int = 3) -> TdLearner:
    settings = TrainSettings(name, games=600, seed=seed, td=td, net=NetSettings(hidden=(12,)))
    game = find_game(name)
    return TdLearner(game, settings, fresh_net(game, settings.net, seed=net))


def learned(learner: TdLearner, stretches: range, games: int = 50) -> list[Learned]:
    return [learner.learn(number, number * games, games) for number in stretches]


def told_of(learner: TdLearner) -> list[bytes]:
    return [part.tobytes() for part in weights_of(learner.net)]


@pytest.mark.parametrize("name", ["ur", "tictactoe"])
@pytest.mark.parametrize("td", [EXPLORING, ALL_AT_ONCE], ids=["exploring", "all at once"])
def test_the_same_seed_gives_the_same_weights(name: str, td: TdSettings) -> None:
    found = []
    for seed in (4, 4, 5):
        learner = learner_of(name, td, seed)
        learned(learner, range(3))
        found.append(told_of(learner))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("name", ["ur", "tictactoe"])
@pytest.mark.parametrize("td", [EXPLORING, ALL_AT_ONCE], ids=["exploring", "all at once"])
def test_a_run_goes_on_from_a_file_as_if_it_had_never_stopped(
    name: str, td: TdSettings, tmp_path: Path
) -> None:
    whole, before, after = (learner_of(name, td) for _ in range(3))
    told = learned(whole, range(6))
    learned(before, range(3))
    safetensors.numpy.save_file(before.state(), tmp_path / "state")
    learned(before, range(3, 4))
    compiled = list(td_games.signatures)  # type: ignore[attr-defined]
    with safetensors.safe_open(tmp_path / "state", "numpy") as file:
        after.restore({key: file.get_tensor(key) for key in file.keys()})  # noqa: SIM118
    assert learned(after, range(3, 6)) == told[3:]
    assert told_of(after) == told_of(whole)
    assert list(td_games.signatures) == compiled  # type: ignore[attr-defined]
    for key, array in whole.state().items():
        assert np.array_equal(after.state()[key], array)


def test_the_pool_holds_the_last_selves_that_were_kept() -> None:
    learner = learner_of("tictactoe", ALL_AT_ONCE)
    sizes, kept = [], []
    for number in range(6):  # of 50 games each; a self is kept in every 40
        learner.learn(number, number * 50, 50)
        state = learner.state()
        sizes.append(len(state["pool out"]))
        kept.append(state["out"].copy())
    assert sizes == [1, 2, 2, 2, 2, 2]
    assert np.array_equal(learner.state()["pool out"], kept[-2:])


def test_a_learner_tells_how_far_it_was_and_who_won() -> None:
    learner = learner_of("tictactoe", TdSettings(alpha=1e-6, epsilon=1))
    (told,) = learned(learner, range(1), games=20_000)
    wins, turns = by_lot(tictactoe.START)
    assert told.beginner_wins == pytest.approx(wins, abs=0.02)
    assert told.turns / told.games == pytest.approx(turns, abs=0.06)
    assert told.positions == told.turns
    # A fresh net says one half: it is off by one half at the end of each game that is not drawn.
    drawn = drawn_by_lot(tictactoe.START)
    assert told.loss == pytest.approx((0.25 * (1 - drawn) / turns) ** 0.5, rel=0.02)


@cache
def drawn_by_lot(position: Row) -> float:
    """How often nobody wins tic-tac-toe if all moves are by lot."""
    plays = tictactoe.plays(position, "-")
    drawn = [
        drawn_by_lot(play.position) if play.outcome is None else float(play.outcome == 0)
        for play in plays
    ]
    return sum(drawn) / len(drawn)


@pytest.mark.parametrize("name", ["ur", "backgammon", "tictactoe"])
def test_alpha_auto_is_a_tenth_of_what_one_visit_would_take(name: str) -> None:
    for set_name in feature_sets(find_game(name)):
        chosen = features(find_game(name), set_name)
        lengths = [
            (chosen.dense(positions) ** 2).sum(axis=1)
            for positions, _ in walk(chosen.game, games=100, turns=200, seed=11)
        ]
        assert usual_alpha(chosen) == pytest.approx(1 / (10 * np.mean(lengths)), rel=0.1)


def test_alpha_auto_is_what_the_learner_takes() -> None:
    found = []
    usual = usual_alpha(learner_of("tictactoe", EXPLORING).net.features)
    for td in (TdSettings(alpha="auto"), TdSettings(alpha=usual), TdSettings(alpha=2 * usual)):
        learner = learner_of("tictactoe", td)
        learned(learner, range(1))
        found.append(told_of(learner))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("lam", [0, 0.7, 1])
def test_where_there_is_no_choice_the_true_values_are_learned(lam: float) -> None:
    solved = small_game(find_game("ur:1"))
    td = TdSettings(alpha=0.1, alpha_end=0.003, decay="exponential", lam=lam)
    settings = TrainSettings("ur:1", games=20_000, td=td, net=NetSettings(hidden=(20,)))
    learner = TdLearner(solved.game, settings, fresh_net(solved.game, settings.net, seed=1))
    assert error_of(learner.net, solved) > 0.2
    learned(learner, range(20), games=1_000)
    assert error_of(learner.net, solved) < 0.05


def error_of(net: NetworkValues, solved: SmallGame) -> float:
    """How far the net is from the truth, over all positions."""
    errors = win_chance(net.game, net.chances(solved.positions)) - (1 + solved.best()) / 2
    return float(np.sqrt(np.mean(errors**2)))


def test_a_rate_that_auto_would_have_to_raise_is_refused() -> None:
    settings = TrainSettings(
        "ur", games=10, td=TdSettings(alpha="auto", alpha_end=5.0, decay="linear")
    )
    with pytest.raises(InputError, match=r"td.alpha_end cannot be 5: .* which auto makes 0\.0"):
        new_learner(find_game("ur"), settings)
