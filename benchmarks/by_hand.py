"""What shoal computes by hand beside the libraries that do the same, for docs/by_hand.md: `python benchmarks/by_hand.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from scipy.sparse import csr_matrix
from sknetwork.ranking import PageRank
from sknetwork.topology import count_triangles

from shoal.common.crowds import distinct_rows
from shoal.datasets import messenger
from shoal.measure import _kernels
from shoal.measure.pagerank import pagerank
from shoal.realize.erdos_gallai import is_graphical
from shoal.realize.fulkerson import is_digraphical


def best(what: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of three runs after a first one that compiles."""
    result, times = what(), []
    for _ in range(3):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return min(times), result


def measure(n_nodes: int) -> None:
    """Print the seconds for one slice of a synthetic messenger."""
    edges = messenger(n_nodes, n_slices=1, seed=1).edges(0)
    both = np.concatenate([edges, edges[:, ::-1]])
    matrix = csr_matrix((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
    print(f"{n_nodes:,} people, {len(edges):,} contacts")
    seconds, ranks = best(lambda: pagerank(edges, n_nodes))
    print(f"  PageRank: shoal {seconds:.4f} s")
    for rank in [PageRank(solver=solver, n_iter=200, tol=1e-11) for solver in ("piteration", "RH")]:
        seconds, other = best(partial(rank.fit_predict, matrix))
        distance = np.abs(other - ranks).sum()
        print(f"  PageRank: scikit-network {rank.solver} {seconds:.4f} s, l1 distance {distance:.1e}")
    if n_nodes > 2_000:  # the others take minutes
        return
    graph = nx.Graph(edges.tolist())
    graph.add_nodes_from(range(n_nodes))
    degrees = np.bincount(edges.ravel(), minlength=n_nodes)
    found = {
        "PageRank: networkx": lambda: nx.pagerank(graph, tol=1e-14, max_iter=1000),
        "triangles: shoal": lambda: _kernels.triangles(*_kernels.orient_by_degree(edges, degrees)),
        "triangles: scikit-network": lambda: count_triangles(matrix),
    }
    for name, what in found.items():
        print(f"  {name} {best(what)[0]:.6f} s")


def measure_rows() -> None:
    """Print the seconds for questions about degrees: of 2,000 people in one slice, and of 100,000 in 28."""
    rng = np.random.default_rng(0)
    outs = rng.geometric(0.2, 2_000)
    outs[0] += outs.sum() % 2
    ins = rng.permutation(outs)
    rows = rng.poisson(0.3, (100_000, 28)).astype(np.int32)
    found = {
        "graphical? shoal": lambda: is_graphical(outs),
        "graphical? networkx": lambda: nx.is_graphical(outs.tolist()),
        "digraphical? shoal": lambda: is_digraphical(ins, outs),
        "digraphical? networkx": lambda: nx.is_digraphical(ins.tolist(), outs.tolist()),
        "distinct rows: shoal": lambda: distinct_rows(rows),
        "distinct rows: numpy": lambda: np.unique(rows, axis=0, return_inverse=True, return_counts=True),
        "distinct rows: polars": lambda: pl.DataFrame(rows).group_by(pl.all()).len(),
    }
    for name, what in found.items():
        print(f"  {name} {best(what)[0]:.6f} s")


if __name__ == "__main__":
    measure_rows()
    measure(2_000)
    measure(100_000)
