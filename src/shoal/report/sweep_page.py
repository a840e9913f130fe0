"""The page of a sweep: curves over k, one per slice width, and a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import altair as alt
import polars as pl
from markupsafe import Markup

from shoal.report.charts import to_svg
from shoal.report.page import environment

if TYPE_CHECKING:
    from shoal.sweep import Sweep

_CURVES = (
    ("success_after", "an attacker's guess is right", "Risk", "%"),
    ("new_pairs", "claims true beyond chance", "Learned of new pairs", "%"),
    ("known_ties", "found beyond what was known", "Learned of known ties", "%"),
    ("kept_share", "original edges kept", "Edges kept", "%"),
    ("pagerank_similarity", "PageRank similarity", "PageRank", ".2f"),
    ("meets_again", "agreement", "Pairs that meet again at once", ".2f"),
    ("reach", "agreement", "People reached along time", ".2f"),
    ("outbreak_si_50", "agreement", "Outbreaks, chance 0.5", ".2f"),
    ("seconds", "seconds", "Time", "~s"),
)


def render(sweep: Sweep) -> str:
    """The page as HTML text."""
    frame = pl.DataFrame([cell.agreements | asdict(cell) for cell in sweep.cells], infer_schema_length=None)
    if frame["against"].n_unique() > 1:
        frame = frame.with_columns(slice=pl.format("{}, against {}", "slice", "against"))
    curves = [
        (title, Markup(_curve(frame.drop_nulls(column), column, label, form)))  # noqa: S704 - drawn by us
        for column, label, title, form in _CURVES
        if frame[column].count()
    ]
    return environment().get_template("sweep.html").render(sweep=sweep, curves=curves)


def _curve(frame: pl.DataFrame, column: str, label: str, form: str) -> str:
    chart = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "k:Q",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=sorted(set(frame["k"])), format="d"),
            ),
            y=alt.Y(f"{column}:Q", title=label, axis=alt.Axis(format=form)),
            color=alt.Color("slice:N", sort=None),
        )
        .properties(width=300, height=190)
    )
    return to_svg(chart)
