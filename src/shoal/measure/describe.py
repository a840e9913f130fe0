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
    "edges_per_slice": Measure(
        "edges per slice",
        "How many edges a slice has on average; the agreement is what the two graphs have in common, slice by slice.",
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
    "triangles": Measure(
        "triangles per slice",
        "How often three people all have edges with each other in a slice, on average; compared slice by slice.",
        is_count=True,
    ),
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
    "meets_again": Measure(
        "meets again at once", "The share of the pairs who have an edge in a slice that have one in the next slice too."
    ),
    "closing_triangles": Measure(
        "triangles that close",
        "How often, on average, two people with a common neighbour and no edge in a slice have an edge in the next one.",
        is_count=True,
    ),
    "lasting_groups": Measure(
        "groups that last",
        "How much of the groups of people in a slice (found by label propagation) is found together in the next one: 1 is all.",
    ),
    "pairs": Measure(
        "pairs that ever meet", "How many pairs of people have an edge in at least one slice.", is_count=True
    ),
    "slices_per_pair": Measure(
        "slices a pair meets in",
        "In how many slices a pair has an edge, on average over pairs that ever have one; the agreement is one minus the total "
        "variation between the two distributions.",
    ),
    "gaps": Measure(
        "gap between meetings",
        "How many slices a pair takes to meet again, on average; the agreement is one minus the total variation between the two "
        "distributions.",
    ),
    "burstiness_ties": Measure(
        "burstiness of pairs",
        "Whether pairs meet like a clock (-1), at random moments (near 0) or in bursts with long silences between (towards 1).",
    ),
    "burstiness_people": Measure(
        "burstiness of people",
        "The same for people: whether the slices in which somebody has edges come regularly (-1) or in bursts (towards 1).",
    ),
    "reach": Measure(
        "people reached",
        "To how many people something can get from a person, at most one step in every slice and along directions where edges have "
        "one; the mean over people, who count themselves.",
        is_count=True,
    ),
    "reach_delay": Measure(
        "slices until reached", "After how many slices these people are reached, on average.", is_count=True
    ),
    "outbreak_si_20": Measure(
        "outbreak, chance 0.2",
        "How many people catch what starts from a random person and passes over each edge of a slice with probability 0.2, "
        "at most one step in every slice (SI).",
        is_count=True,
    ),
    "outbreak_si_50": Measure("outbreak, chance 0.5", "The same with probability 0.5.", is_count=True),
    "outbreak_sir_20": Measure(
        "with recovery, 0.2",
        "The same with probability 0.2 where people get well, and immune, after every slice with probability 0.2 (SIR).",
        is_count=True,
    ),
    "outbreak_sir_50": Measure(
        "with recovery, 0.5", "The same with recovery and probability 0.5 of passing over an edge.", is_count=True
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
    "mixing": Measure(
        "edges inside communities",
        "The share of the edges that lie inside the communities of the original; the agreement is one minus the total variation "
        "between how the two graphs spread their edges over pairs of these communities.",
    ),
}

# Whether particular pairs have an edge: nothing to ask of a release in which edges change hands.
ABOUT_PAIRS = ("edges", "edges_kept", "edges_added", "edges_removed", "edges_kept_share")
