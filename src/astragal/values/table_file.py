"""Tables in files: a header that says what it is, then whole numbers, mapped into memory as needed.

A chance is kept as a whole number between 0 and the largest that fits, so it is off by less than
1.2e-10 with four bytes, and by less than 7.7e-6 with two.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import zlib
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray
from platformdirs import user_data_path

from astragal.errors import InputError, quote
from astragal.files import replacing, write_text
from astragal.games.game import Game

FORMAT = "astragal table 1"
HEADER_BYTES = 4096
KINDS: dict[int, np.dtype[Any]] = {4: np.dtype("<u4"), 2: np.dtype("<u2")}
_AT_ONCE = 2**24


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says of its table."""

    format: str = FORMAT
    game: str
    game_version: int
    contents: str
    """What the numbers are, such as `values`."""
    rows: int
    positions: int = 0
    """How many rows are positions, where some are not; 0 for all."""
    columns: int
    bytes_each: int
    precision: float
    """How far a chance may be off."""
    residual: float
    """How far a chance was at most from what its best plays lead to, when it was last computed."""
    checksum: str


def unit(bytes_each: int) -> float:
    """What the last place of a number counts."""
    return 1 / (2 ** (8 * bytes_each) - 1)


def data_folder() -> Path:
    """The user's folder for tables; ASTRAGAL_DATA names another."""
    told = os.environ.get("ASTRAGAL_DATA")
    return Path(told) if told else user_data_path("astragal")


def table_path(game: Game, contents: str = "values") -> Path:
    """Where the game's table is kept."""
    name = game.name.replace(":", "-")
    return data_folder() / (f"{name}.table" if contents == "values" else f"{name}-{contents}.table")


def checksum(numbers: NDArray[Any]) -> str:
    """A checksum of the numbers, as it is written in headers."""
    flat = numbers.reshape(-1).view(np.uint8)
    total = 0
    for begin in range(0, len(flat), _AT_ONCE):
        total = zlib.crc32(flat[begin : begin + _AT_ONCE].data, total)
    return f"crc32 {total:08x}"


def as_numbers(chances: NDArray[np.float64], bytes_each: int) -> NDArray[Any]:
    """Chances as the whole numbers of a file."""
    return np.rint(np.clip(chances, 0, 1) / unit(bytes_each)).astype(KINDS[bytes_each])


def write_header(path: Path, header: Header) -> None:
    """Puts the header where a file of numbers begins."""
    with path.open("r+b") as file:
        file.write(_header_bytes(header))
        file.flush()
        os.fsync(file.fileno())


def _header_bytes(header: Header) -> bytes:
    text = msgspec.json.encode(header)
    if len(text) >= HEADER_BYTES:
        raise ValueError("the header does not fit")
    return text.ljust(HEADER_BYTES - 1) + b"\n"


def write_table(path: Path, header: Header, numbers: NDArray[Any]) -> None:
    """Writes a whole table: to a temporary name, then renamed."""
    check_room(path, HEADER_BYTES + numbers.nbytes)
    with replacing(path) as file:
        file.write(_header_bytes(header))
        numbers.tofile(file)


def check_room(path: Path, needed: int) -> None:
    """Makes the folder of a file; InputError if it cannot be, or its disk has too little room."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as fault:
        raise InputError(
            f"{quote(folder, shown=200)} cannot hold a table: {fault.strerror}; expected a folder "
            "that can be written, such as ASTRAGAL_DATA may name."
        ) from fault
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"{quote(folder, shown=200)} cannot be written: expected a folder for tables, such as "
            "ASTRAGAL_DATA may name."
        )
    if free < needed:
        raise InputError(
            f"{quote(folder, shown=200)} has {free / 2**20:,.0f} MiB free: expected "
            f"{needed / 2**20:,.0f} MiB for the table."
        )


class Table:
    """A table that lies in a file."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.header = path, header
        shape = (header.rows, header.columns)
        kind = KINDS[header.bytes_each]
        self.numbers: NDArray[Any] = np.memmap(path, kind, "r", HEADER_BYTES, shape)

    def chances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chances [N, columns] in these rows [N]."""
        result: NDArray[np.float64] = self.numbers[rows] * unit(self.header.bytes_each)
        return result


def open_table(path: Path, game: Game, contents: str, rows: int, columns: int) -> Table:
    """The table in a file, if it is whole and this one; otherwise InputError says why."""
    header = read_header(path)
    expected = {
        "game": game.name,
        "game_version": game.version,
        "contents": contents,
        "rows": rows,
        "columns": columns,
    }
    for key, value in expected.items():
        if getattr(header, key) != value:
            told = f"its {key.replace('_', ' ')} is {quote(getattr(header, key))}"
            refuse(path, f"{told}, expected {quote(value)}")
    stamp = _stamp(path)
    table = Table(path, header)
    if not _was_checked(path, stamp):
        if checksum(table.numbers) != header.checksum:
            refuse(path, f"it is damaged, expected {header.checksum}")
        _note_check(path, stamp)
    return table


def read_header(path: Path) -> Header:
    """What a file says of its table; InputError if it is none, or not whole."""
    try:
        with path.open("rb") as file:
            text = file.read(HEADER_BYTES)
        size = path.stat().st_size
    except OSError as fault:
        refuse(path, f"{fault.strerror}")
    try:
        header = msgspec.json.decode(text, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        refuse(path, "expected a table that solve made")
    if header.format != FORMAT or header.bytes_each not in KINDS:
        refuse(path, f"its format is {quote(header.format)}, expected {quote(FORMAT)}")
    needed = HEADER_BYTES + header.rows * header.columns * header.bytes_each
    if size != needed:
        refuse(path, f"it has {size:,} bytes, expected {needed:,}")
    return header


def refuse(path: Path, why: str) -> NoReturn:
    """InputError that names the file."""
    raise InputError(
        f"{quote(path, shown=200)} cannot be used as a table: {why}; solving the game again "
        "replaces it."
    )


# Half a gigabyte takes half a second to check, so a file is checked once, and again whenever it
# has been written since.
def _stamp(path: Path) -> str:
    seen = path.stat()
    return f"{seen.st_size} {seen.st_mtime_ns} {seen.st_ino}"


def _stamp_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.checked")


def _was_checked(path: Path, stamp: str) -> bool:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return _stamp_path(path).read_text() == stamp
    return False


def _note_check(path: Path, stamp: str) -> None:
    with contextlib.suppress(OSError):  # in a folder that cannot be written, it is checked again
        write_text(_stamp_path(path), stamp)
