"""A board in a notebook: what Python tells its script, and what the script asks of Python."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import astragal
from astragal.arena.records import replay
from astragal.errors import InputError
from astragal.notebook.script import joined, script, style
from astragal.notebook.widget import BoardWidget

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def make(seed: int | None = 3, **wishes: Any) -> BoardWidget:
    return astragal.board("ur", **({"against": "random"} | wishes), seed=seed)


def moves(board: BoardWidget) -> list[str]:
    return [play["move"] for play in board.shown["choices"]["plays"]]


def play_on(board: BoardWidget) -> None:
    wish = {"do": "play", "turn": board.shown["turn"], "move": moves(board)[0]}
    board.receive(wish)
    assert board.message == ""


# What Python tells.


def test_a_new_board_shows_the_start_and_what_the_judge_thinks_of_it() -> None:
    board = make()
    assert board.stage["title"] == "Royal Game of Ur"
    assert board.shown["turn"] == 0
    assert board.shown["players"] == ("human", "random")
    assert sum(board.insight["wins"]) == pytest.approx(1)
    assert board.insight["wins"][0] > 0.5
    assert (board.insight["remark"], board.insight["hint"], board.message) == ("", [], "")


def test_all_that_is_told_is_json() -> None:
    board = make()
    play_on(board)
    for told in (board.stage, board.shown, board.insight):
        json.dumps(told)


def test_a_whole_game_is_played_by_messages() -> None:
    board = make()
    while board.shown["points"] is None:
        assert board.shown["side"] == 0
        play_on(board)
    record = board.record()
    assert record.outcome == board.shown["points"]
    assert len(list(replay(record))) == board.shown["turn"]
    assert board.insight["wins"] in ([0, 1], [1, 0])


def test_an_agent_that_has_the_first_side_has_begun() -> None:
    board = make(side="blue")
    assert board.shown["players"] == ("random", "human")
    assert board.shown["turn"] > 0
    assert board.shown["side"] == 1


def test_two_people_share_a_board() -> None:
    board = make(against="human")
    sides = set()
    for _ in range(20):
        sides.add(board.shown["side"])
        play_on(board)
    assert sides == {0, 1}


def test_the_same_seed_gives_the_same_games() -> None:
    boards = [make(5), make(5)]
    for board in boards:
        play_on(board)
    assert boards[0].record() == boards[1].record()
    for board in boards:
        board.receive({"do": "new"})
    seeds = {board.record().seed for board in boards}
    assert seeds == {6}


def test_a_choice_is_taken_back_with_the_answers_to_it() -> None:
    board = make()
    while len(moves(board)) < 2:
        play_on(board)
    before = board.shown
    play_on(board)
    assert board.insight["remark"]
    board.receive({"do": "undo", "turn": board.shown["turn"]})
    assert board.shown == before


def test_a_hint_ranks_the_plays_until_something_is_played() -> None:
    board = make()
    while len(moves(board)) < 2:
        play_on(board)
    board.receive({"do": "hint", "turn": board.shown["turn"]})
    hint = board.insight["hint"]
    assert sorted(play["move"] for play in hint) == sorted(moves(board))
    assert hint[0]["lost"] == ""
    board.receive({"do": "play", "turn": board.shown["turn"], "move": hint[0]["move"]})
    assert board.insight["hint"] == []
    remarks = [f"{hint[0]['move']} was the best play.", "Nothing could be played."]
    assert board.insight["remark"] in remarks


def test_where_no_widgets_are_there_is_a_picture() -> None:
    told = make()._repr_mimebundle_()
    assert told is not None
    assert told[0]["image/svg+xml"].startswith("<svg")
    assert "application/vnd.jupyter.widget-view+json" in told[0]


@pytest.mark.parametrize("game", ["backgammon", "tictactoe"])
def test_every_game_has_a_board(game: str, tables: Path) -> None:
    board = astragal.board(game, "random", seed=1)
    play_on(board)
    assert board.shown["turn"] >= 2


# What cannot be.


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("play", "Expected `object`"),
        ({}, "missing required field `do`"),
        ({"do": "fly"}, "Invalid enum value 'fly'"),
        ({"do": "play", "turn": 0}, "expected a turn and a move"),
        ({"do": "play", "turn": "0", "move": "a4"}, "Expected `int | null`"),
        ({"do": "play", "turn": 0, "move": "z9"}, "'z9'"),
        ({"do": "play", "turn": 7, "move": "a4"}, "The game has gone on: 0 turns"),
        ({"do": "undo", "turn": 0}, "There is no choice of a person to take back."),
        ({"do": "new", "colour": "red"}, "unknown field `colour`"),
    ],
)
def test_a_wrong_message_is_answered_with_a_sentence(content: object, told: str) -> None:
    board = make()
    before = board.shown
    board.receive(content)
    assert told in board.message
    assert board.message.endswith(".")
    assert board.shown == before
    play_on(board)


def test_a_game_that_is_over_takes_no_moves() -> None:
    board = make()
    while board.shown["points"] is None:
        play_on(board)
    for wish in ({"do": "play", "turn": board.shown["turn"], "move": "a4"}, {"do": "hint"}):
        board.receive(wish)
        assert board.message == "The game is over: expected one that goes on."


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"side": "green"}, "'green' is not a side: expected red or blue"),
        ({"against": "nobody"}, "'nobody' is not an agent for ur"),
        ({"seed": -1}, "-1 cannot be a seed"),
    ],
)
def test_what_cannot_be_played_is_refused(wishes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        make(**wishes)


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(InputError, match=r"pip install 'astragal\[notebook\]'"):
        astragal.board("ur")


# The script.

PARTS = [
    ("a.js", "export const one = 1;\nconst own = 2;\nexport async function f() {}\n"),
    ("b.js", 'import { one as first,\n  f } from "./a.js";\nconst own = 3;\nexport class B {}\n'),
    (
        "c.js",
        'import { B } from "./b.js";\nimport "./a.js";\nconst own = B;\nexport default own;\n',
    ),
]


def test_modules_are_joined_without_mixing_their_names() -> None:
    text = joined(PARTS)
    assert "return { one, f };" in text
    assert "const { one: first, f } = a_js;" in text
    assert "const { B } = b_js;" in text
    assert text.endswith("const own = B;\nexport default own;\n")
    assert "import" not in text


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "./a.js";\n',
        'export { one } from "./a.js";\n',
        'import { B } from "./later.js";\n',
    ],
)
def test_a_module_that_cannot_be_joined_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"b\.js"):
        joined([PARTS[0], ("b.js", text), PARTS[2]])


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        driver = pytest.importorskip("playwright._impl._driver")
        node = driver.compute_driver_executable()[0]
    return str(node)


@pytest.mark.parametrize("text", [joined(PARTS), script()], ids=["small", "whole"])
def test_the_joined_script_is_valid(text: str, tmp_path: Path) -> None:
    path = tmp_path / "widget.mjs"
    path.write_text(text)
    result = subprocess.run([_node(), "--check", path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


# The browser: a model as anywidget gives one, with the widget itself behind it.

_PAGE = """async ([esm, css, state]) => {
  const listeners = [];
  const tell = (event, ...told) => listeners.filter(([each]) => each === event).forEach(([, f]) => f(...told));
  window.sent = [];
  const model = {
    get: (name) => state[name],
    on: (event, listener) => listeners.push([event, listener]),
    off: (event, listener) => listeners.splice(listeners.findIndex((each) => each[1] === listener), 1),
    send: async (content) => {
      window.sent.push(content);
      state = await window.toPython(content);
      tell("change:shown");
      tell("msg:custom", { done: true });
    },
  };
  document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  window.leave = widget.render({ model, el: document.body });
  window.listening = () => listeners.length;
}"""  # noqa: E501


@pytest.fixture(scope="module")
def context() -> Iterator["BrowserContext"]:
    api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_context(reduced_motion="reduce")
        browser.close()


def _show(context: "BrowserContext", board: BoardWidget) -> tuple["Page", list[str]]:
    """A page with the board, and what goes wrong on it."""
    faults: list[str] = []

    def state() -> dict[str, Any]:
        return {name: getattr(board, name) for name in ("stage", "shown", "insight", "message")}

    def to_python(content: object) -> dict[str, Any]:
        board.receive(content)
        return state()

    page = context.new_page()
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.expose_function("toPython", to_python)
    page.evaluate(_PAGE, [script(), style(), state()])
    return page, faults


def _wait_for_wishes(page: "Page", count: int) -> list[dict[str, Any]]:
    """What was asked of Python, once so much was and it has been answered."""
    page.wait_for_function(
        f"window.sent.length === {count} && "
        "!document.querySelector('.buttons button:last-child').disabled"
    )
    sent: list[dict[str, Any]] = page.evaluate("window.sent")
    return sent


def test_a_click_plays_a_move_and_the_agent_answers(context: "BrowserContext") -> None:
    board = make()
    only = moves(board)[0]
    page, faults = _show(context, board)
    page.locator("astragal-board .source").first.click()
    assert _wait_for_wishes(page, 1) == [{"do": "play", "turn": 0, "move": only}]
    assert board.record().turns[0][1] == only
    assert page.locator(".status").inner_text().lower() == f"{board.shown['status']}."
    assert "wins" in page.locator(".judge").inner_text()
    assert faults == []


def test_a_whole_game_is_played_with_the_mouse(context: "BrowserContext", tables: Path) -> None:
    board = astragal.board("tictactoe", "random", seed=2)
    page, faults = _show(context, board)
    for count in range(1, 6):
        if board.shown["points"] is None:
            page.locator("astragal-board .target").first.click()
            _wait_for_wishes(page, count)
    assert board.shown["points"] is not None
    assert page.locator("astragal-board .hit").count() == 0
    assert faults == []


def test_buttons_ask_for_hints_and_new_games(context: "BrowserContext") -> None:
    board = make()
    page, faults = _show(context, board)
    page.get_by_role("button", name="Hint").click()
    page.locator(".hints td button").first.click()
    _wait_for_wishes(page, 2)
    page.get_by_role("button", name="New game").click()
    assert [wish["do"] for wish in _wait_for_wishes(page, 3)] == ["hint", "play", "new"]
    assert board.record().seed == 4
    assert faults == []


def test_a_board_that_is_gone_listens_no_more(context: "BrowserContext") -> None:
    page, faults = _show(context, make())
    assert page.evaluate("window.listening()") > 0
    assert page.evaluate("window.leave() || window.listening()") == 0
    assert faults == []


def test_a_late_wish_is_told_and_the_board_goes_on(context: "BrowserContext") -> None:
    board = make()
    page, faults = _show(context, board)
    play_on(board)  # as from another cell, unseen here
    page.locator("astragal-board .source").first.click()
    page.get_by_text("The game has gone on").wait_for()
    _wait_for_wishes(page, 1)
    assert page.locator(".status").inner_text().lower() == f"{board.shown['status']}."
    assert faults == []


def test_the_style_touches_nothing_else(context: "BrowserContext") -> None:
    page, _ = _show(context, make())
    dice = page.locator("astragal-dice")
    assert dice.evaluate("each => getComputedStyle(each).height") == "44px"
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {id: 'other'}))")
    page.evaluate("document.getElementById('other').className = 'unseen'")
    other = page.locator("#other")
    assert other.evaluate("each => getComputedStyle(each).position") == "static"
