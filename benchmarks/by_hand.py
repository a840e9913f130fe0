"""What shoal computes by hand beside the libraries that do the same, for docs/by_hand.md: `python benchmarks/by_hand.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_matrix
from sknetwork.ranking import PageRank
from sknetwork.topology import count_triangles

from shoal.datasets import messenger
from shoal.measure import _kernels
from shoal.measure.pagerank import pagerank


def best(what: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of three runs after a first one that compiles."""
    result, times = what(), []
    for _ in range(3):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return min(times), result


for n_nodes in (2_000, 100_000):
    edges = messenger(n_nodes, n_slices=1, seed=1).edges(0)
    both = np.concatenate([edges, edges[:, ::-1]])
    matrix = csr_matrix((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
    print(f"{n_nodes:,} people, {len(edges):,} contacts")
    seconds, ranks = best(lambda: pagerank(edges, n_nodes))
    print(f"  PageRank: shoal {seconds:.4f} s")
    for solver in ("piteration", "RH"):
        rank = PageRank(damping_factor=0.85, solver=solver, n_iter=200, tol=1e-11)
        seconds, other = best(lambda: rank.fit_predict(matrix))
        print(f"  PageRank: scikit-network {solver} {seconds:.4f} s, l1 distance {np.abs(other - ranks).sum():.1e}")
    if n_nodes > 2_000:  # the others take minutes
        continue
    graph = nx.Graph(edges.tolist())
    graph.add_nodes_from(range(n_nodes))
    print(f"  PageRank: networkx {best(lambda: nx.pagerank(graph, tol=1e-14, max_iter=1000))[0]:.4f} s")
    degrees = np.bincount(edges.ravel(), minlength=n_nodes)
    print(f"  triangles: shoal {best(lambda: _kernels.triangles(*_kernels.orient_by_degree(edges, degrees)))[0]:.6f} s")
    print(f"  triangles: scikit-network {best(lambda: count_triangles(matrix))[0]:.6f} s")
