"""What is measured in two graphs as wholes: who meets how often, who can be reached, how far outbreaks get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.progress import run_jobs
from shoal.graph import TemporalGraph
from shoal.measure.rows import agreement
from shoal.measure.spread import FEWER, KINDS, MOST, Bins, Task, bins_of, mean_delay, spread, tasks_of
from shoal.measure.ties import Ties, mean_of, overlap, ties


class OverTime(NamedTuple):
    """Numbers for every measure, and two tables: how far things spread bin by bin, and how many pairs meet in how many slices."""

    overall: dict[str, Any]
    spread: pl.DataFrame
    meetings: pl.DataFrame


def over_time(
    original: TemporalGraph, released: TemporalGraph, seed: int, jobs: int, tell: Callable[[float], None]
) -> OverTime:
    """Measure both; the same people and draws in both graphs."""
    old, new = run_jobs(ties, (original, released), jobs)
    bins = [bins_of(graph) for graph in (original, released)]
    reached = _spreads(bins, original.n_nodes, seed, jobs, tell, directed=original.directed)
    labels = next((one.labels for one in bins if one is not None), [])
    return OverTime(
        _of_ties(old, new) | _of_spreads(reached), _spread_table(labels, reached), _meetings_table(old, new)
    )


def sampled_in_words(n_nodes: int, *, followed: bool, communities: bool) -> str | None:
    """Where not everybody is looked at, the sentence that says so; `followed` where something spreads along time."""
    parts = [f"reach and outbreaks are measured from {FEWER:,} people"] * followed
    parts += [f"the agreement of communities is measured among {MOST:,} people"] * communities
    if n_nodes <= MOST or not parts:
        return None
    said = " and ".join(parts)
    return (
        f"{said[0].upper()}{said[1:]} drawn at random, the same in both graphs, because there are more than {MOST:,}."
    )


def _of_ties(old: Ties, new: Ties) -> dict[str, Any]:
    pairs = [int(one.meetings.sum()) for one in (old, new)]
    numbers = {"pairs": {**_both(*pairs), "agreement": agreement(*pairs) if any(pairs) else None}}
    for name, one, other in (("slices_per_pair", old.meetings, new.meetings), ("gaps", old.gaps, new.gaps)):
        numbers[name] = {**_both(mean_of(one), mean_of(other)), "agreement": overlap(one, other)}
    for name in ("burstiness_ties", "burstiness_people"):
        values = getattr(old, name), getattr(new, name)
        numbers[name] = {**_both(*values), "agreement": agreement(*values, signed=True)}
    return numbers


def _spreads(
    bins: list[Bins | None], n_nodes: int, seed: int, jobs: int, tell: Callable[[float], None], *, directed: bool
) -> list[dict[str, np.ndarray]]:
    """For each graph and kind how many are reached anew, bin by bin; nothing of a graph that nothing spreads in."""
    tasks = [
        (which, task) for which, one in enumerate(bins) if one is not None for task in tasks_of(one, n_nodes, seed)
    ]

    def run(item: tuple[int, Task]) -> np.ndarray:
        return spread(*item[1], n_nodes, directed=directed)

    found: list[dict[str, np.ndarray]] = [{}, {}]
    for (which, task), new in zip(tasks, run_jobs(run, tasks, jobs, tell), strict=True):
        found[which][task.kind] = found[which].get(task.kind, 0) + new
    return found


def _of_spreads(reached: list[dict[str, np.ndarray]]) -> dict[str, Any]:
    numbers = {}
    for kind in KINDS:
        values = [float(one[kind].sum() / one[kind][0]) if one else None for one in reached]
        numbers[kind] = {**_both(*values), "agreement": agreement(*values)}
        if kind == "reach":
            delays = [mean_delay(one[kind]) if one else None for one in reached]
            numbers["reach_delay"] = {**_both(*delays), "agreement": agreement(*delays)}
    return numbers


def _spread_table(labels: list[str], reached: list[dict[str, np.ndarray]]) -> pl.DataFrame:
    """A row per time bin: how many people are reached by its end, on average. No rows where nothing can spread."""
    columns: dict[str, pl.Series] = {"slice": pl.Series(labels, dtype=pl.String)}
    for kind in KINDS:
        for whose, one in zip(("original", "released"), reached, strict=True):
            values = (one[kind].cumsum()[1:] / one[kind][0]).tolist() if one else [None] * len(labels)
            columns[f"{kind}_{whose}"] = pl.Series(values, dtype=pl.Float64)
    return pl.DataFrame(columns)


def _meetings_table(old: Ties, new: Ties) -> pl.DataFrame:
    """How many pairs meet in 1, 2, … slices."""
    most = max(len(old.meetings), len(new.meetings))
    counts = [np.pad(one.meetings, (0, most - len(one.meetings)))[1:] for one in (old, new)]
    return pl.DataFrame(
        {"slices": np.arange(1, most), "pairs_original": counts[0], "pairs_released": counts[1]},
        schema={"slices": pl.Int64, "pairs_original": pl.Int64, "pairs_released": pl.Int64},
    )


def _both(original: float | None, released: float | None) -> dict[str, float | None]:
    return {"original": original, "released": released}
