"""What does k buy? Try several k and slice widths, and put risk beside damage.

Every cell is a real anonymization. Its numbers are kept in a file named by everything that determines them, so a sweep that
was stopped goes on where it was, and nothing stale is ever taken for fresh.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.anonymize import anonymize
from shoal.audit import Vector, audit
from shoal.common.checks import a_list, a_path, number, shown, some_progress, whole
from shoal.common.progress import Progress
from shoal.common.randomness import a_seed
from shoal.errors import InputError
from shoal.files.kept import Kept
from shoal.graph import TemporalGraph
from shoal.interop.tables import Tabular
from shoal.measure import compare

if TYPE_CHECKING:
    import altair

Source = TemporalGraph | Callable[[], TemporalGraph]


@dataclass(frozen=True)
class Cell:
    """One setting and what came of it. Shares are between 0 and 1; `agreements` are those of `compare`."""

    slice: str
    k: int
    n_nodes: int
    n_slices: int
    edges: int
    alone_before: int
    success_before: float
    success_after: float
    reidentified: float
    kept_share: float
    changed_share: float
    pagerank_similarity: float | None
    seconds: float
    agreements: dict[str, float | None]


@dataclass(frozen=True)
class Sweep(Tabular):
    """All cells of a sweep, the suggested one, and, where a budget was given, the largest k within it per width."""

    cells: tuple[Cell, ...]
    suggestion: Cell
    reason: str
    budget: float | None = None
    within_budget: tuple[dict[str, Any], ...] = ()

    def to_polars(self) -> pl.DataFrame:
        """One row per cell, agreements as columns; without seconds, so that the same sweep gives the same table."""
        cells = pl.DataFrame([asdict(cell) for cell in self.cells]).drop("seconds", "agreements")
        agreements = pl.DataFrame([cell.agreements for cell in self.cells], infer_schema_length=None)
        return cells.hstack(
            agreements.select(pl.exclude("pagerank_similarity").cast(pl.Float64).name.suffix("_agreement"))
        )

    def plot(self) -> altair.Chart:
        """A chart of the share of the edges that each k keeps."""
        from shoal.show.plots import cost_of_k

        return cost_of_k(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cells": [asdict(cell) for cell in self.cells],
            "suggestion": {"slice": self.suggestion.slice, "k": self.suggestion.k, "reason": self.reason},
            "budget": self.budget,
            "within_budget": list(self.within_budget),
        }

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write sweep.csv, sweep.json, timings.csv and the page index.html."""
        from shoal.report.sweep_page import render

        folder = Path(folder)
        self.to_polars().write_csv(folder / "sweep.csv")
        timings = pl.DataFrame([{"slice": c.slice, "k": c.k, "seconds": c.seconds} for c in self.cells])
        timings.write_csv(folder / "timings.csv")
        (folder / "sweep.json").write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")
        (folder / "index.html").write_text(render(self), encoding="utf-8")

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} settings; suggested: slice {self.suggestion.slice}, k = {self.suggestion.k})"


def sweep(
    graphs: Mapping[str, Source],
    ks: Iterable[int],
    *,
    folder: str | os.PathLike[str] | None = None,
    budget: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Sweep:
    """Anonymize each graph at each k and compare.

    Parameters
    ----------
    graphs
        Name of a slice width (or whatever differs) -> graph, or a function that makes it when it is needed.
    ks
        The k to try; those above the number of people are left out.
    folder
        Where finished cells are kept and the results are written. A sweep begun there goes on.
    budget
        Also find, per graph, the largest k that changes at most this share of the edges.
    seed
        Of the anonymizations; nothing of a sweep is meant to be published.
    progress
        Told how far the work is.
    options
        For `anonymize`.

    Examples
    --------
    >>> from shoal.datasets import messenger
    >>> found = sweep({"days": messenger(60, 7, seed=1)}, [2, 4], effort="fast")
    >>> found.to_polars().select("slice", "k", "n_slices").rows()
    [('days', 2, 7), ('days', 4, 7)]
    """
    if not isinstance(graphs, Mapping) or not graphs:
        raise InputError(
            f"a sweep needs at least one slice width: a mapping from its name to a graph; got {shown(graphs)}"
        )
    ks = sorted({whole("k", k, 1) for k in a_list("ks", ks)})
    if not ks:
        raise InputError("a sweep needs at least one k from 1")
    if budget is not None:
        number("budget", budget, 0, math.inf, above=True)
    store = _Store(a_path("folder", folder) if folder is not None else None, a_seed(seed), options)
    cells, best = [], []
    total = len(graphs) * len(ks)
    with some_progress(progress).stage("sweeping", total) as tell:
        for i, (name, source) in enumerate(graphs.items()):
            graph = source() if callable(source) else source
            TemporalGraph.check(graph, "sweep")
            for j, k in enumerate(ks, start=1):
                if k <= graph.n_nodes:
                    cells.append(store.cell(name, graph, k))
                tell((i * len(ks) + j) / total)
            if budget is not None:
                best.append(_largest_within(store, name, graph, budget))
    if not cells:
        raise InputError(f"every k is above the number of people; the smallest asked for is {ks[0]}")
    suggestion, reason = suggest(cells)
    found = Sweep(tuple(cells), suggestion, reason, budget, tuple(best))
    if store.folder is not None:
        found.save(store.folder)
    return found


class _Store:
    """Cells that were measured before are taken from the folder."""

    def __init__(self, folder: Path | None, seed: int, options: dict[str, Any]) -> None:
        self.folder, self.seed, self.options = folder, seed, options
        self.kept = Kept(folder / "cells" if folder is not None else None)

    def cell(self, name: str, graph: TemporalGraph, k: int) -> Cell:
        what = (name, graph.digest(), k, self.seed, sorted(self.options.items()))
        try:
            found = Cell(**self.kept.find(*what))
            if found.slice == name and found.k == k and _is_whole(found):
                return found
        except TypeError:
            pass  # not measured yet, or by another version of the cell
        cell = _measure(name, graph, k, self.seed, self.options)
        self.kept.keep(asdict(cell), *what)
        return cell


def _is_whole(cell: Cell) -> bool:
    """Whether every number of a cell that was kept is a number."""
    if not isinstance(cell.agreements, dict):
        return False
    values = {key: value for key, value in asdict(cell).items() if key not in ("slice", "agreements")}
    defined = [value for value in (values.pop("pagerank_similarity"), *cell.agreements.values()) if value is not None]
    return all(isinstance(value, int | float) and math.isfinite(value) for value in (*values.values(), *defined))


def _measure(name: str, graph: TemporalGraph, k: int, seed: int, options: dict[str, Any]) -> Cell:
    start = time.perf_counter()
    release = anonymize(graph, k, seed=seed, **options)
    seconds = time.perf_counter() - start
    before = audit(graph, k=k, attackers=[Vector()])["vector"]
    after = audit(release.graph, k=k, attackers=[Vector()], original=graph)
    agreements = compare(graph, release.graph).agreements()
    return Cell(
        slice=name,
        k=k,
        n_nodes=graph.n_nodes,
        n_slices=graph.n_slices,
        edges=graph.n_edges,
        alone_before=int(before.unique),
        success_before=before.expected_success,
        success_after=after["vector"].expected_success,
        reidentified=after["reidentify"].expected_success,
        kept_share=release.edges.kept_share,
        changed_share=release.edges.changed / max(release.edges.original, 1),
        pagerank_similarity=agreements["pagerank_similarity"],
        seconds=seconds,
        agreements=agreements,
    )


def _largest_within(store: _Store, name: str, graph: TemporalGraph, budget: float) -> dict[str, Any]:
    """The largest k that stays within the budget: doubling, then halving. More k costs more, up to noise."""
    good, bad, k = 1, graph.n_nodes + 1, 2
    share = 0.0
    while bad - good > 1:
        cell = store.cell(name, graph, min(k, graph.n_nodes))
        if cell.changed_share <= budget:
            good, share = cell.k, cell.changed_share
            k = min(2 * good, (good + bad) // 2) if bad <= graph.n_nodes else min(2 * good, graph.n_nodes)
        else:
            bad = cell.k
            k = (good + bad) // 2
    return {"slice": name, "k": good, "changed_share": share}


def suggest(cells: list[Cell]) -> tuple[Cell, str]:
    """One setting worth beginning with, and why: the largest k that keeps most of the graph, in the finest slices."""
    for kept in (0.8, 0.7, 0.6, 0.5):
        good = [c for c in cells if c.kept_share >= kept and c.k > 1]
        if good:
            best = max(good, key=lambda c: (c.k, c.n_slices))
            return best, (
                f"the largest k, and for it the finest slices, at which at least {kept:.0%} of the edges are kept "
                f"({best.kept_share:.0%})"
            )
    best = max(cells, key=lambda c: (c.k > 1, c.kept_share))
    return best, (
        f"no setting keeps half of the edges; this one keeps most ({best.kept_share:.0%}); wider slices or a smaller k "
        "would keep more"
    )
