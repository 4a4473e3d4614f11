"""How long a study will take, and how much disk, from a second of each kind of cell."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from astragal.games.catalogue import find_game
from astragal.learning.loop import assessments_in, new_learner, stretch_of
from astragal.learning.settings import TrainSettings
from astragal.studies.measuring import assessor, measured
from astragal.studies.study import Cell, Measure, Study
from astragal.studies.study_file import cells_of, drawn
from astragal.values.checkpoint import save_net
from astragal.workers import Crew, cores

_LEARN_SECONDS = 1.0
_MOST_KINDS = 6
_TRIED = (10, 60)  # games


def foresee(study: Study) -> dict[str, Any]:
    """How many cells, games, seconds and bytes."""
    cells = _kinds(study)
    count = len(study.cells) if study.search is None else study.search.trials * len(study.seeds)
    spaced = cells[:: max(1, len(cells) // _MOST_KINDS)][:_MOST_KINDS]
    costs = [_cost(cell, study.measures) for cell in spaced]
    seconds, size = (sum(column) / len(costs) for column in zip(*costs, strict=True))
    games = sum(cell.settings.games for cell in cells) / len(cells)
    workers = cores()
    return {
        "cells": count,
        "games_a_cell": round(games),
        "seconds": seconds * count / workers,
        "workers": workers,
        "bytes": size * count,
    }


def _kinds(study: Study) -> list[Cell]:
    """Cells that differ in more than their seeds; of a search, one drawn by lot."""
    if study.search is None:
        return [cell for cell in study.cells if cell.settings.seed == study.seeds[0]]
    luck = np.random.default_rng(study.search.seed)
    changes = {key: drawn(values, luck) for key, values in study.search.space.items()}
    cells, _ = cells_of(study.base, study.seeds[:1], "one of them", changes)
    return cells


def _cost(cell: Cell, measures: tuple[Measure, ...]) -> tuple[float, float]:
    """Seconds and bytes of a whole cell."""
    settings, game = cell.settings, find_game(cell.settings.game)
    learner = new_learner(game, settings)
    stretch = min(stretch_of(settings), settings.games)
    learner.learn(0, 0, stretch)  # everything is compiled after it
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < _LEARN_SECONDS and done * stretch < settings.games:
        done += 1
        learner.learn(done, done * stretch, stretch)
    learning = (time.perf_counter() - began) / (done * stretch) * settings.games
    size = 2 * sum(array.nbytes for array in learner.state().values()) + 40_000
    with tempfile.TemporaryDirectory() as name:
        net, crew = Path(name) / "net.safetensors", Crew(1)
        save_net(net, learner.net)
        one = _extrapolated(
            lambda games: assessor(game, _with_games(settings, games), crew)(net),
            settings.assess.games,
        )
        matches = one * assessments_in(settings)
        for measure in measures:
            matches += _extrapolated(
                lambda games, measure=measure: measured(  # type: ignore[misc]
                    game, replace(measure, games=games), net, 0, crew
                ),
                measure.games,
            )
    learner.close()
    return learning + matches, float(size)


def _with_games(settings: TrainSettings, games: int) -> TrainSettings:
    return replace(settings, assess=replace(settings.assess, games=games))


def _extrapolated(play: Callable[[int], object], games: int) -> float:
    """How long so many games take, from fewer: a part for the match, and a part for each game."""
    play(2)
    few, many = (_seconds_of(play, count) for count in _TRIED)
    each = max(0.0, many - few) / (_TRIED[1] - _TRIED[0])
    return few + each * (games - _TRIED[0])


def _seconds_of(play: Callable[[int], object], games: int) -> float:
    began = time.perf_counter()
    play(games)
    return time.perf_counter() - began
