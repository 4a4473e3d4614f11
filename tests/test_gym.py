"""Games as environments: what PettingZoo and Gymnasium ask for, and what the rules say."""

import contextlib
import copy
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.gym import make, make_solo
from astragal.gym.two_players import TwoPlayers

PAGE = (Path(__file__).parents[1] / "docs" / "environment.md").read_text()
GAMES = ["ur", "ur:blitz", "backgammon", "hypergammon", "tictactoe"]


@contextlib.contextmanager
def ignoring(*messages: str) -> Iterator[None]:
    """Warnings stay errors but for these, of a checker that expects plain arrays."""
    with warnings.catch_warnings():
        for message in messages:
            warnings.filterwarnings("ignore", message)
        yield


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_finds_nothing_wrong(name: str) -> None:
    with ignoring("Observation is not a NumPy array", "Observation space for each agent probably"):
        api_test(make(name, render_mode="ansi"))
    seed_test(lambda: make(name))


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    with ignoring(".*Not able to test alternative render modes"):
        check_env(make_solo(name, replace_illegal=True, render_mode="ansi"))


def write_action(game: Game, action: int, side: int) -> str | None:
    """The move that an action stands for, by what the page says of it; None if it is a number."""
    if game.name.startswith("ur"):
        path = game.notation.paths[side]  # type: ignore[attr-defined]
        return "pass" if action == len(path) - 1 else str(path[action])
    return str(action) if game.name == "tictactoe" else None


def position_after(game: Game, position: Positions, side: int, roll: int, action: int) -> Any:
    """The position [W], the side and the outcome that the rules give after an action."""
    found = game.afterstates_of(position, roll)
    move = write_action(game, action, side)
    nth = action if move is None else game.notation.parse_move(move, position, side, roll, found)
    side ^= int(found.turn_passes[nth])
    return found.positions[nth], side, int(found.outcome[nth])


@pytest.mark.parametrize("name", VARIANTS)
def test_a_whole_game_visits_the_positions_that_the_rules_give(name: str) -> None:
    game, environment, luck = find_game(name), make(name), np.random.default_rng(5)
    rolls = [*game.draw(luck, 1, opening=True), *game.draw(luck, 5000)]
    environment.reset(options={"rolls": [game.rolls[roll] for roll in rolls]})
    position, side, outcome = game.start, 0, UNFINISHED
    for roll in rolls:
        assert environment.agent_selection == f"player_{side}"
        seen, reward, is_over, _, _ = environment.last()
        assert (reward, is_over) == (0, False)
        dice = np.eye(len(game.rolls), dtype=np.int8)[roll]
        np.testing.assert_array_equal(seen["observation"], [*position, *dice])
        assert seen["action_mask"].sum() == len(game.afterstates_of(position, roll).owner)
        action = int(luck.choice(np.flatnonzero(seen["action_mask"])))
        position, side, outcome = position_after(game, position, side, roll, action)
        environment.step(action)
        if outcome != UNFINISHED:
            break
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert outcome == game.outcome_of(position)
    assert environment.rewards == {f"player_{side}": outcome, f"player_{1 - side}": -outcome}
    np.testing.assert_array_equal(
        environment.observe(f"player_{side}")["observation"][: game.width], position
    )


def test_every_outcome_of_backgammon_comes_as_points() -> None:
    environment = make("hypergammon")
    seen = set()
    for seed in range(300):
        play_out(environment, seed)
        seen.add(environment.rewards["player_0"])
    assert seen == {-3, -2, -1, 1, 2, 3}


def play_out(environment: TwoPlayers, seed: int) -> list[list[int]]:
    """Plays the first legal action until the game is over; the observations on the way."""
    environment.reset(seed=seed)
    seen = []
    while not any(environment.terminations.values()):
        observed = environment.last()[0]
        seen.append(observed["observation"].tolist())
        environment.step(observed["action_mask"].argmax())
    return seen


def test_a_seed_gives_the_same_dice_and_none_goes_on() -> None:
    environment = make("ur")
    first = play_out(environment, seed=3)
    assert play_out(environment, seed=3) == first
    assert play_out(environment, seed=4) != first
    rolls = set()
    for _ in range(30):
        environment.reset()
        rolls.add(tuple(environment.last()[0]["observation"][-5:]))
    assert len(rolls) > 1


def test_backgammon_begins_with_two_different_dice() -> None:
    environment = make("backgammon", render_mode="ansi")
    firsts, seconds = set(), set()
    for seed in range(400):
        environment.reset(seed=seed)
        firsts.add(str(environment.render())[-2:])
        environment.step(0)
        seconds.add(str(environment.render())[-2:])
    assert seconds == set(environment.game.rolls)
    assert firsts == {roll for roll in environment.game.rolls if roll[0] != roll[1]}


def test_a_rosette_keeps_the_turn() -> None:
    environment = make("ur", render_mode="ansi")
    environment.reset(options={"rolls": [4, 1, 2]})
    environment.step(0)
    assert environment.agent_selection == "player_0"
    assert environment.render() == "6...o..........0/7..............0 r, roll 1"
    assert environment.moves() == {0: "e3", 4: "a3"}
    environment.step(4)
    assert environment.agent_selection == "player_1"
    assert environment.render() == "6....o.........0/7..............0 b, roll 2"


def test_the_last_action_of_ur_is_a_pass() -> None:
    environment = make("ur")
    environment.reset(options={"rolls": ["0", "1"]})
    assert environment.moves() == {15: "pass"}
    environment.step(15)
    assert environment.agent_selection == "player_1"


def test_an_action_of_tic_tac_toe_is_a_cell() -> None:
    environment = make("tictactoe", render_mode="ansi")
    environment.reset()
    for cell in (4, 0, 8):
        environment.step(cell)
    assert environment.render() == "o...x...x, roll -"
    assert np.flatnonzero(environment.last()[0]["action_mask"]).tolist() == [1, 2, 3, 5, 6, 7]


def test_who_is_not_to_move_sees_its_own_half_first_and_no_roll() -> None:
    environment = make("ur")
    environment.reset(options={"rolls": [1, 3]})
    environment.step(0)
    waits, moves = environment.observe("player_0"), environment.observe("player_1")
    assert waits["observation"][:3].tolist() == [6, 1, 0]
    assert moves["observation"][16:19].tolist() == [6, 1, 0]
    assert moves["observation"][32:].tolist() == [0, 0, 0, 1, 0]
    assert not waits["observation"][32:].any()
    assert not waits["action_mask"].any()


@pytest.mark.parametrize("name", GAMES)
def test_each_afterstate_is_where_its_action_leads(name: str) -> None:
    environment = make(name)
    environment.reset(seed=2)
    for _ in range(4):
        found, actions = environment.afterstates()
        assert len(found.owner) == len(actions) == len(set(actions.tolist()))
        for position, passes, action in zip(
            found.positions, found.turn_passes, actions, strict=True
        ):
            tried = copy.deepcopy(environment)
            tried.step(action)
            assert (tried.agent_selection != environment.agent_selection) == passes
            seen = tried.observe(tried.agent_selection)["observation"]
            np.testing.assert_array_equal(seen[: environment.game.width], position)
        environment.step(actions[-1])


def test_a_game_that_is_over_has_no_plays() -> None:
    environment = make("tictactoe")
    play_out(environment, seed=0)
    found, actions = environment.afterstates()
    assert len(found.owner) == len(actions) == len(environment.moves()) == 0
    assert environment.render() is None


@pytest.mark.parametrize("action", [9, -1, 4, None, "4", 1.5, 2**70])
def test_an_illegal_action_is_an_error_and_changes_nothing(action: Any) -> None:
    environment = make("tictactoe")
    environment.reset()
    environment.step(4)
    before = environment.last()
    with pytest.raises(InputError, match=r"is not a legal action in .* expected one of 0, 1, 2, 3"):
        environment.step(action)
    after = environment.last()
    np.testing.assert_equal(after, before)
    assert environment.agent_selection == "player_1"


def test_many_legal_actions_are_told_in_short() -> None:
    environment = make("backgammon")
    environment.reset(options={"rolls": ["21", "11"]})
    environment.step(0)
    with pytest.raises(InputError, match=r"expected one of 0 to \d+\.$"):
        environment.step(3000)


@pytest.mark.parametrize(
    ("name", "rolls", "complaint"),
    [
        ("ur", [1, 5], "'5' is not a roll of ur: expected one of 0, 1, 2, 3, 4."),
        ("ur", "123", "'123' is not a script of rolls: expected a list such as ['0', '1', '4']."),
        ("ur", [], "'[]' is not a script of rolls: expected a list"),
        ("ur", 3, "'3' is not a script of rolls: expected a list"),
        ("backgammon", ["61", "71"], "'71' is not a roll of backgammon: expected one of"),
        ("backgammon", ["66"], "'66' cannot be the first roll of backgammon: expected one of 21"),
        ("tictactoe", ["1"], "'1' is not a roll of tictactoe: expected one of -."),
    ],
)
@pytest.mark.parametrize("maker", [make, make_solo])
def test_rolls_that_do_not_fit_are_refused(
    maker: Any, name: str, rolls: Any, complaint: str
) -> None:
    with pytest.raises(InputError, match=re.escape(complaint)):
        maker(name).reset(options={"rolls": rolls})


def test_dice_can_be_told_in_either_order() -> None:
    environment = make("backgammon", render_mode="ansi")
    environment.reset(options={"rolls": ["13"]})
    assert str(environment.render()).endswith("roll 31")


def test_a_script_that_ends_before_the_game_is_an_error_and_changes_nothing() -> None:
    environment = make("ur", render_mode="ansi")
    environment.reset(options={"rolls": [1]})
    for _ in range(2):
        with pytest.raises(InputError, match="The script of 1 rolls has come to its end"):
            environment.step(0)
        assert environment.render() == "7..............0/7..............0 r, roll 1"


def test_a_script_needs_no_roll_after_the_last_play() -> None:
    environment = make("tictactoe")
    environment.reset(options={"rolls": ["-"] * 5})
    for cell in (0, 3, 1, 4, 2):
        environment.step(cell)
    assert environment.rewards == {"player_0": 1, "player_1": -1}


def test_steps_out_of_order_are_refused() -> None:
    environment = make("tictactoe")
    with pytest.raises(InputError, match=r"No game has begun: expected reset\(\) first"):
        environment.step(0)
    play_out(environment, seed=0)
    with pytest.raises(InputError, match="The game is over, and '0' is not an action any more"):
        environment.step(0)
    for _ in range(2):
        environment.step(None)
    with pytest.raises(InputError, match=r"The game is over.* expected reset\(\)"):
        environment.step(None)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (lambda: make("chess"), "'chess' is not a game: expected one of ur"),
        (lambda: make("ur", render_mode="human"), "'human' is not a render mode: expected ansi."),
        (lambda: make_solo("ur", side=2), "'2' is not a side: expected 0, 1 or None"),
        (lambda: observed_by("nobody"), "'nobody' is not a player: expected player_0 or player_1."),
    ],
)
def test_a_mistake_is_answered_with_a_sentence(words: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=re.escape(complaint)):
        words()


def observed_by(player: str) -> Any:
    environment = make("ur")
    environment.reset()
    return environment.observe(player)


@pytest.mark.parametrize(("maker", "package"), [(make, "pettingzoo"), (make_solo, "gymnasium")])
def test_a_missing_package_is_named(
    maker: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"package {package}.*pip install 'astragal\[gym\]'"):
        maker("ur")


def test_nobody_else_has_to_import_them() -> None:
    code = """
import sys
import astragal, astragal.gym, astragal.cli.main
assert not {"pettingzoo", "gymnasium"} & set(sys.modules), "too much was imported"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_opponent_sees_its_own_side_and_its_roll() -> None:
    told: list[tuple[list[int], int]] = []

    def choose(position: Positions, roll: int) -> int:
        told.append((position.tolist(), roll))
        return 0

    environment = make_solo("ur", choose, side=0, render_mode="ansi")
    environment.reset(options={"rolls": [1, 4, 2, 3]})
    environment.step(0)
    start = find_game("ur").start.tolist()
    after_mine = [*start[16:], 6, 1, *start[18:]]
    after_rosette = [6, 0, 0, 0, 1, *start[5:16], 6, 1, *start[18:]]
    assert told == [(after_mine, 4), (after_rosette, 2)]
    assert environment.render() == "6o.............0/5.o.o..........0 r, roll 3"


def test_whoever_comes_second_meets_an_opponent_that_has_begun() -> None:
    environment = make_solo("tictactoe", lambda position, roll: 0, side=1, render_mode="ansi")
    seen, _ = environment.reset()
    assert environment.render() == "x........, roll -"
    assert seen["observation"][9] == 1
    rewards = [environment.step(cell)[1:3] for cell in (4, 2, 6)]
    assert rewards[-1] == (1.0, True)
    assert rewards[:-1] == [(0.0, False)] * 2
    with pytest.raises(InputError, match=r"expected reset\(\) first"):
        environment.step(8)


def test_the_side_is_drawn_by_lot_and_the_reward_is_that_sides() -> None:
    environment = make_solo("tictactoe", lambda position, roll: 0)
    rewards = {}
    for seed in range(10):
        seen, _ = environment.reset(seed=seed)
        is_over, reward = False, 0.0
        while not is_over:
            seen, reward, is_over, _, _ = environment.step(seen["action_mask"].argmax())
        rewards[environment.side] = reward
    assert rewards == {0: 1.0, 1: -1.0}  # who begins has the first cells, and with them a line


def test_an_opponent_that_chooses_nonsense_is_told_off() -> None:
    environment = make_solo("tictactoe", lambda position, roll: 9, side=0)
    environment.reset()
    with pytest.raises(InputError, match=r"The opponent chose '9' in x.* expected 0 to 7"):
        environment.step(0)
    with pytest.raises(InputError, match=r"broken off: expected reset\(\) first"):
        environment.step(1)


def test_an_illegal_action_is_replaced_only_where_that_was_asked_for() -> None:
    environment = make_solo("ur", side=0)
    environment.reset(seed=1, options={"rolls": [1] * 500})
    with pytest.raises(InputError, match="'7' is not a legal action"):
        environment.step(7)
    forgiving = make_solo("ur", side=0, replace_illegal=True)
    forgiving.reset(seed=1, options={"rolls": [1] * 500})
    assert forgiving.step(7)[4] == {"action": 0}


def test_the_mask_is_there_for_learners_that_ask_for_it() -> None:
    environment = make_solo("hypergammon", side=0)
    seen, _ = environment.reset(seed=1)
    masks = environment.action_masks()
    assert masks.dtype == np.bool_
    assert masks.tolist() == seen["action_mask"].astype(bool).tolist()
    assert np.flatnonzero(masks).tolist() == list(environment.moves())
    assert environment.afterstates().actions.tolist() == list(environment.moves())


@pytest.mark.parametrize("example", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_of_the_page_run(example: str) -> None:
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], check=True, capture_output=True, text=True
    ).stdout
    if "print(" in example:
        assert sorted(told.split()) == ["-1.0", "1.0", "player_0", "player_1"]


def test_the_table_of_the_page_is_true() -> None:
    rows = re.findall(r"^\| (`.*`) \| (\d+) \+ (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    told = {
        name: tuple(map(int, numbers))
        for names, *numbers in rows
        for name in re.findall("`(.*?)`", names)
    }
    assert set(told) == set(VARIANTS)
    for name, (width, rolls, actions) in told.items():
        environment = make(name)
        seen = environment.observation_space("player_0")
        assert (environment.game.width, len(environment.game.rolls)) == (width, rolls)
        assert seen["observation"].shape == (width + rolls,)
        assert environment.action_space("player_1").n == actions == seen["action_mask"].shape[0]
