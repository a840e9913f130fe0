"""The page around the pictures."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import shoal
from shoal.crowds import class_sizes
from shoal.release import Release
from shoal.report import charts
from shoal.write.certificate import guarantee_in_words


def environment() -> Environment:
    """Templates with everything escaped, and a filter for large numbers."""
    pages = Environment(loader=PackageLoader("shoal.report", "."), autoescape=True, undefined=StrictUndefined)
    pages.filters["count"] = lambda number: f"{number:,}"
    return pages


def write_report(release: Release, file: Path) -> None:
    """Write the page. Only aggregates go into it: no id, no changed edge, no seed."""
    before = class_sizes(release.original.degree_matrix())
    html = (
        environment()
        .get_template("page.html")
        .render(
            release=release,
            edges=release.edges,
            alone=int((before == 1).sum()),
            exposed=int(before[before < release.k].sum()),
            guarantee=guarantee_in_words(release.k),
            crowds=Markup(charts.crowds(release)),  # noqa: S704 - drawn by us, labels escaped by the renderer
            per_slice=Markup(charts.edges_per_slice(release)),  # noqa: S704
            version=shoal.__version__,
        )
    )
    file.write_text(html, encoding="utf-8")
