"""A data sheet for whoever uses a release, in the form of a network card, and a paragraph of methods to cite.

The form is that of J. Bagrow & Y.-Y. Ahn, "Network cards: concise, readable summaries of network data", Applied Network
Science 7, 84 (2022), doi:10.1007/s41109-022-00514-7: three panels, about the whole, its structure and where it comes from.
Everything here is counted in the release or is told of the original elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import shoal
from shoal.common.words import in_words, plural
from shoal.contacts.behind import EdgeContacts
from shoal.measure import Comparison
from shoal.release import Release

# What only the publisher knows, with what to write there.
TO_FILL = {
    "nodes are": "who these people are, and how they were chosen",
    "contacts were": "what was recorded, by what, and what was not",
    "missing data": "people who took no part, times without records",
    "ethics and consent": "what people agreed to, and which board decided what",
    "funding": "who paid",
    "licence and access": "who may do what with it, and where it is",
    "cite as": "the paper or the deposit to cite",
}
REFERENCES = (
    "L. Rossi, M. Musolesi, A. Torsello: On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs. ICWSM 2015, "
    "377–386. doi:10.1609/icwsm.v9i1.14605",
    "J. Bagrow, Y.-Y. Ahn: Network cards: concise, readable summaries of network data. Applied Network Science 7, 84 (2022). "
    "doi:10.1007/s41109-022-00514-7",
)

Panel = dict[str, str]


def card(release: Release, found: Comparison, facts: Panel, name: str | None) -> dict[str, Panel]:
    """The three panels of the card; in the last, fields that are empty are for the publisher to fill."""
    graph = release.graph
    kind = [
        "directed" if graph.directed else "undirected",
        "unweighted" if graph.contacts is None else f"with {_made(graph.contacts)} contacts on its edges",
        "temporal" if graph.ordered else "not ordered in time",
        *(["multilayer"] if graph.has_layers else []),
    ]
    against = "numbers" if release.moved is None else "a second graph"
    overall = {
        "name": name or "",
        "kind": ", ".join(kind),
        "links are": "two people who had at least one contact in a slice",
    }
    overall |= {name: facts[name] for name in ("period", "slices", "layers") if name in facts}
    meta = {
        "node metadata": in_words(list(release.traits.columns)) if release.traits is not None else "none",
        "link metadata": _link_metadata(release),
        "anonymisation": f"k = {release.k}, against {against}; see the methods below",
        "made": ", ".join(facts[name] for name in ("made by", "date", "made with") if name in facts),
    }
    if "contacts read" in facts:
        meta["lines read"] = facts["contacts read"]
    empty = dict.fromkeys(TO_FILL, "")
    if release.left_out is not None:
        empty["missing data"] = release.left_out.in_words()
    return {
        "overall": overall,
        "structure": _structure(release, found),
        "meta-information": meta | empty,
    }


def _made(contacts: EdgeContacts) -> str:
    return "carried" if contacts.drawn == "carried" else "drawn"


def _link_metadata(release: Release) -> str:
    columns = ["slice", *(["layer"] if release.graph.has_layers else [])]
    if release.graph.contacts is not None:
        columns.append("times of contacts" if release.graph.contacts.kind == "times" else "counts of contacts")
    return in_words(columns)


def _structure(release: Release, found: Comparison) -> Panel:
    """Size, density and connectivity of the release; means over slices are weighted as everywhere in the report."""
    graph = release.graph
    n, slices, edges = graph.n_nodes, graph.n_slices, graph.n_edges
    sizes = graph.slice_sizes()
    ends = edges * (1 if graph.directed else 2)
    possible = n * (n - 1) * slices / (1 if graph.directed else 2)
    told = {
        "nodes": f"{n:,}, of whom {_unconnected(release):,} have no edge in any slice",
        "links": f"{edges:,} edges over {plural(slices, 'slice')}"
        + (f", {sizes.min():,} to {sizes.max():,} in one; {int((sizes == 0).sum()):,} without any" if slices else ""),
        "distinct pairs": _number(found, "pairs", 0),
        "degree": f"{ends / max(n * slices, 1):.3f} edges of a person in a slice on average"
        + (" (as many in as out)" if graph.directed else ""),
        "density": f"{edges / possible:.2e} of the pairs in a slice have an edge" if possible else "–",
        "clustering": _number(found, "clustering", 3),
        "components": f"{_number(found, 'components', 1)} in a slice",
        "largest component": f"{_share(found, 'largest_component')} of the people",
        "assortativity": _number(found, "assortativity", 3),
    }
    if graph.ordered and slices > 1:
        told["persistence"] = f"{_share(found, 'meets_again')} of the pairs of a slice meet in the next"
    return told


def _unconnected(release: Release) -> int:
    some = np.zeros(release.graph.n_nodes, bool)
    for column in range(release.graph.n_columns):
        some |= release.graph.degree_column(column) > 0
    return int((~some).sum())


def _released(found: Comparison, name: str) -> Any:
    value = found.overall.get(name)
    return value["released"] if isinstance(value, dict) else None


def _number(found: Comparison, name: str, digits: int) -> str:
    value = _released(found, name)
    return "–" if value is None or value != value else f"{value:,.{digits}f}"


def _share(found: Comparison, name: str) -> str:
    value = _released(found, name)
    return "–" if value is None or value != value else f"{100 * value:.1f} %"


def methods(release: Release, facts: Panel, *, kept: str | None) -> str:
    """How the release was made, in sentences for a paper; `kept` says how many edges stayed, as it may be told here."""
    graph, promise, moved = release.graph, release.promise, release.moved
    if promise.k == 1:
        return "The data were published under other ids; nobody is protected (k = 1)."
    asked = f"k = {promise.k}" if promise.for_everybody else f"levels of up to k = {promise.k}"
    numbers = "numbers of edges and of contacts" if promise.contacts else "numbers of edges"
    row = f"{numbers}{' in and out' if graph.directed else ''} in every slice"
    words = [
        f"Contacts between {graph.n_nodes:,} people were cut into slices ({facts['slices']}) and anonymised with shoal "
        f"{shoal.__version__} (method {release.method}, {asked}), which starts from Rossi, Musolesi and Torsello (2015).",
        "People with similar histories were put into groups of at least as many as were asked for.",
    ]
    if moved is not None:
        often = {"slice": "anew in every slice", "tie": "once for all slices"}.get(
            moved.move, f"anew every {moved.move}"
        )
        words.append(
            f"Ends of edges changed hands inside groups by random permutations, {often}, and were swapped inside groups until the "
            "totals of the certificate agree with the original."
        )
    words.append(f"Edges of every slice were changed until all members of a group have the same {row}.")
    if promise.horizon is not None:
        words.append(f"This holds within each stretch of {promise.horizon} and not over several (a horizon).")
    if promise.attributes:
        words.append(
            f"Members of a group also agree in {in_words(promise.attributes)}; values too rare for that are published as *."
        )
    if graph.contacts is not None:
        carried = "A tie took its own contacts along; those of other edges were drawn from everybody's of a slice."
        drawn = "Contacts on the edges were drawn from everybody's of a slice."
        words.append(carried if graph.contacts.drawn == "carried" else drawn)
    if release.limits is not None:
        words.append(release.limits.in_words())
    if release.left_out is not None:
        words.append(
            f"As many people were protected as a budget of edits reached; {release.left_out.in_words().replace('this', 'the')}"
        )
    words += [] if kept is None else [kept]
    return " ".join([*words, "That the promise holds was verified from the published files (shoal verify)."])
