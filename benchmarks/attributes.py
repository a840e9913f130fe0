"""What attributes cost: a made-up table of Copenhagen's people, `python benchmarks/attributes.py DATA`, the table of docs/more.md.

Where pyCANON is installed it counts k and l of the folder, too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import shoal

KNOWN = ["sex", "age:10", "department"]


def people(ids: list[int]) -> pl.DataFrame:
    """Sex, age, department and a diagnosis by chance, seeded and skewed."""
    rng, n = np.random.default_rng(0), len(ids)
    departments = ["physics", "maths", "chemistry", "biology", "law", "arts", "music"]
    return pl.DataFrame(
        {
            "id": ids,
            "sex": rng.choice(["f", "m", "x"], n, p=[0.45, 0.53, 0.02]),
            "age": np.clip(rng.gamma(3, 3, n) + 18, 18, 70).astype(int),
            "department": rng.choice(departments, n, p=[0.35, 0.25, 0.15, 0.12, 0.08, 0.04, 0.01]),
            "diagnosis": rng.choice(["none", "asthma", "flu", "rare"], n, p=[0.7, 0.15, 0.12, 0.03]),
        }
    )


def counted(folder: Path) -> str:
    """k and l by pyCANON, over attributes and numbers of edges together."""
    try:
        from pycanon import anonymity
    except ImportError:
        return "not installed"
    nodes = pl.read_csv(folder / "nodes.csv", infer_schema=False).to_pandas().set_index("node")
    edges = pl.read_csv(folder / "edges.csv", infer_schema=False)
    for label in edges["slice"].unique():
        ends = edges.filter(pl.col("slice") == label)
        degree = pl.concat([ends["source"], ends["target"].alias("source")]).value_counts()
        nodes[label] = degree.to_pandas().set_index("source")["count"].reindex(nodes.index).fillna(0).astype(int)
    known = [column for column in nodes.columns if column != "diagnosis"]
    nodes = nodes.reset_index(drop=True)
    found = f"k = {anonymity.k_anonymity(nodes, known)}"
    if "diagnosis" in nodes.columns:
        told = nodes[nodes["diagnosis"] != "*"].reset_index(drop=True)
        found += f", l = {anonymity.l_diversity(told, known, ['diagnosis'])}"
    return found


def main() -> None:
    graph = shoal.read(Path(sys.argv[1]) / "copenhagen" / "edges.csv.gz", slice="1d")
    table = people(graph.nodes.to_list())
    plain = shoal.anonymize(graph, 5, seed=1).edges.changed
    print("| asked for | strata | values that are * | withheld | edits | pyCANON |")
    print("|---|---|---|---|---|---|")
    print(f"| no attributes | | | | {plain:,} | |")
    for name, options in {
        "sex, age:10, department": {},
        "the same, only what is rare becomes *": {"stratum": 1},
        "the same, strata of 40": {"stratum": 40},
        "the same, diagnosis with 2 values in every crowd": {"sensitive": "diagnosis", "diverse": 2},
    }.items():
        release = shoal.anonymize(graph, 5, seed=1, people=table, attributes=KNOWN, **options)
        traits, edits = release.traits, release.edges.changed
        with tempfile.TemporaryDirectory() as place:
            release.save(Path(place) / "release", report=False)
            pycanon = counted(Path(place) / "release")
        print(
            f"| {name} | {traits.strata.max() + 1} | {traits.starred:,} of {3 * graph.n_nodes:,} | {traits.withheld or ''} "
            f"| {edits:,} ({edits / plain - 1:+.0%}) | {pycanon} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
