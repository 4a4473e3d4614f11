"""A net can learn what other nets say, and so comes to know what all of them know."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.learner import Learner
from astragal.learning.loop import check_start, new_learner
from astragal.learning.packed import packed
from astragal.learning.run import Run
from astragal.learning.selfplay import PlayTask, play_task
from astragal.learning.settings import LookaheadSettings, NetSettings, TrainSettings
from astragal.values.checkpoint import save_net
from astragal.values.network import NetworkValues
from astragal.values.values import certain, chances_with_wins, win_chance
from test_labels import as_outputs, random_net, some_positions

PEERS = LookaheadSettings(targets="peers", peers=("one", "other"))


def peer(name: str, features: str, is_win: bool, share: float = 0.5) -> NetworkValues:
    """A net that says something else than `random_net`."""
    net = random_net(name, features, "relu", (9, 8), is_win)
    first, *others = net.layers
    return replace(net, layers=(replace(first, weights=first.weights * share), *others))


@pytest.mark.parametrize("is_win", [True, False])
@pytest.mark.parametrize("scout", [False, True])
def test_a_target_is_what_the_peers_say_on_average(is_win: bool, scout: bool) -> None:
    net = random_net("hypergammon", "hilton198", hidden=(12, 5), is_win=is_win)
    peers = [peer("hypergammon", "tesauro198", is_win, share) for share in (0.5, -1)]
    task = PlayTask(
        "hypergammon",
        packed(net),
        replace(PEERS, scout=8 if scout else 0),
        2,
        0.1,
        False,
        (1,),
        packed(random_net("hypergammon", "tesauro198")) if scout else None,
        tuple(map(packed, peers)),
    )
    examples = play_task(task)
    said = [as_outputs(net, each.chances(examples.positions)) for each in peers]
    np.testing.assert_allclose(examples.targets, np.mean(said, axis=0), rtol=0, atol=1e-5)
    assert np.abs(said[0] - said[1]).mean() > 0.01


def test_a_peer_that_tells_wins_alone_leaves_it_to_the_net_how_they_are_divided() -> None:
    net = random_net("backgammon", "tesauro198", is_win=False)
    teacher = peer("backgammon", "tesauro198", is_win=True)
    luck, nobody = (1,), None
    task = PlayTask(
        "backgammon", packed(net), PEERS, 1, 0.0, False, luck, nobody, (packed(teacher),)
    )
    positions, targets, *_ = play_task(task)
    wins = win_chance(net.game, teacher.chances(positions))
    assert targets[:, 3:].sum(axis=1) == pytest.approx(wins, abs=1e-5)
    own = net.chances(positions)
    for some in (slice(3), slice(3, 6)):
        mine, nets = (each[:, some] / each[:, some].sum(axis=1)[:, None] for each in (targets, own))
        np.testing.assert_allclose(mine, nets, rtol=0, atol=1e-4)


def test_wins_can_be_set_where_there_are_draws_too() -> None:
    game = find_game("tictactoe")
    chances = np.array([[0.3, 0.2, 0.5], [0.3, 0.2, 0.5], [0.1, 0.8, 0.1]])
    told = chances_with_wins(game, chances, np.array([0.6, 0.4, 0.95]))
    expected = [[0.3, 0.2, 0.5], [0.5, 0.2, 0.3], [0, 0.1, 0.9]]
    np.testing.assert_allclose(told, expected, rtol=0, atol=1e-12)
    for outcome in game.outcomes:
        sure = certain(game, np.array([outcome], np.int8))
        assert np.array_equal(chances_with_wins(game, sure, win_chance(game, sure)), sure)


def learner_of(folder: Path, *peers: NetworkValues, games: int) -> tuple[TrainSettings, Learner]:
    files = [folder / f"{number}.safetensors" for number in range(len(peers))]
    for file, net in zip(files, peers, strict=True):
        save_net(file, net)
    settings = TrainSettings(
        "tictactoe",
        "lookahead",
        games,
        workers=1,
        net=NetSettings("cells18", (24,), "tanh"),
        lookahead=replace(
            PEERS, peers=tuple(map(str, files)), epsilon=0.5, alpha=0.01, memory=5_000, uses=8
        ),
    )
    return settings, new_learner(find_game("tictactoe"), settings)


def test_who_learns_from_two_comes_nearer_to_both_together_than_either_is(tmp_path: Path) -> None:
    game = find_game("tictactoe")
    peers = [random_net("tictactoe", "cells18"), peer("tictactoe", "lines", is_win=True)]
    _, learner = learner_of(tmp_path, *peers, games=1_200)
    for number in range(4):
        learner.learn(number, number * 300, 300)
    positions = some_positions(game, 500)
    said = [win_chance(game, each.chances(positions)) for each in (*peers, learner.net)]
    off = [np.abs(each - (said[0] + said[1]) / 2).mean() for each in said]
    assert off[2] < 0.5 * off[0]


def test_a_run_goes_on_with_its_own_copies_of_its_peers(tmp_path: Path) -> None:
    settings, _ = learner_of(tmp_path, random_net("tictactoe", "cells18"), games=10)
    run = Run.create(tmp_path / "run", settings)
    Path(settings.lookahead.peers[0]).unlink()
    check_start(find_game("tictactoe"), Run.open(run.folder).with_own_nets())


def test_a_peer_that_is_no_net_of_the_game_is_refused(tmp_path: Path) -> None:
    settings, _ = learner_of(tmp_path, random_net("tictactoe", "cells18"), games=10)
    file = Path(settings.lookahead.peers[0])
    save_net(file, random_net("hypergammon", "tesauro198"))
    for wrong in (file, tmp_path / "missing"):
        own = replace(settings.lookahead, peers=(str(wrong),))
        with pytest.raises(InputError, match="expected"):
            check_start(find_game("tictactoe"), replace(settings, lookahead=own))


def test_a_teacher_stays_what_the_net_was_at_the_start(tmp_path: Path) -> None:
    settings, _ = learner_of(tmp_path, games=400)
    ends = {}
    teachers: tuple[Literal["itself", "start"], ...] = ("itself", "start")
    for teacher in teachers:
        own = LookaheadSettings(teacher=teacher, alpha=0.01, epsilon=0.0)
        learner = new_learner(find_game("tictactoe"), replace(settings, lookahead=own))
        first = {name: array.copy() for name, array in learner.state().items() if "player" in name}
        for number in range(2):
            learner.learn(number, number * 200, 200)
        ends[teacher] = [np.array_equal(learner.state()[name], first[name]) for name in first]
    assert all(ends["start"])
    assert not any(ends["itself"])
