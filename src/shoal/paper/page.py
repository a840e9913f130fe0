"""One page with everything: the checklist, the figures, the table of seconds. As HTML, and as Markdown for the docs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import shoal
from shoal.common.progress import usable_cores
from shoal.paper import charts
from shoal.paper.claims import Claim, Numbers
from shoal.paper.plan import FEW_KS, TIMED, Experiments
from shoal.paper.sets import SETS
from shoal.report.charts import to_png, to_svg
from shoal.report.page import environment


@dataclass(frozen=True)
class Figure:
    """A picture with its words, and the numbers below it."""

    name: str
    title: str
    text: str
    chart: alt.TopLevelMixin
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Table:
    """Numbers without a picture."""

    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def write_page(plan: Experiments, numbers: Numbers, claims: list[Claim], folder: Path) -> None:
    """Write index.html, index.md, results.json and the figures as SVG and PNG."""
    figures, table = _figures(plan, numbers), _seconds_table(numbers.seconds)
    (folder / "figures").mkdir(exist_ok=True)
    drawn = {}
    for figure in figures:
        drawn[figure.name] = to_svg(figure.chart)
        (folder / "figures" / f"{figure.name}.svg").write_text(drawn[figure.name], encoding="utf-8")
        (folder / "figures" / f"{figure.name}.png").write_bytes(to_png(figure.chart))
    content = {"version": shoal.__version__, "claims": claims, "table": table, "notes": _notes(plan)}
    content["made_with"] = f"Made by `shoal paper` on {usable_cores()} cores, {plan.plan.repetitions} repetitions."
    shown = [vars(figure) | {"svg": Markup(drawn[figure.name])} for figure in figures]  # noqa: S704 - drawn by us
    pages = environment()
    pages.loader = ChoiceLoader([PackageLoader("shoal.paper", "."), PackageLoader("shoal.report", ".")])
    (folder / "index.html").write_text(
        pages.get_template("page.html").render(figures=shown, **content), encoding="utf-8"
    )
    plain = Environment(  # noqa: S701 - Markdown, and every word in it is ours
        loader=PackageLoader("shoal.paper", "."), undefined=StrictUndefined, trim_blocks=True
    )
    (folder / "index.md").write_text(plain.get_template("page.md").render(figures=shown, **content), encoding="utf-8")
    (folder / "results.json").write_text(json.dumps(_as_json(numbers, claims), indent=1) + "\n", encoding="utf-8")


def _notes(plan: Experiments) -> list[str]:
    missing = [f"{name} ({SETS[name].source})" for name in plan.missing]
    notes = [f"Not at hand, and so not measured: {'; '.join(missing)}."] if missing else []
    notes.append(
        "The paper's Yahoo graphs were never public; a synthetic messenger of as many people stands in their place. "
        "Irvine is cut into 29 weeks, which is nearest to the paper's number of contacts; Enron's list of 151 people is ours."
    )
    return notes


def _as_json(numbers: Numbers, claims: list[Claim]) -> dict[str, Any]:
    frames = {name: value.to_dicts() for name, value in vars(numbers).items() if isinstance(value, pl.DataFrame)}
    rest = {"seconds": numbers.seconds, "irvine": numbers.irvine, "claims": [asdict(claim) for claim in claims]}
    return frames | rest


def _figures(plan: Experiments, numbers: Numbers) -> list[Figure]:
    costs, n = numbers.costs, plan.plan.repetitions
    grouped = plan.have("MIT", "Enron months", "Irvine")
    figures = []
    if grouped:
        figures.append(
            Figure(
                "figure3",
                "Figure 3: cost and rounds over k",
                f"Average normalised cost Σ|d − d̃| / (T n (n − 1)) of {n} repetitions, bars are standard errors; below, the rounds "
                "of the two methods of the paper until they stop (at most 50) and until their best. The table: cost of the search "
                "over that of the better of the two.",
                charts.figure3(costs, grouped),
                *_search_gain(costs, grouped),
            )
        )
    figures.append(
        Figure(
            "figure4a",
            "Figure 4a: making sequences realizable",
            f"Cost of {len(numbers.sequences):,} random k-anonymous sequences over 10 nodes that no graph has, repaired by the "
            "integer program of Eq. 4 and by EnforceRealizability.",
            charts.figure4a(numbers.sequences),
        )
    )
    figures.append(
        Figure(
            "figure4b",
            "Figure 4b: cost over temporal correlation",
            "Eleven synthetic graphs of 100 people and 10 slices. Half of all pairs are there in any slice, and a pair changes "
            "with probability θ = 0, 0.1, …, 1 from one slice to the next; 0.5 on the axis are independent slices.",
            charts.figure4b(numbers.correlations),
        )
    )
    if plan.have("Enron months"):
        shown = numbers.increases.iter_rows(named=True)
        figures.append(
            Figure(
                "figure4c",
                "Figure 4c: cost over k at three resolutions",
                f"Enron by month, week and day, mean of {n} repetitions. The table: how much more the largest k costs than k = 2.",
                charts.figure4c(costs),
                ("set", "method", "measured", "the paper (greedy)"),
                tuple((r["set"], r["method"], f"{r['increase']:.0%}", f"about {r['paper']:.0%}") for r in shown),
            )
        )
    figures.append(
        Figure(
            "figure5",
            "Figure 5: PageRank over time",
            "Cosine similarity of the PageRank vectors of each slice before and after; shaded, the contacts in the slice "
            "(relative to the busiest). The table: mean over slices, and share of edges kept.",
            charts.figure5(numbers.similarities),
            *_similarity_table(numbers.similarities),
        )
    )
    return figures


def _search_gain(costs: pl.DataFrame, sets: list[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    ks = sorted(set(costs["k"]))
    rows = []
    for name in sets:
        cells = []
        for k in ks:
            here = dict(costs.filter(pl.col("set") == name, pl.col("k") == k).select("method", "cost").iter_rows())
            paper = min(cost for method, cost in here.items() if method != "search")
            cells.append(f"{here['search'] / paper:.2f}")
        rows.append((name, *cells))
    return ("k", *(str(k) for k in ks)), tuple(rows)


def _similarity_table(curves: pl.DataFrame) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    for (name, method), frame in curves.group_by("set", "method", maintain_order=True):
        by_k = frame.group_by("k", maintain_order=True).agg(pl.col("similarity").mean(), pl.col("kept_share").first())
        cells = [f"{similar:.3f}, {kept:.0%} kept" for _, similar, kept in by_k.iter_rows()]
        rows.append((f"{name}, {method}", *cells))
    return ("mean similarity", *(f"k = {k}" for k in FEW_KS)), tuple(rows)


def _seconds_table(rows: list[dict[str, Any]]) -> Table:
    text = (
        "Seconds for a whole anonymization in memory (compiled kernels, all cores), mean ± standard error where it was run more "
        "than once; greedy with one random start. The paper's machine had 24 hardware threads."
    )
    table = []
    for row in rows:
        measured = [_entry(row[how]) for how in TIMED]
        paper = _short(row["paper"]) if row["paper"] < 3_600 * 10 else f"≈ {row['paper'] / 3_600:.0f} hours"
        name = row["set"] if row["set"] == row["paper_set"] else f"{row['set']} for {row['paper_set']}"
        faster = ""
        if row["search"].get("seconds"):
            faster = f"{_short(row['paper'] / np.mean(row['search']['seconds']), 2)} ×"
        table.append((f"{name}, k = {row['k']}", paper, *measured, faster))
    header = ("set", "the paper, greedy", *(f"{how} here" for how in TIMED), "search against the paper")
    return Table("Table 1: run time in seconds", text, header, tuple(table))


def _entry(found: dict[str, Any]) -> str:
    if "stopped" in found:
        return f"stopped after {found['stopped']:,.0f}"
    if "refused" in found:
        return "does not fit (all node-to-group distances)"
    if not found:
        return "set missing"
    times = found["seconds"]
    spread = f" ± {np.std(times, ddof=1) / np.sqrt(len(times)):.2g}" if len(times) > 1 else ""
    return f"{_short(np.mean(times))}{spread}"


def _short(value: float, digits: int = 3) -> str:
    """A number with few digits, and never as a power of ten.

    >>> _short(0.2271), _short(3519.7), _short(21320.6, 2)
    ('0.227', '3,520', '21,000')
    """
    return f"{float(f'{value:.{digits}g}'):,.10g}"
