"""The tables of a release: people, slices, edges and, where they were asked for, contacts; sorted by what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.read.text import first_line

if TYPE_CHECKING:
    from shoal.contacts.behind import EdgeContacts
    from shoal.graph import TemporalGraph
    from shoal.release import Release


def write_tables(release: Release, names: pl.Series, folder: Path, format: str) -> None:
    """All of them under the published names, in an order that tells nothing about the input's."""
    public = release.graph.renamed(names)
    slices = _slices(release)
    edges = _edges(public, slices)
    tables = {"nodes": public.nodes.alias("node").to_frame(), "slices": slices, "edges": edges}
    if public.contacts is not None:
        tables["contacts"] = _contacts(edges, public.contacts)
    for name, frame in tables.items():
        if format == "parquet":
            write_parquet(frame, folder / f"{name}.parquet")
        else:
            frame.write_csv(folder / f"{name}.csv", quote_style="non_numeric" if _has_returns(frame) else "necessary")


def _slices(release: Release) -> pl.DataFrame:
    """What a slice is called and made of, and from when until when it lasts where contacts have times."""
    graph = release.graph
    table = pl.DataFrame(
        {
            "slice": [s.label for s in graph.slices],
            "layer": [s.layer for s in graph.slices],
            "start": [s.start for s in graph.slices],
        },
        schema={"slice": pl.String, "layer": pl.String, "start": pl.String},
    )
    if release.promise.n_blocks > 1:
        table = table.with_columns(block=pl.Series(release.promise.blocks + 1))
    if graph.contacts is not None and graph.contacts.clock is not None:
        clock = graph.contacts.clock
        since, until = (clock.form.written(clock.spans[:, side], clock.timezone) for side in (0, 1))
        table = table.with_columns(since.alias("from"), until.alias("until"))
    return table.select(c for c in table.columns if c == "slice" or table[c].null_count() < len(table))


def _edges(public: TemporalGraph, slices: pl.DataFrame) -> pl.DataFrame:
    codes = public.slice_codes()
    ends = {side: public.nodes.gather(public._edges[:, i]) for i, side in enumerate(("source", "target"))}
    table = pl.DataFrame(ends | {"slice": slices["slice"].gather(codes)})
    return table.with_columns(layer=slices["layer"].gather(codes)) if "layer" in slices.columns else table


def _contacts(edges: pl.DataFrame, contacts: EdgeContacts) -> pl.DataFrame:
    """One row per contact and its time, or one per edge and how many contacts it has; in the order of the edges."""
    if contacts.times is None or contacts.clock is None:
        return edges.select("source", "target", "slice").with_columns(count=pl.Series(contacts.counts))
    rows = edges[np.repeat(np.arange(len(edges)), contacts.counts)]
    times = contacts.clock.form.written(contacts.times, contacts.clock.timezone)
    return rows.select("source", "target").with_columns(times, *([rows["layer"]] if "layer" in rows.columns else []))


def write_parquet(frame: pl.DataFrame, file: Path, **options: Any) -> None:
    """Write a table as Parquet, or one sentence."""
    try:
        frame.write_parquet(file, **options)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file}: cannot be written ({first_line(error)})") from None


def _has_returns(frame: pl.DataFrame) -> bool:
    """Whether a name holds a carriage return, around which some versions of polars put no quotes."""
    texts = frame.select(pl.col(pl.String).str.contains("\r", literal=True).any())
    return any(texts.row(0)) if texts.width else False
