"""Tables of edges: polars, pandas, pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.interop.packages import package

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from shoal.graph import TemporalGraph


class Tabular:
    """Something that is a table in polars, so in pandas too."""

    def to_polars(self) -> pl.DataFrame:
        """The table."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of `to_polars` as a pandas frame."""
        return as_pandas(self.to_polars())


def to_polars(graph: TemporalGraph) -> pl.DataFrame:
    """One row per edge: source, target, slice, and layer where there are layers."""
    codes, ends = graph.slice_codes(), graph._edges
    columns = {
        "source": graph.nodes.gather(ends[:, 0]),
        "target": graph.nodes.gather(ends[:, 1]),
        "slice": pl.Series([part.label for part in graph.slices], dtype=pl.String).gather(codes),
    }
    if graph.has_layers:
        columns["layer"] = pl.Series([part.layer for part in graph.slices], dtype=pl.String).gather(codes)
    return pl.DataFrame(columns)


def to_pandas(graph: TemporalGraph) -> pandas.DataFrame:
    """The rows of `to_polars`."""
    return as_pandas(to_polars(graph))


def as_pandas(frame: pl.DataFrame) -> pandas.DataFrame:
    """Column by column, which needs no pyarrow."""
    pd = package("pandas")
    return pd.DataFrame({name: column.to_list() for name, column in frame.to_dict().items()})


def to_arrow(graph: TemporalGraph) -> pyarrow.Table:
    """Without copying, where Arrow allows it."""
    package("pyarrow")
    return to_polars(graph).to_arrow()
