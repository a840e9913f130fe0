"""Progress that somebody sees: bars on a terminal, lines in a log, one bar in a notebook.

All of them say what is being done from its first second, and that kernels are compiled where they are.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shoal.common.progress import COMPILING, Progress

FIRST_LINE, LINES_EVERY = 10.0, 30.0  # seconds: what is over sooner needs no line in a log
AT_ONCE = 2.0  # seconds until somebody who waits begins to wonder, and until the first kernels are counted
_FINISHING = 0.97  # beyond it nobody believes an estimate any more


@contextmanager
def _hearing(tell: Callable[[str], object]) -> Iterator[None]:
    """Call this whenever a kernel begins to be compiled; kernels from the cache are not."""
    from shoal._numba import compiling

    with compiling(tell):
        yield


class Bars(Progress):
    """A bar per stage with the share that is done and the time left, drawn on a terminal."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Draw a bar for this stage, and take it away at its end."""
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        class Left(ProgressColumn):
            """The time left, as long as that can be said."""

            def render(self, task: Task) -> Text:
                known = task.total and task.description != COMPILING
                return Text(time_left(task.completed, task.elapsed or 0.0) if known else "")

        columns = (TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn(), Left())
        with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(name, total=None)  # a bar that moves until the first share is told

            def tell(share: float) -> None:
                bars.update(task, total=1.0, completed=min(share, 1.0), description=_counted(name, share, total))

            with _hearing(lambda kernel: bars.update(task, description=COMPILING)):
                yield tell


def _counted(name: str, share: float, total: int) -> str:
    """The name of a stage; compiling, which nobody asked for, says how many kernels are done."""
    return f"{name}: {round(min(share, 1.0) * total)} of {total}" if name == COMPILING else name


def time_left(share: float, elapsed: float) -> str:
    """How long it takes from here on.

    >>> time_left(0.25, 60), time_left(0.99, 60), time_left(0.001, 0.2)
    ('left 3:00', 'finishing', '')
    """
    if share >= _FINISHING:
        return "finishing"
    if share <= 0.01 or elapsed < 1:
        return ""
    seconds = round(elapsed * (1 - share) / share)
    return f"left {seconds // 60}:{seconds % 60:02}"


class Lines(Progress):
    """A line on stderr for every stage that lasts, and again every half minute, for logs."""

    def __init__(self, first: float = FIRST_LINE, every: float = LINES_EVERY) -> None:
        self.first, self.every = first, every

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Say where this stage is while it lasts; compiling, which nobody asked for, says so at once."""
        began, done, state = time.monotonic(), threading.Event(), {"share": 0.0, "what": name}

        def tell(share: float) -> None:
            state.update(share=share, what=_counted(name, share, total))

        def write() -> None:
            wait = min(self.first, AT_ONCE) if name == COMPILING else self.first
            while not done.wait(wait):
                wait = min(self.every, self.first) if name == COMPILING else self.every
                so_far, share = time.monotonic() - began, float(str(state["share"]))
                how_far = f", {100 * share:.0f} %" if share else ""
                how_far += f" after {so_far:.0f} s"
                if name == COMPILING:
                    how_far = f", about {so_far * (1 - share) / share:.0f} s more" if share else ""
                print(f"… {state['what']}{how_far}", file=sys.stderr, flush=True)

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            with _hearing(lambda kernel: state.update(what=f"{name} ({COMPILING})")):
                yield tell
        finally:
            done.set()
            writer.join()


class NotebookBar(Progress):
    """One bar in a notebook, which stays when the work is done."""

    def __init__(self) -> None:
        self.handle, self.last = None, 0.0

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Show this stage in the bar."""
        began = time.monotonic()
        self._show(name, None, began)

        def tell(share: float) -> None:
            if time.monotonic() - self.last > 0.2 or share >= 1:
                self._show(_counted(name, share, total), share, began)

        with _hearing(lambda kernel: self._show(f"{name}: {COMPILING}", None, began)):
            yield tell
        self._show(f"{name}: done", 1.0, began)

    def _show(self, text: str, share: float | None, began: float) -> None:
        from IPython.display import HTML, display

        self.last = time.monotonic()
        value = "" if share is None else f' value="{min(share, 1.0):.3f}"'
        html = HTML(f"<progress{value}></progress> {text} ({self.last - began:.0f} s)")
        if self.handle is None:
            self.handle = display(html, display_id=True)
        else:
            self.handle.update(html)


def visible_progress() -> Progress:
    """Bars, lines or a notebook's bar, whichever can be seen here."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and "IPKernelApp" in getattr(shell, "config", {}):
        return NotebookBar()
    return Bars() if sys.stderr.isatty() else Lines()


# Microseconds per edge, and per person and slice, of a whole run on two free cores (benchmarks/run.py); more effort looks longer.
_PER_EDGE, _PER_CELL = 8.0, 0.6
_EFFORT = {"fast": 1.0, "balanced": 2.0, "thorough": 8.0}
_LOOP, _LOOP_SECONDS = 300_000, 0.0075  # squares added up by Python, and how long that took there


def pace() -> float:
    """How many times as long as there the same work takes here and now, beside whatever else this computer does."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        sum(i * i for i in range(_LOOP))
        took.append(time.perf_counter() - began)
    return sorted(took)[2] / _LOOP_SECONDS


def estimate(n_people: int, n_slices: int, n_edges: int, effort: str, pace: float = 1.0) -> str | None:
    """About how long a run takes, in words; None where nobody would look up.

    >>> estimate(1_000_000, 28, 18_732_625, "fast"), estimate(100, 10, 500, "fast")
    ('about 3 minutes', None)
    """
    seconds = pace * (_PER_EDGE * n_edges + _PER_CELL * n_people * n_slices) * _EFFORT.get(effort, 1.0) / 1e6
    if seconds < 45:
        return None
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minute{'s' * (minutes > 1)}"
    return f"about {round(minutes / 60)} hours"
