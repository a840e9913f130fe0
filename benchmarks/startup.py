"""Processor time of `import shoal` and `shoal --help`, beside Python alone and a fixed set of modules of its library."""

from __future__ import annotations

import resource
import subprocess
import sys

PLAIN = ("-c", "pass")
REFERENCE = ("-c", "import asyncio, argparse, decimal, email, http.client, sqlite3, unittest, xml.dom.minidom")
MEASURED = {
    "python -c pass": PLAIN,
    "a fixed set of the standard library": REFERENCE,
    "import shoal": ("-c", "import shoal"),
    "shoal --help": ("-m", "shoal", "--help"),
}


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


if __name__ == "__main__":
    taken = best_of(*MEASURED.values(), times=10)
    print("| | processor time | Python alone = 1 |\n|---|---|---|")
    for name, seconds in zip(MEASURED, taken, strict=True):
        print(f"| `{name}` | {seconds:.2f} s | {seconds / taken[0]:.1f} |")
