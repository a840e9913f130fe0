"""The frontier as tables and pictures, from the rows that `frontier.py` measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import polars as pl

from shoal.report.charts import to_svg

PANELS = {
    "outbreak_20": "outbreaks, β = 0.2",
    "outbreak_50": "outbreaks, β = 0.5",
    "persistence": "persistence",
    "pagerank": "PageRank",
    "communities": "communities",
    "degrees": "degrees",
}
LEARNED = {"new_pairs": "new pairs", "known_ties": "known ties", "guess": "own numbers"}
ALONE = {"alone_degree": "degree", "alone_nm": "(n, m)", "alone_neighbours": "degrees of neighbours"}
OURS, K, SLACK = "shoal against graph", 5, 0.01
LEGEND = alt.Legend(title=None, orient="bottom", columns=5, symbolOpacity=1, labelLimit=300)
Rows = list[dict[str, Any]]


def means(rows: Rows) -> pl.DataFrame:
    """One row for each set, method and setting: means over seeds."""
    values = [*LEARNED, *PANELS, *ALONE]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.group_by("set", "method", "setting", maintain_order=True).agg(pl.col(values).cast(pl.Float64).mean())


def as_quiet(frame: pl.DataFrame, what: tuple[str, ...]) -> pl.DataFrame:
    """Of one set, the releases that teach at most what ours at K teaches, and a point more, in each of these ways."""
    ours = frame.filter((pl.col("method") == OURS) & (pl.col("setting") == K))
    for name in what if len(ours) else ():
        frame = frame.filter(pl.col(name) <= max(ours[name].item(), 0) + SLACK)
    return frame if len(ours) else frame.clear()


def winners(frame: pl.DataFrame, what: tuple[str, ...]) -> dict[str, tuple[float, str, float] | None]:
    """For every panel of one set: our best value, and whose is the best of the others and how large, among releases as quiet."""
    quiet, found = as_quiet(frame, what), dict[str, tuple[float, str, float] | None]()
    for panel in PANELS:
        ours = quiet.filter(pl.col("method") == OURS)[panel].drop_nulls()
        others = quiet.filter(pl.col("method") != OURS).drop_nulls(panel).sort(panel, descending=True)
        if not len(ours):
            found[panel] = None
        else:
            best = (others["method"][0], others[panel][0]) if len(others) else ("nobody", float("-inf"))
            found[panel] = (float(ours.max()), *best)  # type: ignore[arg-type]
    return found


def page(rows: Rows) -> str:
    """Who is ahead where, then all numbers."""
    frame = means(rows)
    parts = []
    for what, title in (
        (tuple(LEARNED), "As little learned of new pairs, known ties and people's own numbers"),
        (("new_pairs", "known_ties"), "As little learned of new pairs and known ties alone"),
    ):
        parts.append(f"**{title}** as from shoal against a graph at k = {K}:\n\n" + _ahead(frame, what))
    parts += [_table(name[0], one) for name, one in frame.group_by("set", maintain_order=True)]
    return "\n\n".join(parts)


def _ahead(frame: pl.DataFrame, what: tuple[str, ...]) -> str:
    lines = ["| set | " + " | ".join(PANELS.values()) + " | ahead |", "|---|" + "---|" * len(PANELS) + "--:|"]
    for (name,), one in frame.group_by("set", maintain_order=True):
        cells, ahead = [], 0
        for found in winners(one, what).values():
            if found is None:
                cells.append("–")
                continue
            mine, who, theirs = found
            ahead += mine >= theirs
            cells.append(
                f"**{mine:.2f}** ({who} {theirs:.2f})" if mine >= theirs else f"{mine:.2f} (**{who} {theirs:.2f}**)"
            )
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {ahead} of {len(PANELS)} |")
    return "\n".join(lines).replace("nobody -inf", "nobody else")


def _table(name: Any, frame: pl.DataFrame) -> str:
    heads = [*LEARNED.values(), *PANELS.values(), *ALONE.values()]
    lines = [f"**{name}**", "", "| release | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    for row in frame.sort("method", "setting", maintain_order=True).iter_rows(named=True):
        shares = [f"{100 * row[what]:.1f} %" for what in LEARNED]
        kept = ["–" if row[what] is None else f"{row[what]:.2f}" for what in PANELS]
        single = [f"{100 * row[what]:.0f} %" for what in ALONE]
        lines.append(f"| {row['method']}{_setting(row)} | " + " | ".join([*shares, *kept, *single]) + " |")
    return "\n".join(lines)


def _setting(row: dict[str, Any]) -> str:
    forms: dict[str, Callable[[float], str]] = {
        "random switching": lambda x: f", {x:.0%}",
        "names removed": lambda _: "",
        "surrogate, same degrees": lambda _: "",
        "edge-DP of a contact": lambda x: f", ε = {x:g}",
        "edge-DP of a pair": lambda x: f", ε = {x:g}",
    }
    return forms.get(row["method"], lambda x: f", k = {x:g}")(row["setting"])


def picture(rows: Rows) -> str:
    """Six panels for each set: across what is learned of new pairs, up how right the release is."""
    frame = means(rows).with_columns(pl.col("new_pairs").clip(0)).sort("method", "setting")
    long = frame.unpivot([*PANELS], index=["set", "method", "setting", "new_pairs"], variable_name="panel")
    long = long.with_columns(pl.col("panel").replace(PANELS)).drop_nulls("value")
    methods = frame["method"].unique(maintain_order=True).to_list()
    others = [name for name in methods if name != OURS]
    colours = [
        "#d1495b",
        *["#5b6c9e", "#2a9d8f", "#e9a03b", "#8a6fb0", "#7f7f7f", "#4f9bd9", "#9c6644", "#b5838d"][: len(others)],
    ]
    base = alt.Chart(long).encode(
        x=alt.X(
            "new_pairs:Q",
            scale=alt.Scale(type="symlog", constant=0.01, domain=[0, 1]),
            axis=alt.Axis(format="%", values=[0, 0.01, 0.05, 0.2, 1]),
            title="learned of new pairs",
        ),
        y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1], clamp=True), title=None),
        color=alt.Color("method:N", scale=alt.Scale(domain=[OURS, *others], range=colours), legend=LEGEND),
        order="setting:Q",
    )
    drawn = alt.layer(base.mark_line(opacity=0.5), base.mark_point(filled=True, size=28)).properties(
        width=130, height=110
    )
    chart = drawn.facet(
        column=alt.Column("panel:N", sort=list(PANELS.values()), title=None),
        row=alt.Row("set:N", title=None, sort=None),
    )
    return to_svg(chart).replace("<svg ", '<svg style="background:#fff" ', 1)
