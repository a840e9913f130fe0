"""Every measure in words for somebody who does not compute them."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """One line of a comparison.

    `higher_is_better` speaks of the number itself, or of the agreement where a measure has an original and a
    released value; None where neither direction is better. `is_count` is for printing, and so is `of`: to which graph, or to
    their agreement, a lone number belongs.
    """

    title: str
    description: str
    higher_is_better: bool | None = True
    is_count: bool = False
    of: str = "agreement"


MEASURES: dict[str, Measure] = {
    "edges": Measure(
        "edges",
        "How many edges there are over all slices; the agreement is the share of all edges of either graph that are in both.",
        is_count=True,
    ),
    "edges_kept": Measure("edges kept", "Original edges that are still in the release.", is_count=True, of="released"),
    "edges_added": Measure(
        "edges added",
        "Edges of the release that the original has not.",
        higher_is_better=False,
        is_count=True,
        of="released",
    ),
    "edges_removed": Measure(
        "edges removed",
        "Original edges that are missing from the release.",
        higher_is_better=False,
        is_count=True,
        of="original",
    ),
    "edges_kept_share": Measure(
        "share of edges kept", "The share of the original edges that are still in the release."
    ),
    "pagerank_similarity": Measure(
        "PageRank similarity",
        "Whether the same people are important: 1 means that everybody has the same PageRank in both graphs, "
        "compared slice by slice.",
    ),
    "degree_distance": Measure(
        "degree distance",
        "The smallest share of people whose number of edges would have to change to make the two distributions of numbers of "
        "edges equal; a distance, so that 0 means they are equal.",
        higher_is_better=False,
    ),
    "clustering": Measure(
        "clustering", "How often two neighbours of a person have an edge with each other, averaged over all people."
    ),
    "transitivity": Measure(
        "transitivity",
        "How often two neighbours of somebody have an edge with each other, over all such pairs: busy people weigh more.",
    ),
    "components": Measure(
        "components",
        "Into how many separate parts a slice falls; a person without edges is a part of their own.",
        is_count=True,
    ),
    "largest_component": Measure("largest component", "The share of people in the largest connected part of a slice."),
    "assortativity": Measure(
        "assortativity",
        "Whether busy people have edges with busy people (up to 1) or with quiet ones (down to -1).",
    ),
    "hub_overlap": Measure(
        "hub overlap",
        "The share of the busiest people of a slice who are among the busiest in the release too; for small graphs "
        "one in ten people counts as such, for large ones one in a hundred.",
    ),
    "hub_overlap_total": Measure(
        "hub overlap, all slices",
        "The share of the busiest people over all slices together who are among the busiest in the release too.",
    ),
    "temporal_correlation": Measure(
        "temporal correlation",
        "How many of their neighbours people keep from one slice to the next: 1 means always the same people, 0 always others.",
    ),
    "communities": Measure(
        "communities",
        "How many groups of people have most of their edges among themselves, all slices together; the agreement says "
        "how far the two graphs put the same people together, 1 being always and 0 no more than by chance.",
        is_count=True,
    ),
    "communities_ceiling": Measure(
        "communities, ceiling",
        "How far two searches for communities in the original agree with each other: "
        "a changed graph cannot be expected to agree better than that.",
        higher_is_better=None,
    ),
}
