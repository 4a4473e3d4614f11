"""Makes the net that a recipe has trained the champion of its game, measured, with a card.

    python recipes/train.py recipes/ur.toml
    python recipes/crown.py recipes/ur.toml

The net and its card go where the package keeps them, under the name of the recipe: GAME.toml, or
GAME-win.toml for who plays for wins alone. What the card says of its strength is what `astragal
benchmark` finds, which is given the options that follow, such as --share 0.5 or --aim win.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import astragal
from astragal.arena.estimates import Estimate
from astragal.errors import InputError
from astragal.files import write_bytes, write_text
from astragal.games.catalogue import find_game
from astragal.learning.card import model_card
from astragal.learning.history import NOTE, Part, format_history, history_of
from astragal.learning.run import Run
from astragal.values.checkpoint import halve_net, load_net

CHAMPIONS = Path(astragal.__file__).parent / "champions"
HEADING = "## How to train it again"


def main(recipe: Path, *options: str) -> int:
    """Crowns the net; the exit code."""
    try:
        run = Run.open(Path("runs") / recipe.stem)
        history = history_of(run)
    except InputError as fault:
        print(fault, file=sys.stderr)
        return 2
    game = run.settings.game
    file, text = CHAMPIONS / f"{recipe.stem}.safetensors", ""
    before = file.read_bytes() if file.exists() else None
    # It is measured by its name.
    halve_net(net_of(run), file, {NOTE: format_history(history)})
    try:
        command = [sys.executable, "-m", "astragal", "benchmark", game, "--json", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        measuring = " ".join(["astragal benchmark", game, *options])
        text = card(run, f"recipes/{recipe.name}", measuring, json.loads(done.stdout))
    except (subprocess.CalledProcessError, KeyboardInterrupt):
        return 1
    finally:
        if not text:
            write_bytes(file, before) if before is not None else file.unlink()
    write_text(file.with_suffix(".md"), text)
    return 0


def net_of(run: Run) -> Path:
    """The file of a run's last net."""
    return run.folder / "latest.safetensors"


def card(run: Run, recipe: str, measuring: str, measured: Mapping[str, Any]) -> str:
    """The card of the run's net, with what a command measured, and the runs before it."""
    net = load_net(net_of(run), find_game(run.settings.game))
    text = model_card(run, net, run.logged(), f"python recipes/train.py {recipe}")
    before, after = text.split(HEADING, 1)
    more = "\n".join([*strength(measuring, measured), "", *parts(history_of(run)), ""])
    return f"{before}## What it does\n\n{more}\n{HEADING}{after}"


def strength(measuring: str, measured: Mapping[str, Any]) -> list[str]:
    """What was measured, as lines of Markdown."""
    speeds = measured["milliseconds_a_move"].items()
    quick = " and ".join(f"{speed:.2g} ms with `{spec}`" for spec, speed in speeds)
    return [
        "It learned from self-play alone; who judges or plays against it here had no part in that.",
        f"`{measuring}`, luck taken out, 95 % intervals:",
        "",
        "| measure | | games | luck taken out by |",
        "| --- | ---: | ---: | --- |",
        *(
            f"| {each['measure']} | {told(each)} | {each['games']:,} | `{each['judge']}` |"
            for each in measured["measures"]
        ),
        "",
        f"A move takes {quick}.",
        *(["`astragal solve backgammon` had been run."] if measured.get("knows_bearoff") else []),
    ]


def told(each: Mapping[str, Any]) -> str:
    """What came out of a measure, as people read it."""
    amount = each.get("points") or each["win_rate"]
    low, high = amount["interval"] or (float("nan"), float("nan"))
    found = Estimate(amount["mean"], (high - low) / 2)
    return f"{found} points a game" if "points" in each else f"wins {found.percent()}"


def parts(history: Sequence[Part]) -> list[str]:
    """The runs that led to the net, as lines of Markdown."""
    games, minutes = (sum(each) for each in zip(*map(effort, history), strict=True))
    total = f"{games:,} games, {minutes:,.0f} minutes of playing and learning"
    if len(history) == 1:
        return [f"It was trained in one go: {total}."]
    return [
        f"It was trained in parts, one after the other: {total}.",
        "",
        "| recipe | net | games | minutes |",
        "| --- | --- | ---: | ---: |",
        *(
            f"| [`{part.name}.toml`](../../../recipes/{part.name}.toml) | "
            f"{'-'.join(map(str, part.hidden))}, {part.features}, {part.outputs} | "
            f"{part.games:,} | {part.seconds / 60:,.0f} |"
            for part in history
        ),
    ]


def effort(part: Part) -> tuple[int, float]:
    """Games and minutes."""
    return part.games, part.seconds / 60


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("No arguments were given: expected the file of a recipe.")
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
