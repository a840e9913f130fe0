"""The attacker who knows how many contacts somebody had in every slice: a number of calls, not of people called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attackers import Attacker, Crowds
from shoal.common.crowds import crowd_sizes
from shoal.graph import TemporalGraph


@dataclass(frozen=True)
class Strength:
    """Covered by the promise of a release whose numbers of contacts are protected."""

    name: str = "strength"
    description: str = "knows the number of contacts in every slice"
    covered: bool = False

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """Everybody who had as many contacts in every slice."""
        return Crowds(crowd_sizes(graph.strength_matrix())[None])


def by_contacts(graph: TemporalGraph) -> list[Attacker]:
    """This attacker, where numbers of contacts are known and people's own, or protected; those drawn freely are nobody's."""
    if graph.contacts is None or graph.contacts.drawn == "freely":
        return []
    return [Strength(covered=graph.contacts.drawn == "shared")]
