"""How much memory there is to work with."""

from __future__ import annotations

import re
from pathlib import Path

_LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def available_memory() -> int | None:
    """The bytes that can still be taken, or None where the system does not tell."""
    known = [amount for amount in (_of_machine(), *map(_of_group, _LIMITS)) if amount is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    told = re.search(r"MemAvailable:\s+(\d+) kB", _read("/proc/meminfo"))
    return int(told[1]) * 1024 if told else None


def _of_group(files: tuple[str, str]) -> int | None:
    """What a container's limit leaves; what files are kept in memory can be given up."""
    limit, used = (_read(file).strip() for file in files)
    if not (limit.isdigit() and used.isdigit()):
        return None
    kept = re.search(r"inactive_file (\d+)", _read(str(Path(files[0]).with_name("memory.stat"))))
    return int(limit) - int(used) + (int(kept[1]) if kept else 0)


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
