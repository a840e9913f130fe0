"""The head of a report: what it is called, who made it and when, and what was released."""

from __future__ import annotations

import shoal
from shoal.common.words import in_words
from shoal.published.about import About
from shoal.published.coarse import Lines
from shoal.release import Release

_MOST_NAMED = 10  # layers, beyond which only their number is told


def facts(release: Release, about: About, *, keep_ids: bool, exact: bool, lines: Lines | None) -> dict[str, str]:
    """What was released, by its name; `lines` as they may be told here."""
    graph = release.graph
    rows = {"made by": about.by, "date": about.date, "people": f"{graph.n_nodes:,}", "period": _period(release)}
    slicing = release.original.slicing
    rows["slices"] = f"{graph.n_slices:,}" + ("" if slicing is None else f", {slicing.in_words()}")
    if not graph.ordered and not graph.has_layers and graph.n_slices == 1:
        rows["slices"] = "1: no time and no layer was used, so all contacts count together"
    layers = list(dict.fromkeys(s.layer for s in graph.slices if s.layer is not None))
    if layers:
        rows["layers"] = f"{len(layers):,}" + (f": {', '.join(layers)}" if len(layers) <= _MOST_NAMED else "")
    rows["left out"] = None if release.left_out is None else release.left_out.in_words()
    rows["edges"] = f"{'directed' if graph.directed else 'without a direction'}, {graph.n_edges:,} in the release"
    if lines is not None:
        rows["contacts read"] = _read(lines, exact=exact)
    if (traits := release.traits) is not None:
        if traits.attributes:
            rows["attributes"] = (
                f"{in_words(traits.attributes)}, in which crowds agree; {traits.starred:,} values are *"
            )
        if traits.sensitive is not None:
            rows["sensitive column"] = (
                f"{traits.sensitive}: every crowd has at least {traits.diverse} different values or tells none; withheld from "
                f"{traits.withheld:,} people"
            )
    if graph.contacts is not None:
        shown = "with their times" if graph.contacts.kind == "times" else "counted by edge"
        alike = "; everybody in a crowd has as many in every slice" if release.promise.contacts else ""
        rows["contacts"] = f"{sum(graph.contacts.totals()):,} in the release, {shown}, " + (
            "carried along with the tie they belong to: whoever knows some contacts of a tie may recognise it and read off its "
            "others; those of invented ties are drawn from everybody's of a slice"
            if graph.contacts.drawn == "carried"
            else f"drawn from everybody's of a slice: they say nothing about anybody that the edges do not say{alike}"
        )
    if exact:
        tally = release.original.tally
        for name, field in (("columns not used", "unused"), ("columns guessed", "guessed")):
            if found := getattr(tally, field, None):
                rows[name] = ", ".join(map(str, found))
    rows["ids"] = (
        "ORIGINAL: people go by the ids of the input, which name them whatever k is"
        if keep_ids
        else "pseudonyms: numbers in a random order; who is who is not in the release"
    )
    rows["made with"] = f"shoal {shoal.__version__}, method {release.method}"
    return {name: text for name, text in rows.items() if text is not None}


def _period(release: Release) -> str | None:
    if not release.graph.ordered or not release.graph.slices:
        return None
    starts = [part.start or part.label for part in release.graph.slices]
    first, last = starts[0], max(starts) if release.graph.has_layers else starts[-1]
    return f"the slice {first}" if first == last else f"from the slice {first} to the slice {last}"


def _read(lines: Lines, *, exact: bool) -> str:
    """How many lines became how many edges."""
    about = "" if exact else "at least "
    text = f"{about}{lines.read:,} lines, which became {about}{lines.edges:,} edges"
    if lines.merged:
        text += f"; {about}{lines.merged:,} repeat two people in a slice and count once"
    if lines.loops:
        text += f"; {about}{lines.loops:,} of somebody with themself were dropped"
    return text
