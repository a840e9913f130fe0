"""What attackers learned, for the holder of the original; and the little of it that may be published."""

from __future__ import annotations

import altair as alt
import polars as pl
from markupsafe import Markup

from shoal.audit import Audit
from shoal.report.charts import AFTER, BEFORE, to_svg

_BINS = (
    (0.05, "fewer than 1 in 20"),
    (0.2, "fewer than 1 in 5"),
    (0.5, "fewer than half"),
    (0.8, "more than half"),
    (1.01, "more than 4 in 5"),
)


def learned_table(audit: Audit) -> list[list[str]]:
    """Who knows what, what they learn, what they would have known anyway: a row for each attacker. Private."""
    rows = []
    for one in audit.learned:
        learns = one.learns + (f" ({one.sample})" if one.sample else "")
        rows.append([f"Whoever {one.knows}", learns[:1].upper() + learns[1:], one.anyway])
    return rows


def learned_chart(audit: Audit) -> str:
    """The share of the claims of `second-graph` that is true, with the release and without it, as SVG. Private."""
    second = audit["second-graph"]
    names = {"all": "all claims", "known_ties": "two who met before", "new_pairs": "two never seen together"}
    rows = [
        {"claims": name, "what": what, "true": numbers["true"]}
        for key, name in names.items()
        for what, numbers in (("with the release", second[key]), ("without it", second[key]["without"]))
    ]
    order = ["with the release", "without it"]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=3)
        .encode(
            y=alt.Y("claims:N", sort=None, title="contacts claimed of", axis=alt.Axis(labelLimit=220)),
            yOffset=alt.YOffset("what:N", sort=order),
            x=alt.X("true:Q", title="claims that are true", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("what:N", scale=alt.Scale(domain=order, range=[BEFORE, AFTER])),
        )
        .properties(width=430, height=alt.Step(16))
    )
    return to_svg(chart)


def learned_section(audit: Audit) -> Markup:
    """The picture and the table as a part of a page, for the holder of the original only."""
    from shoal.report.page import environment

    page = environment().get_template("learned.html")
    chart = Markup(learned_chart(audit))  # noqa: S704 - the renderer escapes labels
    return Markup(page.render(chart=chart, rows=learned_table(audit), second=audit["second-graph"]))  # noqa: S704 - escaped


def learned_in_public(audit: Audit) -> list[str]:
    """Sentences coarse enough to be published: shares in five bins, no counts."""
    words = []
    for one in audit.learned:
        if one.name == "second-graph":
            words.append(
                f"Whoever holds a part of the contacts with names and lays it over the release finds {_bin(one['matched'])} of the "
                f"people in it; {_bin(one['all']['true'])} of the further contacts they claim are true, and "
                f"{_bin(one['new_pairs']['true'])} of those between two people they had never seen together."
            )
        elif one.name == "seeds":
            words.append(
                f"Whoever holds all contacts and a few people's nodes names {_bin(one['named'])} of the others."
            )
        elif one.name == "contacts-before":
            words.append(
                "Whoever knows the numbers of a person and of each of their contacts before the changes finds "
                f"{_bin(one['found'])} of the people."
            )
        elif one.name == "invented":
            sure = (
                "mostly"
                if one["best_auc"] >= 0.8
                else "often"
                if one["best_auc"] >= 0.6
                else "hardly better than a coin"
            )
            words.append(f"Invented contacts can be told from true ones {sure}.")
    return words


def _bin(share: float) -> str:
    return next(words for most, words in _BINS if share < most)
