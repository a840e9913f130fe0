"""The tables of a release: people, slices, edges and, where they were asked for, contacts; sorted by what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.common.edges import edge_keys
from shoal.engine import Tell
from shoal.errors import InputError
from shoal.read.text import first_line

if TYPE_CHECKING:
    from shoal.contacts.behind import EdgeContacts
    from shoal.release import Release


def write_tables(release: Release, names: pl.Series, folder: Path, format: str, tell: Tell) -> None:
    """All of them under the published names, in an order that tells nothing about the input's.

    Of a graph that lies in files every slice becomes a file, so that no more than one is held.
    """
    graph = release.graph
    slices = _slices(release)
    order = names.arg_sort().to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    public = names.gather(order).alias("node")
    if graph.run is not None:
        (folder / "edges").mkdir()
    parts: list[np.ndarray] = []
    for t in range(graph.n_slices):
        ends = place[graph.edges(t)]
        ends = ends if graph.directed else np.sort(ends, axis=1)
        parts.append(ends[np.argsort(edge_keys(ends))])
        if graph.run is not None:
            table = _edge_table(public, slices, parts.pop(), np.full(len(ends), t))
            write_parquet(table, folder / "edges" / f"{t + 1:05}.parquet", row_group_size=1_000_000)
        tell((t + 1) / graph.n_slices)
    columns = {} if release.traits is None else release.traits.columns
    traits = [pl.Series(name, values, pl.String).gather(order) for name, values in columns.items()]
    tables = {"nodes": pl.DataFrame([public, *traits]), "slices": slices}
    if graph.run is None:
        tables["edges"] = _edge_table(public, slices, np.concatenate(parts), graph.slice_codes())
    if graph.contacts is not None:
        behind = graph.renamed(names).contacts
        assert behind is not None
        tables["contacts"] = _contacts(tables["edges"], behind)
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


def _edge_table(names: pl.Series, slices: pl.DataFrame, ends: np.ndarray, codes: np.ndarray) -> pl.DataFrame:
    columns = {"source": names.gather(ends[:, 0]), "target": names.gather(ends[:, 1])}
    return pl.DataFrame(
        columns | {name: slices[name].gather(codes) for name in ("slice", "layer") if name in slices.columns}
    )


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
