"""Random graphs for property tests: small, often degenerate."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

from shoal import TemporalGraph
from shoal.graph import Slice


def by(method: str, starts: int = 1) -> dict[str, object]:
    """The options of a method; those of the paper begin at so many random starts."""
    return {"method": method} if method == "search" else {"method": method, "restarts": starts}


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 9, max_slices: int = 4) -> TemporalGraph:
    """Slices from empty to complete over the same few people."""
    n_nodes = draw(st.integers(1, max_nodes))
    pairs = [(u, v) for u in range(n_nodes) for v in range(u + 1, n_nodes)]
    slices = {}
    for t in range(draw(st.integers(1, max_slices))):
        kind = draw(st.sampled_from(["empty", "complete", "star", "some", "some", "some"]))
        if kind == "some" and pairs:
            slices[f"t{t}"] = draw(st.lists(st.sampled_from(pairs), unique=True))
        else:
            slices[f"t{t}"] = {"empty": [], "complete": pairs, "star": pairs[: n_nodes - 1], "some": []}[kind]
    return TemporalGraph.from_slices(slices, nodes=range(n_nodes))


@st.composite
def any_graphs(draw: st.DrawFn, max_nodes: int = 8) -> TemporalGraph:
    """Directed or not, over time, over layers, or both."""
    n_nodes, directed = draw(st.integers(1, max_nodes)), draw(st.booleans())
    pairs = [(u, v) for u in range(n_nodes) for v in range(n_nodes) if u != v]
    axes = draw(st.sampled_from(["time", "layers", "both"]))
    layers = ["calls", "mail"] if axes == "both" else ["x", "y", "z"] if axes == "layers" else [None]
    days = [None] if axes == "layers" else [f"2024-05-0{d}" for d in range(1, draw(st.integers(1, 3)) + 1)]
    parts = [(layer, day) for layer in layers for day in days]
    chosen = [draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)) if pairs else [] for _ in parts]
    rows = [(u, v, t) for t, some in enumerate(chosen) for u, v in some]
    ends = [np.array([row[side] for row in rows], np.int32) for side in (0, 1)]
    labels = ["/".join(x for x in part if x) for part in parts]
    return TemporalGraph._from_codes(
        pl.Series(np.arange(n_nodes)),
        ends,
        np.array([row[2] for row in rows], np.int32),
        [Slice(label, layer, day) for label, (layer, day) in zip(labels, parts, strict=True)],
        directed=directed,
        ordered=axes != "layers",
    )


@st.composite
def grouped_degrees(draw: st.DrawFn, max_groups: int = 6) -> tuple[list[int], list[int]]:
    """One degree per group and the groups' sizes; seldom realizable."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=max_groups))
    n_nodes = sum(sizes)
    degrees = draw(st.lists(st.integers(0, n_nodes + 1), min_size=len(sizes), max_size=len(sizes)))
    return degrees, sizes


@st.composite
def slices(draw, max_nodes=12):
    """(edges, n): empty, sparse, dense, complete, star, or a hub joined to everybody."""
    n = draw(st.integers(1, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = np.stack(np.triu_indices(n, 1), 1).astype(np.int32)
    kind = draw(st.sampled_from(["random", "random", "random", "star", "hub", "complete", "empty"]))
    share = {"random": draw(st.floats(0, 1)), "star": 0.0, "hub": 0.3, "complete": 1.0, "empty": 0.0}[kind]
    keep = rng.random(len(pairs)) < share
    if kind in ("star", "hub"):
        keep |= pairs[:, 0] == 0
    return pairs[keep], n


@st.composite
def grouped_slices(draw, max_nodes=12):
    """(edges, n, labels, sizes) with groups of at least k."""
    edges, n = draw(slices(max_nodes))
    k = draw(st.integers(1, n))
    m = n // k
    labels = np.concatenate([np.repeat(np.arange(m), k), np.arange(n - m * k) % m])
    labels = np.random.default_rng(draw(st.integers(0, 1000))).permutation(labels)
    return edges, n, labels, np.bincount(labels)
