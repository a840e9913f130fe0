"""What anonymize gives back: the new graph, how it was made, what it cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.edges import among, slack_of
from shoal.common.progress import Progress
from shoal.common.randomness import Randomness
from shoal.demands.promise import Promise
from shoal.graph import TemporalGraph
from shoal.show import notebook

if TYPE_CHECKING:
    import altair
    import pandas
    import polars as pl

    from shoal.demands.left_out import LeftOut
    from shoal.demands.limits import Limits
    from shoal.engine.work import Work
    from shoal.extend import Earlier
    from shoal.move.steps import Moved
    from shoal.people.traits import Traits


@dataclass(frozen=True)
class EdgeCounts:
    """Edges over all slices, or of one."""

    original: int
    released: int
    added: int
    removed: int

    @property
    def kept(self) -> int:
        """Original edges that are in the release."""
        return self.original - self.removed

    @property
    def kept_share(self) -> float:
        """Kept edges as a share of the original ones; 1 where there were none."""
        return self.kept / self.original if self.original else 1.0

    @property
    def changed(self) -> int:
        """Added plus removed."""
        return self.added + self.removed


def normalised_cost(l1: int, n_people: int, n_slices: int) -> float:
    """The l1 cost divided by T n (n - 1), which is the paper's cost."""
    return l1 / max(n_slices * n_people * (n_people - 1), 1)


def times_optimum(l1: int, bound: int) -> float | None:
    """The l1 cost as a multiple of the bound; None where the bound is 0 and the cost is not."""
    return l1 / bound if bound else (1.0 if l1 == 0 else None)


@dataclass(frozen=True, eq=False)
class Release:
    """A graph that keeps its promise, and what a user wants to know about it.

    `graph` carries the original ids: `save` replaces them by pseudonyms. `bound` is an l1 cost that no degrees with these
    crowds can undercut; `groups` number people who stay alike for good; `rounds` are those of the paper's methods;
    `after` says what an extension follows; `limits` what was not allowed to change; `moved` how ties changed hands, where they
    did; `work` is the folder of its checkpoints; `density` about how many edits it took to keep the numbers of edges, None where
    they were free; `traits` are the columns of people that are published; `left_out` who was not reached by a budget.

    Examples
    --------
    >>> import shoal
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2), (3, 4)]})
    >>> release = shoal.anonymize(graph, k=2, seed=1)
    >>> release.k, release.min_class_size >= 2, release.edges.original
    (2, True, 4)
    """

    original: TemporalGraph
    graph: TemporalGraph
    promise: Promise
    groups: np.ndarray
    method: str
    chance: Randomness
    rounds: list[int]
    bound: int
    after: Earlier | None = None
    limits: Limits | None = None
    moved: Moved | None = None
    work: Work | None = None
    traits: Traits | None = None
    density: int | None = None
    left_out: LeftOut | None = None

    def density_in_words(self) -> str | None:
        """Whether slices have as many edges as before, and what that took; None where that was not asked for."""
        if self.density is None:
            return None
        counts = [(len(self.original.held(t)), len(self.graph.held(t))) for t in range(self.graph.n_slices)]
        off = sum(abs(before - after) > slack_of(before) for before, after in counts)
        took = f"which took about {self.density:,} of the changes"
        if not off:
            return f"Every slice has as many edges as before within 2 %, {took}."
        return (
            f"{len(counts) - off:,} of {len(counts):,} slices have as many edges as before within 2 %, {took}; groups and limits "
            "left no way in the others."
        )

    @property
    def k(self) -> int:
        """The crowd everybody stands in, or the highest level where people have their own."""
        return self.promise.k

    @cached_property
    def degrees(self) -> np.ndarray:
        """The (n, T) degrees of the release."""
        return self.graph.degree_matrix()

    @cached_property
    def labels(self) -> np.ndarray:
        """The crowd of every person, as a number for each distinct row of `degrees`."""
        return distinct_rows(self.degrees)[1]

    @cached_property
    def crowds(self) -> np.ndarray:
        """(blocks, people) how large everybody's crowd is in each block of the history; one block without a horizon."""
        return self.promise.crowds(self.graph)

    @property
    def min_class_size(self) -> int:
        """How many people share the rarest temporal degree vector of a block, the smallest crowd."""
        return int(self.crowds.min())

    @cached_property
    def n_classes(self) -> int:
        """Distinct temporal degree vectors in the release, added up over the blocks."""
        return round(float((1 / self.crowds).sum()))

    @cached_property
    def cost_l1(self) -> int:
        """Sum over people and slices of the change in degree."""
        old, new = self.original.degree_column, self.graph.degree_column
        return sum(int(np.abs(old(c) - new(c)).sum(dtype=np.int64)) for c in range(self.graph.n_columns))

    @property
    def cost_normalised(self) -> float:
        """The l1 cost divided by T n (n - 1), which is the paper's cost."""
        return normalised_cost(self.cost_l1, self.graph.n_nodes, self.graph.n_slices)

    @property
    def at_most_times_optimum(self) -> float | None:
        """The l1 cost as a multiple of the bound, so the best possible is not further away. None where the bound is 0."""
        return times_optimum(self.cost_l1, self.bound)

    @cached_property
    def slice_edges(self) -> list[EdgeCounts]:
        """Edges original, released, added and removed, slice by slice."""
        counts = []
        for t in range(self.graph.n_slices):
            old, new = self.original.edges(t), self.graph.edges(t)
            shared = int(np.count_nonzero(among(new, old)))
            counts.append(EdgeCounts(len(old), len(new), len(new) - shared, len(old) - shared))
        return counts

    @cached_property
    def edges(self) -> EdgeCounts:
        """Edges original, released, added and removed, over all slices."""
        return EdgeCounts(
            *(sum(getattr(c, name) for c in self.slice_edges) for name in ("original", "released", "added", "removed"))
        )

    def changes(self) -> dict[str, list[tuple[Any, Any, str]]]:
        """The edges added and removed as (id, id, slice). Whoever has this list can undo the release."""
        ids = self.original.nodes.to_list()
        found: dict[str, list[tuple[Any, Any, str]]] = {"added": [], "removed": []}
        for t, part in enumerate(self.original.slices):
            old, new = self.original.edges(t), self.graph.edges(t)
            for name, edges, others in (("added", new, old), ("removed", old, new)):
                found[name] += [(ids[u], ids[v], part.label) for u, v in edges[~among(edges, others)].tolist()]
        return found

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        private: str | os.PathLike[str] | None = None,
        private_report: str | os.PathLike[str] | None = None,
        keep_ids: bool = False,
        format: str | None = None,
        report: bool = True,
        force: bool = False,
        source: str | os.PathLike[str] | None = None,
        title: str | None = None,
        by: str | None = None,
        date: str | None = None,
        progress: Progress | bool | None = None,
    ) -> Mapping[str, Any]:
        """Write the release folder and give its certificate with exact numbers.

        Nothing appears under the folder's name until it is complete and verified. In the folder, numbers about the original are
        coarse; what comes back here is for whoever holds the original.

        Parameters
        ----------
        folder
            Where to.
        private
            A file of its own for the mapping of ids, the seed and the changed edges, for your eyes only.
        private_report
            Where to write the report with exact numbers, for your eyes only: a file .html or .json, or a folder for both.
        keep_ids
            Publish the original ids instead of pseudonyms.
        format
            Tables as "csv", which is usual, or as "parquet"; a folder of Parquet is released as one, a file for each slice.
        report
            Whether to write report.html and report.json too.
        force
            Replace an existing release.
        source
            The input file, whose hash goes into the private record and whose name is the title of the private report.
        title, by, date
            What stands at the head of the report: what was released, who released it and when ("2026-03-01", or "today").
            Without a date there is none, so that the same seed gives the same files on any day.
        progress
            Told how far the work is; True shows it.
        """
        from shoal.write import write_release

        return write_release(
            self, folder, private=private, private_report=private_report, keep_ids=keep_ids, format=format, report=report,
            force=force, source=source, title=title, by=by, date=date, progress=progress,
        )  # fmt: skip

    def to_polars(self) -> pl.DataFrame:
        """The edges of the release, as `TemporalGraph.to_polars` gives them; with the original ids, so not to be published."""
        return self.graph.to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of `to_polars` as a pandas frame."""
        return self.graph.to_pandas()

    def plot(self) -> altair.Chart:
        """A chart of the edges kept, removed and added, slice by slice. It shows exact numbers about the original."""
        from shoal.show.plots import edges_per_slice

        return edges_per_slice(self)

    def __repr__(self) -> str:
        e = self.edges
        edges = f"{e.kept_share:.1%} of {e.original:,} edges kept, {e.added:,} added, {e.removed:,} removed"
        if self.moved is not None:
            edges = f"{e.released:,} edges that changed hands, before {e.original:,}"
        return (
            f"Release(k={self.k}, method='{self.method}', {self.graph.n_nodes:,} people in {self.n_classes:,} crowds of at least "
            f"{self.min_class_size:,}, {edges})"
        )

    def _repr_html_(self) -> str:
        """For notebooks: what is promised, what it cost, and the slices folded away. It names nobody."""
        e, graph = self.edges, self.graph
        facts = [
            ("people", graph.n_nodes),
            ("slices", graph.n_slices),
            ("crowds", self.n_classes),
            ("smallest crowd", self.min_class_size),
            ("edges before", e.original),
            ("kept", f"{e.kept:,} ({e.kept_share:.1%})"),
            ("removed", e.removed),
            ("added", e.added),
            ("edges in the release", e.released),
        ]
        rows = [
            (part.label, c.original, c.kept, c.removed, c.added, c.released)
            for part, c in zip(graph.slices, self.slice_edges, strict=True)
        ]
        slices = notebook.table(["slice", "before", "kept", "removed", "added", "released"], rows)
        if self.moved is not None:  # what became of single edges says nothing then
            facts = [fact for fact in facts if fact[0] not in ("kept", "removed", "added")]
            slices = notebook.table(["slice", "before", "released"], [(row[0], row[1], row[-1]) for row in rows])
        title = f"Release with k = {self.k}, made with the method {self.method}"
        return notebook.paragraph(title) + notebook.table(["", ""], facts) + notebook.folded("slices", slices)
