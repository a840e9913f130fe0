"""The same release on every engine: bytes of the Irvine days and of the 10^5 messenger graph, k = 5, and what shards cost.

python benchmarks/engines.py [--effort fast]
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import shoal
from shoal.group import group_medians, l1_cost
from shoal.group.cut import SHARD_PEOPLE
from shoal.group.medians import middle

ENGINES = (("local", 1), ("local", 2), ("dask", 1), ("dask", 2), ("dask", 3))


def fingerprint(folder: Path) -> str:
    """One hash over the names and contents of all files."""
    found = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        found.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", default="fast")
    effort = parser.parse_args().effort
    for name, graph in (
        ("Irvine days", shoal.datasets.irvine("1d")),
        ("messenger 10^5", shoal.datasets.messenger(100_000)),
    ):
        for engine, jobs in ENGINES:
            begun = time.monotonic()
            release = shoal.anonymize(graph, 5, seed=0, effort=effort, engine=engine, jobs=jobs)
            seconds = time.monotonic() - begun
            with tempfile.TemporaryDirectory() as place:
                release.save(Path(place) / "release", report=False)
                print(
                    f"| {name} | {engine} {jobs} | {fingerprint(Path(place) / 'release')} | {seconds:.0f} |", flush=True
                )
    for shard_people in (graph.n_nodes, SHARD_PEOPLE):
        release = shoal.anonymize(graph, 5, seed=0, effort=effort, shard_people=shard_people)
        degrees = graph.degree_matrix()
        groups = l1_cost(degrees, release.groups, middle(*group_medians(degrees, release.groups)))
        print(
            f"shards of {shard_people:,}: l1 of the groups {groups:,}, of the release {release.cost_l1:,}", flush=True
        )


if __name__ == "__main__":
    main()
