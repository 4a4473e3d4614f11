"""Tables are made whole or not at all, whatever happens; and strange ones are refused."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.solving import draft as drafts
from astragal.solving import solve as solving
from astragal.solving.solve import SolveSettings, solve, verify
from astragal.values.table import exact_values
from astragal.values.table_file import HEADER_BYTES, read_header, table_path, unit

GAME = find_game("ur:2")


def quietly(told: str, share: float) -> None:
    """Nobody watches."""


def test_a_table_gives_back_the_first_players_chance(tables: Path) -> None:
    game = find_game("ur:3")
    (chances,) = exact_values(game).chances(game.start[np.newaxis])
    assert chances == pytest.approx([1 - 0.5162011022, 0.5162011022], abs=1e-7)


def test_an_illegal_position_is_refused(tables: Path) -> None:
    position = GAME.start
    position[0] = 1  # a stone is missing
    with pytest.raises(ValueError, match="is not an unfinished position of ur:2"):
        exact_values(GAME).chances(position[np.newaxis])


def test_every_value_of_a_table_is_what_its_best_plays_lead_to(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ur:2", "ur:3", "tictactoe"):
        header, residual = verify(find_game(name), 2, quietly)
        assert residual < header.precision
    monkeypatch.setenv("ASTRAGAL_DATA", str(tmp_path))
    header = solve(GAME, SolveSettings(compact=True), quietly)
    _, residual = verify(GAME, 1, quietly)
    assert 1e-6 < residual < header.precision + unit(2)


def test_a_wrong_value_is_found(tables: Path, data_folder: Path) -> None:
    damage(tables, data_folder, mends_checksum=True)
    header, residual = verify(GAME, 1, quietly)
    assert residual > 1e-3 > header.precision


def damage(tables: Path, folder: Path, mends_checksum: bool = False) -> Path:
    """A copy of a table with one number changed."""
    from astragal.values.table_file import Table, checksum, write_header

    folder.mkdir()
    path = folder / "ur-2.table"
    whole = bytearray((tables / "ur-2.table").read_bytes())
    whole[HEADER_BYTES + 40_003] ^= 0x40
    path.write_bytes(whole)
    if mends_checksum:
        import msgspec

        header = read_header(path)
        sum_now = checksum(Table(path, header).numbers)
        write_header(path, msgspec.structs.replace(header, checksum=sum_now))
    return path


def test_a_damaged_table_is_refused(tables: Path, data_folder: Path) -> None:
    damage(tables, data_folder)
    with pytest.raises(InputError, match=r"ur-2.table' cannot be used as a table: it is damaged"):
        exact_values(GAME)


def test_a_table_that_is_changed_after_it_was_checked_is_refused(
    tables: Path, data_folder: Path
) -> None:
    data_folder.mkdir()
    path = data_folder / "ur-2.table"
    whole = (tables / "ur-2.table").read_bytes()
    path.write_bytes(whole)
    exact_values(GAME)
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match="it is damaged"):
        exact_values(GAME)


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (b"", "expected a table that solve made"),
        (b"\x80" * 5000, "expected a table that solve made"),
        (b"{" * 5000, "expected a table that solve made"),
    ],
)
def test_a_foreign_file_is_refused(data_folder: Path, contents: bytes, told: str) -> None:
    data_folder.mkdir()
    (data_folder / "ur-2.table").write_bytes(contents)
    with pytest.raises(InputError, match=told):
        exact_values(GAME)


def test_a_table_of_another_game_or_cut_short_is_refused(tables: Path, data_folder: Path) -> None:
    data_folder.mkdir()
    whole = (tables / "ur-3.table").read_bytes()
    (data_folder / "ur-2.table").write_bytes(whole)
    with pytest.raises(InputError, match="its game is 'ur:3', expected 'ur:2'"):
        exact_values(GAME)
    (data_folder / "ur-2.table").write_bytes(whole[:-4])
    with pytest.raises(InputError, match="bytes, expected"):
        exact_values(GAME)


def test_a_compact_table_is_half_as_large_and_good_to_five_digits(
    tables: Path, data_folder: Path
) -> None:
    header = solve(GAME, SolveSettings(compact=True), quietly)
    assert header.bytes_each == 2
    assert table_path(GAME).stat().st_size == HEADER_BYTES + 2 * header.rows
    numbers = np.arange(header.rows)
    compact = exact_values(GAME).table.chances(numbers)
    full = np.frombuffer((tables / "ur-2.table").read_bytes()[HEADER_BYTES:], "<u4") / (2**32 - 1)
    assert 1e-6 < np.abs(compact[:, 0] - full).max() < header.precision < 1e-4


def test_what_is_solved_is_not_solved_again(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = solve(GAME, SolveSettings(1e-5), quietly)
    monkeypatch.setattr(solving, "_solve_layers", lambda job: pytest.fail("solved again"))
    assert solve(GAME, SolveSettings(1e-4), quietly) == first
    monkeypatch.undo()
    monkeypatch.setenv("ASTRAGAL_DATA", str(data_folder))
    assert solve(GAME, SolveSettings(1e-6), quietly).precision == 1e-6


def test_too_little_memory_is_said_before_anything_is_written(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "available_memory", lambda: 2**20)
    with pytest.raises(InputError, match=r"Only 1 MiB of memory are free: expected \d+ MiB"):
        solve(GAME, SolveSettings(), quietly)
    assert not list(data_folder.glob("*"))


def test_too_little_room_on_the_disk_is_said_before_the_work_starts(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(InputError, match="has 0 MiB free: expected"):
        solve(find_game("ur:3"), SolveSettings(), quietly)
    assert not list(data_folder.iterdir())


def test_two_processes_do_not_write_one_table(data_folder: Path) -> None:
    drafted = drafts.Draft(table_path(GAME), GAME, 10, 1e-7)
    with drafted.opened(), pytest.raises(InputError, match="is being written by another process"):
        solve(GAME, SolveSettings(), quietly)


def test_a_part_that_was_damaged_meanwhile_is_solved_again(data_folder: Path) -> None:
    class StopError(Exception):
        pass

    def stop(told: str, share: float) -> None:
        if share > 0.5:
            raise StopError

    with pytest.raises(StopError):
        solve(GAME, SolveSettings(), stop)
    partial = data_folder / "ur-2.table.partial"
    half_done = bytearray(partial.read_bytes())
    assert any(half_done[HEADER_BYTES:])
    half_done[-10] ^= 0xFF  # in the layers that are solved first
    partial.write_bytes(half_done)
    solve(GAME, SolveSettings(), quietly)
    header, residual = verify(GAME, 1, quietly)
    assert residual < header.precision


@pytest.mark.parametrize("precision", [0.0, -1.0, 1.0, 1e-12, float("nan")])
def test_a_precision_that_cannot_be_is_refused(precision: float) -> None:
    with pytest.raises(InputError, match=r"is not a precision: expected 1e-08 to 0\.01"):
        SolveSettings(precision)


@pytest.mark.slow
def test_killed_twenty_times_it_ends_with_the_same_table(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game("ur:4")
    command = [sys.executable, "-m", "astragal", "solve", "ur:4", "--precision", "1e-6"]
    path, moments = table_path(game), random.Random(5)
    note = path.with_name("ur-4.table.progress")
    kills, interrupted = 0, 0
    while kills < 20:
        before = note.read_bytes() if note.exists() else b""
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not note.exists() or note.read_bytes() == before):
            time.sleep(0.01)  # until a part is done that was not before
        time.sleep(moments.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        interrupted += note.exists()
        path.unlink(missing_ok=True)  # if it was done before the signal came, it begins anew
    assert interrupted >= 10
    subprocess.run(command, check=True, capture_output=True)
    killed = path.read_bytes()
    assert not list(data_folder.glob("*.partial")) + list(data_folder.glob("*.progress"))
    monkeypatch.setenv("ASTRAGAL_DATA", str(tmp_path / "undisturbed"))
    solve(game, SolveSettings(1e-6), quietly)
    assert table_path(game).read_bytes() == killed
