"""Charts for a notebook, of results that are at hand. The pictures of a report are drawn in `shoal.report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from shoal.audit.findings import Audit
    from shoal.measure.comparison import Comparison
    from shoal.release import Release
    from shoal.sweep import Sweep


def edges_per_slice(release: Release) -> Any:
    """Edges kept, removed and added, slice by slice."""
    import altair as alt

    rows = [
        {"slice": part.label, "what": what, "edges": getattr(counts, what)}
        for part, counts in zip(release.graph.slices, release.slice_edges, strict=True)
        for what in ("kept", "removed", "added")
    ]
    x, colour = alt.X("slice:N", sort=None, axis=alt.Axis(labelOverlap=True)), alt.Color("what:N", title=None)
    return (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar()
        .encode(x=x, y="sum(edges):Q", color=colour, tooltip=["slice", "what", "edges"])
    )


def people_found(found: Audit) -> Any:
    """How many people each attacker finds."""
    import altair as alt

    y = alt.Y("description:N", sort=None, title="somebody who", axis=alt.Axis(labelLimit=400))
    return alt.Chart(found.to_polars()).mark_bar().encode(x=alt.X("unique:Q", title="finds people"), y=y)


def similarity(found: Comparison) -> Any:
    """How alike PageRank is in original and release, slice by slice."""
    import altair as alt

    x = alt.X("label:N", sort=None, title="slice", axis=alt.Axis(labelOverlap=True))
    y = alt.Y("pagerank_similarity:Q", scale=alt.Scale(domain=[0, 1]))
    return alt.Chart(found.to_polars()).mark_line(point=True).encode(x=x, y=y)


def cost_of_k(found: Sweep) -> Any:
    """The share of the edges that each k keeps, for each slice width."""
    import altair as alt

    y = alt.Y("kept_share:Q", title="edges kept", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    return alt.Chart(found.to_polars()).mark_line(point=True).encode(x="k:Q", y=y, color=alt.Color("slice:N"))
