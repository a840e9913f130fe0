"""How long work tells about itself. The base class stays silent; the command line draws bars."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from shoal.common.memory import give_back

COMPILING = "compiling, once after installation"  # the stage before all others, on the first run
Item = TypeVar("Item")
Result = TypeVar("Result")


class Progress:
    """Hears of every stage and of how far it is."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Enter a stage of `total` steps; call what it gives with the share that is done."""
        yield lambda share: None


def usable_cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


def run_jobs(
    task: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    progress: Callable[[float], None] | None = None,
) -> list[Result]:
    """`[task(item) for item in items]` on that many threads (kernels release the GIL); `progress` hears the share done.

    Results come in the order of the items, so nothing depends on the number of threads. On an interrupt the tasks under
    way are finished and the others dropped before it is raised.
    """
    if jobs <= 1 or len(items) <= 1:
        return _collect(map(task, items), len(items), progress)
    pool = ThreadPoolExecutor(jobs)
    try:
        return _collect(pool.map(task, items), len(items), progress)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _collect(results: Iterable[Result], count: int, progress: Callable[[float], None] | None) -> list[Result]:
    collected = []
    for result in results:
        collected.append(result)
        give_back()
        if progress is not None:
            progress(len(collected) / count)
    return collected
