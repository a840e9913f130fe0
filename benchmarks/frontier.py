"""What is learned against what is kept, of every way to publish: `python benchmarks/frontier.py [--only SET] [--write]`.

Makes docs/frontier.md and docs/frontier.svg. What was measured is kept in `build/frontier` (or `--work DIR`), so that a run goes
on; `--seeds 3` for means over seeds; `--method NAME` measures one way only, `--no-run` none, and both show all that is there.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

import frontier_page
import methods
import numpy as np
import sets

import shoal
from shoal.audit import Vector
from shoal.audit.attackers import Neighbourhood
from shoal.audit.learn import learn
from shoal.files.kept import Kept

SETS = ("Copenhagen days", "Enron months", "Irvine weeks", "primary school hours")
KS, SHARES, BUDGETS = (5, 2, 20, 10, 50), (0.05, 0.1, 0.2, 0.4, 0.8), (0.5, 1.0, 2.0, 5.0, 10.0)
KNOWN = 0.5  # of the slices, as `shoal sweep` has it
Make = Callable[[shoal.TemporalGraph, Any, int], shoal.TemporalGraph]


def _other(method: Callable[..., shoal.TemporalGraph]) -> Make:
    return lambda graph, setting, seed: method(graph, setting, np.random.default_rng(seed))


def _shoal(**options: Any) -> Make:
    return lambda graph, k, seed: shoal.anonymize(graph, k, seed=seed, jobs=1, **options).graph


METHODS: dict[str, tuple[Make, tuple[float, ...]]] = {
    "names removed": (lambda graph, *_: graph, (0,)),
    "shoal against graph": (_shoal(against="graph"), KS),
    "shoal against numbers": (_shoal(), KS),
    "surrogate, same degrees": (_other(methods.surrogate), (0,)),
    "random switching": (_other(methods.switched), SHARES),
    "edge-DP of a contact": (_other(methods.top_m_each), BUDGETS),
    "edge-DP of a pair": (_other(methods.top_m_all), BUDGETS),
    "Liu & Terzi, each slice": (_other(methods.liu_terzi), KS),
    "the paper's greedy": (_shoal(method="greedy"), KS),
}


def together(graph: shoal.TemporalGraph) -> shoal.TemporalGraph:
    """All slices as one graph, which is what measures for single graphs know."""
    return shoal.TemporalGraph.from_slices(
        {"all": np.unique(graph._edges, axis=0).tolist()}, nodes=range(graph.n_nodes)
    )


def alone(graph: shoal.TemporalGraph) -> dict[str, float]:
    """Shares of people whom measures of single graphs call unique: by degree, by (n, m), by degrees of neighbours.

    (n, m) are the people and the edges of somebody's own neighbourhood, the measure that ANO-NET (de Jong, van der Loo & Takes
    2024, arXiv:2409.16163) takes by default.
    """
    import networkx as nx

    one = together(graph)
    plain = nx.empty_graph(graph.n_nodes)
    plain.add_edges_from(one.edges(0).tolist())
    triangles = nx.triangles(plain)
    degrees = one.degree_matrix()[:, 0]
    pairs = np.column_stack([degrees, [triangles[u] for u in range(graph.n_nodes)]])
    _, place, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    around = Neighbourhood(1).crowds(one, np.random.default_rng(0)).sizes
    return {
        "alone_degree": float((np.bincount(degrees)[degrees] == 1).mean()),
        "alone_nm": float((counts[place.ravel()] == 1).mean()),
        "alone_neighbours": float((around == 1).mean()),
    }


def measured(graph: shoal.TemporalGraph, made: shoal.TemporalGraph) -> dict[str, float | None]:
    """What is learned from a release and what it still says; the same attackers and measures for all."""
    (found,) = learn(made, graph, known=KNOWN, attackers=["second-graph"], jobs=1)
    new, ties = found["new_pairs"], found["known_ties"]
    overall = shoal.compare(graph, made, jobs=1).overall
    guess = shoal.audit(made, attackers=[Vector()], original=graph)
    return {
        "new_pairs": float(new["true"] - new["without"]["true"]),
        "known_ties": float(ties["found"] - ties["without"]["found"]),
        "guess": float(guess["reidentify"].expected_success),
        "outbreak_20": overall["outbreak_si_20"]["agreement"],
        "outbreak_50": overall["outbreak_si_50"]["agreement"],
        "persistence": overall["temporal_correlation"]["agreement"],
        "pagerank": overall["pagerank_similarity"],
        "communities": overall["communities"]["agreement"],
        "degrees": 1 - overall["degree_distance"],
        **alone(made),
    }


def run(kept: Kept, names: list[str], seeds: int, make: Container[str]) -> list[dict[str, Any]]:
    """Every set, method, setting and seed, those that everything else is held against first; measured anew by methods to `make`."""
    rows = []
    for seed in range(seeds):
        for name in names:
            graph = sets.load(name)
            tasks = [(i, method, s) for method, (_, given) in METHODS.items() for i, s in enumerate(given)]
            for _, method, setting in sorted(tasks, key=lambda task: task[0]):
                what = (name, method, setting, seed, KNOWN)
                found = kept.find(*what)
                if found is None and method in make:
                    start = time.process_time()
                    found = measured(graph, METHODS[method][0](graph, setting, seed))
                    kept.keep(found, *what)
                    print(
                        f"{name}, {method} {setting:g}, seed {seed}: {time.process_time() - start:.1f} s",
                        file=sys.stderr,
                    )
                if found is not None:
                    rows.append({"set": name, "method": method, "setting": setting, "seed": seed, **found})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="one of the sets; may be given again")
    parser.add_argument("--method", action="append", choices=METHODS, help="measure this one only; may be given again")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(__file__).parents[1] / "build" / "frontier")
    parser.add_argument("--no-run", action="store_true", help="take what is there")
    parser.add_argument("--write", action="store_true", help="put tables and pictures into docs/")
    asked = parser.parse_args()
    names = [name for name in asked.only or SETS if sets.available(name)]
    rows = run(Kept(asked.work), names, asked.seeds, () if asked.no_run else asked.method or METHODS)
    made = frontier_page.page(rows)
    print(made)
    if asked.write:
        file = Path(__file__).parents[1] / "docs" / "frontier.md"
        marks = re.compile(r"(<!-- measured -->\n).*?(\n<!-- /measured -->)", re.DOTALL)
        file.write_text(marks.sub(lambda m: m[1] + made + m[2], file.read_text(encoding="utf-8")), encoding="utf-8")
        file.with_suffix(".svg").write_text(frontier_page.picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
