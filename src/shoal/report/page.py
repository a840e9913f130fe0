"""The report of a release: a page for people, and its numbers as JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import shoal
from shoal.audit import audit
from shoal.audit.attackers import OneBlock, few_attackers
from shoal.graph import TemporalGraph
from shoal.measure import compare
from shoal.promise import Promise
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
    attackers = few_attackers(release.graph)
    if release.promise.n_blocks > 1:
        attackers.insert(0, OneBlock(tuple(release.promise.blocks.tolist())))
    before = audit(release.original, k=release.k, attackers=attackers)
    after = audit(release.graph, k=release.k, attackers=attackers, original=release.original)
    comparison = compare(release.original, release.graph, communities=False)
    numbers = {"before": before.to_dict(), "after": after.to_dict(), "comparison": comparison.to_dict()}
    (folder / "report.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    both = release.graph.has_layers and release.graph.ordered
    pictures = {
        "crowds": charts.crowds(release),
        "risk": charts.risk(before, after),
        "per_slice": charts.edges_per_slice(release),
        "similarity": charts.similarity(comparison, release.graph),
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
            headline=_headline(release),
            guarantee=guarantee_in_words(release.promise),
            alone=[_alone(release.promise, graph) for graph in (release.original, release.graph)],
            pictures={name: Markup(svg) for name, svg in pictures.items()},  # noqa: S704 - the renderer escapes labels
            axes=[(axis, comparison.by(axis).to_dicts()) for axis in ("layer", "time")] if both else [],
            version=shoal.__version__,
        )
    )
    (folder / "report.html").write_text(html, encoding="utf-8")


def _headline(release: Release) -> str:
    promise = release.promise
    if promise.k == 1:
        return "Nobody is protected (k = 1)"
    where = f" within each of {promise.n_blocks:,} blocks of the calendar" if promise.n_blocks > 1 else ""
    if promise.for_everybody:
        return f"Everybody is hidden among at least {release.min_class_size:,}{where}"
    protected = int((promise.needs > 1).sum())
    asked = f"each among as many as they asked for, up to {promise.k:,}{where}"
    return f"{protected:,} of {len(promise.needs):,} people are hidden, {asked}"


def _alone(promise: Promise, graph: TemporalGraph) -> int:
    """How many people stand alone in some block."""
    return int((promise.crowds(graph.degree_matrix(), directed=graph.directed) == 1).any(axis=0).sum())
