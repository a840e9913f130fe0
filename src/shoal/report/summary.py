"""The page a board reads first: who would learn what, and what the release may be used for and what not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from shoal.audit import Audit, Exposure
from shoal.measure import Comparison
from shoal.release import EdgeCounts, Release

# What a scientist may ask of the release, by the measure that says how far the original would have answered the same.
QUESTIONS = {
    "edges_per_slice": "how busy each slice is",
    "pagerank_similarity": "who is important (PageRank)",
    "hub_overlap_total": "who is busiest",
    "outbreak_si_50": "how far outbreaks get",
    "reach": "who can be reached along time",
    "temporal_correlation": "how far people keep their neighbours",
    "slices_per_pair": "in how many slices pairs meet",
    "communities": "which people form communities",
    "mixing": "how edges lie in and between communities",
    "clustering": "clustering",
    "transitivity": "transitivity",
    "components": "into how many parts slices fall",
    "largest_component": "how large the largest part of a slice is",
    "assortativity": "whether busy people meet busy people",
}
CLOSE, ROUGH = 0.8, 0.5  # agreements from which on a use is called close, and rough; both are said on the page


Share = float | tuple[float, float]  # exactly, or from where to where
# Which share of what is claimed of two people never seen together is `true`, and would be `without` the release.
Claims = Mapping[str, Share] | None


class Uses(NamedTuple):
    """Questions by how far original and release agree about them, and what the release is not for."""

    close: list[str]
    rough: list[str]
    far: list[str]
    untold: list[str]
    not_for: list[str]


def uses(release: Release, found: Comparison, edges: EdgeCounts) -> Uses:
    """What the measures say that the release may be used for; `edges` as they may be told here."""
    by: dict[str, list[str]] = {"close": [], "rough": [], "far": [], "untold": []}
    for name, question in QUESTIONS.items():
        value = found.overall.get(name)
        agreed = value["agreement"] if isinstance(value, Mapping) else value
        by[_how_close(agreed)].append(question)
    return Uses(**by, not_for=_not_for(release, edges))


def _how_close(agreed: float | None) -> str:
    """The name of the list in which a question with this agreement stands; nan is none."""
    if agreed is None or agreed != agreed:
        return "untold"
    return "close" if agreed >= CLOSE else "rough" if agreed >= ROUGH else "far"


def _not_for(release: Release, edges: EdgeCounts) -> list[str]:
    """What nobody should do with it, whatever was measured."""
    if release.moved is not None:
        pairs = "contacts of particular pairs: ends of edges changed hands, so who had an edge with whom is not to be analysed"
    else:
        share = 100 * edges.added // max(edges.released, 1)
        pairs = "whether two particular people had contact" + (
            f": about {share} in 100 edges are invented" if share else ""
        )
    words = [pairs, "statements or decisions about single people: numbers of edges are those of a group"]
    if release.left_out is not None and release.left_out.withheld:
        words.append(
            "totals, density or spreading in the whole: people who were withheld, and all their edges, are missing"
        )
    if release.graph.contacts is not None:
        moved = "those of a tie went with it to other people"
        why = moved if release.graph.contacts.drawn == "carried" else "that was drawn from everybody's"
        words.append(f"when, or how often, two particular people had contact: {why}")
    return [*words, "laying it over another release of the same data, or over other data about these people"]


def in_bins(told: Mapping[str, Any] | None) -> Claims:
    """What may be published of those who hold a second graph, as ranges."""
    new = None if told is None else told.get("new_pairs")
    return None if new is None else {what: (low, low + 0.1) for what, low in new.items()}


def who_learns(release: Release, after: Audit, claims: Claims) -> list[tuple[str, str, bool]]:
    """Who knows what, what they learn, and whether they are stopped, for the first page.

    `claims` are those of somebody who holds a second graph, as they may be told here.
    """
    rows = []
    covered = [e for e in after.attackers if e.covered and e.name in ("vector", "one-block", "strength")]
    for e in covered:
        stopped = e.below_k == 0 and release.k > 1
        rows.append(
            (
                e.description,
                _left(e, after) if stopped else f"finds {e.unique:,.0f} of {after.n_nodes:,} people",
                stopped,
            )
        )
    beyond = strongest(after)
    if beyond is not None:
        rows.append((beyond.description, f"finds {beyond.unique:,.0f} of {after.n_nodes:,} people", False))
    return [*rows, ("holds contacts with names, such as a part of the original", _second(release, claims), False)]


def strongest(after: Audit) -> Exposure | None:
    """Whoever finds most people in the release, of those the promise is not about."""
    return max((e for e in after.attackers if not e.covered and e.unique > 0), key=lambda e: e.unique, default=None)


def _left(e: Exposure, after: Audit) -> str:
    if len(after.levels) == 1:
        return f"is left with at least {e.smallest_crowd:,} candidates"
    return "is left with as many candidates as that person's level"


def _second(release: Release, claims: Claims) -> str:
    moved = release.moved is not None and release.k > 1
    if claims is None:
        if moved:
            return "learns nothing about somebody's other contacts beyond what holds for every member of their group"
        return (
            "may find most people and read off their other contacts; how many was not counted, or may not be told here"
        )
    return (
        f"is right in {_share(claims['true'])} of what they claim about two people never seen together (without the release in "
        f"{_share(claims['without'])})" + ("; contacts changed hands against this" if moved else "")
    )


def _share(told: Share) -> str:
    """A share as it may be told: exactly, or from where to where."""
    if isinstance(told, tuple):
        return f"{100 * told[0]:.0f} to {100 * told[1]:.0f} %"
    return f"{100 * told:.1f} %"
