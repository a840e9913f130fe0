"""Where the time of a run goes: a `Progress` that adds up the seconds of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shoal.common.progress import Progress
from shoal.engine.local import peak_memory


class Clock(Progress):
    """Seconds of every stage by `now`: of the processor (all threads), or `time.monotonic`; said as they pass if asked."""

    def __init__(self, now: Callable[[], float] = time.process_time, *, said: bool = False) -> None:
        self.now, self.said = now, said
        self.spent: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Time a stage."""
        began = self.now()
        yield lambda share: None
        took = self.now() - began
        self.spent[name] = self.spent.get(name, 0.0) + took
        if self.said:
            print(f"  {name}: {total} pieces, {took:.0f} s, {peak_memory() / 1e9:.2f} GB", flush=True)
