"""The README keeps its promises: its commands run, and print what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def console_examples() -> list[tuple[str, str]]:
    """Commands after `$` with what they are shown to print."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    return [
        (example.split("\n", 1)[0], example.split("\n", 1)[1])
        for block in blocks
        for example in block.split("$ ")[1:]
    ]


@pytest.mark.parametrize(("command", "shown"), console_examples())
def test_a_command_prints_what_the_readme_shows(command: str, shown: str) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    printed = subprocess.run(
        command, shell=True, env=environment, capture_output=True, text=True, check=True
    ).stdout
    if "..." in shown:
        assert printed.startswith(shown.partition("...")[0].rstrip())
    else:
        assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_the_python_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    subprocess.run([sys.executable, "-W", "error", "-c", example], check=True)


def test_the_make_targets_are_there() -> None:
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"
