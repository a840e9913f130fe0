"""What compare gives back: a table of slices, numbers for the whole, both ready to print or to write as JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.interop.tables import Tabular
from shoal.measure.describe import MEASURES
from shoal.show import notebook

if TYPE_CHECKING:
    import altair


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular):
    """An original and its release, measured.

    `slices` has one row per slice: its label, the edges of both graphs, and every measure, as one column or as two that end in
    `_original` and `_released`. `overall` gives for every name in `MEASURES` a number, or a dict of original, released and
    agreement. What is undefined is null in the table and None here. `spread` has one row per time bin: how many people something
    that starts from one has reached by its end, for reach and every kind of outbreak. `meetings` says how many pairs meet in
    how many slices, and `sampled` in a sentence where samples stand for all of a large graph. It holds sums and means, no
    person and no edge.

    Examples
    --------
    >>> from shoal import TemporalGraph
    >>> from shoal.measure import compare
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2)]})
    >>> found = compare(graph, graph, communities=False)
    >>> found.overall["pagerank_similarity"], found.slices["edges_kept"].to_list()
    (1.0, [2, 1])
    >>> found
    Comparison(3 people, 2 slices, undirected)
                              original  released  agreement
    edges                            3         3      1.000
    ...
    """

    n_nodes: int
    directed: bool
    slices: pl.DataFrame
    overall: dict[str, Any]
    spread: pl.DataFrame = field(default_factory=pl.DataFrame)
    meetings: pl.DataFrame = field(default_factory=pl.DataFrame)
    sampled: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, text, lists and dicts; None for what is undefined, never NaN.

        >>> empty = Comparison(2, False, pl.DataFrame({"label": ["mon"], "hub_overlap": [float("nan")]}), {"edges_kept": 0})
        >>> found = empty.to_dict()
        >>> found["slices"], found["overall"], found["n_nodes"]
        ([{'label': 'mon', 'hub_overlap': None}], {'edges_kept': 0}, 2)
        """
        return {
            "n_nodes": self.n_nodes,
            "n_slices": len(self.slices),
            "directed": self.directed,
            "overall": _plain(self.overall),
            "slices": _plain(self.slices.to_dicts()),
            "spread": _plain(self.spread.to_dicts()),
            "meetings": _plain(self.meetings.to_dicts()),
            "sampled": self.sampled,
            "measures": {
                name: {"title": m.title, "description": m.description, "higher_is_better": m.higher_is_better}
                for name, m in MEASURES.items()
                if name in self.overall
            },
        }

    def without_pairs(self) -> Comparison:
        """The same without what became of single edges, which says nothing where contacts changed hands.

        >>> table = pl.DataFrame({"label": ["mon"], "edges_kept": [1]})
        >>> Comparison(2, False, table, {"edges_kept": 1, "hub_overlap": 0.5}).without_pairs().overall
        {'hub_overlap': 0.5}
        """
        single = ("edges_kept", "edges_added", "edges_removed", "edges_kept_share")
        overall = {name: value for name, value in self.overall.items() if name not in single}
        if "edges" in overall:
            overall["edges"] = overall["edges"] | {"agreement": None}
        return replace(self, slices=self.slices.drop(*single, strict=False), overall=overall)

    def to_polars(self) -> pl.DataFrame:
        """One row per slice: the table `slices`."""
        return self.slices

    def plot(self) -> altair.Chart:
        """A chart of how alike PageRank is, slice by slice."""
        from shoal.show.plots import similarity

        return similarity(self)

    def by(self, axis: str) -> pl.DataFrame:
        """Edges and mean PageRank similarity by layer, or by time bin, where slices are layers and bins together.

        >>> from shoal import TemporalGraph
        >>> from shoal.measure import compare
        >>> rows = {"u": [1, 1, 2], "v": [2, 3, 3], "t": [0, 1, 1], "l": ["calls", "calls", "mail"]}
        >>> graph = TemporalGraph.from_edges(rows, "u", "v", time="t", layer="l", slice="value")
        >>> compare(graph, graph, communities=False).by("layer").select("name", "edges_kept").rows()
        [('calls', 2), ('mail', 1)]
        """
        column = {"layer": "layer", "time": "start"}[axis]
        weight = (pl.col("edges_original") + pl.col("edges_released")).filter(
            pl.col("pagerank_similarity").is_not_null()
        )
        similar = (pl.col("pagerank_similarity").drop_nulls() * weight).sum() / weight.sum()
        return (
            self.slices.with_columns(pl.col("pagerank_similarity").fill_nan(None))
            .group_by(pl.col(column).alias("name"), maintain_order=True)
            .agg(pl.col("^edges_.*$").sum(), similar.fill_nan(None).alias("pagerank_similarity"))
        )

    def agreements(self) -> dict[str, float | None]:
        """How far the two graphs agree in every measure that says so: 1 where they are the same.

        >>> from shoal import TemporalGraph
        >>> from shoal.measure import compare
        >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2)]})
        >>> compare(graph, graph, communities=False).agreements()["reach"]
        1.0
        """
        return {
            name: value["agreement"] if isinstance(value, dict) else value
            for name, value in self.overall.items()
            if MEASURES[name].of == "agreement" and MEASURES[name].higher_is_better
        }

    def without(self, names: Collection[str]) -> Comparison:
        """The same, less some of the measures; `ABOUT_PAIRS` are those which ask whether particular edges are there.

        >>> from shoal import TemporalGraph
        >>> from shoal.measure import ABOUT_PAIRS, compare
        >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2)]})
        >>> found = compare(graph, graph, communities=False).without(ABOUT_PAIRS)
        >>> "edges_kept" in found.overall or "edges_kept" in found.slices.columns, found.overall["edges_per_slice"]["released"]
        (False, 1.5)
        """
        slices = self.slices.drop(names, strict=False)
        return replace(self, slices=slices, overall={k: v for k, v in self.overall.items() if k not in names})

    def lines(self) -> Iterable[Line]:
        """A line for every measure, as text."""
        return lines(self.overall)

    def _headline(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Comparison({self.n_nodes:,} people, {len(self.slices):,} slices, {kind})"

    def __repr__(self) -> str:
        table = [("", ["original", "released", "agreement"]), *((title, cells) for title, _, cells in self.lines())]
        wide = [max(len(cells[i]) for _, cells in table) for i in range(3)]
        first = max(len(title) for title, _ in table)
        printed = [
            f"{title:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, wide, strict=True))
            for title, cells in table
        ]
        return "\n".join([self._headline(), *printed, *([self.sampled] if self.sampled else [])])

    def _repr_html_(self) -> str:
        """Two tables for notebooks: the whole, and the slices folded away."""
        head = ["", "original", "released", "agreement", "what it says"]
        measures = [[title, *cells, text] for title, text, cells in self.lines()]
        rows = [
            [v if isinstance(v, str) else _text(v, isinstance(v, int)) for v in row] for row in self.slices.iter_rows()
        ]
        slices = notebook.folded("slices", notebook.table(self.slices.columns, rows))
        note = notebook.paragraph(self.sampled) if self.sampled else ""
        return notebook.paragraph(self._headline()) + notebook.table(head, measures) + note + slices


_PLACES = ("original", "released", "agreement")
Line = tuple[str, str, list[str]]


def lines(overall: dict[str, Any]) -> Iterable[Line]:
    """Title, description and the three cells of every measure: original, released, agreement. A lone number has its place.

    >>> [cells for _, _, cells in lines({"pairs": {"original": 880, "released": 1430, "agreement": 0.6154}})]
    [['880', '1,430', '0.615']]
    """
    for name, value in overall.items():
        measure = MEASURES[name]
        if isinstance(value, dict):
            cells = [
                _text(value["original"], measure.is_count),
                _text(value["released"], measure.is_count),
                _text(value["agreement"], False),
            ]
        else:
            cells = [_text(value, measure.is_count) if measure.of == place else "" for place in _PLACES]
        yield measure.title, measure.description, cells


def _text(value: float | None, is_count: bool) -> str:
    """A count as a whole number (as one decimal where it is a mean), everything else with three decimals."""
    if value is None or math.isnan(value):
        return "–"
    if not is_count:
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
