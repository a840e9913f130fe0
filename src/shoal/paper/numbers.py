"""From results to tables: one row per point of a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.paper.plan import FEW_KS, THETAS, TIMED, Experiments
from shoal.paper.run import Results
from shoal.paper.sets import SETS
from shoal.paper.tasks import LP, METHODS

# Table 1 of the paper, in seconds for k = 2, 5, 10, on a server with 24 hardware threads.
PAPER_SECONDS = {
    "MIT": (0.227, 0.138, 0.131),
    "Enron months": (0.578, 0.358, 0.267),
    "Enron weeks": (0.927, 0.591, 0.400),
    "Enron days": (2.807, 1.851, 1.888),
    "Irvine": (21.28, 8.151, 4.155),
    "Yahoo 10^4": (3_524.0, 1_518.0, 632.2),
    "Yahoo 10^5": (80 * 3_600.0, 40 * 3_600.0, 20 * 3_600.0),
}


def _mean(values: list[float]) -> dict[str, float]:
    """Mean and standard error."""
    spread = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return {"mean": float(np.mean(values)), "error": float(spread)}


def costs(plan: Experiments, results: Results) -> pl.DataFrame:
    """Figures 3 and 4c: cost, rounds and seconds per set, method and k."""
    rows: list[dict[str, Any]] = []
    for name in plan.have(*SETS):
        for method in METHODS:
            for k in plan.plan.ks:
                found = [results[c] for c in plan.grouping(name, method, k) if c in results]
                if found:
                    cost = _mean([f["cost"] for f in found])
                    rows.append(
                        {
                            "set": name,
                            "method": method,
                            "k": k,
                            "cost": cost["mean"],
                            "error": cost["error"],
                            "rounds": float(np.mean([f["rounds"] for f in found])),
                            "best_round": float(np.mean([f["best_round"] for f in found])),
                            "seconds": float(np.mean([f["seconds"] for f in found])),
                            "active": sum(f["active"] for f in found),
                            "realizable": sum(f["realizable"] for f in found),
                        }
                    )
    kinds = {"set": pl.String, "method": pl.String, "k": pl.Int64}
    numbers = ("cost", "error", "rounds", "best_round", "seconds", "active", "realizable")
    return pl.DataFrame(rows, schema=kinds | dict.fromkeys(numbers, pl.Float64))


def increases(costs: pl.DataFrame) -> pl.DataFrame:
    """By how much the largest k costs more than k = 2, for Enron at three resolutions."""
    low, high = costs["k"].min(), costs["k"].max()
    picked = costs.filter(pl.col("set").str.starts_with("Enron"), pl.col("method") != LP)
    ends = picked.group_by("set", "method", maintain_order=True).agg(
        (
            pl.col("cost").filter(pl.col("k") == high).first() / pl.col("cost").filter(pl.col("k") == low).first() - 1
        ).alias("increase")
    )
    paper = {"Enron months": 0.50, "Enron weeks": 0.35, "Enron days": 0.25}
    return ends.with_columns(pl.col("set").replace_strict(paper, return_dtype=pl.Float64).alias("paper"))


def realizing(plan: Experiments, results: Results) -> pl.DataFrame:
    """Figure 4a: the two costs of every random sequence."""
    found = [results[c] for c in plan.realizing()]
    return pl.DataFrame(
        {"exact": [x for f in found for x in f["exact"]], "pivot": [x for f in found for x in f["pivot"]]},
        schema={"exact": pl.Float64, "pivot": pl.Float64},
    )


def correlations(plan: Experiments, results: Results) -> pl.DataFrame:
    """Figure 4b: cost over average temporal correlation."""
    rows = []
    for theta in THETAS:
        for method in ("greedy", "search"):
            for k in FEW_KS:
                found = results[plan.correlation(theta, method, k)]
                cost = _mean(found["costs"])
                point = {"theta": theta, "correlation": found["correlation"], "method": method, "k": k}
                rows.append(point | {"cost": cost["mean"], "error": cost["error"]})
    return pl.DataFrame(rows)


def similarities(plan: Experiments, results: Results) -> pl.DataFrame:
    """Figure 5: similarity and activity per slice; slices without contacts have no similarity."""
    parts = []
    for name, methods in plan.similarity_curves():
        for method in methods:
            for k in FEW_KS:
                found = results[plan.similarity(name, method, k)]
                parts.append(
                    pl.DataFrame(
                        {"edges": found["edges"], "similarity": found["similarity"]},
                        schema={"edges": pl.Int64, "similarity": pl.Float64},
                    ).select(
                        pl.lit(name).alias("set"),
                        pl.lit(method).alias("method"),
                        pl.lit(k).alias("k"),
                        pl.int_range(pl.len()).alias("slice"),
                        pl.all(),
                        pl.lit(found["kept_share"]).alias("kept_share"),
                    )
                )
    return pl.concat(parts)


def seconds(plan: Experiments, results: Results) -> list[dict[str, Any]]:
    """Table 1: per set and k the paper's seconds, and those measured here (or why there are none)."""
    rows = []
    yahoo = dict(zip(plan.messengers(), ("Yahoo 10^4", "Yahoo 10^5"), strict=True))
    for name in [*SETS, *plan.messengers()]:
        for i, k in enumerate(FEW_KS):
            row: dict[str, Any] = {"set": name, "k": k, "paper": PAPER_SECONDS[yahoo.get(name, name)][i]}
            row["paper_set"] = yahoo.get(name, name)
            for how in TIMED:
                row[how] = results.get(plan.seconds(name, how, k), {})
            rows.append(row)
    return rows
