"""A net tells which runs led to it, though their folders may be gone."""

from pathlib import Path

import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.history import NOTE, Part, format_history, history_of
from astragal.learning.run import Mark, Run
from astragal.learning.settings import NetSettings, TrainSettings
from astragal.values.checkpoint import halve_net, save_net

NET = NetSettings("cells9", (4,))
SETTINGS = TrainSettings("tictactoe", net=NET)


def saved(path: Path, notes: dict[str, str] | None = None) -> Path:
    save_net(path, fresh_net(find_game("tictactoe"), NET, seed=1), notes)
    return path


def test_a_run_goes_on_with_the_history_of_the_net_that_it_begins_with(tmp_path: Path) -> None:
    first = Run.create(tmp_path / "first", SETTINGS)
    start = saved(tmp_path / "start.safetensors", first.notes(Mark(1, 300, 2.5)))
    second = Run.create(tmp_path / "second", TrainSettings("tictactoe", start=str(start), net=NET))
    expected = [
        Part("first", "cells9", (4,), "win", 300, 2.5),
        Part("second", "cells9", (4,), "win", 500, 4.0),
    ]
    assert second.history(Mark(1, 500, 4.0)) == expected
    champion = tmp_path / "champion.safetensors"
    halve_net(start, champion, {NOTE: format_history(expected)})
    assert history_of(champion) == expected


def test_a_net_without_history_tells_none(tmp_path: Path) -> None:
    assert history_of(saved(tmp_path / "old.safetensors")) == []


def test_a_history_that_is_none_is_refused(tmp_path: Path) -> None:
    odd = saved(tmp_path / "odd.safetensors", {NOTE: '[{"name": 3}]'})
    with pytest.raises(InputError, match="expected a list of runs"):
        history_of(odd)
