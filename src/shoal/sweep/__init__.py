"""What does k buy? Try several k, slice widths and protections, and put what is learned beside what is kept.

Every cell is a real anonymization. Its numbers are kept in a file named by everything that determines them, so a sweep that
was stopped goes on where it was, and nothing stale is ever taken for fresh.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.audit.learn import Known
from shoal.common.checks import a_list, a_path, number, one_of, shown, some_progress, whole, yes_or_no
from shoal.common.progress import Progress
from shoal.common.randomness import a_seed
from shoal.demands.against import AGAINST
from shoal.demands.left_out import LEFT_OUT, WITHHELD
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.interop.tables import Tabular
from shoal.sweep.cells import Cell, Store
from shoal.sweep.most import Spending, most_within
from shoal.sweep.wish import Answer, Wish, answer

if TYPE_CHECKING:
    import altair

__all__ = ["Cell", "Sweep", "suggest", "sweep"]

Source = TemporalGraph | Callable[[], TemporalGraph]
MOST_K = 50  # the largest k that is looked for where nobody says which


@dataclass(frozen=True)
class Sweep(Tabular):
    """All cells of a sweep and the suggested one; the largest k within a budget; what came of a wish."""

    cells: tuple[Cell, ...]
    suggestion: Cell
    reason: str
    budget: float | None = None
    within_budget: tuple[dict[str, Any], ...] = ()
    wish: Answer | None = None

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
            "suggestion": {
                "slice": self.suggestion.slice,
                "against": self.suggestion.against,
                "k": self.suggestion.k,
                "reason": self.reason,
            },
            "budget": self.budget,
            "within_budget": list(self.within_budget),
            "wish": None if self.wish is None else self.wish.to_dict(),
        }

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write sweep.csv, sweep.json, timings.csv and the page index.html."""
        from shoal.report.sweep_page import render

        folder = Path(folder)
        self.to_polars().write_csv(folder / "sweep.csv")
        timings = pl.DataFrame(
            [{"slice": c.slice, "against": c.against, "k": c.k, "seconds": c.seconds} for c in self.cells]
        )
        timings.write_csv(folder / "timings.csv")
        (folder / "sweep.json").write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")
        (folder / "index.html").write_text(render(self), encoding="utf-8")

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} settings; suggested: {self.suggestion.setting()})"


def sweep(
    graphs: Mapping[str, Source],
    ks: Iterable[int] | None = None,
    *,
    against: str | Iterable[str] = "numbers",
    folder: str | os.PathLike[str] | None = None,
    known: float | None = 0.5,
    budget: float | None = None,
    most_people: bool = False,
    left_out: str | None = None,
    at_most_learned: float | None = None,
    outbreak_within: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Sweep:
    """Anonymize each graph at each k, against each kind of attacker, and compare; or look for what fulfils a wish.

    Parameters
    ----------
    graphs
        Name of a slice width (or whatever differs) -> graph, or a function that makes it when it is needed.
    ks
        The k to try; those above the number of people are left out. With a wish 2 to 50 by default, of which few are tried.
    against
        "numbers", "graph", or both in a list.
    folder
        Where finished cells are kept and the results are written. A sweep begun there goes on.
    known
        The share of the slices, from the first on, that the attacker with a second graph holds; None to leave them out.
    budget
        Also find, per graph and protection, the largest k that changes at most this share of the edges.
    most_people, left_out
        With a budget, find instead for how many people it buys protection at each k, where the others are "withheld" or
        "exempt"; `protect_most` makes such a release.
    at_most_learned, outbreak_within
        A wish: at most so much is learned (`Cell.learned`), and outbreaks are off by at most so much (`Cell.outbreak_error`). The
        finest slices, and for them the largest k, at which both hold are looked for; `Sweep.wish` has the answer.
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
    wish = _wish(at_most_learned, outbreak_within, known)
    listed = range(2, MOST_K + 1) if ks is None and wish is not None else a_list("ks", ks)
    ks = sorted({whole("k", k, 1) for k in listed})
    asked = [against] if isinstance(against, str) else a_list("against", against)
    kinds = list(dict.fromkeys(one_of("against", kind, AGAINST) for kind in asked))
    if not ks or not kinds:
        raise InputError("a sweep needs at least one k from 1, and somebody to protect against")
    if budget is not None:
        number("budget", budget, 0, math.inf, above=True)
    spend = _spending(budget, left_out, most_people=yes_or_no("most_people", most_people), kinds=kinds)
    store = Store(a_path("folder", folder) if folder is not None else None, a_seed(seed), known, options)
    with some_progress(progress).stage("sweeping", len(graphs) * len(ks) * len(kinds)) as tell:
        if wish is None:
            found = _every(store, graphs, ks, kinds, spend, tell)
        elif budget is None:
            found = _searched(store, graphs, ks, kinds, wish, tell)
        else:
            raise InputError("a budget and a wish are two questions; ask one of them")
    if store.folder is not None:
        found.save(store.folder)
    return found


def _wish(learned: Any, outbreak: Any, known: Any) -> Wish | None:
    """What is wished for, checked; None where nothing is."""
    if known is not None:
        Known(number("known", known, 0, 1))
    for name, share in (("at_most_learned", learned), ("outbreak_within", outbreak)):
        if share is not None:
            number(name, share, 0, math.inf)
    if learned is not None and known is None:
        raise InputError("what is learned can only be bounded where the attacker knows something; give known")
    return None if learned is None and outbreak is None else Wish(learned, outbreak)


def _opened(source: Source) -> TemporalGraph:
    graph = source() if callable(source) else source
    TemporalGraph.check(graph, "sweep")
    return graph


def _spending(budget: float | None, left_out: Any, *, most_people: bool, kinds: list[str]) -> Spending | None:
    """What a budget is for, checked; None where there is none."""
    if most_people and budget is None:
        raise InputError("most_people needs a budget: the share of the edges that may change for them (--budget 5%)")
    if left_out is not None and not most_people:
        raise InputError("left_out is for those whom a budget does not reach; it goes with most_people (--most-people)")
    if most_people and "graph" in kinds:
        raise InputError("against='graph' nearly all contacts change hands, so no budget holds")
    if budget is None:
        return None
    return Spending(budget, one_of("left_out", left_out or WITHHELD, LEFT_OUT) if most_people else None)


def _every(
    store: Store, graphs: Mapping[str, Source], ks: list[int], kinds: list[str], spend: Spending | None, tell: Any
) -> Sweep:
    """All settings, and what a budget buys."""
    cells, best, total = [], [], len(graphs) * len(kinds) * len(ks)
    for i, (name, source) in enumerate(graphs.items()):
        graph = _opened(source)
        for j, kind in enumerate(kinds):
            for done, k in enumerate(ks, start=1):
                if k <= graph.n_nodes:
                    cells.append(store.cell(name, graph, kind, k))
                tell(((i * len(kinds) + j) * len(ks) + done) / total)
            if spend is not None and spend.left_out is None:
                best.append(_largest_within(store, name, graph, kind, spend.budget))
            elif spend is not None:
                best += [most_within(store, name, graph, k, spend) for k in ks if 1 < k <= graph.n_nodes]
    if not cells:
        raise InputError(f"every k is above the number of people; the smallest asked for is {ks[0]}")
    return Sweep(tuple(cells), *suggest(cells), None if spend is None else spend.budget, tuple(best))


def _searched(
    store: Store, graphs: Mapping[str, Source], ks: list[int], kinds: list[str], wish: Wish, tell: Any
) -> Sweep:
    """The finest slices, and for them the largest k, that fulfil the wish."""
    opened = {name: _opened(source) for name, source in graphs.items()}
    tried: dict[tuple[str, str, int], Cell] = {}
    best: Cell | None = None
    for done, name in enumerate(sorted(opened, key=lambda name: -opened[name].n_slices)):
        graph, held = opened[name], list[Cell]()
        possible = [k for k in ks if k <= graph.n_nodes]

        def attempt(k: int, kind: str, name: str = name, graph: TemporalGraph = graph) -> Cell:
            if (name, kind, k) not in tried:
                tried[name, kind, k] = store.cell(name, graph, kind, k)
            return tried[name, kind, k]

        for kind in kinds if possible else []:
            found = wish.best(lambda k, kind=kind: attempt(k, kind), possible)  # type: ignore[misc]
            held += [] if found is None else [found]
        tell((done + 1) / len(opened))
        if held:
            best = max(held, key=lambda cell: (cell.k, -(cell.learned or 0)))
            break
    cells = sorted(tried.values(), key=lambda cell: (list(opened).index(cell.slice), kinds.index(cell.against), cell.k))
    if not cells:
        raise InputError(f"every k is above the number of people; the smallest asked for is {ks[0]}")
    said = answer(wish, best, cells)
    suggestion = (best, said.words) if best is not None else suggest(cells)
    return Sweep(tuple(cells), *suggestion, wish=said)


def _largest_within(store: Store, name: str, graph: TemporalGraph, against: str, budget: float) -> dict[str, Any]:
    """The largest k that stays within the budget: doubling, then halving. More k costs more, up to noise."""
    good, bad, k = 1, graph.n_nodes + 1, 2
    share = 0.0
    while bad - good > 1:
        cell = store.cell(name, graph, against, min(k, graph.n_nodes))
        if cell.changed_share <= budget:
            good, share = cell.k, cell.changed_share
            k = min(2 * good, (good + bad) // 2) if bad <= graph.n_nodes else min(2 * good, graph.n_nodes)
        else:
            bad = cell.k
            k = (good + bad) // 2
    return {"slice": name, "against": against, "k": good, "changed_share": share}


def suggest(cells: list[Cell]) -> tuple[Cell, str]:
    """One setting worth beginning with, and why: the largest k that keeps most of the graph, in the finest slices.

    What is kept are edges; where ties changed hands, which is looked at first where it was tried, PageRank.
    """
    moved = [c for c in cells if c.against == "graph"]
    what = "of PageRank is kept" if moved else "of the edges are kept"
    values = {id(c): (c.pagerank_similarity or 0.0) if moved else c.kept_share for c in moved or cells}
    for kept in (0.8, 0.7, 0.6, 0.5):
        good = [c for c in moved or cells if values[id(c)] >= kept and c.k > 1]
        if good:
            best = max(good, key=lambda c: (c.k, c.n_slices))
            return best, (
                f"the largest k, and for it the finest slices, at which at least {kept:.0%} {what} ({values[id(best)]:.0%})"
            )
    best = max(moved or cells, key=lambda c: (c.k > 1, values[id(c)]))
    half = "half of PageRank" if moved else "half of the edges"
    return best, (
        f"no setting keeps {half}; this one keeps most ({values[id(best)]:.0%}); wider slices or a smaller k would keep more"
    )
