"""Pictures of a release as SVG text: altair describes them, vl-convert draws them without a browser."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert

from shoal.audit import Audit
from shoal.graph import TemporalGraph
from shoal.measure import Comparison
from shoal.release import EdgeCounts, Release

BEFORE, AFTER = "#d1495b", "#2a9d8f"
KEPT, REMOVED, ADDED, UNTOLD = "#8d99ae", "#d1495b", "#2a9d8f", "#c9cfda"
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
    return json.dumps(styled.to_dict(validate=False))  # checking them against the schema takes as long as drawing


def _own_ids(svg: str) -> str:
    """The renderer numbers clip paths over its whole life; number them by what the picture holds, for equal bytes."""
    order = {old: f"{i}" for i, old in enumerate(dict.fromkeys(re.findall(r'id="clip(\d+)"', svg)))}
    plain = re.sub(r"\bclip(\d+)\b", lambda m: f"clip{order.get(m[1], m[1])}", svg)
    mark = hashlib.blake2b(plain.encode(), digest_size=4).hexdigest()  # several pictures share one page
    return re.sub(r"\bclip(\d+)\b", rf"clip-{mark}-\1", plain)


def people_by_crowd(sizes: np.ndarray) -> dict[str, int]:
    """How many people stand in a crowd of each size class; `sizes` holds the crowd of every person."""
    counts = {}
    for low, high in _CROWDS:
        name = "alone" if high == 1 else f"{low}–{high}" if high else f"{low} or more"
        counts[name] = int(((sizes >= low) & (sizes <= (high or sizes.max(initial=low)))).sum())
    return counts


def crowds(release: Release, *, before: bool = True) -> str:
    """People by the size of their crowd, before (where wanted) and after; with a horizon by the smallest of their crowds."""
    rows: list[dict[str, Any]] = []
    for when, graph in _graphs(release, before=before):
        sizes = release.promise.crowds(graph).min(axis=0)
        rows += [{"when": when, "crowd": name, "people": count} for name, count in people_by_crowd(sizes).items()]
    order = list(dict.fromkeys(row["crowd"] for row in rows))
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            x=alt.X("crowd:N", sort=order, title="people with the same numbers of edges", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("when:N", sort=["original", "release"]),
            y=alt.Y("people:Q", title="people"),
            color=colours(both=before),
        )
        .properties(width=620, height=240)
    )
    return to_svg(chart)


def _graphs(release: Release, *, before: bool) -> list[tuple[str, TemporalGraph]]:
    return [("original", release.original)] * before + [("release", release.graph)]


def colours(*, both: bool) -> alt.Color:
    """The colours of the original, where it is shown, and of the release."""
    scale = alt.Scale(domain=["original"] * both + ["release"], range=[BEFORE] * both + [AFTER])
    return alt.Color("when:N", scale=scale)


def edges_per_slice(graph: TemporalGraph, counts: Sequence[EdgeCounts | None]) -> str:
    """Edges kept, removed and added in every slice of a release, and all of a slice whose changes are not told.

    There is a row per layer where there are layers and times.
    """
    layers, positions = _axes(graph)
    bars = [
        (len(graph.edges(t)), 0, 0, 0) if c is None else (0, c.kept, c.removed, c.added) for t, c in enumerate(counts)
    ]
    told = any(c is not None for c in counts)
    whats = ["changes not told" if told else "edges", "kept", "removed", "added"]
    frame = pl.DataFrame(
        {
            "slice": [s.label for s in graph.slices for _ in whats],
            "layer": [layer for layer in layers for _ in whats],
            "position": [position for position in positions for _ in whats],
            "what": whats * len(counts),
            "rank": list(range(4)) * len(counts),
            "edges": [n for bar in bars for n in bar],
        }
    )
    shown = list(zip(whats, (UNTOLD, KEPT, REMOVED, ADDED), strict=True))[None not in counts : None if told else 1]
    frame = frame.filter(pl.col("what").is_in([what for what, _ in shown]))
    stack = alt.Order("rank:Q")  # kept at the bottom
    colour = alt.Color("what:N", scale=alt.Scale(domain=[what for what, _ in shown], range=[c for _, c in shown]))
    if len(counts) <= 60 and len(set(layers)) == 1:
        x = alt.X("slice:N", sort=None, title=None, axis=alt.Axis(labelAngle=-60, labelOverlap=True))
        chart = (
            alt.Chart(frame).mark_bar().encode(x=x, y=alt.Y("sum(edges):Q", title="edges"), color=colour, order=stack)
        )
    else:
        x = _places(graph, positions)
        chart = alt.Chart(frame).mark_area(interpolate="step").encode(
            x=x, y=alt.Y("edges:Q", title="edges"), color=colour, order=stack
        )  # fmt: skip
    return to_svg(_by_layer(chart, layers, 240))


def _axes(graph: TemporalGraph) -> tuple[list[str], list[int]]:
    """The layer and the place in time of every slice; one nameless layer unless there are layers and times."""
    if not (graph.has_layers and graph.ordered):
        return [""] * graph.n_slices, list(range(graph.n_slices))
    times = {start: i for i, start in enumerate(dict.fromkeys(part.start for part in graph.slices))}
    return [part.layer or "" for part in graph.slices], [times[part.start] for part in graph.slices]


def _places(graph: TemporalGraph, positions: list[int]) -> alt.X:
    """The axis of slices: their places, with the names of a few of them below, which are dates where time was cut."""
    names = {
        place: part.start or part.label if graph.ordered else part.label
        for place, part in zip(positions, graph.slices, strict=True)
    }
    return axis_of(names)


def axis_of(names: dict[int, str]) -> alt.X:
    """The axis of the column `position`, with the names of a few positions below."""
    most = max(names, default=0)
    shown = sorted({round(most * i / 7) for i in range(8)} & names.keys())
    chosen = json.dumps({str(place): names[place] for place in shown})
    axis = alt.Axis(values=shown, labelExpr=f"({chosen})[datum.value]", labelAngle=-30, labelLimit=140)
    return alt.X("position:Q", title=None, scale=alt.Scale(nice=False), axis=axis)


def _by_layer(chart: alt.Chart, layers: list[str], height: int) -> alt.TopLevelMixin:
    """The chart, or one below the other for each layer."""
    if len(set(layers)) == 1:
        return chart.properties(width=620, height=height)
    row = alt.Row(
        "layer:N", title=None, sort=list(dict.fromkeys(layers)), header=alt.Header(labelColor=_GREY, labelFontSize=12)
    )
    return chart.properties(width=590, height=height // 2).facet(row=row)


_WHO = {
    "vector": "every slice",
    "one-block": "every slice of one block",
    "contacts": "different people, all slices",
    "neighbours-1": "the neighbours' numbers too",
    "reidentify": "original numbers, best guess",
    "strength": "contacts in every slice",
}


def _who(name: str) -> str:
    """What an attacker knows, short enough for an axis."""
    if name.startswith("any-"):
        return f"any {name.split('-')[1]} slices".replace("any 1 slices", "any 1 slice")
    if name.startswith("within-"):
        return f"every slice, ± {name.removeprefix('within-')}"
    return _WHO.get(name, name)


def risk(before: Audit | None, after: Audit) -> str:
    """Chance that a guess is right, for each attacker, before (where that is told) and after."""
    rows = [
        {"when": when, "who": _who(e.name), "chance": e.expected_success}
        for when, found in (("original", before), ("release", after))
        if found is not None
        for e in found.attackers
        if not e.name.startswith("reidentify")
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            y=alt.Y("who:N", sort=None, title="the attacker knows numbers of edges in", axis=alt.Axis(labelLimit=220)),
            yOffset=alt.YOffset("when:N", sort=["original", "release"]),
            x=alt.X(
                "chance:Q",
                title="chance that a guess is right",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=colours(both=before is not None),
        )
        .properties(width=430, height=alt.Step(13))
    )
    return to_svg(chart)


def similarity(found: Comparison, graph: TemporalGraph) -> str:
    """PageRank similarity slice by slice, the activity shaded behind it as in the paper's Figure 5; a row per layer."""
    busiest = max(found.slices["edges_released"].to_list(), default=0) or 1
    layers, positions = _axes(graph)
    frame = found.slices.select(
        pl.Series("position", positions),
        pl.Series("layer", layers),
        pl.col("pagerank_similarity").fill_nan(None),
        activity=pl.col("edges_released") / busiest,
    )
    x = _places(graph, positions)
    base, y_scale = alt.Chart(frame), alt.Scale(domain=[0, 1])
    shade = base.mark_area(color=KEPT, opacity=0.3, interpolate="step").encode(
        x=x, y=alt.Y("activity:Q", scale=y_scale)
    )
    line = base.mark_line(color=AFTER, point=len(frame) <= 60).encode(
        x=x, y=alt.Y("pagerank_similarity:Q", scale=y_scale, title="PageRank similarity")
    )
    return to_svg(_by_layer(shade + line, layers, 220))


def degree_distributions(release: Release, *, before: bool = True) -> str:
    """How many times each number of edges occurs, over all people and slices; in the original too where wanted."""
    rows: list[dict[str, Any]] = []
    for when, graph in _graphs(release, before=before):
        people = np.zeros(2, np.int64)  # with each number of edges
        for column in map(graph.degree_column, range(graph.n_columns)):
            found = np.bincount(column, minlength=len(people))
            found[: len(people)] += people
            people = found
        highest = int(np.flatnonzero(people).max(initial=1))
        edges = np.unique(np.concatenate([np.arange(1, 11), np.geomspace(10, max(highest, 11) + 1, 12).astype(int)]))
        counts = np.histogram(np.arange(1, len(people)), bins=edges, weights=people[1:])[0] / np.diff(edges)
        rows += [
            {"when": when, "degree": int(d), "count": float(c)} for d, c in zip(edges, counts, strict=False) if c > 0
        ]
    frame = pl.DataFrame(rows, schema={"when": pl.String, "degree": pl.Int64, "count": pl.Float64})
    chart = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("degree:Q", title="edges of a person in a slice", scale=alt.Scale(type="log")),
            y=alt.Y("count:Q", title="how often", scale=alt.Scale(type="log")),
            color=colours(both=before),
        )
        .properties(width=620, height=220)
    )
    return to_svg(chart)


def group_sizes(release: Release) -> str:
    """How many crowds there are of each size."""
    sizes, people = np.unique(release.crowds, return_counts=True)
    frame = pl.DataFrame({"size": sizes, "crowds": people // sizes}).with_columns(
        pl.col("size").cast(pl.String).alias("label")
    )
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
