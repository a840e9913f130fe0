"""The engine of one process: threads, because kernels release the interpreter."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shoal.common.memory import give_back
from shoal.common.progress import run_jobs

Tell = Callable[[float], None]
Step = Callable[[Any, int, Tell], Any]  # of a piece, how many threads it may use, and whom it tells how far it is


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):  # unlike getrusage it knows nothing of the process that started this one
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class LocalEngine:
    """One piece gets all threads; several run beside each other, a thread for each."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.peaks: dict[str, int] = {}

    def map(self, task: Step, pieces: Sequence[Any], tell: Tell | None = None) -> list[Any]:
        """Results in the order of the pieces."""
        if len(pieces) == 1:
            results = [task(pieces[0], self.jobs, tell or _silent)]
            give_back()
        else:
            results = run_jobs(lambda piece: task(piece, 1, _silent), pieces, self.jobs, tell)
        self.peaks[f"process {os.getpid()}"] = peak_memory()
        return results


def _silent(share: float) -> None:
    pass
