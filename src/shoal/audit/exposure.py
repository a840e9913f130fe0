"""The audit: how exposed people are to each attacker, which slices expose them, and what an attacker gets from a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal import notebook
from shoal.audit import _kernels
from shoal.audit.attackers import PAIRS, Attacker, Crowds, column_hash, columns_of, row_hashes, usual_attackers
from shoal.checks import a_list, some_jobs, some_progress, whole
from shoal.crowds import crowd_sizes, distinct_rows
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.interop.tables import Tabular
from shoal.progress import Progress, run_jobs
from shoal.release import Release

if TYPE_CHECKING:
    import altair


@dataclass(frozen=True)
class Exposure:
    """What one attacker achieves.

    Where an attacker may know different sets of slices, or people were sampled, numbers are means scaled to everybody, and
    `band` is the half-width of a 95 % interval around `unique`.
    """

    name: str
    description: str
    unique: float
    below_k: float
    smallest_crowd: int
    expected_success: float
    covered: bool
    sampled: bool = False
    band: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Audit(Tabular):
    """How exposed the people of a graph are, attacker by attacker.

    `audit(graph)["vector"]` is the exposure to the attacker of that name, and `attackers` lists all. `attribution` says how
    many people would stand alone without each slice or layer.
    """

    n_nodes: int
    k: int
    attackers: tuple[Exposure, ...]
    attribution: tuple[dict[str, Any], ...]

    def __getitem__(self, name: str) -> Exposure:
        """The exposure to the attacker of that name."""
        for exposure in self.attackers:
            if exposure.name == name:
                return exposure
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "n_nodes": self.n_nodes,
            "k": self.k,
            "attackers": [exposure.to_dict() for exposure in self.attackers],
            "attribution": list(self.attribution),
        }

    def to_polars(self) -> pl.DataFrame:
        """One row per attacker: whom they find, how many are in a crowd below k, and so on."""
        return pl.DataFrame([exposure.to_dict() for exposure in self.attackers], infer_schema_length=None, strict=False)

    def plot(self) -> altair.Chart:
        """A chart of how many people each attacker finds."""
        from shoal.plots import people_found

        return people_found(self)

    def in_words(self) -> list[str]:
        """Which attackers crowds of k stop, and which not."""
        stopped = [e for e in self.attackers if e.below_k == 0]
        words = []
        if stopped and all(e in stopped for e in self.attackers if e.covered):
            least = min(e.smallest_crowd for e in stopped)
            words.append(
                "Stopped: whoever knows numbers of contacts per slice, of all slices or of some, exactly or roughly. "
                f"They are left with at least {least:,} candidates."
            )
            stopped = [e for e in stopped if not e.covered]
        words += [f"Stopped: whoever {e.description}." for e in stopped]
        words += [
            f"NOT stopped: whoever {e.description} (finds {e.unique:,.0f} of {self.n_nodes:,} people; "
            f"{e.below_k:,.0f} are in a crowd below {self.k})."
            for e in self.attackers
            if e.below_k > 0
        ]
        return words

    def what_stands_out(self, most: int = 3) -> list[str]:
        """The slices, or layers, without which fewest people would stand alone."""
        alone = self.attackers[0].unique
        helpful = sorted((row for row in self.attribution if row["unique"] < alone), key=lambda row: row["unique"])
        return [
            f"Without the {row['kind']} {row['without']}, {row['unique']:,} instead of {alone:,} people would stand alone."
            for row in helpful[:most]
        ]

    def rows(self) -> list[list[str]]:
        """Per attacker: what they know, whom they find, who is in a crowd below k, the smallest crowd, a guess that is right."""
        return [
            [
                exposure.description,
                f"{exposure.unique:,.0f}" + (f" ± {exposure.band:,.0f}" if exposure.sampled else ""),
                f"{exposure.below_k:,.0f}",
                f"{exposure.smallest_crowd:,}",
                f"{exposure.expected_success:.1%}",
            ]
            for exposure in self.attackers
        ]

    def heads(self) -> list[str]:
        """What stands above `rows`."""
        return ["somebody who", "finds", f"below {self.k}", "smallest crowd", "guesses right"]

    def _headline(self) -> str:
        if not self.attackers:
            return f"Audit({self.n_nodes:,} people, no attackers)"
        first = self.attackers[0]
        return f"Audit({first.unique:,.0f} of {self.n_nodes:,} people can be singled out by their {first.name})"

    def __repr__(self) -> str:
        names = ["", *(exposure.name for exposure in self.attackers)]
        lines = [[name, *row[1:]] for name, row in zip(names, [self.heads(), *self.rows()], strict=True)]
        wide = [max(len(line[i]) for line in lines) for i in range(5)]
        table = [
            f"{line[0]:<{wide[0]}}"
            + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], wide[1:], strict=True))
            for line in lines
        ]
        return "\n".join([self._headline(), *table])

    def _repr_html_(self) -> str:
        """For notebooks: the attackers, and below them the slices that give people away."""
        without = [(row["kind"], row["without"], row["unique"]) for row in self.attribution]
        parts = notebook.table(["without the", "", "people stand alone"], without)
        return (
            notebook.paragraph(self._headline())
            + notebook.table(self.heads(), self.rows())
            + notebook.folded("what gives people away", parts)
        )


def audit(
    graph: TemporalGraph | Release,
    *,
    k: int | None = None,
    attackers: Sequence[Attacker] | None = None,
    original: TemporalGraph | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """How many people each attacker can single out.

    Parameters
    ----------
    graph
        The graph an attacker would see: the original, to know the risk, or a release, to know what is left of it. A
        `Release` brings its original along.
    k
        Crowds below this are counted as too small; by default 5, or the k of a `Release`.
    attackers
        By default those of `from shoal.audit import usual_attackers`.
    original
        The graph a release was made from, with the same people in the same order. Adds the attacker who holds somebody's
        original degrees and guesses among the nearest in the release.
    seed
        Of the samples, where not everything can be counted.
    jobs
        Threads; by default all cores. The result does not depend on it.
    progress
        Told how far the work is.

    Examples
    --------
    >>> from shoal import TemporalGraph
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2), (3, 4)]})
    >>> audit(graph)["vector"].unique
    2
    """
    if isinstance(graph, Release):
        k, original = graph.k if k is None else k, graph.original if original is None else original
        graph = graph.graph
    k = 5 if k is None else k
    TemporalGraph.check(graph, "audit")
    if graph.n_nodes == 0:
        raise InputError("there is nobody in this graph")
    whole("k", k, 1)
    whole("seed", seed, 0)
    if original is not None:
        TemporalGraph.check(original, "audit")
    chosen = usual_attackers(graph) if attackers is None else a_list("attackers", attackers)
    if not all(callable(getattr(one, "crowds", None)) for one in chosen):
        raise InputError("attackers are those of shoal.audit, or others with a name, a description and a method crowds")

    def attack(attacker: Attacker) -> Exposure:
        rng = np.random.default_rng([seed, *attacker.name.encode()])
        return _judge(attacker, attacker.crowds(graph, rng), graph.n_nodes, k)

    with some_progress(progress).stage("attacking", len(chosen)) as tell:
        found = run_jobs(attack, chosen, some_jobs(jobs), tell)
    if original is not None:
        found.append(reidentify(original, graph, k=k, seed=seed))
    return Audit(graph.n_nodes, k, tuple(found), tuple(attribute(graph)))


def _judge(attacker: Attacker, crowds: Crowds, n_nodes: int, k: int) -> Exposure:
    sizes, looked_at = crowds.sizes, crowds.sizes.shape[1]
    scale = n_nodes / looked_at
    unique, below = (sizes == 1).sum(axis=1), (sizes < k).sum(axis=1)
    if not crowds.sampled:
        band = 0.0
    elif looked_at == n_nodes:  # sets of slices were drawn
        band = 1.96 * float(unique.std(ddof=1) / np.sqrt(len(unique)))
    else:  # people were drawn
        share = unique[0] / looked_at
        band = 1.96 * n_nodes * float(np.sqrt(share * (1 - share) / looked_at))
    return Exposure(
        name=attacker.name,
        description=attacker.description,
        unique=_whole(unique.mean() * scale),
        below_k=_whole(below.mean() * scale),
        smallest_crowd=int(sizes.min()),
        expected_success=float((1 / sizes).mean()),
        covered=attacker.covered,
        sampled=crowds.sampled,
        band=band,
    )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else float(value)


def reidentify(original: TemporalGraph, release: TemporalGraph, *, k: int = 5, seed: int = 0) -> Exposure:
    """The attacker who holds a person's original degrees and guesses among the nearest people of the release.

    `unique` counts those found for certain (the only nearest one, and the right one); the crowd of a person is the set of
    nearest people. The expected success counts a guess among them, and nothing where the person is not one of them. As each
    row of a release occurs at least k times, no guess can be better than 1 in k.
    """
    if not original.nodes.equals(release.nodes) or original.n_slices != release.n_slices:
        raise InputError("original and release must have the same people and slices")
    known, rows = original.degree_matrix(), release.degree_matrix()
    first, inverse, counts = distinct_rows(rows)
    distinct = rows[first]
    people = np.arange(len(known))
    afford = max(PAIRS // max(len(distinct) * known.shape[1] // 8, 1), 200)
    if afford < len(known):
        people = np.random.default_rng(seed).choice(len(known), afford, replace=False)
    crowd, among = _kernels.nearest_rows(known[people], distinct, counts, inverse[people])
    scale, sampled = len(known) / len(people), len(people) < len(known)
    return Exposure(
        name="reidentify",
        description="knows the original number of contacts in every slice and guesses among the nearest in the release",
        unique=_whole(float((among & (crowd == 1)).sum()) * scale),
        below_k=_whole(float((among & (crowd < k)).sum()) * scale),
        smallest_crowd=int(crowd.min()),
        expected_success=float(np.where(among, 1 / crowd, 0).mean()),
        covered=True,
        sampled=sampled,
        band=0.0 if not sampled else 1.96 * len(known) * float(np.sqrt(np.var(among & (crowd == 1)) / len(people))),
    )


def attribute(graph: TemporalGraph) -> list[dict[str, Any]]:
    """How many people would stand alone without each slice, and without each layer where there are several.

    >>> from shoal import TemporalGraph
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(1, 2), (3, 4), (1, 3)]})
    >>> [(row["without"], row["unique"]) for row in attribute(graph)]
    [('mon', 0), ('tue', 0)]
    """
    degrees = graph.degree_matrix()
    everything = row_hashes(degrees, np.arange(degrees.shape[1]))
    parts = [("slice", s.label, np.array([t])) for t, s in enumerate(graph.slices)]
    layers = list(dict.fromkeys(s.layer for s in graph.slices if s.layer is not None))
    if layers and len(layers) < graph.n_slices:
        parts += [
            ("layer", name, np.array([t for t, s in enumerate(graph.slices) if s.layer == name])) for name in layers
        ]
    rows = []
    for kind, label, slices in parts:
        rest = everything.copy()
        for column in columns_of(graph, slices):
            rest -= column_hash(degrees, int(column))
        rows.append({"kind": kind, "without": label, "unique": int((crowd_sizes(rest) == 1).sum())})
    return rows
