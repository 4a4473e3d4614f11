"""Commands leave products of matrices to one thread: there are workers for cores."""

import os
import subprocess
import sys

import pytest

# The command itself fails: what matters is what has been loaded by then, and how.
ASKED = """
import contextlib, os, sys
from astragal.cli.main import main
with contextlib.suppress(SystemExit):
    main(sys.argv[1:])
import numpy as np
square = np.ones((2_000, 2_000), np.float32)
square @ square
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
@pytest.mark.parametrize("command", ["train chess", "evaluate chess x", "match chess a b"])
def test_a_command_has_one_thread_for_products(command: str) -> None:
    free = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    words = [sys.executable, "-c", ASKED, *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, env=free, check=True)
    assert "chess" in done.stderr
    assert int(done.stdout.split()[-1]) == 1
