"""Slow questions are answered elsewhere: rightly, in time, and whatever happens to a process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from astragal.agents.perfect import perfect_agent
from astragal.agents.rolling import RollingAgent
from astragal.agents.specs import parse_agent
from astragal.arena.asking import evaluate, rank_plays
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from astragal.serve import jobs as module
from astragal.serve.faults import TooMuchError
from astragal.serve.jobs import Job, Jobs, Question, Told, answers
from astragal.values.values import Aim

PATIENCE = 60.0


def start(name: str) -> str:
    game = find_game(name)
    return game.notation.format_position(game.start, 0)


def rollout(name: str = "ur:2", games: int = 360, agent: str = "pips") -> Question:
    return Question("rollout", name, start(name), agent, games=games)


# Hours of work on any machine.
ENDLESS = Question("evaluate", "backgammon", start("backgammon"), "rollout:99999999:pips@3")


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


def news_of(job: Job) -> Iterator[dict[str, Any]]:
    """All that is told of a job, until it is over."""
    version = -1
    while True:
        told = job.as_dict()
        if told["version"] != version:
            version = told["version"]
            yield told
        if told["state"] in ("done", "failed", "stopped"):
            return
        assert job.wait(version, PATIENCE) != version, "nothing was told for too long"


def outcome(job: Job) -> dict[str, Any]:
    return list(news_of(job))[-1]


def process_of(jobs: Jobs) -> int:
    """The number of the process that is at work."""
    wait_until(lambda: jobs._at)
    (worker,) = jobs._at.values()
    wait_until(lambda: worker._is_ready)
    pid = worker._process.pid
    assert pid is not None
    return pid


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def warm() -> Iterator[Jobs]:
    """Jobs that are used by several tests, as a server would."""
    jobs = Jobs()
    yield jobs
    jobs.close()


def test_a_rollout_in_portions_is_the_rollout_of_all_its_games(warm: Jobs) -> None:
    game, asked = find_game("ur:2"), rollout(games=1000)
    told = outcome(warm.ask(asked))
    agent = parse_agent(game, "rollout:1000:pips", "points")
    expected = evaluate(agent, Standing(game.start, 0))
    assert (told["state"], told["share"], told["fault"]) == ("done", 1, None)
    assert told["answer"]["games"] == 1000
    for key in ("position", "win", "points", "outcomes", "error"):
        assert told["answer"][key] == pytest.approx(expected[key])


def test_a_rollout_by_a_perfect_player_finds_the_exact_value(tables: object) -> None:
    game = find_game("ur:2")
    exact = evaluate(perfect_agent(game, "points"), Standing(game.start, 0))
    *_, told = answers(rollout(games=360, agent="perfect"))
    assert told.answer is not None
    assert told.answer["points"] == pytest.approx(exact["points"], abs=1e-3)
    assert told.answer["error"] < 1e-3  # all luck is taken out, and no choice gives anything away


def test_a_rollout_tells_the_answer_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUICK_SECONDS", 0.0)
    told = list(answers(rollout(games=100)))
    assert [each.share for each in told] == [0.36, 0.72, 1.0]
    assert [each.answer["games"] for each in told if each.answer] == [36, 72, 100]
    for each in told:
        direct = list(answers(rollout(games=round(each.share * 100))))[-1]
        assert each.answer == direct.answer
    assert [each.is_last for each in told] == [False, False, True]
    monkeypatch.setattr(module, "_QUICK_SECONDS", PATIENCE)
    assert [each.share for each in answers(rollout(games=144))] == [0.25, 0.75, 1.0]


def test_progress_is_heard_while_it_is_made(warm: Jobs) -> None:
    news = list(news_of(warm.ask(rollout("ur", games=500))))
    shares = [each["share"] for each in news]
    assert shares == sorted(shares)
    partial = [each for each in news if each["state"] == "working" and each["answer"]]
    assert partial
    assert all(each["answer"]["games"] == round(each["share"] * 500) for each in partial)


def test_a_finished_game_needs_no_rolling_out() -> None:
    asked = Question("rollout", "tictactoe", "xxxoo....", "pips")
    (told,) = answers(asked)
    assert told.answer is not None
    assert (told.answer["points"], told.answer["error"], told.answer["games"]) == (-1, 0, 0)


def test_positions_and_plays_are_valued_as_elsewhere(warm: Jobs) -> None:
    game = find_game("ur:2")
    agent, standing = parse_agent(game, "pips@1"), Standing(game.start, 0)
    value = outcome(warm.ask(Question("evaluate", "ur:2", start("ur:2"), "pips@1")))
    plays = outcome(warm.ask(Question("best", "ur:2", start("ur:2"), "pips@1", roll="2")))
    assert value["answer"] == evaluate(agent, standing)
    assert plays["answer"] == rank_plays(agent, standing, game.parse_roll("2"), "points")
    assert msgspec.json.decode(msgspec.json.encode(plays))["question"]["roll"] == "2"


def test_the_aim_is_what_plays_are_ranked_by(monkeypatch: pytest.MonkeyPatch) -> None:
    aims: tuple[Aim, ...] = ("points", "win")
    heard = []

    def note(agent: object, standing: object, roll: object, aim: Aim) -> dict[str, Any]:
        heard.append(aim)
        return {}

    monkeypatch.setattr(module, "rank_plays", note)
    for aim in aims:
        list(answers(Question("best", "ur:2", start("ur:2"), "pips", "2", aim)))
    assert heard == ["points", "win"]


def test_a_game_with_one_roll_needs_none_and_another_does() -> None:
    (told,) = answers(Question("best", "tictactoe", start("tictactoe"), "pips"))
    assert told.answer is not None
    assert len(told.answer["plays"]) == 9
    (told,) = answers(Question("best", "ur:2", start("ur:2"), "pips"))
    assert told.fault is not None
    assert told.fault.startswith("No roll was given")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question("evaluate", "chess", "", "pips"), "'chess' is not a game"),
        (Question("evaluate", "ur:2", "nonsense", "pips"), "'nonsense'"),
        (Question("rollout", "ur:2", start("ur:2"), "nobody"), "'nobody' is not an agent"),
        (Question("rollout", "ur:2", start("ur:2"), "random"), "agent that has values"),
        (Question("best", "ur:2", start("ur:2"), "pips", roll="9"), "'9'"),
    ],
)
def test_a_question_that_cannot_be_answered_is_told_why(
    warm: Jobs, question: Question, words: str
) -> None:
    told = outcome(warm.ask(question))
    assert told["state"] == "failed"
    assert words in told["fault"]


def test_a_fault_of_ours_is_told_without_its_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(module, "evaluate", fail)
    (told,) = answers(Question("evaluate", "ur:2", start("ur:2"), "pips"))
    assert told == Told(fault="The question could not be answered (ZeroDivisionError).")


@pytest.mark.parametrize(
    "wrong", [{"kind": "guess"}, {"aim": "fame"}, {"games": 35}, {"games": 10_001}]
)
def test_a_question_out_of_bounds_is_refused(wrong: dict[str, Any]) -> None:
    right = msgspec.to_builtins(rollout())
    Question(**right)
    with pytest.raises(InputError):
        Question(**right | wrong)


def test_a_worker_is_kept_for_the_next_question(warm: Jobs) -> None:
    first = warm.ask(rollout("ur", games=500))
    process = process_of(warm)
    assert outcome(first)["state"] == "done"
    second = warm.ask(rollout("ur", games=500))
    assert process_of(warm) == process
    assert outcome(second)["answer"] == first.answer


def test_a_job_can_be_stopped_at_work_and_in_the_line(warm: Jobs) -> None:
    at_work, in_line, last = warm.ask(ENDLESS), warm.ask(ENDLESS), warm.ask(rollout())
    process = process_of(warm)
    assert in_line.as_dict()["state"] == "waiting"
    assert warm.stop(in_line.id)
    assert in_line.as_dict()["state"] == "stopped"
    assert warm.stop(at_work.id)
    assert at_work.as_dict()["state"] == "stopped"
    assert outcome(last)["state"] == "done"
    assert is_gone(process)
    assert at_work.as_dict()["fault"] is None
    assert not warm.stop(at_work.id)
    assert not warm.stop("nothing")


def test_a_question_that_takes_too_long_fails_and_keeps_what_it_has() -> None:
    jobs = Jobs(most_seconds=1.5)
    try:
        job = jobs.ask(rollout("ur", games=10_000, agent="pips@1"))
        process = process_of(jobs)
        told = outcome(job)
        assert told["state"] == "failed"
        assert told["fault"] == "The answer took longer than 1.5 seconds."
        assert told["answer"]["games"] == round(told["share"] * 10_000) < 10_000
        assert outcome(jobs.ask(rollout(games=36)))["state"] == "done"
        assert is_gone(process)
    finally:
        jobs.close()


def test_a_worker_that_dies_fails_its_job_alone(warm: Jobs) -> None:
    lost, next_one = warm.ask(ENDLESS), warm.ask(rollout(games=36))
    os.kill(process_of(warm), signal.SIGKILL)
    told = outcome(lost)
    assert (told["state"], told["fault"]) == (
        "failed",
        "The process that worked at the answer was lost.",
    )
    assert outcome(next_one)["state"] == "done"


def test_too_many_are_refused_and_closing_leaves_nothing() -> None:
    jobs = Jobs(most_waiting=2)
    at_work = jobs.ask(ENDLESS)
    process = process_of(jobs)
    waiting = [jobs.ask(rollout()), jobs.ask(rollout())]
    with pytest.raises(TooMuchError, match="2 questions wait already"):
        jobs.ask(rollout())
    jobs.stop(waiting[0].id)
    waiting.append(jobs.ask(rollout()))
    jobs.close()
    assert {job.state for job in (at_work, *waiting)} == {"stopped"}
    assert is_gone(process)
    with pytest.raises(TooMuchError):
        jobs.ask(rollout())


def test_only_so_many_answers_are_kept_and_none_that_is_awaited() -> None:
    jobs = Jobs(most_kept=2, workers=0)
    first, second = jobs.ask(rollout()), jobs.ask(rollout())
    jobs.stop(second.id)
    third = jobs.ask(rollout())
    assert jobs.find(first.id) is first
    assert jobs.find(second.id) is None
    assert jobs.find(third.id) is third
    assert jobs.find("") is None
    jobs.close()


def test_waiting_for_news_ends_when_the_time_is_up() -> None:
    job = Job(rollout())
    began = time.monotonic()
    assert job.wait(0, 0.05) == 0
    assert time.monotonic() - began >= 0.04
    job.become("done", Told(1.0, {}))
    assert job.wait(0, PATIENCE) == 1
    job.become("failed", Told(fault="Too late."))
    assert (job.state, job.version, job.fault) == ("done", 1, None)


def test_errors_are_those_of_what_the_aim_counts() -> None:
    game, errors = find_game("hypergammon"), []
    aims: tuple[Aim, ...] = ("points", "win")
    for aim in aims:
        asked = Question("rollout", game.name, start(game.name), "pips", None, aim, 36)
        (told,) = answers(asked)
        assert told.answer is not None
        agent = parse_agent(game, "rollout:36:pips", aim)
        assert isinstance(agent, RollingAgent)
        direct = agent.rollout.roll_out(game.start[np.newaxis])
        assert told.answer["error"] == pytest.approx(direct.error[0])
        errors.append(told.answer["error"])
    assert errors[0] != errors[1]
