"""The report of a release: a page for people, and its numbers as JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import shoal
from shoal.audit import audit
from shoal.audit.attackers import few_attackers
from shoal.measure import compare
from shoal.release import Release
from shoal.report import charts
from shoal.write.certificate import guarantee_in_words


def environment() -> Environment:
    """Templates with everything escaped, and a filter for large numbers."""
    pages = Environment(loader=PackageLoader("shoal.report", "."), autoescape=True, undefined=StrictUndefined)
    pages.filters["count"] = lambda number: f"{number:,.0f}"
    return pages


def write_report(release: Release, folder: Path) -> None:
    """Write report.html and report.json. Only aggregates go into them: no id, no changed edge, no seed."""
    before = audit(release.original, k=release.k, attackers=few_attackers(release.original))
    after = audit(release.graph, k=release.k, attackers=few_attackers(release.graph), original=release.original)
    comparison = compare(release.original, release.graph, communities=False)
    numbers = {"before": before.to_dict(), "after": after.to_dict(), "comparison": comparison.to_dict()}
    (folder / "report.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    pictures = {
        "crowds": charts.crowds(release),
        "risk": charts.risk(before, after),
        "per_slice": charts.edges_per_slice(release),
        "similarity": charts.similarity(comparison),
        "distributions": charts.degree_distributions(release),
        "sizes": charts.group_sizes(release),
    }
    html = (
        environment()
        .get_template("page.html")
        .render(
            release=release,
            edges=release.edges,
            before=before,
            after=after,
            comparison=comparison,
            guarantee=guarantee_in_words(release.k),
            pictures={name: Markup(svg) for name, svg in pictures.items()},  # noqa: S704 - the renderer escapes labels
            version=shoal.__version__,
        )
    )
    (folder / "report.html").write_text(html, encoding="utf-8")
