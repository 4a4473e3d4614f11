"""What solving Ur and looking up its exact values need, called once, so that it is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from astragal.games.catalogue import find_game
from astragal.games.ur import UrRules
from astragal.solving.ur import UrSolver
from astragal.values.layout import numbers_of
from astragal.values.ur_layout import ur_layout
from astragal.values.ur_tables import ur_tables


def warmup_tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile: a name for people, and a call that compiles it."""
    yield "exact values of ur", _look_up
    yield "solving ur", _solve


def _rules() -> UrRules:
    rules = find_game("ur:1").rules
    assert isinstance(rules, UrRules)
    return rules


def _look_up() -> None:
    numbers_of(ur_layout(_rules()), find_game("ur:1").start[np.newaxis])


def _solve() -> None:
    solver = UrSolver(find_game("ur:1"), ur_tables(_rules()), threads=1)
    solver.solve((0, 0), lambda layer: np.empty(0), 1e-8, lambda share: None)
