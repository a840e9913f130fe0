"""Stage 0, read: a file of contacts becomes a TemporalGraph."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from shoal import build
from shoal.checks import a_path, a_text, yes_or_no
from shoal.errors import InputError, RowError
from shoal.graph import TemporalGraph
from shoal.read.dialects import DIALECTS, Layout, dialect_of
from shoal.read.people import read_people
from shoal.read.release import read_release
from shoal.read.sql import Query, ask, place
from shoal.read.text import named

__all__ = ["read"]


def read(
    path: str | os.PathLike[str],
    *,
    slice: str | None = None,
    slices: int | None = None,
    source: str | None = None,
    target: str | None = None,
    time: str | None = None,
    layer: str | None = None,
    dialect: str | None = None,
    nodes: str | os.PathLike[str] | None = None,
    timezone: str = "UTC",
    offset: str | None = None,
    time_format: str | None = None,
    time_unit: str = "s",
    directed: bool = False,
) -> TemporalGraph:
    """Read contacts from a file: CSV or TSV with header, Parquet, GraphML, GEXF or a named dialect, plain or compressed.

    Parameters
    ----------
    path
        The file, or a release folder, or a query of a database such as
        `sqlite:///contacts.db?query=SELECT source, target, time FROM calls` (duckdb too, where that is installed).
    slice, slices
        How time is cut: calendar bins ("1h", "1d", "1w", "1mo", "1y"), each distinct "value", or N equal parts.
    source, target, time, layer
        Names of columns; by default these very words. A column `layer` is used where you name it, or where no time is
        cut; otherwise the layers are merged.
    dialect
        csv, parquet, snap, konect, sociopatterns, multiplex, multinet, simplices, graphml or gexf; by default what the
        file's name says.
    nodes
        A file with more people, who may never appear in a contact: a column `node` or `id`, or one id a line.
    timezone, offset
        Whose calendar, and how much later its bins begin ("5h").
    time_format, time_unit
        For times that are neither Unix seconds nor ISO 8601: a strptime format, or ms, us, ns.
    directed
        Keep the direction of contacts.

    Examples
    --------
    >>> import pathlib, shoal, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "calls.csv"
    >>> _ = file.write_text("source,target,time\\nann,bob,2024-05-01\\nbob,cem,2024-05-03\\n")
    >>> shoal.read(file, slice="1d")
    TemporalGraph(3 nodes, 3 slices, 2 edges, undirected)
    """
    path = place(path)
    for name, value in (("source", source), ("target", target), ("time", time), ("layer", layer), ("dialect", dialect)):
        if value is not None:
            a_text(name, value)
    if nodes is not None:
        a_path("nodes", nodes)
    yes_or_no("directed", directed)
    if isinstance(path, Query):
        layout = ask(path)
    elif path.is_dir():
        return read_release(path)
    else:
        dialect = dialect or dialect_of(path)
        if dialect not in DIALECTS:
            raise InputError(f"unknown dialect '{dialect}'; known are {', '.join(DIALECTS)}")
        layout = DIALECTS[dialect](path)
    if directed and layout.directed is False:
        raise InputError(f"{path}: --directed was asked for, but edges in it have no direction")
    names = _choose_columns(path, layout, source, target, time, layer, cut=slice is not None or slices is not None)
    if layout.end is not None and names.get("time") == layout.time:
        names["end"] = layout.end
    frame = layout.table.frame.select(sorted({n for n in names.values() if n}))
    extra = read_people(Path(nodes)) if nodes is not None else None
    if layout.people is not None:
        extra = layout.people if extra is None else pl.concat([layout.people, extra.cast(pl.String)])
    where = layout.table.where
    del layout  # with every column that is not asked for
    frame, extra = build.whole_numbers(frame, [names["source"], names["target"]], extra)
    try:
        return TemporalGraph.from_edges(
            frame,
            **names,
            slice=slice,
            slices=slices,
            timezone=timezone,
            offset=offset,
            time_format=time_format,
            time_unit=time_unit,
            nodes=extra,
            directed=directed,
        )
    except RowError as error:
        raise InputError(f"{where(error.row)}, column '{error.column}': {error.problem}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _choose_columns(
    path: Path,
    layout: Layout,
    source: str | None,
    target: str | None,
    time: str | None,
    layer: str | None,
    *,
    cut: bool,
) -> dict[str, str]:
    """Which column means what: what the user named, else the dialect's own, else the usual words."""
    have = layout.table.frame.columns
    chosen = {
        "source": source or layout.source or "source",
        "target": target or layout.target or "target",
        "time": time or layout.time or ("time" if "time" in have else None),
        "layer": layer or layout.layer,
    }
    if not cut:
        if chosen["time"] and (time or not chosen["layer"]):
            raise InputError(
                f"{path}: there are times in it; say how to cut them with --slice (1h, 1d, 1w, 1mo, 1y, value) or --slices"
            )
        chosen["time"] = None
        if not chosen["layer"] and "layer" in have:
            chosen["layer"] = "layer"
    elif not chosen["time"]:
        raise InputError(f"{path}: a slice width was given but there is no column 'time'; name it with --time")
    found = {k: v for k, v in chosen.items() if v is not None}
    for role, name in found.items():
        if name not in have:
            line = "" if layout.source or isinstance(path, Query) else ", line 1"
            raise InputError(
                f"{path}{line}: no column '{name}'; the columns are {named(have)} (name the right one with --{role})"
            )
    return found
