"""Edges changed and l1 of a dozen settings, here and in another checkout: `python benchmarks/golden.py [--before DIR]`.

Numbers of edges are free and one job is used. Where a release is to be as good as before, no setting should be more than half a per
cent worse. What is shown is the mean of three seeds, or of twelve where one release differs by per cents from the next.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import sets

import shoal

SEEDS = {"one week": 12}  # of all others three


def settings() -> dict[str, tuple[str, dict[str, Any]]]:
    """By name: the set, and the options."""
    irvine, copenhagen, enron = "Irvine weeks", "Copenhagen days", "Enron months"
    return {
        "undirected, k = 5": (irvine, {"k": 5}),
        "undirected, k = 10": (enron, {"k": 10}),
        "sparse, k = 5": (copenhagen, {"k": 5}),
        "directed, k = 5": ("Irvine weeks, directed", {"k": 5}),
        "levels 1 to 8": (enron, {"k": "levels"}),
        "levels 1 to 8, directed": ("Irvine weeks, directed", {"k": "levels"}),
        "only added": (enron, {"k": 3, "allow": "add"}),
        "ten exempt": (enron, {"k": 3, "exempt": 10}),
        "one slice, k = 5": ("one week", {"k": 5}),
        "one slice, levels": ("one week", {"k": "levels"}),
        "l1": (enron, {"k": 5, "objective": "l1"}),
        "greedy": (enron, {"k": 5, "method": "greedy", "restarts": 2}),
        "horizon of three": (enron, {"k": 5, "horizon": 3}),
        "fast": (copenhagen, {"k": 5, "effort": "fast"}),
    }


def measured(name: str) -> tuple[float, float]:
    """Edges changed and l1 of one setting, in this version, means over the seeds."""
    set_name, options = settings()[name]
    graph = sets.load("Irvine weeks" if set_name == "one week" else set_name)
    if set_name == "one week":
        graph = shoal.TemporalGraph.from_slices({"all": graph.edges(3).tolist()}, nodes=range(graph.n_nodes))
    people = graph.nodes.to_list()
    if options["k"] == "levels":
        options["k"] = np.random.default_rng(0).integers(1, 9, len(people)).tolist()
    if "exempt" in options:
        options["exempt"] = people[: options["exempt"]]
    searches = "method" not in options and "objective" not in options
    if searches and "density" in inspect.signature(shoal.anonymize).parameters:
        options["density"] = "free"
    made = [shoal.anonymize(graph, seed=seed, jobs=1, **options) for seed in range(SEEDS.get(set_name, 3))]
    return float(np.mean([r.edges.changed for r in made])), float(np.mean([r.cost_l1 for r in made]))


def asked(name: str, source: Path) -> tuple[float, float]:
    """The same of the version whose `src` this is, in a process of its own."""
    run = subprocess.run(
        [sys.executable, __file__, "--one", name],
        env=os.environ | {"PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        check=True,
    )
    changed, l1 = json.loads(run.stdout.splitlines()[-1])
    return changed, l1


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2])))
        return
    here = Path(shoal.__file__).parents[1]
    before = Path(sys.argv[2]) / "src" if sys.argv[1:2] == ["--before"] else None
    print("| setting | edges changed | before | | l1 | before | |\n|---|---|---|---|---|---|---|")
    for name, (set_name, _) in settings().items():
        now = asked(name, here)
        then = asked(name, before) if before else now
        cells = [
            f"{a:,.0f} | {b:,.0f} | {100 * (a / b - 1) if b else 0:+.1f} %" for a, b in zip(now, then, strict=True)
        ]
        print(f"| {name} ({set_name}) | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
