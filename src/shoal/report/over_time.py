"""Pictures of what happens over time: how far outbreaks get, and in how many slices pairs meet."""

from __future__ import annotations

import altair as alt
import polars as pl
import polars.selectors as cs

from shoal.report.charts import axis_of, colours, to_svg

_KINDS = {"reach": "always", "outbreak_si_50": "chance 0.5", "outbreak_si_20": "chance 0.2"}
_CHANCES = {"always": [1, 0], "chance 0.5": [7, 3], "chance 0.2": [2, 3]}  # dashes


def _both(frame: pl.DataFrame, value: str) -> pl.DataFrame:
    """The columns that end in _original and _released below each other, as far as they are there."""
    parts = [
        frame.select(
            pl.exclude("^.*_(original|released)$"),
            number=pl.col(f"{value}_{end}").cast(pl.Float64),
            when=pl.lit(name),
        )
        for end, name in (("original", "original"), ("released", "release"))
        if f"{value}_{end}" in frame.columns
    ]
    return pl.concat(parts)


def outbreaks(spread: pl.DataFrame) -> str | None:
    """How many people are reached by the end of every slice, of both graphs where both are told; None where nothing spreads."""
    if not len(spread):
        return None
    frame = pl.concat(
        _both(spread.with_row_index("position"), kind).with_columns(chance=pl.lit(chance))
        for kind, chance in _KINDS.items()
    )
    chart = (
        alt.Chart(frame)
        .mark_line()
        .encode(
            x=axis_of(dict(enumerate(spread["slice"]))),
            y=alt.Y("number:Q", title="people reached"),
            color=colours(both="reach_original" in spread.columns),
            strokeDash=alt.StrokeDash(
                "chance:N",
                scale=alt.Scale(domain=list(_CHANCES), range=list(_CHANCES.values())),
                legend=alt.Legend(symbolSize=600),  # long enough to see the dashes
            ),
        )
        .properties(width=620, height=240)
    )
    return to_svg(chart)


def meetings(counts: pl.DataFrame) -> str:
    """How many pairs meet in so many slices or more, of both graphs where both are told."""
    frame = _both(counts.with_columns(cs.starts_with("pairs").cum_sum(reverse=True)), "pairs").filter(
        pl.col("number") > 0
    )
    chart = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("slices:Q", title="slices, or more", scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("number:Q", title="pairs that meet in", scale=alt.Scale(type="log")),
            color=colours(both="pairs_original" in counts.columns),
        )
        .properties(width=620, height=220)
    )
    return to_svg(chart)
