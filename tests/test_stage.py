"""What a page that knows no game is told about the board of each."""

import json
import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest

from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.ur_notation import UrNotation
from astragal.show.artists import ARTISTS
from astragal.show.scene import Scene
from astragal.show.stage import stage_of
from test_show import BACKGAMMONS, URS, midgame

Area = list[float]


def is_inside(inner: Area, outer: Area) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and inner[0] + inner[2] <= outer[0] + outer[2]
        and inner[1] + inner[3] <= outer[1] + outer[3]
    )


def overlap(one: Area, other: Area) -> bool:
    return all(
        max(one[i], other[i]) < min(one[i] + one[i + 2], other[i] + other[i + 2]) for i in (0, 1)
    )


def on_spots(scene: Scene) -> list[tuple[str, list[float]]]:
    """The shape and the spot of each piece of a scene that its stage has one for."""
    return [
        (place["shape"], spot)
        for half, places in zip(scene.halves, stage_of(scene.game)["places"], strict=True)
        for count, place in zip(half, places, strict=True)
        for spot in place["spots"][:count]
    ]


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{markup}</svg>')


def check_markup(stage: dict[str, Any]) -> None:
    """One group each, which a strict policy lets in."""
    markup = [stage["board"], *(piece for pair in stage["pieces"].values() for piece in pair)]
    for each in markup:
        assert [child.tag for child in parsed(each)] == ["{http://www.w3.org/2000/svg}g"]
        assert not re.search(r"style|<script|href|url\(| id=| on\w+=", each)
    assert stage["board"].startswith('<g class="board">')
    assert all(left != right for left, right in stage["pieces"].values())


def check_places(stage: dict[str, Any], width: int) -> None:
    """Every number of a half has its place, with its own room on the board."""
    own, other = stage["places"]
    assert len(own) == len(other) == width // 2
    for place in (*own, *other):
        assert is_inside(place["hit"], stage["view"])
        assert place["spots"]
        assert place["shape"] in stage["pieces"]
        assert all(is_inside([x, y, 0, 0], place["hit"]) for x, y, _ in place["spots"])
        assert len({(x, y) for x, y, _ in place["spots"]}) == len(place["spots"])
    for places in (own, other):
        assert len({place["name"] for place in places}) == len(places)
        assert not any(overlap(a["hit"], b["hit"]) for a, b in combinations(places, 2))
    assert not any(overlap(a["hit"], b["hit"]) and a["hit"] != b["hit"] for a in own for b in other)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_stage_is_data_with_the_same_keys_for_every_game(name: str) -> None:
    game = find_game(name)
    stage = stage_of(game)
    assert json.loads(json.dumps(stage)) == stage
    assert set(stage) == set(
        "title sides view board pieces places labels dice ink count_ink colours pips store "
        "walks".split()
    )
    assert (stage["title"], stage["sides"]) == (game.title, list(game.sides))


@pytest.mark.parametrize("name", VARIANTS)
def test_its_markup_is_well_formed_and_asks_for_nothing(name: str) -> None:
    check_markup(stage_of(find_game(name)))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_number_of_a_half_has_a_place_on_the_board(name: str) -> None:
    game = find_game(name)
    check_places(stage_of(game), game.width)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(5))
def test_pieces_stand_where_pictures_have_them(name: str, seed: int) -> None:
    scene = midgame(name, seed)
    found = on_spots(scene)
    svg = scene.svg()
    assert len(found) == svg.count('class="piece"')
    drawn = re.findall(r'class="piece" transform="translate\(([\d.]+) ([\d.]+)\)"', svg)
    full_size = [(x, y) for shape, (x, y, scale) in found if shape == "disc" and scale == 1]
    assert sorted(full_size) == sorted((float(x), float(y)) for x, y in drawn)
    slabs = re.findall(r'<rect x="(\S+)" y="(\S+)" \S+ \S+ \S+ class="piece"', svg)
    centres = [(x - 22, y - 5.5) for shape, (x, y, _) in found if shape == "slab"]
    assert sorted(centres) == sorted((float(x), float(y)) for x, y in slabs)


@pytest.mark.parametrize("name", VARIANTS)
def test_tallies_stand_where_pictures_have_them(name: str) -> None:
    scene = midgame(name)
    pairs = zip(scene.halves, stage_of(scene.game)["places"], strict=True)
    for half, places in pairs:
        for count, place in zip(half, places, strict=True):
            if label := place["label"]:
                at = f'x="{label["x"]:g}" y="{label["y"]:g}"'
                assert re.search(f"<text {at}[^>]*>{count} {label['word']}<", scene.svg())


@pytest.mark.parametrize("name", URS)
def test_the_places_of_ur_are_the_squares_of_a_path_between_two_camps(name: str) -> None:
    game = find_game(name)
    assert isinstance(game.notation, UrNotation)
    squares: dict[str, Area] = {}
    for places, path in zip(stage_of(game)["places"], game.notation.paths, strict=True):
        assert [place["name"] for place in places] == ["waiting", *path[1:-1], "home"]
        counts = [len(place["spots"]) for place in places]
        assert counts == [game.rules.pieces, *[1] * (len(path) - 2), game.rules.pieces]
        assert [bool(place["label"]) for place in (places[0], *places[-2:])] == [True, False, True]
        for place in places[1:-1]:
            assert squares.setdefault(place["name"], place["hit"]) == place["hit"]


@pytest.mark.parametrize("name", BACKGAMMONS)
def test_a_point_of_backgammon_lies_where_the_other_side_has_its_own_number(name: str) -> None:
    game = find_game(name)
    white, black = stage_of(game)["places"]
    for places in (white, black):
        assert [place["name"] for place in places] == ["off", *map(str, range(1, 25)), "bar"]
        assert [place["shape"] for place in places] == ["slab", *["disc"] * 25]
        pieces = game.rules.pieces
        assert [len(place["spots"]) for place in places] == [pieces, *[min(5, pieces)] * 25]
    for point in range(1, 25):
        assert white[point]["hit"] == black[25 - point]["hit"]
    assert white[1]["hit"][1] > black[1]["hit"][1], "white sits at the bottom"


@pytest.mark.parametrize("name", BACKGAMMONS)
def test_points_are_labelled_with_the_numbers_of_the_side_to_move(name: str) -> None:
    stage = stage_of(find_game(name))
    for labels, places in zip(stage["labels"], stage["places"], strict=True):
        assert sorted(int(label["text"]) for label in labels) == list(range(1, 25))
        for label in labels:
            left, top, width, height = places[int(label["text"])]["hit"]
            assert label["x"] == left + width / 2
            assert 0 < (top - label["y"] if top < 200 else label["y"] - top - height) < 24
            assert is_inside([label["x"], label["y"], 0, 0], stage["view"])


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in BACKGAMMONS])
def test_no_other_board_has_labels_that_change(name: str) -> None:
    assert stage_of(find_game(name))["labels"] == [[], []]


@pytest.mark.parametrize(
    ("name", "dice"),
    [
        ("ur", {"kind": "tetra", "count": 4, "blank_counts": None}),
        ("ur:masters", {"kind": "tetra", "count": 3, "blank_counts": 4}),
        ("hypergammon", {"kind": "cubes"}),
        ("tictactoe", None),
    ],
)
def test_a_stage_tells_which_dice_are_thrown(name: str, dice: object) -> None:
    assert stage_of(find_game(name))["dice"] == dice


def test_a_number_on_a_checker_has_the_colour_of_its_edge() -> None:
    stage = stage_of(find_game("backgammon"))
    for ink, piece in zip(stage["count_ink"], stage["pieces"]["disc"], strict=True):
        assert f'stroke="{ink["fill"]}"' in piece
        assert f'fill="{ink["fill"]}"' not in piece


@pytest.mark.parametrize("name", ["tictactoe", "ur", "backgammon"])
def test_a_game_that_nobody_draws_still_has_a_stage(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game(name)
    monkeypatch.delitem(ARTISTS, type(game.rules))
    stage = stage_of(game)
    check_markup(stage)
    check_places(stage, game.width)
    assert stage["board"].count('class="cell"') == game.width
