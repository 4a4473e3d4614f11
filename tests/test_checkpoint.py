"""A net in a file is the same net, and a file that does not fit is refused in words."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from astragal.agents.specs import parse_agent
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.values.checkpoint import FORMAT, describe_net, halve_net, load_net, save_net
from astragal.values.feature_sets import features
from astragal.values.network import NetworkValues, random_layers
from positions import walk


def a_net(name: str = "ur", inputs: str = "unary") -> NetworkValues:
    chosen = features(find_game(name), inputs)
    layers = random_layers([chosen.size, 9, 4, 1], np.random.default_rng(1), 0.3)
    return NetworkValues(chosen, layers, "relu")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "a.safetensors"
    save_net(path, a_net(), {"trained by": "nobody"})
    return path


def test_a_net_reads_back_as_it_was(saved: Path) -> None:
    net, again = a_net(), load_net(saved, find_game("ur"))
    *_, (positions, _) = walk(net.game, games=30, turns=20, seed=2)
    assert np.array_equal(net.chances(positions), again.chances(positions))
    assert again.activation == "relu"


def test_a_halved_net_says_almost_the_same(saved: Path) -> None:
    half = saved.with_name("half.safetensors")
    halve_net(saved, half)
    net, again = a_net(), load_net(half, find_game("ur"))
    *_, (positions, _) = walk(net.game, games=30, turns=20, seed=2)
    off = np.abs(net.chances(positions) - again.chances(positions)).max()
    assert 0 < off < 1e-3
    assert again.layers[0].weights.dtype == np.float32
    assert describe_net(half) == describe_net(saved)
    weights = sum(layer.weights.size + layer.biases.size for layer in net.layers)
    assert saved.stat().st_size - half.stat().st_size == pytest.approx(2 * weights, abs=50)


def test_a_net_plays_by_its_spec(saved: Path) -> None:
    game = find_game("ur")
    agent = parse_agent(game, f"net:{saved}@1")
    assert agent.name == f"net:{saved}@1"
    assert agent.choose(game.start[np.newaxis], np.array([1]), np.random.default_rng(0)) == [0]


def changed(**tensors: NDArray[np.float32]) -> Callable[[bytes], bytes]:
    """The file with other tensors."""

    def change(data: bytes) -> bytes:
        described = {"format": FORMAT, "game": "ur", "game version": "1", "features": "unary"}
        described |= {"features version": "1", "activation": "relu"}
        kept = safetensors.numpy.load(data) | tensors
        return safetensors.numpy.save(kept, metadata=described)

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: data[:-50], "damaged or no .safetensors file"),
        (lambda data: data[:7], "damaged or no .safetensors file"),
        (lambda data: b"", "damaged or no .safetensors file"),
        (lambda data: b"noise" * 1000, "damaged or no .safetensors file"),
        (lambda data: data.replace(b"astragal net 1", b"astragal net 9"), "its format is"),
        (lambda data: data.replace(b'"ur"', b'"go"'), "its game is 'go', expected 'ur'"),
        (lambda data: data.replace(b'"relu"', b'"gelu"'), "its activation is 'gelu'"),
        (changed(**{"0.weights": np.zeros((5, 9), np.float32)}), "layer 0 does not fit"),
        (changed(**{"1.biases": np.full(4, np.nan, np.float32)}), "layer 1 is not finite"),
        (changed(**{"1.biases": np.zeros((1, 4), np.float32)}), "layer 1 does not fit"),
        (changed(extra=np.zeros(4, np.float32)), "layer 3 is not whole"),
        (lambda data: data.replace(b'"unary"', b'"urary"'), "'urary' is not a feature set of ur"),
        (
            changed(
                **{
                    "2.weights": np.zeros((4, 3), np.float32),
                    "2.biases": np.zeros(3, np.float32),
                }
            ),
            "it has 3 outputs, expected 1 or 2",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    saved: Path, change: Callable[[bytes], bytes], complaint: str
) -> None:
    saved.write_bytes(change(saved.read_bytes()))
    with pytest.raises(InputError, match=complaint) as caught:
        load_net(saved, find_game("ur"))
    assert str(saved) in str(caught.value)


def test_a_missing_file_and_another_game_are_told(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        parse_agent(find_game("ur"), f"net:{tmp_path}/none.safetensors")
    with pytest.raises(InputError, match="its game is 'ur', expected 'backgammon'"):
        parse_agent(find_game("backgammon"), f"net:{saved}")


def test_a_file_is_written_whole_or_not_at_all(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    before = saved.read_bytes()
    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="full"):
        save_net(saved, a_net("ur:3"))
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["a.safetensors"]
