"""What the paper's text says, beside what was measured, with a verdict that follows from the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from shoal.paper.tasks import LP

HOLDS, PARTLY, FAILS, UNKNOWN = "holds", "holds in part", "does not hold", "not measured"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what was found, and whether it holds."""

    says: str
    measured: str
    verdict: str


@dataclass(frozen=True)
class Numbers:
    """The tables that claims are read from."""

    costs: pl.DataFrame
    increases: pl.DataFrame
    sequences: pl.DataFrame
    correlations: pl.DataFrame
    similarities: pl.DataFrame
    seconds: list[dict[str, Any]]
    irvine: dict[str, Any] | None


def check(numbers: Numbers) -> list[Claim]:
    """All claims in the order of the paper's text."""
    return [
        _irvine_size(numbers.irvine),
        _cost_rises(numbers.costs),
        _greedy_at_two(numbers.costs),
        _greedy_at_larger(numbers.costs),
        _rounds_at_two(numbers.costs),
        _greedy_rounds_fall(numbers.costs),
        _greedy_is_faster(numbers.costs),
        _pivot_is_close(numbers.sequences),
        _realizable(numbers.costs),
        _correlation(numbers.correlations),
        _resolution(numbers.increases),
        _low_k_is_similar(numbers.similarities),
        _busy_is_similar(numbers.similarities),
        _sublinear(numbers.seconds),
        _larger_k_is_faster(numbers.seconds),
    ]


def _verdict(hits: list[bool]) -> str:
    if not hits:
        return UNKNOWN
    return HOLDS if all(hits) else PARTLY if any(hits) else FAILS


def _irvine_size(facts: dict[str, Any] | None) -> Claim:
    says = "The Irvine data consist of 20,296 interactions over a period of 51 days."
    if facts is None:
        return Claim(says, "the set is missing", UNKNOWN)
    pairs, days, busiest = facts["sender_receiver_pairs"], facts["days"], facts["busiest_51_days"]
    measured = (
        f"The public data span {days} days. No 51 days in a row have that many contacts per day: the busiest hold "
        f"{busiest:,}. The number is that of the distinct (sender, receiver) pairs over the whole time: {pairs:,}."
    )
    return Claim(says, measured, HOLDS if busiest >= 20_296 and days == 51 else FAILS)


def _table(costs: pl.DataFrame, method: str, value: str = "cost") -> dict[str, dict[int, float]]:
    """set -> k -> value of one method."""
    found: dict[str, dict[int, float]] = {}
    for name, k, number in costs.filter(pl.col("method") == method).select("set", "k", value).iter_rows():
        found.setdefault(name, {})[k] = number
    return found


def _cost_rises(costs: pl.DataFrame) -> Claim:
    says = "The cost rises with k, with a slight drop for some k."
    hits, drops = [], []
    for method in ("greedy", LP, "search"):
        for name, by_k in _table(costs, method).items():
            ks = sorted(by_k)
            hits += [by_k[ks[-1]] > by_k[ks[0]]] if len(ks) > 1 else []
            drops += [f"{name}, {method}, k = {b}" for a, b in pairwise(ks) if by_k[b] < by_k[a]]
    measured = f"It is higher at the largest k than at the smallest in {sum(hits)} of {len(hits)} curves. "
    return Claim(says, measured + (f"Drops: {'; '.join(drops)}." if drops else "No drop anywhere."), _verdict(hits))


def _ratios(costs: pl.DataFrame) -> list[tuple[str, int, float]]:
    """(set, k, cost of greedy / cost of LP)."""
    greedy, lp = _table(costs, "greedy"), _table(costs, LP)
    return [
        (name, k, greedy[name][k] / cost) for name in lp for k, cost in lp[name].items() if k in greedy.get(name, {})
    ]


def _greedy_at_two(costs: pl.DataFrame) -> Claim:
    found = [(name, ratio) for name, k, ratio in _ratios(costs) if k == 2]
    measured = "Greedy / LP: " + (", ".join(f"{name} {ratio:.3f}" for name, ratio in found) or "nothing measured") + "."
    return Claim("At k = 2 greedy consistently beats the LP.", measured, _verdict([ratio < 1 for _, ratio in found]))


def _greedy_at_larger(costs: pl.DataFrame) -> Claim:
    found = [(name, k, ratio) for name, k, ratio in _ratios(costs) if k >= 5]
    parts = []
    for name in dict.fromkeys(name for name, _, _ in found):
        mine = [ratio for other, _, ratio in found if other == name]
        parts.append(f"{name} {min(mine):.2f}–{max(mine):.2f}" if len(mine) > 1 else f"{name} {mine[0]:.2f}")
    measured = f"Greedy / LP from k = 5 on: {', '.join(parts) or 'nothing measured'}."
    return Claim(
        "As k grows greedy does consistently worse than the LP.", measured, _verdict([r > 1 for *_, r in found])
    )


def _rounds_at_two(costs: pl.DataFrame) -> Claim:
    greedy, lp = _table(costs, "greedy", "rounds"), _table(costs, LP, "rounds")
    better = {name: ratio < 1 for name, k, ratio in _ratios(costs) if k == 2}
    found = [(name, lp[name][2], greedy[name][2]) for name in better]
    measured = "; ".join(
        f"{name}: LP {a:.1f} rounds, greedy {b:.1f} to a {'better' if better[name] else 'worse'} one"
        for name, a, b in found
    )
    says = "At k = 2 the LP converges quickly, greedy more slowly to a better minimum."
    return Claim(
        says, (measured or "nothing measured") + ".", _verdict([a < b and better[name] for name, a, b in found])
    )


def _greedy_rounds_fall(costs: pl.DataFrame) -> Claim:
    until_stop, until_best = _table(costs, "greedy", "rounds"), _table(costs, "greedy", "best_round")
    hits, parts = [], []
    for name, by_k in until_stop.items():
        low, high = min(by_k), max(by_k)
        hits.append(by_k[high] < by_k[low])
        best = until_best[name]
        parts.append(
            f"{name}: {by_k[low]:.1f} rounds at k = {low}, {by_k[high]:.1f} at k = {high} "
            f"(its best came in round {best[low]:.1f} and {best[high]:.1f})"
        )
    says = "As k grows greedy converges in fewer iterations."
    note = ". A random order seldom repeats an assignment, so greedy mostly runs to its cap of 50 rounds."
    return Claim(says, "; ".join(parts) + note, _verdict(hits))


def _greedy_is_faster(costs: pl.DataFrame) -> Claim:
    greedy, lp = _table(costs, "greedy", "seconds"), _table(costs, LP, "seconds")
    g_rounds, l_rounds = _table(costs, "greedy", "rounds"), _table(costs, LP, "rounds")
    hits, parts = [], []
    for name in lp:
        ratios = [(lp[name][k] / l_rounds[name][k]) / (greedy[name][k] / g_rounds[name][k]) for k in lp[name]]
        hits.append(min(ratios) > 1)
        parts.append(f"{name}: one LP takes {min(ratios):.1f}–{max(ratios):.1f} times as long as one greedy assignment")
    says = "A single run of greedy is considerably faster than one of the LP."
    return Claim(says, ("; ".join(parts) or "nothing measured") + " (a min-cost flow, not GLPK).", _verdict(hits))


def _pivot_is_close(sequences: pl.DataFrame) -> Claim:
    exact, pivot = sequences["exact"].to_numpy(), sequences["pivot"].to_numpy()
    equal, above = float((pivot <= exact + 1e-12).mean()), float(pivot.mean() / exact.mean() - 1)
    measured = (
        f"Of {len(exact):,} random sequences {equal:.0%} get the optimal cost; the mean cost is {above:.0%} above it."
    )
    return Claim("EnforceRealizability comes close to the NP-hard program.", measured, _verdict([above < 0.25]))


def _realizable(costs: pl.DataFrame) -> Claim:
    says = "Anonymized sequences of real data are almost always realizable, apart from parity."
    greedy = costs.filter(pl.col("method") == "greedy").group_by("set", maintain_order=True)
    shares = {name: r / a for name, r, a in greedy.agg(pl.col("realizable").sum(), pl.col("active").sum()).iter_rows()}
    measured = "Slices with contacts, greedy, all k: " + ", ".join(f"{n} {s:.1%}" for n, s in shares.items()) + "."
    return Claim(says, measured, _verdict([share > 0.95 for share in shares.values()]))


def _correlation(points: pl.DataFrame) -> Claim:
    says = "The cost drops when slices are strongly correlated, and also when they are strongly anti-correlated."
    hits, parts = [], []
    for (k,), frame in points.filter(pl.col("method") == "greedy").group_by("k", maintain_order=True):
        cost = frame.sort("correlation")["cost"].to_numpy()
        middle = cost[len(cost) // 2]
        hits += [bool(cost[-1] < middle / 2), bool(cost[0] < middle / 2)]
        parts.append(f"k = {k}: {cost[0] / middle:.2f} (anti-correlated) and {cost[-1] / middle:.2f} (correlated)")
    return Claim(says, "Cost relative to uncorrelated slices, " + "; ".join(parts) + ".", _verdict(hits))


def _resolution(increases: pl.DataFrame) -> Claim:
    says = "From k = 2 to k = 10 the cost of Enron rises by about 50 % (months), 35 % (weeks), 25 % (days)."
    greedy = increases.filter(pl.col("method") == "greedy")
    found = dict(greedy.select("set", "increase").iter_rows())
    if len(found) < 3:
        return Claim(says, "the set is missing", UNKNOWN)
    values = [found[f"Enron {unit}"] for unit in ("months", "weeks", "days")]
    measured = f"Greedy: {values[0]:.0%}, {values[1]:.0%}, {values[2]:.0%}."
    hits = [abs(v - p) <= 0.1 for v, p in zip(values, (0.5, 0.35, 0.25), strict=True)]
    if values[0] > values[1] > values[2]:
        return Claim(says, measured + " The order is the paper's.", HOLDS if all(hits) else PARTLY)
    return Claim(says, measured, FAILS)


def _low_k_is_similar(curves: pl.DataFrame) -> Claim:
    says = "At low k PageRank is well approximated; it deviates as k grows."
    hits, parts = [], []
    for (name, method), frame in curves.group_by("set", "method", maintain_order=True):
        mean = dict(frame.drop_nulls().group_by("k", maintain_order=True).agg(pl.col("similarity").mean()).iter_rows())
        values = [mean[k] for k in sorted(mean)]
        hits.append(values == sorted(values, reverse=True))
        parts.append(f"{name}, {method}: {' / '.join(f'{v:.2f}' for v in values)}")
    return Claim(says, "Mean similarity at k = 2 / 5 / 10, " + "; ".join(parts) + ".", _verdict(hits))


def _busy_is_similar(curves: pl.DataFrame) -> Claim:
    says = "Similarity is higher in the slices where most interactions are."
    hits, parts = [], []
    for (name, method), frame in curves.group_by("set", "method", maintain_order=True):
        found = []
        for _, one in frame.drop_nulls().group_by("k", maintain_order=True):
            constant = one["edges"].n_unique() < 2 or one["similarity"].n_unique() < 2
            found.append(0.0 if constant else float(spearmanr(one["edges"], one["similarity"]).statistic))
        hits.append(float(np.mean(found)) > 0.2)
        parts.append(f"{name}, {method}: {' / '.join(f'{v:+.2f}' for v in found)}")
    measured = "Rank correlation of a slice's contacts with its similarity at k = 2 / 5 / 10, "
    return Claim(says, measured + "; ".join(parts) + ".", _verdict(hits))


def _time(rows: list[dict[str, Any]], name: str, method: str) -> list[float]:
    found = [row[method].get("seconds") for row in rows if row["set"] == name]
    return [float(np.mean(times)) for times in found if times]


def _sublinear(rows: list[dict[str, Any]]) -> Claim:
    says = "Run time grows less than linearly with the slices: Enron by day has 30 times the slices of Enron by month."
    hits, parts = [], []
    for method in ("greedy", "search"):
        months, days = _time(rows, "Enron months", method), _time(rows, "Enron days", method)
        ratios = [d / m for d, m in zip(days, months, strict=True)]
        hits += [ratio < 30 for ratio in ratios]
        if ratios:
            parts.append(f"{method} takes {' / '.join(f'{r:.1f}' for r in ratios)} times as long at k = 2 / 5 / 10")
    return Claim(says, ("; ".join(parts) or "the set is missing") + ".", _verdict(hits))


def _larger_k_is_faster(rows: list[dict[str, Any]]) -> Claim:
    says = "Run time falls as k grows (Table 1)."
    hits, parts = [], []
    for name in dict.fromkeys(row["set"] for row in rows):
        times = _time(rows, name, "greedy")
        if len(times) == 3:
            hits.append(times[2] < times[0])
            parts.append(f"{name} {times[2] / times[0]:.2f}")
    return Claim(
        says, f"Greedy, seconds at k = 10 over k = 2: {', '.join(parts) or 'nothing measured'}.", _verdict(hits)
    )
