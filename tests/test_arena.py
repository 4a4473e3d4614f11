"""Matches that can be trusted: paired, repeatable, fair, with honest intervals and luck told."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from astragal.agents.specs import parse_agent
from astragal.arena.chunks import Played
from astragal.arena.dice import PairedDice
from astragal.arena.estimates import estimate
from astragal.arena.judging import Judge, values_of
from astragal.arena.match import play_match
from astragal.arena.rating import rate
from astragal.arena.reading import read_games
from astragal.arena.records import Record, format_records, replay
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.arena.tournament import play_tournament
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.workers import Crew
from positions import walk
from test_cli import seconds_of_work

GAMES = ["ur", "ur:aseb:3", "hypergammon", "tictactoe"]


def match(game: str, first: str, second: str, games: int = 60, **settings: object) -> MatchResult:
    """A match in this process."""
    chosen = MatchSettings(**{"games": games, "seed": 5, "workers": 1, **settings})  # type: ignore[arg-type]
    return play_match(find_game(game), (first, second), chosen)


def same_games(first: Played, second: Played) -> bool:
    """Whether all arrays and records are equal."""
    fields = "numbers", "outcomes", "turns", "moves", "luck"
    return first.records == second.records and all(
        np.array_equal(getattr(first, field), getattr(second, field)) for field in fields
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    first, again, other = (match(game, "random", "greedy", seed=seed) for seed in (1, 1, 2))
    assert same_games(first.played, again.played)
    assert not same_games(first.played, other.played)


def test_the_number_of_workers_changes_nothing() -> None:
    alone, together = (
        match("ur:3", "random", "pips", 100, judge="pips", keeps_records=True, workers=workers)
        for workers in (1, 2)
    )
    assert same_games(alone.played, together.played)


def test_a_pair_has_the_same_dice_whatever_chunk_it_is_in() -> None:
    game = find_game("backgammon")
    many, few = PairedDice(game, 7, range(10)), PairedDice(game, 7, range(8, 9))
    rolls = [(many.rolls(turn), few.rolls(turn)) for turn in range(200)]
    assert all(all_rolls[8] == rolls_of_one[0] for all_rolls, rolls_of_one in rolls)
    assert (
        len({tuple(column) for column in np.stack([all_rolls for all_rolls, _ in rolls]).T}) == 10
    )


def test_dice_come_as_often_as_their_probability_says() -> None:
    game = find_game("backgammon")
    dice = PairedDice(game, 3, range(2_000))
    for chances, turns in ((game.opening_chances, range(1)), (game.chances, range(1, 30))):
        rolls = np.concatenate([dice.rolls(turn) for turn in turns])
        counts = np.bincount(rolls, minlength=len(game.rolls))
        spread = np.sqrt(len(rolls) * chances * (1 - chances))
        assert (np.abs(counts - len(rolls) * chances) <= 5 * spread).all()


def test_games_of_a_pair_have_the_same_dice_and_swapped_seats() -> None:
    records = match("ur:3", "pips", "first", 20, keeps_records=True).records()
    for one, other in zip(records[::2], records[1::2], strict=True):
        shorter = min(len(one.turns), len(other.turns))
        assert [turn[0] for turn in one.turns[:shorter]] == [
            turn[0] for turn in other.turns[:shorter]
        ]
        assert one.agents == ("pips", "first")
        assert other.agents == ("first", "pips")


@pytest.mark.parametrize("game", GAMES)
def test_swapping_the_agents_mirrors_the_result(game: str) -> None:
    there, back = match(game, "pips", "first"), match(game, "first", "pips")
    swapped = np.arange(60).reshape(-1, 2)[:, ::-1].ravel()
    assert np.array_equal(there.played.outcomes, -back.played.outcomes[swapped])
    assert there.points_a_game.mean == -back.points_a_game.mean
    assert there.first_mover == back.first_mover


@pytest.mark.parametrize("game", GAMES)
def test_equal_players_are_found_equal(game: str) -> None:
    result = match(game, "random", "random", 1_000)
    assert result.points_a_game.mean == pytest.approx(0, abs=2 * result.points_a_game.margin)
    assert 0 < result.win_rate.margin < 0.05


def test_who_moves_first_has_the_advantage_in_tictactoe() -> None:
    result = match("tictactoe", "random", "random", 1_000)
    assert result.first_mover.mean - result.first_mover.margin > 0.1


def test_a_gammon_counts_for_points_but_not_for_winning() -> None:
    points, wins = (
        match("hypergammon", "pips", "random", 200, aim=aim) for aim in ("points", "win")
    )
    assert set(np.abs(points.points)) > {1.0}
    assert set(np.abs(wins.points)) == {1.0}
    assert wins.points_a_game.mean == pytest.approx(2 * wins.win_rate.mean - 1)


@pytest.mark.parametrize("game", [*GAMES, "backgammon"])
@pytest.mark.parametrize("opening", [False, True])
def test_the_mean_luck_over_all_rolls_is_zero(game: str, opening: bool) -> None:
    found = find_game(game)
    *_, (positions, _) = walk(found, games=30, turns=12, seed=2)
    judge = Judge(values_of(parse_agent(found, "pips")))
    luck = judge.look(positions).luck_by_roll(opening=opening)
    assert luck.shape == (30, len(found.rolls))
    chances = found.opening_chances if opening else found.chances
    assert np.abs(luck @ chances).max() < 1e-12


@pytest.mark.parametrize("game", ["ur:2", "hypergammon", "tictactoe"])
def test_luck_taken_out_leaves_the_result_where_it_was(game: str) -> None:
    apart, margins = [], []
    for seed in range(8):
        result = match(game, "random", "pips", 100, seed=seed, judge="pips")
        adjusted, plain = result.adjusted_points, result.points_a_game
        assert adjusted is not None
        apart.append(adjusted.mean - plain.mean)
        margins.append(plain.margin + adjusted.margin)
    assert np.mean(np.abs(apart) <= margins) > 0.8
    assert abs(np.mean(apart)) <= np.mean(margins) / np.sqrt(len(apart))


def test_without_dice_there_is_no_luck() -> None:
    result = match("tictactoe", "pips", "random", judge="pips@1")
    assert (result.played.luck == 0).all()


def test_luck_taken_out_makes_the_interval_at_least_three_times_smaller() -> None:
    result = match("backgammon", "gnubg@0", "gnubg@1", 24, judge="gnubg@0")
    assert result.adjusted_points is not None
    assert 3 * result.adjusted_points.margin < result.points_a_game.margin


def test_an_interval_comes_from_pairs() -> None:
    amounts = np.array([1.0, -1, 1, 1, -1, -1, 1, 1])
    found = estimate(amounts, np.arange(8) // 2)
    pair_means = np.array([0.0, 1, -1, 1])
    assert found.mean == 0.25
    assert found.margin == pytest.approx(3.182 * pair_means.std(ddof=1) / 2)
    assert np.isnan(estimate(amounts[:2], np.array([0, 0])).margin)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    luck = np.random.default_rng(1)
    pairs = np.arange(60) // 2
    held = []
    for _ in range(2_000):
        shared = np.repeat(luck.normal(size=30), 2)
        found = estimate(shared + luck.normal(size=60), pairs)
        held.append(abs(found.mean) <= found.margin)
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("game", [*GAMES, "backgammon"])
def test_a_record_replays_to_the_same_outcome(game: str, tmp_path: Path) -> None:
    result = match(game, "random", "pips@1" if game == "ur" else "greedy", 6, keeps_records=True)
    path = tmp_path / "games.jsonl"
    path.write_text(format_records(result.records()))
    for number, record in enumerate(read_games(path)):
        *_, last = replay(record)
        outcome = find_game(game).outcome_of(last.after.position)
        assert outcome is not None
        for_first = outcome if last.after.side == number % 2 else -outcome
        assert for_first == result.played.outcomes[number]


def spoiled(**changes: object) -> Record:
    """The third game of a match, with something wrong in it."""
    record = match("ur:3", "random", "random", 4, keeps_records=True).records()[2]
    return msgspec.structs.replace(record, **changes)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda turns: [("4", "z9"), *turns[1:]], "Game 3, turn 1, .*: 'z9' is not a legal play"),
        (lambda turns: [turns[0], ("9", "e3")], "Game 3, turn 2, .*: '9' is not a roll"),
        (lambda turns: turns[:-1], "Game 3 is still going on"),
        (lambda turns: [*turns, ("1", "e3")], "the game is over before 'e3'"),
    ],
)
def test_a_spoiled_record_names_its_place(change: object, complaint: str) -> None:
    whole = spoiled()
    assert callable(change)
    record = msgspec.structs.replace(whole, turns=change(whole.turns))
    with pytest.raises(InputError, match=complaint):
        list(replay(record))


def test_a_record_of_other_rules_or_another_outcome_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="version 99"):
        list(replay(spoiled(version=99)))
    with pytest.raises(InputError, match="its record says"):
        list(replay(spoiled(outcome=-(spoiled().outcome or 0))))
    path = tmp_path / "cut.jsonl"
    path.write_text(format_records([spoiled()]) + '{"game": "ur')
    with pytest.raises(InputError, match=r"Line 2 of .* is not a game record"):
        list(read_games(path))


def test_elo_of_a_known_cross_table() -> None:
    scores = np.array([[0.0, 75], [25, 0]])
    ratings = rate(scores, np.array([[0.0, 100], [100, 0]]))
    difference = 400 * np.log10(3)
    assert ratings.elo == pytest.approx([difference / 2, -difference / 2])
    # The difference has the variance 1 / (n p (1 - p)), and each agent half of its deviation.
    margin = 1.96 * 400 / np.log(10) / np.sqrt(100 * 0.75 * 0.25) / 2
    assert ratings.margin == pytest.approx([margin, margin], rel=1e-3)


def test_elo_finds_the_strengths_that_made_the_table() -> None:
    strengths = np.array([200.0, 50, -50, -200])
    games = np.where(np.eye(4), 0.0, 1000)
    expected = 1 / (1 + 10 ** ((strengths[np.newaxis] - strengths[:, np.newaxis]) / 400))
    assert rate(games * expected, games).elo == pytest.approx(strengths)


def test_who_never_lost_is_rated_all_the_same() -> None:
    ratings = rate(np.array([[0.0, 100], [0, 0]]), np.array([[0.0, 100], [100, 0]]))
    assert np.isfinite(ratings.elo).all()
    assert ratings.elo[0] - ratings.elo[1] > 800


def test_a_tournament_saves_its_matches_and_a_report(tmp_path: Path) -> None:
    settings = MatchSettings(games=40, seed=1, workers=1, keeps_records=True)
    result = play_tournament(find_game("ur:3"), ("random", "pips@1", "greedy"), settings)
    result.save(tmp_path / "new")
    lines = [
        msgspec.json.decode(line)
        for line in (tmp_path / "new/matches.jsonl").read_text().splitlines()
    ]
    assert [line["agents"] for line in lines] == [list(match.agents) for match in result.matches]
    assert len(list(read_games(tmp_path / "new/games.jsonl"))) == 3 * 40
    page = (tmp_path / "new/report.html").read_text()
    assert page.count("<circle") == 3
    assert not any(word in page for word in ("http", "<script", "src=", "@import", "url("))
    assert result.standings()[-1]["agent"] == "random"


def test_a_report_shows_agents_as_they_are_written() -> None:
    from astragal.arena.report import ratings_picture

    line = {"agent": "<b>&", "elo": 0.0, "margin": 10.0}
    assert "&lt;b&gt;&amp;" in ratings_picture([line])


def kill_one_player() -> None:
    children = [child.pid for child in multiprocessing.active_children()]
    os.kill(next(pid for pid in children if pid is not None), signal.SIGKILL)


def test_a_player_process_that_dies_leaves_the_finished_games() -> None:
    settings = MatchSettings(games=200_000, seed=1, workers=2)
    deaths: list[int] = []

    def tell(parts: Sequence[Played]) -> None:
        if not deaths:
            deaths.append(len(parts))
            kill_one_player()

    result = play_match(find_game("tictactoe"), ("random", "random"), settings, tell)
    assert result.fault is not None
    assert "process died in the match of random against random" in result.fault
    assert 0 < result.games < 200_000


def test_a_crew_gives_every_result_once() -> None:
    with Crew(2) as crew:
        assert sorted(crew.each(abs, range(-20, 0))) == list(range(1, 21))
        assert sorted(crew.each(abs, range(5))) == list(range(5))


def long_result(_: int) -> bytes:
    return bytes(1 << 28)


def test_a_crew_stops_in_the_middle_of_a_result() -> None:
    threads = set(threading.enumerate())
    with Crew(2) as crew:
        crew.submit(long_result, [1, 2])
        assert crew._pool is not None
        while not crew._pool._result_queue._reader.poll():  # type: ignore[attr-defined]
            time.sleep(0.001)
        crew.stop()
    for thread in set(threading.enumerate()) - threads:
        thread.join(30)
        assert not thread.is_alive()


def seconds_of_all_work(process: int) -> float:
    """How long a process and those that it started have kept processors busy."""
    total = seconds_of_work(process)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[1]) == process:
                total += seconds_of_work(int(path.parent.name))
    return total


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_match_gives_the_result_so_far(workers: str) -> None:
    words = ["match", "ur:1", "pips", "random", "--games", "5000000", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "astragal", *words, "--workers", workers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while seconds_of_all_work(process.pid) < 8:  # for the first games
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "interrupted after" in err
    assert "Traceback" not in err
    assert 0 < msgspec.json.decode(out)["games"] < 5_000_000


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"games": 0}, "0 cannot be the number of games"),
        ({"games": -5}, "-5 cannot be the number of games"),
        ({"seed": -1}, "-1 cannot be a seed"),
        ({"workers": 0}, "0 cannot be the number of workers"),
        ({"aim": "glory"}, "'glory' is not an aim"),
        ({"judge": "random"}, "'random' has no values"),
        ({"judge": "nobody"}, "'nobody' is not an agent"),
    ],
)
def test_a_match_that_cannot_be_is_refused(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        match("ur", "random", "random", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agents", "complaint"),
    [
        (("pips",), "expected two or more"),
        (("pips", "first", "pips"), "'pips' is there twice"),
        (("pips", "nobody"), "'nobody' is not an agent"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(agents: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        play_tournament(find_game("ur"), agents, MatchSettings(games=2))
