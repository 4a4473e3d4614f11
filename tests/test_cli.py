"""The command line as people and programs use it, good input and bad."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astragal.cli.main import COMMANDS, main
from astragal.cli.questions import parse_question
from astragal.errors import InputError, quote

START = "7..............0/7..............0 r"
COMMAND = [sys.executable, "-m", "astragal"]


def without_compiling(told: str) -> str:
    """What a command said on standard error, but for what it had to compile on first use."""
    return "".join(line for line in told.splitlines(True) if "compiling" not in line)


class Answer:
    """What a command printed, and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Shell:
    """Runs commands in this process, which is faster than starting one for each."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capture, self._patch = capture, patch

    def __call__(self, *words: str, stdin: bytes = b"") -> Answer:
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capture.readouterr()
        with pytest.raises(SystemExit) as end:
            main(words)
        printed = self._capture.readouterr()
        told = without_compiling(printed.err)
        return Answer(int(end.value.code or 0), printed.out, told)


@pytest.fixture
def astragal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "100")
    return Shell(capsys, monkeypatch)


def test_help_lists_every_command(astragal: Shell) -> None:
    answer = astragal("--help")
    assert answer.code == 0
    assert all(command in answer.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(astragal: Shell, command: str) -> None:
    answer = astragal(command, "--help")
    assert answer.code == 0
    assert COMMANDS[command] in answer.out


@given(st.binary(max_size=60) | st.text(st.sampled_from('{}[]":,position roll3.o/'), max_size=60))
def test_any_line_is_a_question_or_an_error_that_quotes_it(line: bytes | str) -> None:
    data = line.encode() if isinstance(line, str) else line
    try:
        question = parse_question(data)
    except InputError as fault:
        assert quote(data.decode(errors="replace")) in str(fault)
    else:
        assert isinstance(question.position, str)


def test_help_imports_neither_numba_nor_numpy() -> None:
    code = """
import sys
from astragal.cli.main import main
try:
    main(["--help"])
except SystemExit:
    assert not {"numba", "numpy"} & set(sys.modules), "too much was imported"
"""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_legal_answers_in_the_promised_json(astragal: Shell) -> None:
    answer = astragal("legal", "ur", START, "4", "--json")
    after = "6...o..........0/7..............0 r"
    assert answer.json == {
        "position": START,
        "roll": "4",
        "afterstates": [{"move": "e3", "position": after, "turn_passes": False, "outcome": None}],
    }


def test_legal_tells_the_points_of_a_play_that_ends_the_game(astragal: Shell) -> None:
    (win,) = astragal("legal", "ur", "0.............o6/7..............0 r", "1", "--json").json[
        "afterstates"
    ]
    assert (win["move"], win["outcome"]) == ("g3", 1)


def test_legal_prints_a_table_for_people(astragal: Shell) -> None:
    answer = astragal("legal", "backgammon", "4HPwATDgc/ABMA", "13")
    assert "16 plays" in answer.out
    assert "8/5 6/5" in answer.out


def test_the_only_roll_of_a_game_need_not_be_told(astragal: Shell) -> None:
    assert astragal("legal", "tictactoe", ".........", "--json").json["roll"] == "-"
    assert astragal("legal", "tictactoe", ".........", "-", "--json").code == 0


def test_rules_and_stones_can_be_options_or_part_of_the_name(astragal: Shell) -> None:
    first = astragal("show", "ur:blitz:3", "--json").out
    assert first == astragal("show", "ur", "--rules", "blitz", "--stones", "3", "--json").out


def test_thousands_of_questions_in_one_process(astragal: Shell) -> None:
    question = {"position": START, "roll": 3}
    answer = astragal("legal", "ur", "-", stdin=(json.dumps(question) + "\n").encode() * 2_000)
    assert answer.code == 0
    assert len(answer.lines) == 2_000
    assert answer.lines[-1]["afterstates"][0]["move"] == "e3"


def test_a_roll_beside_the_dash_is_for_all_lines_without_one(astragal: Shell) -> None:
    lines = [{"position": START}, {"position": START, "roll": 4}]
    answer = astragal("legal", "ur", "-", "2", stdin="\n".join(map(json.dumps, lines)).encode())
    assert [line["roll"] for line in answer.lines] == ["2", "4"]


def test_the_dice_of_an_xgid_are_the_roll(astragal: Shell) -> None:
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:61:0:0:0:0:10"
    assert astragal("legal", "backgammon", text, "--json").json["roll"] == "61"
    assert "rolled 61" in astragal("show", "backgammon", text).out
    assert astragal("legal", "backgammon", text, "52", "--json").json["roll"] == "52"


def test_show_writes_the_xgid_too(astragal: Shell) -> None:
    text = "XGID=ab----E-C---dE---c-e----AA:0:0:-1:00:0:0:0:0:10"
    assert astragal("show", "backgammon", text, "--json").json["xgid"] == text


def test_a_line_that_cannot_be_read_is_answered_in_its_place(astragal: Shell) -> None:
    good = json.dumps({"position": START, "roll": "1"}).encode()
    bad = [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"roll": 1}',
        b'{"position": 3, "roll": "1"}',
        json.dumps({"position": START}).encode(),
        json.dumps({"position": START, "roll": "9"}).encode(),
        json.dumps({"position": "noise" * 100, "roll": "1"}).encode(),
        b"x" * 1_000_000,
    ]
    answer = astragal("legal", "ur", "-", stdin=b"\n".join([*bad, good]))
    assert answer.code == 2
    *errors, last = answer.lines
    assert len(errors) == len(bad)
    for error in errors:
        assert set(error) == {"error"}
        assert "expected" in error["error"]
        assert len(error["error"]) < 300
    assert last["afterstates"][0]["move"] == "e3"


def test_show_answers_lines_too(astragal: Shell) -> None:
    answer = astragal("show", "ur", "-", stdin=json.dumps({"position": START}).encode() + b"\n")
    assert answer.lines[0]["turn"] == "red"
    assert "waiting 7" in answer.lines[0]["board"]


def test_show_draws_plainly_into_a_pipe(astragal: Shell) -> None:
    answer = astragal("show", "backgammon", "4HPwATDgc/ABMA")
    assert "167 pips" in answer.out
    assert "\x1b" not in answer.out


def test_show_draws_in_colour_on_a_terminal(
    astragal: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in astragal("show", "ur").out


def test_show_writes_a_picture_whole_or_not_at_all(astragal: Shell, tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    assert astragal("show", "ur", "--svg", str(target)).code == 0
    assert ElementTree.parse(target).getroot().tag.endswith("svg")
    assert list(tmp_path.iterdir()) == [target]
    answer = astragal("show", "ur", "--svg", str(tmp_path / "no" / "where.svg"))
    assert answer.code == 2
    assert "cannot be written (No such file or directory)" in answer.err


def test_perft_counts(astragal: Shell) -> None:
    plies = astragal("perft", "tictactoe", "--depth", "3", "--json").json["plies"]
    assert [ply["afterstates"] for ply in plies] == [9, 72, 504]
    assert "504" in astragal("perft", "tictactoe", "--depth", "3").out


def test_random_reports_what_came_out(astragal: Shell) -> None:
    report = astragal("random", "ur", "--games", "500", "--seed", "3", "--json").json
    assert report["games"] == sum(report["outcomes"].values()) == 500
    assert report["turns"] >= report["moves"] > 500 * 7
    again = astragal("random", "ur", "--games", "500", "--seed", "3", "--json").json
    assert again["outcomes"] == report["outcomes"]
    assert again["turns_a_game"] == report["turns_a_game"]
    assert "games a second" in astragal("random", "tictactoe", "--games", "10").out


def test_the_demo_trains_an_agent_and_has_it_meet_the_champion(
    astragal: Shell, tmp_path: Path
) -> None:
    answer = astragal("demo", "--games", "100", "--out", str(tmp_path / "run"))
    assert answer.code == 0
    assert "plays 100 games against itself" in answer.out
    assert "Against the champion it wins" in answer.out
    assert (tmp_path / "run" / "report.html").exists()
    assert f"play ur --against net:{tmp_path / 'run' / 'latest.safetensors'}" in answer.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["legal", "chess", START, "1"], "'chess' is not a game: expected one of ur"),
        (["legal", "ur", "8" + START[1:], "1"], "red has 8 stones, expected 7"),
        (["legal", "ur", START, "5"], "'5' is not a roll of ur: expected one of 0, 1, 2, 3, 4"),
        (["legal", "ur", START], "No roll was given"),
        (["legal", "ur", "", "1"], "'' is not a position"),
        (["legal", "ur", "x" * 100_000, "1"], "(100,000 characters) is not a position"),
        (["show", "ur", "--stones", "9"], "'9' is not a number of stones: expected 1 to 7"),
        (["show", "ur", "--stones", "-1"], "'-1' is not a number of stones: expected 1 to 7"),
        (["show", "ur", "-", "--svg", "x.svg"], "--svg draws one position"),
        (["show", "tictactoe", "xxxoo....", "-"], "'xxxoo....' is over: expected no roll"),
        (["show", "ur", "--rules", "finkle"], "'finkle' is not a rule set of ur"),
        (["show", "backgammon", "--rules", "blitz"], "'backgammon:blitz' is not a game"),
        (["perft", "backgammon", "--depth", "1", "--position", "!"], "'!' is not a position"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(
    astragal: Shell, words: list[str], complaint: str
) -> None:
    answer = astragal(*words)
    assert answer.code == 2
    assert complaint in answer.err
    assert answer.err.count("\n") == 1
    assert len(answer.err) < 400
    assert answer.out == ""


@pytest.mark.parametrize(
    "words",
    [["lgal"], ["perft", "ur"], ["perft", "ur", "--depth", "0"], ["random", "ur", "--games", "x"]],
)
def test_a_wrong_call_is_explained(astragal: Shell, words: list[str]) -> None:
    answer = astragal(*words)
    assert answer.code == 2
    assert "Usage" in answer.err
    assert "Traceback" not in answer.err


def test_a_full_disk_is_told_in_a_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "show", "ur", "--json"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    told = without_compiling(done.stderr)
    assert told == "astragal: The answer cannot be written (No space left on device).\n"


def test_closed_standard_input_is_told_in_a_sentence() -> None:
    command = f"{' '.join(COMMAND)} legal ur - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("astragal: Standard input is closed")


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    words = ["demo", "--games", "100", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1


def interrupted(*words: str, after: float = 4) -> subprocess.CompletedProcess[str]:
    """What a command prints that gets Ctrl-C after so many seconds of work."""
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while seconds_of_work(process.pid) < after:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def seconds_of_work(process: int) -> float:
    """How long a process has kept a processor busy, however slow the machine is."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("after", [1.2, 2, 4])
def test_an_interruption_while_it_compiles_ends_quietly(
    after: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    done = interrupted("warmup", after=after)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_an_interruption_gives_the_result_so_far() -> None:
    done = interrupted("random", "ur", "--games", "1000000000", "--json")
    assert done.returncode == 0
    assert "interrupted after" in done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < json.loads(done.stdout)["games"] < 1_000_000_000


def test_an_interrupted_count_ends_quietly() -> None:
    done = interrupted("perft", "backgammon", "--depth", "6")
    assert (done.returncode, done.stdout) == (130, "")
    assert without_compiling(done.stderr) == ""
