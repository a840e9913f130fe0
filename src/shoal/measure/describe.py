"""Every measure in words for somebody who does not compute them."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """One line of a comparison.

    `higher_is_better` speaks of the number itself, or of the agreement where a measure has an original and a
    released value; None where neither direction is better. `is_count` is for printing.
    """

    title: str
    description: str
    higher_is_better: bool | None = True
    is_count: bool = False


MEASURES: dict[str, Measure] = {
    "edges": Measure(
        "edges",
        "How many contacts there are over all slices; the agreement is the share of all contacts of either graph that are in both.",
        is_count=True,
    ),
    "edges_kept": Measure("edges kept", "Real contacts that are still in the release.", is_count=True),
    "edges_added": Measure(
        "edges added", "Contacts in the release that never took place.", higher_is_better=False, is_count=True
    ),
    "edges_removed": Measure(
        "edges removed", "Real contacts that are missing from the release.", higher_is_better=False, is_count=True
    ),
    "edges_kept_share": Measure("share of edges kept", "The share of the real contacts that are still in the release."),
    "pagerank_similarity": Measure(
        "PageRank similarity",
        "Whether the same people are important: 1 means that everybody has the same PageRank in both graphs, "
        "compared slice by slice.",
    ),
    "degree_distance": Measure(
        "degree distance",
        "The smallest share of people whose number of contacts would have to change to make the two distributions of contacts "
        "equal; 0 means they are equal.",
        higher_is_better=False,
    ),
    "clustering": Measure(
        "clustering", "How often two contacts of a person are in contact with each other, averaged over all people."
    ),
    "transitivity": Measure(
        "transitivity",
        "How often two contacts of somebody are in contact with each other, over all such pairs: busy people weigh more.",
    ),
    "components": Measure(
        "components",
        "Into how many separate parts a slice falls; a person without contacts is a part of their own.",
        is_count=True,
    ),
    "largest_component": Measure("largest component", "The share of people in the largest connected part of a slice."),
    "assortativity": Measure(
        "assortativity",
        "Whether busy people are in contact with busy people (up to 1) or with quiet ones (down to -1).",
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
        "How much of their contacts people keep from one slice to the next: 1 means always the same people, 0 always others.",
    ),
    "communities": Measure(
        "communities",
        "How many groups of people have most of their contacts among themselves, all slices together; the agreement says "
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
