"""The attacker who knows how many contacts somebody had in every slice: a number of calls, not of people called."""

from __future__ import annotations

from shoal.audit.attackers import Attacker, Vector
from shoal.graph import TemporalGraph


class Strength(Vector):
    """Covered by the promise of a release whose numbers of contacts are protected."""

    def __init__(self, covered: bool = False) -> None:
        knows = "knows the number of contacts in every slice"
        super().__init__("strength", knows, covered, TemporalGraph.strength_matrix)


def by_contacts(graph: TemporalGraph) -> list[Attacker]:
    """This attacker, where numbers of contacts are known and people's own, or protected; those drawn freely are nobody's."""
    if graph.contacts is None or graph.contacts.drawn == "freely":
        return []
    return [Strength(covered=graph.contacts.drawn == "shared")]
