"""How long it takes to solve Ur, and whether the values are those that others found.

    python benchmarks/solving.py [GAME...]

solves from nothing, in a folder that is thrown away: `ur` and `ur:blitz` unless told otherwise.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time

import numpy as np

from astragal import find_game
from astragal.solving.solve import SolveSettings, solve, verify
from astragal.values.table import exact_values
from astragal.workers import cores

# The first player's chance, https://royalur.net/solved
PUBLISHED = {"ur": 0.515404732509, "ur:blitz": 0.504052555}
WITHIN = {"ur": 1e-7, "ur:blitz": 1e-7}


def main(names: list[str]) -> None:
    """Solves the games, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ASTRAGAL_DATA"] = folder
        solve(find_game("ur:1"), SolveSettings(), lambda told, share: None)  # compiles
        for name in names:
            measure(name)


def measure(name: str) -> None:
    """Solves one game and prints what came out."""
    game, began = find_game(name), time.perf_counter()
    header = solve(game, SolveSettings(threads=cores()), lambda told, share: None)
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    (chances,) = exact_values(game).chances(game.start[np.newaxis])
    print(f"{name}: {header.rows:,} positions in {seconds:.0f} s on {cores()} cores")
    print(f"  {memory:.1f} GiB of memory, last change {header.residual:.1g}")
    print(f"  the first player wins {chances[-1]:.10%}", end="")
    if name in PUBLISHED:
        off = abs(chances[-1] - PUBLISHED[name])
        print(f", published {PUBLISHED[name]:.10%}")
        assert off < WITHIN[name], f"off by {off}"
    else:
        print()
    _, residual = verify(game, cores(), lambda told, share: None)
    print(f"  every value is within {residual:.1g} of its plays'")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PUBLISHED))
