"""The champions that come with the package keep what their cards promise."""

import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import astragal
from astragal.agents.champions import champion, champion_path
from astragal.agents.specs import parse_agent
from astragal.arena.match import play_match
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.kernels import UNFINISHED
from astragal.learning.settings_file import parse_settings, read_settings
from astragal.values.checkpoint import describe_net

ROOT = Path(__file__).parents[1]
GAMES = ["ur", "backgammon", "tictactoe"]
CHAMPIONS = sorted(Path(astragal.__file__).parent.glob("champions/*.safetensors"))
MOST_BYTES = 5_000_000
Row = tuple[int, ...]
TICTACTOE = find_game("tictactoe")


def test_every_game_has_a_champion() -> None:
    for name in GAMES:
        assert champion_path(find_game(name)) in CHAMPIONS


def test_who_plays_for_wins_alone_is_chosen_for_that_aim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (champion_path(find_game("ur")), champion_path(TICTACTOE)):
        assert path is not None
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "ur-win.safetensors").write_bytes((tmp_path / "ur.safetensors").read_bytes())
    monkeypatch.setattr("astragal.agents.champions._FOLDER", tmp_path)
    ur = find_game("ur")
    assert champion_path(ur, "win") == tmp_path / "ur-win.safetensors"
    assert champion_path(ur) == tmp_path / "ur.safetensors"
    assert champion_path(TICTACTOE, "win") == tmp_path / "tictactoe.safetensors"
    (tmp_path / "ur.safetensors").write_bytes(b"")
    assert parse_agent(ur, "champion@1", "win").name == "champion@1"
    with pytest.raises(InputError, match="cannot be used as a net"):
        parse_agent(ur, "champion@1", "points")
    with pytest.raises(InputError, match="expected one of tictactoe, ur\\."):
        champion(find_game("backgammon"))


@pytest.mark.parametrize("path", CHAMPIONS, ids=lambda path: path.stem)
def test_a_champion_is_small_and_has_a_card_with_the_command_that_made_it(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    card = path.with_suffix(".md").read_text()
    assert re.search(
        f"(astragal train --settings|python recipes/train.py) recipes/{path.stem}.toml", card
    )


@pytest.mark.parametrize("path", CHAMPIONS, ids=lambda path: path.stem)
def test_a_champion_was_made_with_the_settings_of_its_recipe(path: Path) -> None:
    told = parse_settings(describe_net(path)["note: settings"], "the net")
    recipe = read_settings(ROOT / "recipes" / f"{path.stem}.toml")
    # How many play and who measures it makes no difference to what is learned.
    assert replace(told, workers=0, assess=recipe.assess) == recipe


def test_every_recipe_can_be_read() -> None:
    for path in (ROOT / "recipes").glob("*.toml"):
        assert read_settings(path).game == tomllib.loads(path.read_text())["game"]


@cache
def plays(position: Row) -> list[tuple[Row, int]]:
    """Where the plays of a position lead, with the outcome for whoever is next, or UNFINISHED."""
    found = TICTACTOE.afterstates_of(np.array(position, np.int8), 0)
    return [
        (tuple(map(int, board)), int(outcome))
        for board, outcome in zip(found.positions, found.outcome, strict=True)
    ]


@cache
def worth(position: Row) -> int:
    """What the position is worth to the player about to move, if both play perfectly."""
    return max(-worth_of(*play) for play in plays(position))


def worth_of(position: Row, outcome: int) -> int:
    return worth(position) if outcome == UNFINISHED else outcome


def reachable() -> list[Row]:
    """All unfinished positions that can come about, whoever plays however badly."""
    start: Row = tuple(map(int, TICTACTOE.start))
    seen, waiting = {start}, [start]
    while waiting:
        for position, outcome in plays(waiting.pop()):
            if outcome == UNFINISHED and position not in seen:
                seen.add(position)
                waiting.append(position)
    return sorted(seen)


@pytest.fixture(scope="module")
def choices() -> dict[Row, int]:
    """What the champion of tic-tac-toe plays, everywhere."""
    positions = reachable()
    chosen = parse_agent(TICTACTOE, "champion").choose(
        np.array(positions, np.int8), np.zeros(len(positions), np.int64), np.random.default_rng(0)
    )
    return dict(zip(positions, map(int, chosen), strict=True))


def test_the_champion_of_tic_tac_toe_never_gives_anything_away(choices: dict[Row, int]) -> None:
    assert len(choices) == 4520  # 5,478 with the finished ones
    for position, choice in choices.items():
        assert -worth_of(*plays(position)[choice]) == worth(position), position


@pytest.mark.parametrize(("begins", "share"), [(True, 0.96), (False, 0.77)])
def test_the_champion_of_tic_tac_toe_beats_random_play(
    choices: dict[Row, int], begins: bool, share: float
) -> None:
    def wins(position: Row, is_ours: bool) -> float:
        """The exact chance that the champion wins from here."""
        open_to_us = plays(position)
        if is_ours:
            open_to_us = [open_to_us[choices[position]]]
        return sum(wins_after(*play, is_ours) for play in open_to_us) / len(open_to_us)

    def wins_after(position: Row, outcome: int, was_ours: bool) -> float:
        if outcome == UNFINISHED:
            return wins(position, not was_ours)
        return float(outcome == (-1 if was_ours else 1))

    assert wins(tuple(map(int, TICTACTOE.start)), begins) >= share


@pytest.mark.parametrize(
    ("name", "opponent", "share"), [("ur", "pips@1", 0.75), ("backgammon", "pubeval", 0.62)]
)
def test_a_champion_beats_those_who_know_less(name: str, opponent: str, share: float) -> None:
    settings = MatchSettings(200, seed=1, aim="win", judge="champion", workers=1)
    result = play_match(find_game(name), ("champion", opponent), settings)
    assert result.adjusted_win_rate is not None
    assert result.adjusted_win_rate.mean > share


def test_a_champion_values_the_start_about_evenly() -> None:
    for name in GAMES:
        game = find_game(name)
        values = champion(game)
        chances = values.chances(game.start[np.newaxis])[0]
        assert 0.45 < chances[np.array(game.outcomes) > 0].sum() < 0.75
