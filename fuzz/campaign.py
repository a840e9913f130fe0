"""A campaign against shoal's promises: `python fuzz/campaign.py --cases 5000 [--minutes 60] [--seed N] [--jobs 1] [--json FILE]`.

Random graphs with all options, extensions and commands; whatever comes out is looked at by a checker that shares no line with
shoal, and whatever is refused is tried by brute force where that is possible. Counts are printed at the end; any violation is exit
code 1. `--only SEED-NUMBER` runs one case again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.cases import draw_case
from fuzz.running import Outcome, run_case

SLOW = 30  # seconds after which a case is given up


class TooSlow(BaseException):
    """A case took longer than it may."""


@contextlib.contextmanager
def at_most(seconds: float | None) -> Iterator[list[bool]]:
    """Give up after so many seconds; without a number, never. The list says whether it was given up.

    A kernel under way makes another error of the interrupt, so the error alone does not say.
    """
    rung: list[bool] = []

    def ring(*_: object) -> None:
        rung.append(True)
        raise TooSlow

    if not seconds:
        yield rung
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again, where a callback swallowed it
    try:
        yield rung
    except TooSlow:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_number(seed: int, number: int, limit: float | None = SLOW) -> Outcome:
    """Draw and run the case of a number. A slow one is tried twice: the first time kernels may have been compiled."""
    begun = time.monotonic()
    for _ in range(2):
        case = draw_case(seed, number)
        patience = limit and limit * (4 if case.kind == "dask" else 1)  # a cluster has to start
        outcome = Outcome(case.name, case.kind, about=str(case))
        with (
            tempfile.TemporaryDirectory(prefix="shoal-campaign-", ignore_cleanup_errors=True) as place,
            at_most(patience) as rung,
        ):
            outcome = run_case(case, Path(place))
        if not rung:
            break
        outcome = Outcome(case.name, case.kind, end="slow", about=str(case))
    outcome.seconds = round(time.monotonic() - begun, 2)
    return outcome


def run_all(
    seed: int, cases: int, *, minutes: float | None, jobs: int, limit: float | None = SLOW
) -> Iterator[Outcome]:
    """Case after case, until all are done or time is over."""
    end = None if minutes is None else time.monotonic() + 60 * minutes
    if jobs == 1:
        for number in range(cases):
            if end is not None and time.monotonic() > end:
                return
            yield run_number(seed, number, limit)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        under_way = [pool.submit(run_number, seed, number, limit) for number in range(cases)]
        for done in as_completed(under_way):
            yield done.result()
            if end is not None and time.monotonic() > end:
                pool.shutdown(wait=True, cancel_futures=True)
                return


def rule(complaint: str) -> str:
    """What kind of promise a complaint is about."""
    return complaint.split(":", 1)[0]


def summary(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Everything counted, and every case with a complaint."""
    found = list(outcomes)
    broken = [one for one in found if one.complaints]
    return {
        "cases": len(found),
        "by_kind": dict(sorted(Counter(one.kind for one in found).items())),
        "by_end": dict(sorted(Counter(one.end for one in found).items())),
        "did": dict(sorted(Counter(what for one in found for what in one.did).items())),
        "violations": dict(sorted(Counter(rule(text) for one in broken for text in one.complaints).items())),
        "broken": [asdict(one) for one in broken],
        "slow": [one.about for one in found if one.end == "slow"],
    }


def describe(counts: dict[str, Any]) -> Iterator[str]:
    """The summary in lines."""
    violations, did, ends = counts["violations"], counts["did"], counts["by_end"]
    yield f"{counts['cases']:,} cases: " + ", ".join(f"{n:,} {kind}" for kind, n in counts["by_kind"].items())
    yield (
        f"{ends.get('released', 0):,} released, {ends.get('refused', 0):,} refused ({did.get('refusal is right', 0):,} rightly by "
        f"brute force), {ends.get('slow', 0):,} too slow"
    )
    yield ", ".join(f"{n:,} × {what}" for what, n in did.items()) or "nothing made again or extended"
    yield (
        f"{sum(violations.values()):,} violations, {violations.get('crash', 0):,} crashes, {violations.get('rerun', 0):,} differences "
        f"between reruns, {violations.get('wrong refusal', 0):,} wrong refusals"
    )
    for name, n in violations.items():
        yield f"  {n:,} × {name}"
    for one in counts["broken"]:
        yield f"{one['about'][:400]}"
        yield from (f"    {text[:400]}" for text in one["complaints"])
    yield from (f"slow: {about[:400]}" for about in counts["slow"])


def main() -> int:
    """Run the campaign, or one case of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="the summary, with every broken case")
    parser.add_argument("--only", metavar="SEED-NUMBER", help="run this one case again")
    given = parser.parse_args()
    warnings.simplefilter("error")
    if given.only:
        seed, number = map(int, given.only.split("-"))
        outcomes = [run_number(seed, number, None)]
        print(outcomes[0])
    else:
        outcomes = []
        for outcome in run_all(given.seed, given.cases, minutes=given.minutes, jobs=given.jobs):
            outcomes.append(outcome)
            if outcome.complaints:
                print(f"{outcome.name} {outcome.kind}: {outcome.complaints[0][:200]}", flush=True)
            elif len(outcomes) % 100 == 0:
                print(f"{len(outcomes):,} cases", flush=True)
    counts = summary(outcomes)
    if given.json:
        given.json.write_text(json.dumps(counts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n".join(describe(counts)))
    return 1 if counts["violations"] else 0


if __name__ == "__main__":
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    sys.exit(main())
