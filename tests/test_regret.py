"""Perfect play gives nothing away, and what others give away is their strength to the digit."""

from pathlib import Path

import numpy as np
import pytest

from astragal.agents.champions import usual_agent
from astragal.agents.specs import known_agents, parse_agent
from astragal.arena.asking import rank_plays
from astragal.arena.match import play_match
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.errors import InputError
from astragal.games.catalogue import find_game
from astragal.games.game import Standing
from astragal.values.table import exact_values
from small_games import small_game
from test_cli import Shell

GAME = find_game("ur:3")


def played(
    first: str, second: str = "perfect", games: int = 400, judged: bool = True
) -> MatchResult:
    judge = "perfect" if judged else None
    settings = MatchSettings(games, 3, judge=judge, keeps_mistakes=judged, workers=1)
    return play_match(GAME, (first, second), settings)


def test_perfect_play_gives_nothing_away(tables: Path) -> None:
    result = played("random")
    assert result.decisions(1) > 2_000
    assert result.played.lost[:, 1].max() < 1e-6
    assert result.played.lost[:, 0].min() >= 0
    assert result.played.lost[:, 0].mean() > 0.1


def test_points_without_luck_are_what_was_given_away(tables: Path) -> None:
    result = played("random", "pips")
    (chances,) = exact_values(GAME).chances(GAME.start[np.newaxis])
    begun = np.where(result.played.numbers % 2 == 0, 1, -1) * (2 * chances[1] - 1)
    expected = begun - result.played.lost[:, 0] + result.played.lost[:, 1]
    np.testing.assert_allclose(result.points - result.played.luck, expected, atol=1e-5)


def test_the_luck_free_figure_agrees_with_plain_matches(tables: Path) -> None:
    free = played("epsilon:0.1:perfect", games=2_000).adjusted_win_rate
    plain = played("epsilon:0.1:perfect", games=20_000, judged=False).win_rate
    assert free is not None
    assert free.margin < 0.6 * plain.margin  # from a tenth of the games
    assert abs(free.mean - plain.mean) < 1.5 * (free.margin + plain.margin)
    assert free.mean < 0.5 - 3 * free.margin


def test_every_decision_is_counted_once_in_each_way_of_sorting(tables: Path) -> None:
    result = played("pips")
    for kinds in result.played.mistakes.kinds.values():
        assert sum(count for count, _ in kinds.values()) == result.decisions(0)
        lost = sum(lost for _, lost in kinds.values())
        assert lost == pytest.approx(result.played.lost[:, 0].sum())
    assert set(result.played.mistakes.ordered(GAME)["the best play"]) == {
        "captures", "rolls again", "brings a piece home", "moves on"
    }  # fmt: skip


def test_the_worst_mistakes_cost_what_the_table_says(tables: Path) -> None:
    worst = played("random").played.mistakes.worst
    assert len(worst) == 50
    assert [mistake.lost for mistake in worst] == sorted((m.lost for m in worst), reverse=True)
    for mistake in worst[:10]:
        standing = Standing(np.array(mistake.position, np.int8), mistake.side)
        plays = rank_plays(parse_agent(GAME, "perfect"), standing, mistake.roll, "points")["plays"]
        found = GAME.afterstates_of(standing.position, mistake.roll)
        moves = GAME.notation.format_moves(*standing, mistake.roll, found)
        losses = {play["move"]: play["loss"] for play in plays}
        assert losses[moves[mistake.choice]] == pytest.approx(mistake.lost, abs=1e-8)
        assert losses[moves[mistake.best]] == pytest.approx(0, abs=1e-8)


def test_the_table_is_asked_where_nobody_is_named(tables: Path) -> None:
    assert usual_agent(GAME, "points") == "perfect"
    assert usual_agent(find_game("ur:4"), "points") == "pips@1"


def test_without_its_table_perfect_says_how_to_have_it(data_folder: Path) -> None:
    with pytest.raises(InputError, match=r"`astragal solve ur` makes in about \d+ minutes"):
        parse_agent(find_game("ur"), "perfect")


def test_a_game_that_cannot_be_solved_has_no_perfect_player() -> None:
    game = find_game("backgammon")
    assert "perfect" not in known_agents(game)
    with pytest.raises(InputError, match="'perfect' is not an agent for backgammon"):
        parse_agent(game, "perfect")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


def test_regret_tells_strength_kinds_and_mistakes(tables: Path, shell: Shell) -> None:
    told = shell("regret", "ur:3", "pips", "--games", "100", "--seed", "1", "--worst", "2")
    assert told.code == 0
    assert "50 % is perfect" in told.out
    assert told.out.count("instead of") == 2
    answer = shell(
        "regret", "ur:3", "pips", "--games", "100", "--seed", "1", "--worst", "2", "--json"
    ).json
    assert 0.1 < answer["win_rate"]["mean"] < 0.5
    assert len(answer["worst"]) == 2
    assert answer["kinds"]["the roll"]["1"]["decisions"] > 100


def test_regret_of_what_is_not_solved_is_refused(data_folder: Path, shell: Shell) -> None:
    told = shell("regret", "ur:3", "pips")
    assert told.code == 2
    assert "`astragal solve ur:3` makes" in told.err


def test_a_match_is_judged_by_the_table_unless_told_otherwise(tables: Path, shell: Shell) -> None:
    words = ("match", "ur:3", "pips", "random", "--games", "20", "--seed", "1", "--json")
    judged, plain = shell(*words).json, shell(*words, "--luck-adjusted", "none").json
    assert judged["judge"] == "perfect"
    assert judged["gave_away"][0]["points_a_decision"] < judged["gave_away"][1]["points_a_decision"]
    assert plain["judge"] is None
    assert plain["wins"] == judged["wins"]


def test_evaluate_and_best_ask_the_table(tables: Path, shell: Shell) -> None:
    start = "3..............0/3..............0 r"
    assert shell("evaluate", "ur:3", start, "--json").json["win"] == pytest.approx(
        0.51620110, abs=1e-7
    )
    assert "says perfect" in shell("best", "ur:3", start, "2").out


def test_solving_on_the_command_line(data_folder: Path, shell: Shell) -> None:
    answer = shell("solve", "ur", "--stones", "2", "--json").json
    assert answer["positions"] == 12_869
    points = small_game(find_game("ur:2")).best()[0]
    assert answer["outcomes"]["+1"] == pytest.approx((1 + points) / 2, abs=1e-7)
    assert shell("solve", "ur:2", "--verify", "--compact").code == 2
    checked = shell("solve", "ur:2", "--verify", "--json").json
    assert checked["verified_residual"] < 1e-7
    assert shell("solve", "ur:2", "--precision", "2").code == 2
    assert "Of backgammon only the end is solved" in shell("solve", "backgammon", "--verify").err
    files = shell("solve", "backgammon", "--json").json["files"]
    assert all(Path(file).stat().st_size == size for file, size in files.items())
    assert len(files) == 2
