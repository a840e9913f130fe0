"""Where the time of a large run goes, from an edge file to a verified folder with report: `shares.py [PEOPLE [K]]`.

Processor seconds of every stage (all threads), which other programs on the machine disturb little, and the floor: reading, one
pass of neighbours, writing and verifying, which no search could do without.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from clock import Clock

import shoal
from shoal.common.progress import usable_cores
from shoal.datasets import messenger
from shoal.engine.local import peak_memory
from shoal.group.neighbours import find_crowds

FLOOR = ("reading", "one pass of neighbours", "writing", "verifying")
RELEASE = (
    "reading",
    "grouping",
    "rebuilding",
    "retying",
    "writing",
    "verifying",
    "closing",
)  # all other stages are the report's


def main() -> None:
    people, k = (int(x) for x in (*sys.argv[1:3], *("100000", "2")[len(sys.argv) - 1 :]))
    clock = Clock()
    shoal.anonymize(messenger(400, 5), 3)  # kernels are there
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "edges.csv"
        messenger(people, seed=1).to_polars().write_csv(file)
        began = time.process_time()
        with clock.stage("reading", 1):
            graph = shoal.read(file, time="slice", slice="value")
        release = shoal.anonymize(graph, k, seed=1, progress=clock)
        release.save(Path(folder) / "release", progress=clock)
        whole, peak = time.process_time() - began, peak_memory()
    rows = np.ascontiguousarray(graph.degree_matrix())
    with clock.stage("one pass of neighbours", 1):
        find_crowds(rows, k, jobs=usable_cores())
    inside = clock.spent.pop("one pass of neighbours")
    told = f"{graph.n_nodes:,} people, {graph.n_edges:,} edges, k = {k}, l1 {release.cost_l1 / graph.n_nodes:.2f} per person"
    print(f"| {told} | processor seconds | share |\n|---|--:|--:|")
    for name, seconds in (*clock.spent.items(), ("the rest", whole - sum(clock.spent.values()))):
        print(f"| {name} | {seconds:.1f} | {seconds / whole:.0%} |")
    report = sum(seconds for name, seconds in clock.spent.items() if name not in RELEASE)
    floor = inside + sum(clock.spent.get(name, 0.0) for name in FLOOR)
    print(f"| **all** | {whole:.1f} | 100% |")
    print(f"| peak memory, GB | {peak / 1e9:.2f} | |")
    print(f"| report and audit | {report:.1f} | {report / whole:.0%} |")
    print(f"| the floor: {', '.join(FLOOR)} | {floor:.1f} | {floor / whole:.0%} |")


if __name__ == "__main__":
    main()
