"""`astragal warmup`: compile everything now."""

from __future__ import annotations

import time

from astragal.cli.common import progress_bar, say
from astragal.errors import InputError


def run() -> None:
    from astragal.agents import warmup as agents
    from astragal.compiling import cache_folder
    from astragal.games import warmup as games
    from astragal.learning import warmup as learning
    from astragal.solving import warmup as solving

    if cache_folder() is None:
        raise InputError(
            "Compiled code cannot be kept: expected a cache folder that can be written to; "
            "NUMBA_CACHE_DIR names another."
        )
    began = time.perf_counter()
    rooms = (games, agents, learning, solving)
    tasks = [task for room in rooms for task in room.warmup_tasks()]
    with progress_bar("compiling") as bar:
        task = bar.add_task("", total=len(tasks))
        for name, call in tasks:
            bar.update(task, description=name)
            call()
            bar.advance(task)
    say(f"everything is compiled ({time.perf_counter() - began:.1f} s).")
