"""Ways others publish a graph, one function each: a graph, a setting and chance in, slices out. Undirected graphs only."""

from __future__ import annotations

import math

import numpy as np

import shoal
from shoal.common.edges import edge_keys
from shoal.group.exact import cheapest_runs
from shoal.group.medians import group_medians, middle
from shoal.realize import SliceView
from shoal.realize.enforce import realize_slice
from shoal.rebuild import priority

Rng = np.random.Generator
SWAPS = 10  # tries per edge of a slice that is rewired fully, the usual number (Milo et al. 2003, cond-mat/0312028)


def liu_terzi(graph: shoal.TemporalGraph, k: int, rng: Rng) -> shoal.TemporalGraph:
    """Liu & Terzi 2008 (doi:10.1145/1376616.1376629), each slice alone: the cheapest groups of its degrees, then Priority."""
    made = []
    for _, edges in graph:
        degrees = np.bincount(edges.ravel(), minlength=graph.n_nodes)
        view = SliceView(edges, cheapest_runs(degrees, k))
        centres = middle(*group_medians(degrees[:, None], view.labels))[:, 0]
        targets = realize_slice(centres, view.sizes, degrees, view.labels)
        made.append(priority(view, targets[view.labels], rng))
    return graph.with_edges(made)


def switched(graph: shoal.TemporalGraph, share: float, rng: Rng) -> shoal.TemporalGraph:
    """Ying & Wu 2008 (doi:10.1137/1.9781611972788.67): two edges swap ends until this share of a slice's is replaced."""
    return graph.with_edges([switch_slice(edges, share, rng) for _, edges in graph])


def surrogate(graph: shoal.TemporalGraph, _: float, rng: Rng) -> shoal.TemporalGraph:
    """Every slice drawn anew from all graphs in which everybody has the degree they had, nearly uniformly."""
    return graph.with_edges([switch_slice(edges, math.inf, rng) for _, edges in graph])


def switch_slice(edges: np.ndarray, share: float, rng: Rng) -> np.ndarray:
    """One slice with the same degrees, of which this share of the edges is gone, or as many swaps were tried as mix it."""
    now = [tuple(pair) for pair in edges.tolist()]
    there, original = set(now), set(now)
    wanted, gone = share * len(now), 0
    for _ in range(SWAPS * len(now)):
        if gone >= wanted:
            break
        i, j = rng.integers(len(now), size=2)
        (a, b), (c, d) = now[i], now[j] if rng.random() < 0.5 else now[j][::-1]
        one, other = (min(a, d), max(a, d)), (min(c, b), max(c, b))
        if len({a, b, c, d}) < 4 or one in there or other in there:
            continue
        gone += (now[i] in original) + (now[j] in original) - (one in original) - (other in original)
        there -= {now[i], now[j]}
        there |= {one, other}
        now[i], now[j] = one, other
    return np.array(sorted(now), np.int32).reshape(-1, 2)


def top_m_each(graph: shoal.TemporalGraph, epsilon: float, rng: Rng) -> shoal.TemporalGraph:
    """Edge-level differential privacy of one contact in one slice: every slice has the whole budget, which is its own."""
    return graph.with_edges([top_m(edges, graph.n_nodes, epsilon, rng) for _, edges in graph])


def top_m_all(graph: shoal.TemporalGraph, epsilon: float, rng: Rng) -> shoal.TemporalGraph:
    """Edge-level differential privacy of all contacts of a pair: slices share the budget."""
    return graph.with_edges([top_m(edges, graph.n_nodes, epsilon / graph.n_slices, rng) for _, edges in graph])


def top_m(edges: np.ndarray, n: int, epsilon: float, rng: Rng) -> np.ndarray:
    """The top-m filter of Nguyen, Imine & Rusinowitch 2015 (doi:10.1145/2808797.2809385), ε-differentially private.

    A tenth of ε goes to the number of edges. Noisy cells of the matrix above a threshold stay, which is passed by about as many
    as there are edges; instead of all cells without an edge, as many of them are drawn as are missing, which costs no more than
    the edges do.
    """
    cells, own = n * (n - 1) // 2, 0.9 * epsilon
    m = int(np.clip(round(len(edges) + rng.laplace(0, 10 / epsilon)), 1, cells // 4))
    theta = threshold(cells, m, own)
    kept = rng.permutation(edges[1 + rng.laplace(0, 1 / own, len(edges)) > theta])[:m]
    taken, made = set(edge_keys(edges).tolist()), [tuple(pair) for pair in kept.tolist()]
    while len(made) < m:
        u, v = sorted(rng.integers(n, size=2).tolist())
        key = int(edge_keys(np.array([[u, v]], np.int32))[0])
        if u != v and key not in taken:
            taken.add(key)
            made.append((u, v))
    return np.array(sorted(made), np.int32).reshape(-1, 2)


def threshold(cells: int, m: int, epsilon: float) -> float:
    """What m of so many cells are expected to pass, of which m are 1 and the others 0, with Laplace noise of 1 / ε on all."""
    turn = math.log(cells / m - 1)
    if epsilon > turn:
        return 0.5 + turn / (2 * epsilon)
    return math.log(cells / (2 * m) + (math.exp(epsilon) - 1) / 2) / epsilon
