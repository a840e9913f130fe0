"""How soon something is there: imports, the first run, small runs, large runs.

`python benchmarks/startup.py` measures imports and small runs, `--large` large ones too (half an hour); `--before FOLDER` measures
another checkout of shoal in turn with this one. Seconds on the clock, each the median of three, so nothing else may run
meanwhile; imports are processor time. `--growth` measures nothing but how processor time grows with people, also beside others.
`python benchmarks/run.py --only at_once` writes all of the others into RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PLAIN = ("-c", "pass")
REFERENCE = ("-c", "import asyncio, argparse, decimal, email, http.client, sqlite3, unittest, xml.dom.minidom")
IMPORTS = {
    "python -c pass": PLAIN,
    "a fixed set of the standard library": REFERENCE,
    "import shoal": ("-c", "import shoal"),
    "shoal --help": ("-m", "shoal", "--help"),
}
TIMES = 3
PEOPLE = (25_000, 50_000, 100_000, 200_000, 400_000)  # of the messenger graphs whose growth is measured
MILLION = 1_000_000


def best_of(*runs: tuple[str, ...], times: int = 5) -> list[float]:
    """The least processor time of each, the runs taking turns so that a busy machine disturbs all of them alike."""
    best = [float("inf")] * len(runs)
    for _ in range(times):
        for i, arguments in enumerate(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best[i] = min(best[i], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


class Taken(NamedTuple):
    """Seconds on the clock, the most memory of the process, in MB, and seconds of the processor."""

    seconds: float
    peak_mb: float
    processor: float


class House:
    """A checkout of shoal with a cache of kernels and a release of its own, and what its commands take."""

    def __init__(self, checkout: Path, work: Path) -> None:
        self.work = work / checkout.resolve().name
        self.work.mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.env = {**kept, "PYTHONPATH": str(checkout / "src"), "NUMBA_CACHE_DIR": str(self.work / "kernels")}
        self.run("--help")  # with its bytecode written

    def run(self, *arguments: str, cold: bool = False) -> Taken:
        """A command, or one whose kernels were never compiled."""
        env = dict(self.env)
        if cold:
            env["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=self.work)
        began = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "shoal", *arguments], env=env, cwd=self.work, stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"shoal {' '.join(arguments)} ended with {child.returncode}")
        return Taken(time.perf_counter() - began, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)

    def median(self, *arguments: str, cold: bool = False, times: int = TIMES) -> Taken:
        """The median of so many runs, which share a cache unless they are cold."""
        found = [self.run(*arguments, cold=cold) for _ in range(times)]
        middle = (statistics.median(of) for of in ([t.seconds for t in found], [t.processor for t in found]))
        return Taken(next(middle), max(t.peak_mb for t in found), next(middle))


def imports() -> Iterator[str]:
    """Processor time of what everybody waits for, in every command."""
    taken = best_of(*IMPORTS.values(), times=10)
    yield "| | processor time | Python alone = 1 |"
    yield "|---|---|---|"
    for name, seconds in zip(IMPORTS, taken, strict=True):
        yield f"| `{name}` | {seconds:.2f} s | {seconds / taken[0]:.1f} |"


def small(houses: dict[str, House], aarhus: Path) -> Iterator[str]:
    """61 people: the first run, and those after it."""
    yield f"| 61 people (Aarhus, k = 3), seconds | {' | '.join(houses)} |"
    yield f"|---|{'---|' * len(houses)}"
    made = ("anonymize", str(aarhus), "-k", "3", "--seed", "1", "--force", "-q", "-o", "release")
    rows: dict[str, tuple[tuple[str, ...], bool]] = {
        "first run, without report": ((*made, "--no-report"), True),
        "warm, without report": ((*made, "--no-report"), False),
        "warm, with report": (made, False),
        "shoal verify": (("verify", "release", "-q"), False),
        "shoal audit": (("audit", str(aarhus), "-q"), False),
    }
    for house in houses.values():
        house.run(*made)  # compiles
    for name, (arguments, cold) in rows.items():
        yield f"| {name} | {' | '.join(f'{h.median(*arguments, cold=cold).seconds:.1f}' for h in houses.values())} |"


def large(houses: dict[str, House], work: Path) -> Iterator[str]:
    """Messenger graphs, from file to verified folder; what the report adds; how time grows with people."""
    yield f"| messenger, 28 days | {' | '.join(f'{name}, s | peak, MB | of it report' for name in houses)} |"
    yield f"|---|{'---|---|---|' * len(houses)}"
    whole: dict[tuple[str, int], float] = {}
    for people in (*PEOPLE, MILLION):
        edges = _messenger(people, work)
        for k in (2, 10) if people == 100_000 else (2,):
            cells = []
            for name, house in houses.items():
                made = ("anonymize", str(edges), "--time", "slice", "--slice", "value", "-k", str(k))
                made += ("--seed", "1", "--force", "-q", "-o", "release")
                times = 1 if people == MILLION else TIMES
                house.run("anonymize", str(_messenger(1_000, work)), *made[2:])  # kernels are there
                taken, bare = house.median(*made, times=times), house.median(*made, "--no-report", times=times)
                whole.setdefault((name, people), taken.seconds)
                cells += [f"{taken.seconds:.1f}", f"{taken.peak_mb:.0f}", f"{1 - bare.seconds / taken.seconds:.0%}"]
            yield f"| {people:,} people, k = {k} | {' | '.join(cells)} |"
    yield ""
    for name in houses:
        steps = [whole[name, b] / whole[name, a] for a, b in pairwise(PEOPLE)]
        yield f"Growth per doubling from {PEOPLE[0]:,} people on, {name}: {', '.join(f'{s:.2f}' for s in steps)}."


def growth(house: House, work: Path, most: int) -> Iterator[str]:
    """Processor seconds with and without report of messenger graphs that double, and by how much they grow."""
    yield "| messenger, 28 days, k = 2 | without report, s | × | with report, s | × | of it report | peak, MB |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    before: list[float] | None = None
    for people in (one for one in PEOPLE if one <= most):
        made = ("anonymize", str(_messenger(people, work)), "--time", "slice", "--slice", "value", "-k", "2")
        made += ("--seed", "1", "--force", "-q", "-o", "release")
        if before is None:
            house.run("anonymize", str(_messenger(1_000, work)), *made[2:])  # kernels are there
        bare, whole = house.run(*made, "--no-report"), house.run(*made)
        spent = [bare.processor, whole.processor]
        steps = ["" if before is None else f"{s / b:.2f}" for s, b in zip(spent, before or spent, strict=True)]
        cells = [f"{people:,} people", f"{spent[0]:.1f}", steps[0], f"{spent[1]:.1f}", steps[1]]
        yield f"| {' | '.join(cells)} | {1 - spent[0] / spent[1]:.0%} | {whole.peak_mb:.0f} |"
        before = spent


def _messenger(people: int, work: Path) -> Path:
    """The edges of a messenger graph as a file."""
    from shoal.datasets import messenger

    file = work / f"messenger-{people}.csv"
    if not file.exists():
        messenger(people, seed=1).to_polars().write_csv(file)
    return file


def at_once(before: Path | None = None, *, also_large: bool = True) -> Iterator[str]:
    """All tables, for this checkout and another one."""
    sys.path.insert(0, str(HERE))
    import sets

    yield from imports()
    with tempfile.TemporaryDirectory() as folder:
        checkouts = {"before": before} if before is not None else {}
        checkouts["now"] = HERE.parent
        houses = {name: House(checkout, Path(folder) / name) for name, checkout in checkouts.items()}
        aarhus = sets.find("Aarhus layers")
        yield ""
        yield from small(houses, aarhus) if aarhus is not None else ["The Aarhus layers are not here."]
        if also_large:
            yield ""
            yield from large(houses, Path(folder))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="large runs too")
    parser.add_argument("--before", type=Path, help="another checkout of shoal, to compare with")
    parser.add_argument("--growth", action="store_true", help="only how processor time grows with people")
    parser.add_argument("--most", type=int, default=PEOPLE[-1], help="people of the largest graph of --growth")
    asked = parser.parse_args()
    if asked.growth:
        with tempfile.TemporaryDirectory() as scratch:
            for line in growth(House(HERE.parent, Path(scratch) / "now"), Path(scratch), asked.most):
                print(line, flush=True)
        raise SystemExit
    for line in at_once(asked.before, also_large=asked.large):
        print(line, flush=True)
