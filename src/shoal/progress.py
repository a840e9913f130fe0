"""How long work tells about itself. The base class stays silent; the command line draws bars."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Progress:
    """Hears of every stage and of each step in it."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Enter a stage of `total` steps; call what it gives after each."""
        yield lambda: None


def usable_cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


def map_in_order(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int, step: Callable[[], None]
) -> list[Result]:
    """Apply to every item with `jobs` threads (kernels release the GIL); results in the order of the items."""

    def work(item: Item) -> Result:
        result = function(item)
        step()
        return result

    if jobs <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))
