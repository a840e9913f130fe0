"""The paper's figures, drawn again with a curve for the search beside them."""

from __future__ import annotations

import altair as alt
import polars as pl

from shoal.report.charts import KEPT

COLOURS = alt.Scale(domain=["greedy", "LP", "search"], range=["#e09f3e", "#5b6c9e", "#2a9d8f"])
TWO_COLOURS = alt.Scale(domain=["greedy", "search"], range=["#e09f3e", "#2a9d8f"])
_STROKES = {
    "symbolType": "stroke",
    "symbolSize": 400,
    "symbolStrokeWidth": 2,
    "symbolStrokeColor": "#808890",
}  # a legend of lines shows lines
_DASHES = alt.Scale(domain=["k = 2", "k = 5", "k = 10"], range=[[1, 0], [6, 3], [2, 3]])


def _cost_panel(frame: pl.DataFrame, title: str, *, legend: bool) -> alt.TopLevelMixin:
    banded = frame.with_columns(low=pl.col("cost") - pl.col("error"), high=pl.col("cost") + pl.col("error"))
    colour = alt.Color("method:N", scale=COLOURS, legend=alt.Legend() if legend else None)
    x = alt.X("k:Q", axis=alt.Axis(values=sorted(set(frame["k"])), format="d"), scale=alt.Scale(zero=False))
    y = alt.Y(
        "cost:Q",
        title="normalised cost" if legend else None,
        axis=alt.Axis(format="~e", tickCount=5),
        scale=alt.Scale(zero=False),
    )
    base = alt.Chart(banded).encode(x=x, color=colour)
    lines = base.mark_line(point=alt.OverlayMarkDef(size=30)).encode(y=y)
    bars = base.mark_rule().encode(y=alt.Y("low:Q"), y2="high:Q")
    return (lines + bars).properties(width=230, height=170, title=title)


def _rounds_panel(frame: pl.DataFrame, *, legend: bool) -> alt.TopLevelMixin:
    long = frame.filter(pl.col("method") != "search").unpivot(
        ["rounds", "best_round"], index=["method", "k"], variable_name="what", value_name="count"
    )
    long = long.with_columns(pl.col("what").replace({"rounds": "until it stops", "best_round": "until its best"}))
    dash = alt.StrokeDash(
        "what:N",
        scale=alt.Scale(domain=["until it stops", "until its best"], range=[[1, 0], [4, 3]]),
        legend=alt.Legend(**_STROKES) if legend else None,
    )
    return (
        alt.Chart(long)
        .mark_line()
        .encode(
            x=alt.X("k:Q", axis=alt.Axis(values=sorted(set(frame["k"])), format="d"), scale=alt.Scale(zero=False)),
            y=alt.Y("count:Q", title="rounds" if legend else None),
            color=alt.Color("method:N", scale=COLOURS, legend=None),
            strokeDash=dash,
        )
        .properties(width=230, height=130)
    )


def figure3(costs: pl.DataFrame, sets: list[str]) -> alt.TopLevelMixin:
    """Cost above, rounds below, a column per set."""
    parts = [(name, costs.filter(pl.col("set") == name)) for name in sets]
    tops = [_cost_panel(frame, name, legend=i == 0) for i, (name, frame) in enumerate(parts)]
    bottoms = [_rounds_panel(frame, legend=i == 0) for i, (_, frame) in enumerate(parts)]
    return alt.vconcat(alt.hconcat(*tops), alt.hconcat(*bottoms))


def figure4a(sequences: pl.DataFrame) -> alt.TopLevelMixin:
    """Empirical distribution of the costs of Eq. 4 and of EnforceRealizability."""
    names = {"exact": "Eq. 4, integer program", "pivot": "EnforceRealizability"}
    long = sequences.rename(names).unpivot(list(names.values()), variable_name="how", value_name="cost")
    steps = (
        long.sort("cost")
        .with_columns(((pl.int_range(pl.len()) + 1) / pl.len()).over("how").alias("share"))
        .group_by("how", "cost", maintain_order=True)
        .agg(pl.col("share").max())
    )
    return (
        alt.Chart(steps)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("cost:Q", title="normalised cost"),
            y=alt.Y("share:Q", title="share of sequences", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("how:N", scale=alt.Scale(domain=list(names.values()), range=["#5b6c9e", "#e09f3e"])),
        )
        .properties(width=560, height=220)
    )


def figure4b(points: pl.DataFrame) -> alt.TopLevelMixin:
    """Cost over average temporal correlation."""
    return (
        alt.Chart(points.with_columns(pl.format("k = {}", "k").alias("level")))
        .mark_line()
        .encode(
            x=alt.X("correlation:Q", title="average temporal correlation", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("cost:Q", title="normalised cost"),
            color=alt.Color("method:N", scale=TWO_COLOURS),
            strokeDash=alt.StrokeDash("level:N", scale=_DASHES, legend=alt.Legend(**_STROKES)),
        )
        .properties(width=560, height=240)
    )


def figure4c(costs: pl.DataFrame) -> alt.TopLevelMixin:
    """Cost over k for Enron by month, week and day."""
    frame = costs.filter(pl.col("set").str.starts_with("Enron"), pl.col("method") != "LP")
    dash = alt.Scale(domain=["Enron months", "Enron weeks", "Enron days"], range=[[1, 0], [6, 3], [2, 3]])
    return (
        alt.Chart(frame)
        .mark_line()
        .encode(
            x=alt.X("k:Q", axis=alt.Axis(values=sorted(set(frame["k"])), format="d"), scale=alt.Scale(zero=False)),
            y=alt.Y(
                "cost:Q",
                title="normalised cost",
                scale=alt.Scale(type="log", nice=False, padding=10),
                axis=alt.Axis(format="~e", values=[8e-4, 1e-3, 2e-3, 3e-3, 5e-3, 8e-3]),
            ),
            color=alt.Color("method:N", scale=TWO_COLOURS),
            strokeDash=alt.StrokeDash("set:N", scale=dash, legend=alt.Legend(**_STROKES)),
        )
        .properties(width=560, height=240)
    )


def figure5(curves: pl.DataFrame) -> alt.TopLevelMixin:
    """PageRank similarity over time, a row per set and method, the activity shaded behind."""
    panels = []
    for (name, method), frame in curves.group_by("set", "method", maintain_order=True):
        busiest = max(*frame["edges"], 1)
        x = alt.X("slice:Q", title="slice", scale=alt.Scale(nice=False))
        first = frame.filter(pl.col("k") == frame["k"].min()).with_columns(activity=pl.col("edges") / busiest)
        y = alt.Scale(domain=[0, 1])
        shade = alt.Chart(first).mark_area(color=KEPT, opacity=0.3, interpolate="step")
        lines = (
            alt.Chart(frame.drop_nulls("similarity").with_columns(pl.format("k = {}", "k").alias("level")))
            .mark_line()
            .encode(
                x=x,
                y=alt.Y("similarity:Q", scale=y, title="PageRank similarity"),
                color=alt.Color(
                    "level:N",
                    scale=alt.Scale(domain=["k = 2", "k = 5", "k = 10"], range=["#2a9d8f", "#5b6c9e", "#d1495b"]),
                ),
            )
        )
        layered = shade.encode(x=x, y=alt.Y("activity:Q", scale=y)) + lines
        panels.append(layered.properties(width=330, height=150, title=f"{name}, {method}"))
    rows = [alt.hconcat(*panels[i : i + 2]) for i in range(0, len(panels), 2)]
    return alt.vconcat(*rows)
