"""What pictures of positions promise to the eyes that look at them."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from astragal.errors import InputError
from astragal.games.catalogue import VARIANTS, find_game
from astragal.games.game import other_view
from astragal.show.artists import ARTISTS
from astragal.show.scene import Scene, picture

DRAWN = [name for name in VARIANTS if type(find_game(name).rules) in ARTISTS]
URS = [name for name in VARIANTS if name.startswith("ur")]
BACKGAMMONS = [name for name in VARIANTS if name.endswith("gammon")]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert('1')</script> & \x1b[31m \x00 ]]> \ud800"

UR_BOARD = """\
Royal Game of Ur: blue rolled 3  ▲▲▲△

   ┌───┬───┬───┬───┐       ┌───┬───┐
 3 │✿●✿│   │   │   │       │ ✿ │   │   red  ●  waiting 4 ●●●●     home 1 ●
   ├───┼───┼───┼───┼───┬───┼───┼───┤
 2 │   │   │   │✿○✿│   │ ● │   │   │
   ├───┼───┼───┼───┼───┴───┼───┼───┤
 1 │ ✿ │   │   │[○]│       │ ✿ │ ○ │   blue ○  waiting 4 ○○○○     home 0
   └───┴───┴───┴───┘       └───┴───┘
     a   b   c   d   e   f   g   h

Three plays, one of them good."""

ASEB_BOARD = """\
Aseb: red to roll

   ┌───┬───┬───┬───┐
 3 │ ✿ │   │   │   │   red  ●  waiting 5 ●●●●●  home 0
   ├───┼───┼───┼───┼───┬───┬───┬───┬───┬───┬───┬───┐
 2 │   │   │   │ ✿ │   │   │   │ ✿ │   │   │   │ ✿ │
   ├───┼───┼───┼───┼───┴───┴───┴───┴───┴───┴───┴───┘
 1 │ ✿ │   │   │   │   blue ○  waiting 5 ○○○○○  home 0
   └───┴───┴───┴───┘
     a   b   c   d   e   f   g   h   i   j   k   l"""

BACKGAMMON_BOARD = """\
Backgammon: black rolled 61  ⚅ ⚀

  12 11 10  9  8  7         6  5  4  3  2  1          black X 130 pips
 ┌──────────────────┬─────┬──────────────────┬─────┐
 │ ·     ·     X    │     │ X     ·     ·    │ XXX │
 │ ·     ·     X    │     │ X     ·     ·    │     │
 │ ·     ·     X    │     │ X     ·     ·    │     │
 │ ·     ·     ·    │     │ X     ·     ·    │     │
 │ ·     ·     ·    │  O  │ 6     ·     ·    │     │
 │                  │[bar]│                  │ off │
 │    ·     ·     · │  X  │    ·     ·     · │     │
 │    ·     ·     · │  X  │    ·     ·     · │ OOO │
 │    ·     ·     · │     │    ·     ·     · │ OOO │
 │    ·     ·     · │     │    ·     ·  O  · │ OOO │
 │    ·     ·     · │     │   [X]    ·  O  · │ OOO │
 └──────────────────┴─────┴──────────────────┴─────┘
  13 14 15 16 17 18        19 20 21 22 23 24          white O 29 pips"""

TICTACTOE_BOARD = """\
Tic-tac-toe: o to move

  ┌───┬───┬───┐
  │ X │ 1 │ 2 │
  ├───┼───┼───┤
  │ 3 │[O]│ 5 │
  ├───┼───┼───┤
  │ 6 │ 7 │ X │
  └───┴───┴───┘"""


def checkers(places: dict[int, int]) -> list[int]:
    return [places.get(place, 0) for place in range(26)]


def midgame(name: str, seed: int = 1, moves: int = 40) -> Scene:
    """A position that random play comes to, with a roll."""
    game, luck = find_game(name), np.random.default_rng(seed)
    position, side = game.start, 0
    for _ in range(moves):
        roll = int(luck.choice(len(game.rolls), p=game.chances))
        after = game.afterstates_of(position, roll)
        choice = luck.integers(after.outcome.size)
        if game.outcome_of(after.positions[choice]) is not None:
            break
        position, side = after.positions[choice], side ^ int(after.turn_passes[choice])
    return Scene(game, position, side, roll=0)


def groups(scene: Scene) -> dict[str, str]:
    """The four groups of the picture, as text."""
    found = ElementTree.fromstring(scene.svg()).findall(f"{SVG}g")
    return {part.attrib["class"]: ElementTree.tostring(part, "unicode") for part in found}


def count(scene: Scene, class_: str) -> int:
    return groups(scene)["pieces"].count(f'class="{class_}"')


@pytest.mark.parametrize("name", VARIANTS)
def test_an_svg_has_board_pieces_marks_and_labels_in_this_order(name: str) -> None:
    root = ElementTree.fromstring(midgame(name).svg())
    tags = [child.tag.removeprefix(SVG) for child in root]
    assert (root.tag, tags) == (f"{SVG}svg", ["title", "desc", "g", "g", "g", "g"])
    assert list(groups(midgame(name))) == ["board", "pieces", "marks", "labels"]


@pytest.mark.parametrize("name", VARIANTS)
def test_an_svg_tells_those_who_do_not_see_it_what_it_shows(name: str) -> None:
    scene = midgame(name)
    root = ElementTree.fromstring(scene.svg())
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == f"{scene.game.title}: {scene.status}"
    form = scene.game.notation.format_position(scene.position, scene.side)
    assert root.findtext(f"{SVG}desc") == form


@pytest.mark.parametrize("name", VARIANTS)
def test_an_svg_is_small_and_needs_nothing_else(name: str) -> None:
    svg = midgame(name).svg()
    assert len(svg) < 16_000
    assert not re.search(r"href|<script|<style|url\(| id=|\.\d{3}", svg)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_notebook_shows_the_svg(name: str) -> None:
    scene = midgame(name)
    assert scene._repr_svg_() == scene.svg()


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_a_text_board_fits_a_terminal_of_78_columns(name: str, seed: int) -> None:
    lines = str(midgame(name, seed)).splitlines()
    assert max(map(len, lines)) <= 78
    assert lines == [line.rstrip() for line in lines]


@pytest.mark.parametrize("name", URS)
@pytest.mark.parametrize("seed", range(5))
def test_every_stone_of_ur_is_drawn_once(name: str, seed: int) -> None:
    scene = midgame(name, seed)
    stones = int(scene.game.start.sum()) // 2
    assert count(scene, "piece") == 2 * stones
    in_the_legend = 1
    assert [str(scene).count(stone) for stone in "●○"] == [stones + in_the_legend] * 2


@pytest.mark.parametrize("name", BACKGAMMONS)
@pytest.mark.parametrize("seed", range(5))
def test_every_checker_is_drawn_or_counted(name: str, seed: int) -> None:
    scene = midgame(name, seed)
    on_board = np.delete(scene.halves, 0, axis=1)
    above_five = int(np.maximum(on_board - 5, 0).sum())
    assert count(scene, "piece") + above_five == scene.position.sum()
    assert count(scene, "count") == (on_board > 5).sum()
    counted = int(on_board[on_board > 5].sum()) - 4 * int((on_board > 5).sum())
    in_the_legend = 2
    drawn = len(re.findall("[OX]", str(scene)))
    assert drawn + counted == scene.position.sum() + in_the_legend


@pytest.mark.parametrize("moves", range(9))
def test_every_cell_that_was_taken_is_drawn(moves: int) -> None:
    scene = midgame("tictactoe", moves=moves)
    assert count(scene, "piece") == scene.position.sum()
    assert len(re.findall("[OX]", str(scene))) == scene.position.sum()


def test_a_stack_of_more_than_five_shows_how_many() -> None:
    half = checkers({1: 15})
    scene = Scene(find_game("backgammon"), np.array(half + half, np.int8), 0)
    assert groups(scene)["pieces"].count(">15<") == 2
    assert str(scene).count("15 │") == 2


@pytest.mark.parametrize("name", VARIANTS)
def test_the_board_does_not_turn_round_with_the_mover(name: str) -> None:
    scene = midgame(name)
    turned = Scene(scene.game, other_view(scene.position), 1 - scene.side, roll=0)
    assert groups(scene)["board"] == groups(turned)["board"]
    assert groups(scene)["pieces"] == groups(turned)["pieces"]


def test_points_have_the_numbers_of_the_mover() -> None:
    game = find_game("backgammon")
    white, black = (str(Scene(game, game.start, side)).splitlines() for side in (0, 1))
    assert white[2].split()[:12] == [str(point) for point in range(13, 25)]
    assert black[2].split()[:12] == [str(point) for point in range(12, 0, -1)]


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("ur", "e3 f3 d2"),
        ("ur:aseb", "m2 l2"),
        ("backgammon", "1 24 bar off"),
        ("tictactoe", "0 8"),
    ],
)
def test_marks_change_nothing_but_the_group_of_marks(name: str, marks: str) -> None:
    plain, marked = (
        Scene(find_game(name), find_game(name).start, 0, marks=frozenset(wanted))
        for wanted in ([], marks.split())
    )
    changed = [part for part, drawn in groups(plain).items() if drawn != groups(marked)[part]]
    assert changed == ["marks"]
    assert groups(marked)["marks"].count('class="mark"') == len(marks.split())
    assert str(marked) != str(plain)


@pytest.mark.parametrize("name", DRAWN)
def test_a_mark_that_is_no_place_on_the_board_is_refused(name: str) -> None:
    scene = Scene(find_game(name), find_game(name).start, 0, marks=frozenset(["z9"]))
    with pytest.raises(InputError, match="'z9' is not a place on the board"):
        scene.svg()
    with pytest.raises(InputError, match="'z9' is not a place on the board"):
        scene.text()


@pytest.mark.parametrize("name", VARIANTS)
def test_a_hostile_caption_is_text_and_nothing_else(name: str) -> None:
    scene = Scene(find_game(name), find_game(name).start, 0, caption=HOSTILE)
    ElementTree.fromstring(scene.svg().encode())
    assert "<script" not in scene.svg()
    assert "&lt;script" in scene.svg()
    assert "\x1b" not in str(scene)


def test_a_long_caption_is_cut_into_lines() -> None:
    scene = Scene(find_game("ur"), find_game("ur").start, 0, caption="a rosette " * 40)
    assert max(map(len, str(scene).splitlines())) <= 78
    assert groups(scene)["labels"].count("rosette") == 40


def test_a_finished_game_says_who_won() -> None:
    assert "Royal Game of Ur: red won" in str(picture("ur", "0..............7/7..............0 b"))
    assert "Tic-tac-toe: x won" in str(picture("tictactoe", "xxxoo...."))
    assert "Tic-tac-toe: a draw" in str(picture("tictactoe", "xoxxoooxx"))


def test_a_finished_game_says_how_many_points_it_counts() -> None:
    position = np.array(checkers({24: 15}) + checkers({0: 15}), np.int8)
    scene = Scene(find_game("backgammon"), position, 1)
    assert "Backgammon: white won 3 points" in str(scene)
    assert "White won 3 points" in scene.svg()


def test_three_blank_dice_count_four_under_masters_rules() -> None:
    assert "red rolled 4  △△△\n" in str(picture("ur:masters", roll="4"))
    assert "red rolled 2  ▲▲△\n" in str(picture("ur:masters", roll="2"))


def test_a_game_that_nobody_draws_is_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("tictactoe")
    monkeypatch.delitem(ARTISTS, type(game.rules))
    scene = Scene(game, game.start, 0, marks=frozenset(["4"]), caption=HOSTILE)
    assert str(scene).startswith("Tic-tac-toe: x to move\n\n.........\n\n4\n")
    assert "........." in groups(scene)["pieces"]
    assert "x to move" in scene.svg()


def test_a_picture_is_made_of_text_forms() -> None:
    scene = picture("ur", "7..............0/7..............0 b", "2")
    assert (scene.side, scene.roll, scene.game.name) == (1, 2, "ur")
    assert (picture(scene.game).position == scene.game.start).all()


def test_importing_a_scene_brings_no_rules_with_it() -> None:
    check = "import sys, astragal.show.scene; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_this_is_a_board_of_ur() -> None:
    scene = picture("ur", "4...o.....o....1/4o......o....o.0 b", "3")
    marked = Scene(
        scene.game, scene.position, 1, 3, frozenset(["d1"]), "Three plays, one of them good."
    )
    assert str(marked) == UR_BOARD


def test_this_is_a_board_of_aseb() -> None:
    assert str(picture("ur:aseb")) == ASEB_BOARD


def test_this_is_a_board_of_backgammon() -> None:
    black = checkers({6: 6, 8: 3, 20: 1, 25: 2, 0: 3})
    white = checkers({2: 2, 25: 1, 0: 12})
    game = find_game("backgammon")
    position, roll = np.array(black + white, np.int8), game.parse_roll("61")
    assert str(Scene(game, position, 1, roll, frozenset(["bar", "20"]))) == BACKGAMMON_BOARD


def test_this_is_a_board_of_tictactoe() -> None:
    scene = picture("tictactoe", "x...o...x")
    assert str(Scene(scene.game, scene.position, 1, marks=frozenset("4"))) == TICTACTOE_BOARD
