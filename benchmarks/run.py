"""Measure everything in one go and write RESULTS.md: `make bench`.

Each cell runs in a process of its own, which first warms the kernels up on a small graph, so that seconds are those of
a second run and the peak memory is that of the cell.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import sets

HERE = Path(__file__).parent
LIMIT = 1800  # seconds for one cell
CELLS = [
    (name, method, k)
    for name in (
        "Enron months",
        "Enron weeks",
        "Enron days",
        "Irvine weeks",
        "Irvine days",
        "Aarhus layers",
        "Copenhagen days",
        "primary school days",
    )
    for k in (2, 5, 10)
    for method in ("greedy", "optimal")
]


def measure(name: str, method: str, k: int) -> dict[str, float]:
    """One release, in this process."""
    import shoal
    from shoal.datasets import messenger

    shoal.anonymize(messenger(60, 4), 3, method=method, seed=0, restarts=1)
    graph = sets.load(name)
    start = time.perf_counter()
    release = shoal.anonymize(graph, k, method=method, seed=0)
    seconds = time.perf_counter() - start
    return {
        "l1": release.cost_l1,
        "changed": release.edges.changed,
        "kept": release.edges.kept_share,
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def in_a_process(cell: tuple[str, str, int]) -> dict[str, float] | str:
    if not sets.available(cell[0]):
        return "data not here"
    command = [sys.executable, __file__, "--cell", json.dumps(cell)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"stopped after {LIMIT} s"
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cell")
    parser.add_argument("--only", default="", help="measure only sets whose name contains this")
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(measure(*json.loads(options.cell))))
        return
    lines = [
        "# Measurements",
        "",
        f"Made by `make bench` on a machine with {machine()}; seed 0, the best of 5 starts, `anonymize` timed warm.",
        "",
        "| set | k | method | l1 cost | edges changed | edges kept | seconds | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for cell in CELLS:
        if options.only not in cell[0]:
            continue
        name, method, k = cell
        found = in_a_process(cell)
        if isinstance(found, str):
            row = f"| {name} | {k} | {method} | {found} | | | | |"
        else:
            row = (
                f"| {name} | {k} | {method} | {found['l1']:,} | {found['changed']:,} | {found['kept']:.0%} "
                f"| {found['seconds']:.2f} | {found['peak_mb']:.0f} |"
            )
        print(row, flush=True)
        lines.append(row)
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
