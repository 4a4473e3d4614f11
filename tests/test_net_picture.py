"""A picture of a net tells the truth about the net, in numbers, in shades and in words."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from astragal.cli import show_net
from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import Positions
from astragal.games.random_play import random_positions
from astragal.show.net_picture import Unit, net_svg
from astragal.show.net_text import net_text
from astragal.show.places import cells_of
from astragal.show.shades import BLANK, ink_on, shade, told_effect, utmost
from astragal.studies.net_view import POSITIONS
from astragal.values.checkpoint import save_net
from astragal.values.effects import piece_effects
from astragal.values.feature_sets import feature_sets, features
from astragal.values.network import Activation, Layer, NetworkValues, random_layers
from astragal.values.values import win_chance

SVG = "{http://www.w3.org/2000/svg}"
SETS = [
    (name, inputs)
    for name in ("ur", "ur:masters", "backgammon", "tictactoe")
    for inputs in feature_sets(find_game(name))
]
ESCAPE = "\x1b[31m"


def a_net(
    name: str,
    inputs: str,
    hidden: list[int],
    outputs: int = 1,
    activation: Activation = "sigmoid",
    spread: float = 0.5,
) -> NetworkValues:
    chosen, luck = features(find_game(name), inputs), np.random.default_rng(1)
    layers = random_layers([chosen.size, *hidden, outputs], luck, spread)
    # Biases too: with none, an empty board is just where a rectifier has no slope.
    biased = [
        Layer(layer.weights, luck.normal(0, 0.5, layer.biases.size).astype(np.float32))
        for layer in layers
    ]
    return NetworkValues(chosen, tuple(biased), activation)


def sample(net: NetworkValues, count: int = 300) -> Positions:
    return random_positions(net.game, count, np.random.default_rng(2))


def sample_of_the_command(net: NetworkValues) -> Positions:
    return random_positions(net.game, POSITIONS, np.random.default_rng(0))


def log_odds(net: NetworkValues, positions: Positions) -> NDArray[np.float64]:
    win = win_chance(net.game, net.chances(positions))
    odds: NDArray[np.float64] = np.log(win / (1 - win))
    return odds


@pytest.mark.parametrize(("name", "inputs"), SETS)
def test_a_linear_net_gains_what_the_picture_says(name: str, inputs: str) -> None:
    # Weights are small, as log odds cannot be told exactly from chances close to 1.
    net = a_net(name, inputs, hidden=[], spread=0.2)
    positions = sample(net)
    total = piece_effects(net, positions).total
    for place in range(net.game.width):
        with_one = positions[positions[:, place] > 0].copy()
        if not len(with_one):
            assert np.isnan(total[place])
            continue
        with_one[:, place] = 1
        without = with_one.copy()
        without[:, place] = 0
        gain = log_odds(net, with_one) - log_odds(net, without)
        assert total[place] == pytest.approx(gain.mean(), abs=1e-4)
    assert np.isfinite(total).mean() > 0.8


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize(("name", "outputs"), [("ur", 1), ("tictactoe", 3), ("backgammon", 6)])
def test_slopes_are_what_a_small_push_of_each_unit_does(
    name: str, outputs: int, activation: Activation
) -> None:
    net = a_net(name, feature_sets(find_game(name))[0], [5, 4], outputs, activation)
    positions = sample(net, 200)
    slopes = piece_effects(net, positions).slopes
    first, *rest = net.layers
    for unit in range(5):
        push = np.zeros(5, np.float32)
        push[unit] = 0.005
        ends = [
            replace(net, layers=(Layer(first.weights, first.biases + way * push), *rest))
            for way in (1, -1)
        ]
        change = log_odds(ends[0], positions) - log_odds(ends[1], positions)
        assert slopes[unit] == pytest.approx(change.mean() / 0.01, abs=2e-3)
    assert np.abs(slopes).max() > 0.01


def test_what_units_do_adds_up_to_the_whole() -> None:
    effects = piece_effects(net := a_net("ur", "patterns", [6]), sample(net))
    assert effects.by_unit.shape == (32, 6)
    assert np.allclose(effects.by_unit.sum(axis=1), effects.total, equal_nan=True)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_place_has_a_cell_of_its_own_and_a_short_name(name: str) -> None:
    game = find_game(name)
    for cells in cells_of(game):
        assert len(cells) == game.width // 2
        assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
        assert len({cell.name for cell in cells}) == len(cells)
        assert max(len(cell.name) for cell in cells) <= 4


@pytest.mark.parametrize("name", ["ur", "ur:masters", "ur:aseb"])
def test_shared_squares_of_ur_are_one_cell_of_both_boards(name: str) -> None:
    game = find_game(name)
    own, other = cells_of(game)
    for place, meets in enumerate(game.rules.meets):  # type: ignore[attr-defined]
        if meets:
            assert own[place] == other[meets]
    assert (own[0].name, own[-1].name) == ("wait", "home")
    assert (own[1].name, own[1].row, own[1].column) == ("d3", 0, 3)
    assert (other[1].name, other[1].row, other[1].column) == ("d1", 2, 3)


def test_points_of_backgammon_lie_as_the_player_counts_them() -> None:
    own, other = cells_of(find_game("backgammon"))
    assert [own[point] for point in range(1, 25)] == [other[25 - point] for point in range(1, 25)]
    assert (own[24].row, own[24].column) == (0, 12)
    assert (own[1].row, own[1].column) == (1, 12)
    assert (own[6].column, own[7].column) == (7, 5)
    assert (own[0].name, own[25].name) == ("off", "bar")


def test_shades_are_blue_above_nothing_and_red_below() -> None:
    assert shade(0, 2) == "#ffffff"
    assert (shade(2, 2), shade(-2, 2)) == ("#2166ac", "#b2182b")
    assert (shade(1, 2), shade(-1, 2)) == ("#92c5de", "#f4a582")
    assert shade(5, 2) == shade(2, 2)
    assert shade(0, 0) == "#ffffff"
    assert shade(float("nan"), 2) == BLANK
    assert ink_on(2, 2) != ink_on(0, 2)
    assert utmost([1, -3, float("nan")]) == 3
    assert utmost([]) == 0


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.123, "+.12"),
        (-0.5, "-.50"),
        (0.001, "0"),
        (0.999, "+1.0"),
        (-2.34, "-2.3"),
        (12.6, "+13"),
        (float("nan"), "-"),
    ],
)
def test_effects_are_told_in_four_signs(number: float, expected: str) -> None:
    assert told_effect(number) == expected


@pytest.mark.parametrize("name", VARIANTS)
def test_a_text_picture_tells_every_place_within_78_columns(name: str) -> None:
    game = find_game(name)
    effects = np.arange(1, game.width + 1) / 100
    text = str(net_text(game, effects))
    assert max(map(len, text.splitlines())) <= 78
    assert sorted(re.findall(r"[+]\.\d\d", text)) == sorted(map(told_effect, effects))


def test_a_text_picture_is_laid_out_as_the_board() -> None:
    text = str(net_text(find_game("tictactoe"), np.array([*range(1, 10), *[np.nan] * 9]) / 100))
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["One", "own", "piece"]
    assert lines[1:3] == [["0", "1", "2"], ["+.01", "+.02", "+.03"]]
    assert lines[5:7] == [["6", "7", "8"], ["+.07", "+.08", "+.09"]]
    assert lines[-1] == ["-", "-", "-"]


def svg_of(name: str, units: int = 3) -> ElementTree.Element:
    game = find_game(name)
    effects = np.linspace(-1, 1, game.width)
    shown = [Unit(number, effects * number) for number in range(units)]
    return ElementTree.fromstring(net_svg(game, "A <net>", effects, shown, 80).encode())


@pytest.mark.parametrize("name", VARIANTS)
def test_an_svg_has_a_cell_for_each_place_and_a_tile_for_each_unit(name: str) -> None:
    root, width = svg_of(name), find_game(name).width
    cells = root.findall(f".//{SVG}g[@class='cell']")
    assert len(cells) == width
    tiles = root.findall(f".//{SVG}g[@class='unit']")
    assert [tile.findtext(f"{SVG}text") for tile in tiles] == ["0", "1", "2"]
    assert [len(tile.findall(f".//{SVG}rect")) for tile in tiles] == [width] * 3


def test_cells_have_the_shade_and_the_number_of_their_effect() -> None:
    first, *_, last = svg_of("ur").findall(f".//{SVG}g[@class='cell']")
    for cell, name, number, colour in (
        (first, "wait", "-1.0", "#b2182b"),
        (last, "home", "+1.0", "#2166ac"),
    ):
        assert [text.text for text in cell.findall(f"{SVG}text")] == [name, number]
        (rect,) = cell.findall(f"{SVG}rect")
        assert rect.attrib["fill"] == colour


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_of_an_svg_lies_outside_it(name: str) -> None:
    root = svg_of(name, units=30)
    *_, width, height = map(float, root.attrib["viewBox"].split())
    for group in root.findall(f"{SVG}g"):
        assert all(0 <= x <= width and 0 <= y <= height for x, y in corners(group, 0, 0))


@pytest.mark.parametrize("name", VARIANTS)
def test_no_place_is_drawn_over_another(name: str) -> None:
    tops = [
        corner
        for part in svg_of(name, units=30).findall(f"{SVG}g")
        for shape in part.iterfind("./*")
        if shape.get("class") == "units"
        for corner in corners(part, 0, 0)[::2]
    ]
    assert len(tops) == 30 * find_game(name).width
    across, down = (np.abs(np.subtract.outer(ends, ends)) for ends in zip(*tops, strict=True))
    nearest = np.maximum(across, down) + 100 * np.eye(len(tops))
    assert nearest.min() > 8


def corners(part: ElementTree.Element, x: float, y: float) -> list[tuple[float, float]]:
    """Both ends of every rectangle in a part of a picture, moved as its groups are."""
    moved = re.match(r"translate\((-?[\d.]+) (-?[\d.]+)\)", part.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if part.tag != f"{SVG}rect":
        return [corner for child in part for corner in corners(child, x, y)]
    left, top, wide, high = (float(part.attrib[key]) for key in ("x", "y", "width", "height"))
    return [(x + left, y + top), (x + left + wide, y + top + high)]


def test_an_svg_needs_nothing_else_and_says_how_many_units_there_are() -> None:
    game = find_game("ur")
    svg = net_svg(game, "A <net>", np.zeros(32), [Unit(7, np.zeros(32))], 80)
    assert "the weightiest 1 of 80" in svg
    assert "A &lt;net&gt;" in svg
    assert not re.search(r"href|<script|url\(| id=|nan", svg)
    assert "Hidden units" not in net_svg(game, "A net", np.zeros(32), [], 1)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "a.safetensors"
    notes = {"learner": f"nobody{ESCAPE}", "settings": "seed = 0\n[td]"}
    save_net(path, a_net("ur", "patterns", [30]), notes)
    return path


def test_the_command_says_what_the_net_is(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_net.run(saved)
    told = capsys.readouterr().out
    for words in ("Royal Game of Ur (ur)", "patterns, version 1", "-30-1", "sigmoid", "[td]"):
        assert words in told
    assert ESCAPE not in told
    assert "One enemy piece" in told


def test_the_command_answers_in_json(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_net.run(saved, units=4, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    net = a_net("ur", "patterns", [30])
    assert answer["layers"] == [net.features.size, 30, 1]
    assert answer["weights"] == 30 * net.features.size + 30 + 30 + 1
    assert answer["notes"]["settings"] == "seed = 0\n[td]"
    effects = piece_effects(net, sample_of_the_command(net))
    assert list(answer["mine"].values()) == pytest.approx(effects.total[:16].tolist())
    assert list(answer["theirs"].values()) == pytest.approx(effects.total[16:].tolist())
    strength = np.square(effects.by_unit).sum(axis=0)
    assert [unit["unit"] for unit in answer["units"]] == np.argsort(-strength)[:4].tolist()


def test_the_command_writes_a_picture(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = saved.with_name("a.svg")
    show_net.run(saved, svg=picture, units=1000)
    root = ElementTree.parse(picture).getroot()
    assert len(root.findall(f".//{SVG}g[@class='unit']")) == 30
    assert capsys.readouterr().out == ""


def test_a_net_without_hidden_layers_has_no_units(tmp_path: Path) -> None:
    path, picture = tmp_path / "a.safetensors", tmp_path / "a.svg"
    save_net(path, a_net("tictactoe", "cells9", hidden=[], outputs=3))
    show_net.run(path, svg=picture)
    assert "Hidden units" not in picture.read_text()


def test_a_file_that_is_no_net_is_refused_in_words(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        show_net.run(tmp_path / "none.safetensors")
    with pytest.raises(InputError, match="cannot be used as a net: it cannot be read"):
        show_net.run(tmp_path)
    safetensors.numpy.save_file({"a": np.zeros(3)}, saved)
    with pytest.raises(InputError, match="its format is 'None', expected 'astragal net 1'"):
        show_net.run(saved)
    saved.write_text("noise")
    with pytest.raises(InputError, match="damaged or no"):
        show_net.run(saved)


def test_a_net_for_a_game_that_nobody_knows_is_refused_in_words(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b'"game":"ur"', b'"game":"go"'))
    with pytest.raises(InputError, match="cannot be used as a net: 'go' is not a game"):
        show_net.run(saved)


def test_a_picture_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "a.svg"):
        with pytest.raises(InputError, match="cannot be written"):
            show_net.run(tmp_path / "none.safetensors", svg=place)
