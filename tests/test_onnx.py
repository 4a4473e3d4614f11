"""Nets as ONNX files: they say what ours say, and need none of our code."""

import itertools
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from astragal.agents.champions import champion, champion_path
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Positions
from astragal.values.checkpoint import save_net
from astragal.values.feature_sets import feature_sets, features
from astragal.values.network import Activation, Layer, NetworkValues, random_layers
from astragal.values.onnx_file import write_onnx
from positions import scattered_backgammon, scattered_ur, walked
from test_cli import Shell, astragal

__all__ = ["astragal"]

PAGE = (Path(__file__).parents[1] / "docs" / "export.md").read_text()
CHAMPIONS = ["ur", "backgammon", "tictactoe"]
SETS = [
    (name, chosen)
    for name in ("ur", "ur:masters:3", "backgammon", "hypergammon", "tictactoe")
    for chosen in feature_sets(find_game(name))
]
TOLERANCE = 1e-5
ACTIVATIONS: tuple[Activation, ...] = ("sigmoid", "tanh", "relu")


@cache
def positions_of(name: str) -> Positions:
    """A thousand positions of the game, and more from boards that play hardly ever meets."""
    game = find_game(name)
    pairs = walked(game, 1000)
    if name.startswith("ur"):
        pairs += scattered_ur(game, 200)
    elif name != "tictactoe":
        pairs += scattered_backgammon(game, 200)
    return np.array([position for position, _ in pairs], np.int8)


def random_net(
    name: str, chosen: str, hidden: list[int], activation: Activation, outputs: int
) -> NetworkValues:
    """A net whose weights and biases are far from nothing, so that each of them counts."""
    seen, luck = features(find_game(name), chosen), np.random.default_rng(1)
    layers = random_layers([seen.size, *hidden, outputs], luck, 0.5)
    biased = [
        Layer(layer.weights, luck.normal(0, 0.5, layer.biases.size).astype(np.float32))
        for layer in layers
    ]
    return NetworkValues(seen, tuple(biased), activation)


def run(path: Path, positions: Positions) -> NDArray[np.float32]:
    """The chances that the file gives, after it has been found to be in order."""
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (chances,) = session.run(["chances"], {"positions": positions})
    assert chances.dtype == np.float32
    return np.asarray(chances)


def check(net: NetworkValues, positions: Positions, path: Path) -> None:
    write_onnx(path, net)
    np.testing.assert_allclose(run(path, positions), net.chances(positions), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", CHAMPIONS)
def test_a_champion_says_the_same(name: str, tmp_path: Path) -> None:
    check(champion(find_game(name)), positions_of(name), tmp_path / "net.onnx")


@pytest.mark.parametrize(("name", "chosen"), SETS)
def test_every_kind_of_net_says_the_same(name: str, chosen: str, tmp_path: Path) -> None:
    outputs = 1, len(find_game(name).outcomes)
    for hidden, activation, count in itertools.product(([], [20], [20, 10]), ACTIVATIONS, outputs):
        net = random_net(name, chosen, hidden, activation, count)
        spread = net.chances(positions_of(name)).std(axis=0).max()
        assert spread > 1000 * TOLERANCE, "the net says the same of every position"
        check(net, positions_of(name), tmp_path / "net.onnx")


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_any_number_of_positions_will_do(count: int, tmp_path: Path) -> None:
    net = random_net("ur", "patterns", [8], "tanh", 2)
    positions = np.resize(positions_of("ur"), (count, 32))
    check(net, positions, tmp_path / "net.onnx")


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    write_onnx(tmp_path / "net.onnx", random_net("ur:blitz:3", "unary", [4], "relu", 1))
    model = onnx.load(tmp_path / "net.onnx")
    told = {entry.key: entry.value for entry in model.metadata_props}
    assert (told["game"], told["game version"]) == ("ur:blitz:3", "1")
    assert (told["features"], told["features version"]) == ("unary", "1")
    assert told["positions"] == (
        "int8 [N, 36]: two halves of 18 numbers, first that of the player about to roll, each as "
        "its owner sees it: stones waiting, stones on each square along their owner's path, "
        "stones home."
    )
    assert json.loads(told["outcomes"]) == [-1, 1]
    assert json.loads(told["start"]) == find_game("ur:blitz:3").start.tolist()
    assert (model.producer_name, model.graph.input[0].name) == ("astragal", "positions")


def test_the_same_net_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.onnx", "b.onnx"):
        write_onnx(tmp_path / name, champion(find_game("tictactoe")))
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"package onnx.*pip install 'astragal\[onnx\]'"):
        write_onnx(tmp_path / "net.onnx", champion(find_game("tictactoe")))
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_champion(astragal: Shell, tmp_path: Path) -> None:
    out = tmp_path / "tictactoe.onnx"
    answer = astragal("export", "tictactoe", str(out))
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        f"{out}: a net for tictactoe, {out.stat().st_size / 1000:.0f} kB. It takes positions, int8 "
        "[N, 18], and gives chances, float32 [N, 3], of the outcomes -1, 0, 1.",
        f"To run it: onnxruntime.InferenceSession('{out}').run(None, {{'positions': ...}})",
    ]
    positions = positions_of("tictactoe")
    ours = champion(find_game("tictactoe")).chances(positions)
    np.testing.assert_allclose(run(out, positions), ours, rtol=0, atol=TOLERANCE)


def test_the_command_writes_a_net_of_a_file(astragal: Shell, tmp_path: Path) -> None:
    net = random_net("ur:3", "rows32", [5], "sigmoid", 1)
    file, out = tmp_path / "net.safetensors", tmp_path / "net.onnx"
    save_net(file, net)
    assert astragal("export", str(file), str(out), "--json").json == {
        "file": str(out),
        "game": "ur:3",
        "features": "rows32",
        "inputs": {"positions": {"type": "int8", "shape": ["N", 32]}},
        "outputs": {"chances": {"type": "float32", "shape": ["N", 2], "outcomes": [-1, 1]}},
    }
    positions = positions_of("ur:3")
    np.testing.assert_allclose(run(out, positions), net.chances(positions), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("net", "out", "complaint"),
    [
        (
            "chess",
            "x.onnx",
            "'chess' is neither a net nor a game: expected a .safetensors file, or",
        ),
        ("", "x.onnx", "'' is neither a net nor a game"),
        (".", "x.onnx", "'.' is neither a net nor a game"),
        ("ur:finkle", "x.onnx", "'finkle' is not a rule set of ur"),
        ("ur:blitz", "x.onnx", "ur:blitz has no champion: expected one of backgammon"),
        ("no.safetensors", "x.onnx", "'no.safetensors' cannot be used as a net: there is no such"),
        ("noise", "x.onnx", "'noise' cannot be used as a net: it is damaged or no .safetensors"),
        ("cut.safetensors", "x.onnx", "'cut.safetensors' cannot be used as a net: it is damaged"),
        ("ur", "x.txt", "'x.txt' is not the name of an ONNX file: expected one that ends in .onnx"),
        ("ur", "x", "'x' is not the name of an ONNX file"),
        ("ur", "no/where.onnx", "no/where.onnx cannot be written: expected a file in a folder"),
        ("ur", "folder.onnx", "folder.onnx cannot be written: expected a file"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence_and_nothing_is_written(
    astragal: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    net: str,
    out: str,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = champion_path(find_game("ur"))
    assert whole is not None
    Path("cut.safetensors").write_bytes(whole.read_bytes()[:5000])
    Path("noise").write_bytes(b"noise" * 10)
    Path("folder.onnx").mkdir()
    before = sorted(tmp_path.rglob("*"))
    answer = astragal("export", net, out)
    assert (answer.code, answer.out) == (2, "")
    assert complaint in answer.err
    assert answer.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failed_export_leaves_the_old_file(astragal: Shell, tmp_path: Path) -> None:
    out = tmp_path / "net.onnx"
    out.write_bytes(b"old")
    assert astragal("export", "chess", str(out)).code == 2
    assert out.read_bytes() == b"old"
    assert astragal("export", "ur", str(out)).code == 0
    assert list(tmp_path.iterdir()) == [out]


def test_the_example_of_the_page_runs(
    astragal: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"\$ astragal (.*)", PAGE)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert astragal(*command.split()).code == 0
    assert "astragal" not in example
    told = subprocess.run([sys.executable, "-c", example], check=True, capture_output=True)
    assert re.match(rb"\{-1: .*, 1: .*\}", told.stdout)
