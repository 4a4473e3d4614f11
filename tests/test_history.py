"""Which runs led to a net is known from their folders, or from the net, when those are gone."""

from pathlib import Path

import pytest

from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.learning.fresh import fresh_net
from astragal.learning.history import NOTE, Part, format_history, history_of, history_of_net
from astragal.learning.run import LATEST, Run
from astragal.learning.settings import LookaheadSettings, NetSettings, TrainSettings
from astragal.values.checkpoint import halve_net, save_net

NET = NetSettings("cells9", (4,))


def run_of(folder: Path, games: int, start: Path | None = None, *peers: Path) -> Run:
    learned = LookaheadSettings(peers=tuple(map(str, peers)))
    settings = TrainSettings("tictactoe", start=str(start or ""), net=NET, lookahead=learned)
    run = Run.create(folder, settings)
    saved(folder / LATEST)
    run.log({"games": games, "seconds": 2.5})
    return run


def saved(path: Path, notes: dict[str, str] | None = None) -> Path:
    save_net(path, fresh_net(find_game("tictactoe"), NET, seed=1), notes)
    return path


def part(name: str, games: int) -> Part:
    return Part(name, "cells9", (4,), "win", games, 2.5)


def test_a_run_goes_on_with_the_history_of_the_one_that_it_began_with(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", 300)
    second = run_of(tmp_path / "second", 500, first.folder / LATEST)
    third = run_of(tmp_path / "third", 700, second.folder / LATEST)
    assert history_of(third) == [part("first", 300), part("second", 500), part("third", 700)]


def test_what_led_to_peers_is_told_too_and_what_led_to_several_once(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", 300)
    second = run_of(tmp_path / "second", 500, first.folder / LATEST)
    third = run_of(tmp_path / "third", 700, first.folder / LATEST)
    nets = [run.folder / LATEST for run in (second, third)]
    last = [part("first", 300), part("second", 500), part("third", 700), part("last", 900)]
    assert history_of(run_of(tmp_path / "last", 900, nets[0], *nets)) == last
    fresh = [*last[:-1], part("fresh", 100)]
    assert history_of(run_of(tmp_path / "fresh", 100, None, *nets)) == fresh


def test_a_net_tells_its_history_when_its_runs_are_gone(tmp_path: Path) -> None:
    champion = tmp_path / "champion.safetensors"
    halve_net(
        saved(tmp_path / "net.safetensors"), champion, {NOTE: format_history([part("gone", 300)])}
    )
    assert history_of_net(champion) == [part("gone", 300)]
    run = run_of(tmp_path / "run", 500, champion)
    assert history_of(run) == [part("gone", 300), part("run", 500)]


def test_a_net_without_history_tells_none(tmp_path: Path) -> None:
    start = saved(tmp_path / "old.safetensors")
    assert history_of_net(start) == []
    assert history_of(run_of(tmp_path / "run", 500, start)) == [part("run", 500)]


def test_a_history_that_is_none_is_refused(tmp_path: Path) -> None:
    odd = saved(tmp_path / "odd.safetensors", {NOTE: '[{"name": 3}]'})
    with pytest.raises(InputError, match="expected a list of runs"):
        history_of_net(odd)
