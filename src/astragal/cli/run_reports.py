"""What `train` writes about a run."""

from __future__ import annotations

import shlex

from astragal.files import write_text
from astragal.learning.card import model_card
from astragal.learning.run import LATEST, Mark, Run, told_if_it_fails
from astragal.learning.settings_file import format_settings
from astragal.show.training_page import training_page
from astragal.values.checkpoint import load_net


def write_reports(run: Run, mark: Mark) -> None:
    """A model card and a page with curves, in the run's folder."""
    from astragal.cli.common import chosen_game

    net = load_net(run.folder / LATEST, chosen_game(run.settings.game))
    command = f"astragal train --settings {shlex.quote(str(run.folder / 'settings.toml'))}"
    title = f"{net.game.title}: learning by {run.settings.learner}"
    page = training_page(title, format_settings(run.settings), run.metrics(), command)
    with told_if_it_fails(run.folder):
        write_text(run.folder / "card.md", model_card(run, net, mark, command))
        write_text(run.folder / "report.html", page)
