"""Pictures of a release as SVG text: altair describes them, vl-convert draws them without a browser."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert

from shoal.audit import Audit
from shoal.crowds import class_sizes
from shoal.measure import Comparison
from shoal.release import Release

BEFORE, AFTER = "#d1495b", "#2a9d8f"
KEPT, REMOVED, ADDED = "#8d99ae", "#d1495b", "#2a9d8f"
_GREY = "#808890"  # readable on white and on black
_CROWDS = ((1, 1), (2, 4), (5, 9), (10, 99), (100, None))


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Draw a chart without background, in greys that can be read on white and on black."""
    return _own_ids(str(vl_convert.vegalite_to_svg(_styled(chart, "transparent"))))


def to_png(chart: alt.TopLevelMixin) -> bytes:
    """Draw a chart on white, with two dots per pixel."""
    return bytes(vl_convert.vegalite_to_png(_styled(chart, "white"), scale=2))


def _styled(chart: alt.TopLevelMixin, background: str) -> str:
    styled = (
        chart.configure(background=background, font="sans-serif")
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
        .configure_title(color=_GREY, fontSize=13)
        .configure_view(stroke=None)
    )
    return json.dumps(styled.to_dict())


def _own_ids(svg: str) -> str:
    """The renderer numbers clip paths over its whole life; number them by what the picture holds, for equal bytes."""
    order = {old: f"{i}" for i, old in enumerate(dict.fromkeys(re.findall(r'id="clip(\d+)"', svg)))}
    plain = re.sub(r"\bclip(\d+)\b", lambda m: f"clip{order.get(m[1], m[1])}", svg)
    mark = hashlib.blake2b(plain.encode(), digest_size=4).hexdigest()  # several pictures share one page
    return re.sub(r"\bclip(\d+)\b", rf"clip-{mark}-\1", plain)


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


_WHO = {
    "vector": "every slice",
    "contacts": "distinct contacts, all time",
    "neighbours-1": "the contacts' numbers too",
    "reidentify": "original numbers, best guess",
}


def _who(name: str) -> str:
    """What an attacker knows, short enough for an axis."""
    if name.startswith("any-"):
        return f"any {name.split('-')[1]} slices".replace("any 1 slices", "any 1 slice")
    if name.startswith("within-"):
        return f"every slice, ± {name.removeprefix('within-')}"
    return _WHO.get(name, name)


def risk(before: Audit, after: Audit) -> str:
    """Chance that a guess is right, for each attacker, before and after."""
    rows = [
        {"when": when, "who": _who(e.name), "chance": e.expected_success}
        for when, found in (("original", before), ("release", after))
        for e in found.attackers
        if e.name != "reidentify"
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            y=alt.Y(
                "who:N", sort=None, title="the attacker knows numbers of contacts in", axis=alt.Axis(labelLimit=220)
            ),
            yOffset=alt.YOffset("when:N", sort=["original", "release"]),
            x=alt.X(
                "chance:Q",
                title="chance that a guess is right",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color("when:N", scale=alt.Scale(domain=["original", "release"], range=[BEFORE, AFTER])),
        )
        .properties(width=430, height=alt.Step(13))
    )
    return to_svg(chart)


def similarity(found: Comparison) -> str:
    """PageRank similarity slice by slice, the activity shaded behind it as in the paper's Figure 5."""
    busiest = max(found.slices["edges_original"].to_list(), default=0) or 1
    frame = found.slices.select(
        pl.int_range(pl.len()).alias("position"),
        pl.col("pagerank_similarity").fill_nan(None),
        activity=pl.col("edges_original") / busiest,
    )
    x = alt.X("position:Q", title="slice", scale=alt.Scale(nice=False))
    y_scale = alt.Scale(domain=[0, 1])
    shade = (
        alt.Chart(frame)
        .mark_area(color=KEPT, opacity=0.3, interpolate="step")
        .encode(x=x, y=alt.Y("activity:Q", scale=y_scale))
    )
    line = (
        alt.Chart(frame.drop_nulls("pagerank_similarity"))
        .mark_line(color=AFTER, point=len(frame) <= 60)
        .encode(x=x, y=alt.Y("pagerank_similarity:Q", scale=y_scale, title="PageRank similarity"))
    )
    return to_svg((shade + line).properties(width=620, height=220))


def degree_distributions(release: Release) -> str:
    """How many times each number of contacts occurs, over all people and slices."""
    rows: list[dict[str, Any]] = []
    for when, graph in (("original", release.original), ("release", release.graph)):
        degrees = graph.degree_matrix().ravel()
        edges = np.unique(
            np.concatenate(
                [np.arange(1, 11), np.geomspace(10, max(int(degrees.max(initial=1)), 11) + 1, 12).astype(int)]
            )
        )
        counts = np.histogram(degrees[degrees > 0], bins=edges)[0] / np.diff(edges)
        rows += [
            {"when": when, "degree": int(d), "count": float(c)} for d, c in zip(edges, counts, strict=False) if c > 0
        ]
    frame = pl.DataFrame(rows, schema={"when": pl.String, "degree": pl.Int64, "count": pl.Float64})
    chart = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("degree:Q", title="contacts in a slice", scale=alt.Scale(type="log")),
            y=alt.Y("count:Q", title="how often", scale=alt.Scale(type="log")),
            color=alt.Color("when:N", scale=alt.Scale(domain=["original", "release"], range=[BEFORE, AFTER])),
        )
        .properties(width=620, height=220)
    )
    return to_svg(chart)


def group_sizes(release: Release) -> str:
    """How many crowds there are of each size."""
    sizes, counts = np.unique(np.bincount(release.labels), return_counts=True)
    frame = pl.DataFrame({"size": sizes, "crowds": counts}).with_columns(pl.col("size").cast(pl.String).alias("label"))
    if len(frame) > 30:
        tail = frame[29:]
        more = {"size": int(tail["size"][0]), "crowds": int(tail["crowds"].sum()), "label": f"{tail['size'][0]}+"}
        frame = pl.concat([frame[:29], pl.DataFrame([more], schema=frame.schema)])
    chart = (
        alt.Chart(frame)
        .mark_bar(color=AFTER, cornerRadiusEnd=3)
        .encode(
            x=alt.X("label:N", sort=None, title="people in the crowd", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("crowds:Q", title="crowds"),
        )
        .properties(width=620, height=180)
    )
    return to_svg(chart)
