"""The tables of a release: people, slices, edges and, where they were asked for, contacts; sorted by what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.common.edges import edge_keys
from shoal.contacts.behind import EdgeContacts, reordered
from shoal.engine import Tell
from shoal.errors import InputError
from shoal.read.text import first_line

if TYPE_CHECKING:
    from shoal.release import Release


def write_tables(release: Release, names: pl.Series, folder: Path, format: str, tell: Tell) -> None:
    """All of them under the published names, in an order that tells nothing about the input's.

    Slice after slice, so that no more than one is held: one file of text, or, of a graph that lies in files, a file for each.
    """
    graph, behind = release.graph, release.graph.contacts
    slices = _slices(release)
    by_name = names.arg_sort().to_numpy()
    place = np.empty(len(by_name), np.int32)
    place[by_name] = np.arange(len(by_name), dtype=np.int32)
    public = names.gather(by_name).alias("node")
    quoted = _has_returns(public.to_frame()) or _has_returns(slices)
    parts: dict[str, list[pl.DataFrame]] = {}
    for t in range(graph.n_slices):
        ends = place[graph.edges(t)]
        ends = ends if graph.directed else np.sort(ends, axis=1)
        order = np.argsort(edge_keys(ends))
        edges = _edge_table(public, slices, ends[order], t)
        here = {"edges": edges} | ({} if behind is None else {"contacts": _contacts(edges, behind, t, order)})
        for name, table in here.items():
            if graph.run is not None:
                (folder / name).mkdir(exist_ok=True)
                write_parquet(table, folder / name / f"{t + 1:05}.parquet", row_group_size=1_000_000)
            elif format == "csv":
                _write_csv(table, folder / f"{name}.csv", quoted=quoted, first=t == 0)
            else:
                parts.setdefault(name, []).append(table)
        tell((t + 1) / graph.n_slices)
    columns = {} if release.traits is None else release.traits.columns
    traits = [pl.Series(name, values, pl.String).gather(by_name) for name, values in columns.items()]
    tables = {"nodes": pl.DataFrame([public, *traits]), "slices": slices}
    tables |= {name: pl.concat(of) for name, of in parts.items()}
    for name, frame in tables.items():
        if format == "parquet":
            write_parquet(frame, folder / f"{name}.parquet")
        else:
            _write_csv(frame, folder / f"{name}.csv", quoted=_has_returns(frame))


def _write_csv(frame: pl.DataFrame, file: Path, *, quoted: bool, first: bool = True) -> None:
    """A table of text, or, where it is not the first part of it, more rows of one."""
    with file.open("wb" if first else "ab") as stream:
        frame.write_csv(stream, include_header=first, quote_style="non_numeric" if quoted else "necessary")


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


def _edge_table(names: pl.Series, slices: pl.DataFrame, ends: np.ndarray, t: int) -> pl.DataFrame:
    columns = {"source": names.gather(ends[:, 0]), "target": names.gather(ends[:, 1])}
    where = [name for name in ("slice", "layer") if name in slices.columns]
    return pl.DataFrame(columns | {name: slices[name].gather(np.full(len(ends), t)) for name in where})


def _contacts(edges: pl.DataFrame, behind: EdgeContacts, t: int, order: np.ndarray) -> pl.DataFrame:
    """Of slice t one row per contact and its time, or one per edge and how many contacts it has; in the order of the edges."""
    counts, moments = reordered(*behind.behind[t].loaded(), order)
    if moments is None or behind.clock is None:
        return edges.select("source", "target", "slice").with_columns(count=pl.Series(counts))
    rows, times = edges[np.repeat(np.arange(len(edges)), counts)], behind.clock.written(moments)
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
