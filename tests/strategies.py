"""Random graphs for property tests: small, often degenerate."""

from __future__ import annotations

from hypothesis import strategies as st

from shoal import TemporalGraph


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
def grouped_degrees(draw: st.DrawFn, max_groups: int = 6) -> tuple[list[int], list[int]]:
    """One degree per group and the groups' sizes; seldom realizable."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=max_groups))
    n_nodes = sum(sizes)
    degrees = draw(st.lists(st.integers(0, n_nodes + 1), min_size=len(sizes), max_size=len(sizes)))
    return degrees, sizes
