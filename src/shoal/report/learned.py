"""What attackers learned, for the holder of the original; and the little of it that may be published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl
from markupsafe import Markup

from shoal.audit import Audit
from shoal.audit.learn import Learned
from shoal.report.charts import AFTER, BEFORE, to_svg

KINDS = {"all": "all claims", "known_ties": "two who met before", "new_pairs": "two never seen together"}


def learned_table(audit: Audit) -> list[list[str]]:
    """Who knows what, what they learn, what they would have known anyway: a row for each attacker. Private."""
    rows = []
    for one in audit.learned:
        learns = one.learns + (f" ({one.sample})" if one.sample else "")
        rows.append([f"Whoever {one.knows}", learns[:1].upper() + learns[1:], one.anyway])
    return rows


def learned_chart(second: Mapping[str, Any] | Learned) -> str:
    """The share of the claims of `second-graph` that is true, with the release and without it, as SVG. Private."""
    both = {key: (second[key]["true"], second[key]["without"]["true"]) for key in KINDS}
    return _chart({key: [(0.0, share) for share in shares] for key, shares in both.items()})


def _chart(shares: Mapping[str, list[tuple[float, float]]]) -> str:
    """A bar from here to there for what is true with the release, and one for what is without it."""
    order = ["with the release", "without it"]
    rows = [
        {"claims": KINDS[key], "what": what, "true": low, "to": high}
        for key, both in shares.items()
        for what, (low, high) in zip(order, both, strict=True)
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            y=alt.Y("claims:N", sort=None, title="contacts claimed of", axis=alt.Axis(labelLimit=220)),
            yOffset=alt.YOffset("what:N", sort=order),
            x=alt.X(
                "true:Q",
                title="claims that are true",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0, 1]),
            ),
            x2="to:Q",
            color=alt.Color("what:N", scale=alt.Scale(domain=order, range=[BEFORE, AFTER])),
        )
        .properties(width=430, height=alt.Step(16))
    )
    return to_svg(chart)


def learned_section(audit: Audit) -> Markup:
    """The picture and the table as a part of a page, for the holder of the original only."""
    return _section(learned_chart(audit["second-graph"]), knows=audit["second-graph"].knows, rows=learned_table(audit))


def learned_in_public(told: Mapping[str, Any]) -> Markup:
    """The same picture in bins of a tenth, for the report that is published."""
    bins = {key: (told[key]["true"], told[key]["without"]) for key in KINDS if key in told}
    shares = {key: [(low, low + 0.1) for low in both] for key, both in bins.items()}
    knows = "holds the first half of the contacts with names and lays it over the release"
    return _section(_chart(shares), knows=knows, rows=[], matched=told["matched"])


def _section(chart: str, **said: Any) -> Markup:
    from shoal.report.page import environment

    page = environment().get_template("learned.html")
    return Markup(page.render(chart=Markup(chart), **{"matched": None} | said))  # noqa: S704 - escaped by template and renderer
