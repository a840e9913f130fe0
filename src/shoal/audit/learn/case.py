"""What an attacker of a release has before them, and what the judge knows: the original, the release, and who is who."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.audit.learn.matching import Side, lay_out
from shoal.errors import InputError
from shoal.graph import TemporalGraph

MANY = 20_000  # people from which on a sample is attacked
SAMPLE = 3_000
REMADE = 2_000  # people of a graph that is anonymized again to attack the result


@dataclass(frozen=True)
class Learned:
    """What one attacker learns from a release: what they know, what they learn, what they would have known anyway.

    `numbers` are what the sentences say, for programs; `sample` says so where only a part of the people was attacked.
    """

    name: str
    knows: str
    learns: str
    anyway: str
    numbers: dict[str, Any] = field(default_factory=dict)
    sample: str | None = None

    def __getitem__(self, name: str) -> Any:
        """One of the numbers."""
        return self.numbers[name]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        words = {"name": self.name, "knows": self.knows, "learns": self.learns, "anyway": self.anyway}
        return {**words, **self.numbers, "sample": self.sample}

    def in_words(self) -> str:
        """One line."""
        return f"Whoever {self.knows}: {self.learns} {self.anyway}" + (f" ({self.sample})" if self.sample else "")


@dataclass(frozen=True, eq=False)
class Case:
    """An original and its release over the same people, in the same order, and slices.

    The attacker never sees this order: `nodes` says which node of what they see is whose, and only a judge may look at it. `people`
    are those who are looked for, everybody by default.
    """

    original: TemporalGraph
    release: TemporalGraph
    k: int
    seed: int
    jobs: int | None
    sample: str | None = None
    people: np.ndarray | None = None

    def rng(self, name: str) -> np.random.Generator:
        """Chance for the use called `name`."""
        return np.random.default_rng([self.seed, *name.encode()])

    @cached_property
    def nodes(self) -> np.ndarray:
        """The node of each person in what the attacker sees."""
        return self.rng("nodes").permutation(self.release.n_nodes)

    @cached_property
    def seen(self) -> np.ndarray:
        """The released edges as the attacker sees them."""
        return moved(self.release, self.nodes)

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self.release.directed

    def seen_side(self, slices: np.ndarray, *, ever: bool = True) -> Side:
        """The release, for a match over these slices."""
        codes, n = self.release.slice_codes(), self.release.n_nodes
        return lay_out(self.seen, codes, n, slices, directed=self.directed, ever=self.seen if ever else None)

    def known_side(self, which: np.ndarray, slices: np.ndarray, *, ever: bool = True) -> Side:
        """These edges of the original, for a match over these slices."""
        edges, codes = self.original._edges[which], self.original.slice_codes()[which]
        n = self.original.n_nodes
        return lay_out(edges, codes, n, slices, directed=self.directed, ever=edges if ever else None)

    def some(self, above: int, most: int) -> Case:
        """The same with a connected sample of the people to look for, among everybody, where there are too many."""
        n = self.original.n_nodes
        if n <= above:
            return self
        people = np.sort(connected_people(self.original, most, self.rng("sample")))
        return replace(
            self, people=people, sample=f"a connected {most:,} of the {n:,} people were looked for among all"
        )

    @cached_property
    def wanted(self) -> np.ndarray:
        """Which people are looked for."""
        mask = np.full(self.original.n_nodes, self.people is None)
        if self.people is not None:
            mask[self.people] = True
        return mask

    def smaller(self, above: int, most: int) -> Case:
        """The same for a connected sample of the people, where there are too many."""
        n = self.original.n_nodes
        if n <= above:
            return self
        people = connected_people(self.original, most, self.rng("sample"))
        words = f"a connected sample of {most:,} of the {n:,} people; the attacker was told which nodes are theirs"
        return replace(self, original=among(self.original, people), release=among(self.release, people), sample=words)

    def remade(self, graph: TemporalGraph, name: str, k: int | None = None) -> TemporalGraph:
        """Another release by shoal, at the same k unless told: the attacker has shoal too."""
        from shoal.anonymize import anonymize

        seed = int(self.rng(name).integers(2**32))
        return anonymize(graph, min(k or self.k, graph.n_nodes), seed=seed, effort="fast", jobs=self.jobs).graph


def moved(graph: TemporalGraph, nodes: np.ndarray) -> np.ndarray:
    """The edges under other numbers."""
    edges = nodes[graph._edges]
    return edges if graph.directed else np.sort(edges, axis=1)


def among(graph: TemporalGraph, people: np.ndarray) -> TemporalGraph:
    """The graph among some of the people, given by their places."""
    return graph.over(graph.nodes.gather(pl.Series(np.sort(people))))


def connected_people(graph: TemporalGraph, most: int, rng: np.random.Generator) -> np.ndarray:
    """The places of people near somebody drawn at random, contacts of contacts and so on; of the rest where that is too few."""
    from scipy import sparse
    from scipy.sparse import csgraph

    n, edges = graph.n_nodes, graph._edges
    ties = sparse.coo_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    start = int(edges[rng.integers(len(edges)), 0]) if len(edges) else 0
    near = csgraph.breadth_first_order(ties, start, directed=False, return_predecessors=False)
    rest = np.setdiff1d(np.arange(n), near)
    return np.concatenate([near, rng.permutation(rest)])[:most]


def make_case(
    original: TemporalGraph, release: TemporalGraph, *, k: int, seed: int = 0, jobs: int | None = None
) -> Case:
    """A case, or a sentence about why these two do not belong together."""
    if original.directed != release.directed:
        raise InputError(
            f"the original {'has' if original.directed else 'has no'} directions, unlike the release; read both alike"
        )
    if [part.label for part in original.slices] != [part.label for part in release.slices]:
        raise InputError(
            f"the slices do not fit: the original has {original.n_slices:,} ({_ends(original)}), the release has "
            f"{release.n_slices:,} ({_ends(release)}); cut the original as the release was cut"
        )
    if not original.nodes.equals(release.nodes):
        raise InputError(
            "the original and the release do not have the same people; is the record that of this release?"
        )
    if original.n_nodes < 2 or original.n_edges == 0:
        raise InputError("there are no contacts in the original, so there is nothing to learn")
    return Case(original, release, k, seed, jobs)


def laid_out_like(graph: TemporalGraph, original: TemporalGraph) -> TemporalGraph:
    """Any tool's output over the people and slices of the original; whoever and whatever it left out has no contacts in it."""
    if graph.directed != original.directed:
        raise InputError(
            "the original has directions and the other file has not, or the other way round; read both alike"
        )
    if original.nodes.dtype == pl.String and graph.nodes.dtype != pl.String:
        graph = graph.renamed(graph.nodes.cast(pl.String))
    strangers = set(graph.nodes.to_list()) - set(original.nodes.to_list())
    if strangers:
        raise InputError(
            f"'{min(strangers)}' is not in the original, so the ids are not the same; give the record of the release"
        )
    place = {part.label: t for t, part in enumerate(original.slices)}
    if missing := [part.label for part in graph.slices if part.label not in place]:
        raise InputError(f"the slices do not fit: '{missing[0]}' is not in the original; cut both alike")
    over = graph.over(original.nodes)
    empty = np.empty((0, 2), np.int32)
    parts = {place[label]: edges for label, edges in over}
    return original.with_edges([parts.get(t, empty) for t in range(original.n_slices)])


def _ends(graph: TemporalGraph) -> str:
    labels = [part.label for part in graph.slices]
    return f"{labels[0]} to {labels[-1]}" if labels else "none"
