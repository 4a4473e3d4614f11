"""Fills in the figures of `how-good-was-td-ur.md`, and draws its chart.

    astragal solve ur
    astragal train --settings recipes/td-ur.toml --out runs/td-ur
    python docs/perfect_ur.py

takes some minutes for each line, and the last a quarter of an hour.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from astragal import find_game
from astragal.agents.agent import first_of_each
from astragal.agents.specs import parse_agent
from astragal.arena.judging import Judge
from astragal.arena.match import play_match
from astragal.arena.result import MatchResult
from astragal.arena.settings import MatchSettings
from astragal.files import write_text
from astragal.games.game import Game, Positions
from astragal.games.kernels import UNFINISHED
from astragal.learning.run import Run
from astragal.search.lookahead import Lookahead
from astragal.show.axis import Chart
from astragal.show.chart import line_chart
from astragal.show.training_page import learning_curves
from astragal.values.table import TableValues, exact_values
from astragal.values.ur_tables import ur_tables
from astragal.values.values import win_chance

DOCS = Path(__file__).parent
PAGE = DOCS / "how-good-was-td-ur.md"
RUN = DOCS.parent / "runs" / "td-ur"
TD_UR = f"net:{RUN / 'latest.safetensors'}"
ROSETTE = 8  # the square of the middle rosette on either path
SEED = 1

AGENTS = {
    "`random`": ("random", 2_000),
    "`onestep`: a win if there is one, else anything": ("onestep", 2_000),
    "`pips`: whoever is farther ahead": ("pips", 2_000),
    "`pips@1`": ("pips@1", 2_000),
    "`greedy`: a capture, another roll, progress": ("greedy", 2_000),
    "TD-Ur's recipe, trained again": (TD_UR, 4_000),
    "the same net with one ply of look-ahead": (f"{TD_UR}@1", 2_000),
    "our `champion`": ("champion", 4_000),
    "`champion@1`": ("champion@1", 2_000),
}


def main() -> None:
    """Writes the figures into the page, and the chart beside it."""
    game = find_game("ur")
    exact = exact_values(game)
    text = PAGE.read_text()
    positions = perfect_positions(game, games=2_000)
    sections = {
        "count": count_of_positions(game),
        "openings": openings(game, exact),
        "unclear": unclear(exact, positions),
        "rosette": rosette(exact, positions),
        "strength": strength(game),
    }
    for name, lines in sections.items():
        told = "\n".join(lines)
        pattern = f"(<!-- {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda found, told=told: f"{found[1]}{told}\n{found[2]}", text,
                      flags=re.DOTALL)  # fmt: skip
    write_text(PAGE, text)
    write_text(DOCS / "td-ur-learning.svg", line_chart(learning_curve()))


def table(headings: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = ["| " + " | ".join(headings) + " |", "| --- |" + " ---: |" * (len(headings) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def count_of_positions(game: Game) -> list[str]:
    """The seed's sum, what it leaves out, and what there is."""
    seed = counted(whose=False, empty=False)
    coloured = counted(whose=True, empty=False)
    whole = counted(whose=True, empty=True)
    unfinished = ur_tables(game.rules).size  # type: ignore[arg-type]
    rows = [
        ("the seed's sum", seed),
        ("with whose the stones in the middle row are", coloured),
        ("with boards on which a side has none there", whole),
        ("without those that are over", unfinished),
    ]
    return table(("", "positions"), ((what, f"{count:,}") for what, count in rows))


def counted(*, whose: bool, empty: bool) -> int:
    """The sum over stones that wait, are home, stand on a side's own squares or in the middle."""
    sides = [
        (private, 7 - waiting - home - private)
        for waiting in range(8)
        for home in range(8 - waiting)
        for private in range(8 - waiting - home)
    ]
    total = 0
    for private, middle in sides:
        for other, others in sides:
            if empty or (middle and others):
                squares = math.comb(8, middle + others)
                ways = math.comb(middle + others, middle) if whose else 1
                total += math.comb(6, private) * math.comb(6, other) * squares * ways
    return total


def openings(game: Game, exact: TableValues) -> list[str]:
    """What each first roll is worth to the player who has it."""
    by_roll = win_chance(game, Lookahead(exact).chances_by_roll(game.start[np.newaxis]))
    rolls = zip(game.rolls, game.opening_chances, by_roll, strict=True)
    rows = ((roll, f"{often:.2%}", f"{worth:.4%}") for roll, often, worth in rolls)
    lines = table(("first roll", "how often", "the roller wins"), rows)
    return [*lines, "", f"On average: {game.opening_chances @ by_roll:.8%}."]


def perfect_positions(game: Game, games: int) -> Positions:
    """All positions of some games between two perfect players."""
    agent, luck = parse_agent(game, "perfect"), np.random.default_rng(SEED)
    positions = np.repeat(game.start[np.newaxis], games, axis=0)
    seen = []
    while len(positions):
        seen.append(positions)
        rolls = game.draw(luck, len(positions))
        choice = agent.choose(positions, rolls, luck)
        found = game.afterstates(positions, rolls)
        rows = first_of_each(found.owner, len(rolls)) + choice
        positions = found.positions[rows][found.outcome[rows] == UNFINISHED]
    return np.concatenate(seen)


def unclear(exact: TableValues, positions: Positions) -> list[str]:
    """How far the second-best play is behind, over all decisions that come up."""
    gaps, weights = decisions(exact, positions)
    limits = (0.0001, 0.001, 0.01, 0.05)
    rows = (
        (f"less than {limit:.2%}", f"{weights[gaps < limit].sum() / weights.sum():.1%}")
        for limit in limits
    )
    lines = table(("the second-best play costs", "of all decisions"), rows)
    mean = gaps @ weights / weights.sum()
    return [*lines, "", f"On average it costs {mean:.2%} of a game."]


def decisions(
    exact: TableValues, positions: Positions
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gap between best and second-best play, wherever there are two, and how often it is so."""
    game, judge = exact.game, Judge(exact)
    gaps, weights = [], []
    for roll, chance in enumerate(game.chances):
        found = game.afterstates(positions, np.full(len(positions), roll))
        worth = judge.worth(found, np.arange(len(found.owner))) / 2
        order = np.lexsort((-worth, found.owner))
        ordered, owner = worth[order], found.owner[order]
        firsts = first_of_each(owner, len(positions))
        several = np.bincount(owner, minlength=len(positions)) > 1
        rows = firsts[several]
        gaps.append(ordered[rows] - ordered[rows + 1])
        weights.append(np.full(len(rows), chance))
    return np.concatenate(gaps), np.concatenate(weights)


def rosette(exact: TableValues, positions: Positions) -> list[str]:
    """What a stone on the middle rosette is worth compared with the squares beside it."""
    half = exact.game.width // 2
    rows = []
    for move in (-1, 1, 2):
        held = (positions[:, ROSETTE] == 1) & (positions[:, ROSETTE + move] == 0)
        held &= positions[:, half + ROSETTE + move] == 0
        here = positions[held]
        there = here.copy()
        there[:, ROSETTE], there[:, ROSETTE + move] = 0, 1
        gain = win_chance(exact.game, exact.chances(here))
        gain = gain - win_chance(exact.game, exact.chances(there))
        where = (
            f"{abs(move)} square{'s' if abs(move) > 1 else ''} {'behind' if move < 0 else 'ahead'}"
        )
        rows.append((where, f"{len(here):,}", f"{gain.mean():+.2%}", f"{(gain > 0).mean():.1%}"))
    headings = ("the same stone", "positions", "on the rosette it is better by", "better in")
    return table(headings, iter(rows))


def strength(game: Game) -> list[str]:
    """How agents stand against perfect play."""
    rows = ((name, *told(against_perfect(game, *agent))) for name, agent in AGENTS.items())
    headings = ("agent", "wins against perfect play", "gives away a decision", "games")
    return table(headings, rows)


def against_perfect(game: Game, spec: str, games: int) -> MatchResult:
    """A match with the luck taken out by the exact table."""
    return play_match(game, (spec, "perfect"), MatchSettings(games, SEED, judge="perfect"))


def told(result: MatchResult) -> tuple[str, str, str]:
    """The result, as the table shows it."""
    rate, lost = result.adjusted_win_rate, result.lost_a_decision(0)
    assert rate is not None
    assert lost is not None
    print(result.agents[0], rate.percent(), flush=True)
    return rate.percent(), f"{lost / 2:.3%} of a game", f"{result.games:,}"


def learning_curve() -> Chart:
    """TD-Ur's recipe while it learns, by what it gives away."""
    (curve,) = learning_curves(Run.open(RUN).metrics())
    return Chart(
        "TD-Ur's recipe, while it learns",
        "games of training",
        "wins against perfect play",
        [curve._replace(name="TD-Ur's recipe")],
        is_share=True,
    )


if __name__ == "__main__":
    main()
