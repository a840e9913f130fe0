"""Pictures of a release as SVG text: altair describes them, vl-convert draws them without a browser."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert

from shoal.crowds import class_sizes
from shoal.release import Release

BEFORE, AFTER = "#d1495b", "#2a9d8f"
KEPT, REMOVED, ADDED = "#8d99ae", "#d1495b", "#2a9d8f"
_GREY = "#808890"  # readable on white and on black
_CROWDS = ((1, 1), (2, 4), (5, 9), (10, 99), (100, None))


def to_svg(chart: alt.Chart) -> str:
    """Draw a chart without background, in greys that can be read on white and on black."""
    styled = (
        chart.configure(background="transparent", font="sans-serif")
        .configure_axis(
            labelColor=_GREY,
            titleColor=_GREY,
            gridOpacity=0.15,
            domainColor=_GREY,
            tickColor=_GREY,
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelColor=_GREY, titleColor=_GREY, orient="top", title=None, labelFontSize=13)
        .configure_view(stroke=None)
    )
    return str(vl_convert.vegalite_toto_svg(json.dumps(styled.to_dict())))


def people_by_crowd(degrees: np.ndarray) -> dict[str, int]:
    """How many people stand in a crowd of each size class."""
    sizes = class_sizes(degrees)
    counts = {}
    for low, high in _CROWDS:
        name = "alone" if high == 1 else f"{low}–{high}" if high else f"{low} or more"
        within = sizes[(sizes >= low) & (sizes <= (high or sizes.max(initial=low)))]
        counts[name] = int(within.sum())
    return counts


def crowds(release: Release) -> str:
    """People by the size of their crowd, before and after."""
    rows: list[dict[str, Any]] = []
    for when, graph in (("original", release.original), ("release", release.graph)):
        rows += [
            {"when": when, "crowd": name, "people": count}
            for name, count in people_by_crowd(graph.degree_matrix()).items()
        ]
    order = list(dict.fromkeys(row["crowd"] for row in rows))
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            x=alt.X(
                "crowd:N", sort=order, title="people with the same contacts in every slice", axis=alt.Axis(labelAngle=0)
            ),
            xOffset=alt.XOffset("when:N", sort=["original", "release"]),
            y=alt.Y("people:Q", title="people"),
            color=alt.Color("when:N", scale=alt.Scale(domain=["original", "release"], range=[BEFORE, AFTER])),
        )
        .properties(width=620, height=240)
    )
    return to_svg(chart)


def edges_per_slice(release: Release) -> str:
    """Edges kept, removed and added in every slice."""
    counts = release.slice_edges
    frame = pl.DataFrame(
        {
            "slice": [s.label for s in release.graph.slices for _ in range(3)],
            "position": [t for t in range(len(counts)) for _ in range(3)],
            "what": ["kept", "removed", "added"] * len(counts),
            "rank": [0, 1, 2] * len(counts),
            "edges": [n for c in counts for n in (c.kept, c.removed, c.added)],
        }
    )
    few = len(counts) <= 60
    stack = alt.Order("rank:Q")  # kept at the bottom
    colour = alt.Color("what:N", scale=alt.Scale(domain=["kept", "removed", "added"], range=[KEPT, REMOVED, ADDED]))
    if few:
        x = alt.X("slice:N", sort=None, title=None, axis=alt.Axis(labelAngle=-60, labelOverlap=True))
        chart = (
            alt.Chart(frame).mark_bar().encode(x=x, y=alt.Y("sum(edges):Q", title="edges"), color=colour, order=stack)
        )
    else:
        x = alt.X("position:Q", title="slice", scale=alt.Scale(nice=False))
        chart = alt.Chart(frame).mark_area().encode(x=x, y=alt.Y("edges:Q", title="edges"), color=colour, order=stack)
    return to_svg(chart.properties(width=620, height=240))
