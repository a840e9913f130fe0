"""Small files beside the contacts: lists of people, their levels of protection, pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.read.dialects import DIALECTS, dialect_of
from shoal.read.text import Table, delimited, load_text, named, refuse_empty


def read_people(path: Path) -> pl.Series:
    """A file of people: Parquet or CSV with a column `node` or `id`, or a plain list of one id a line."""
    table = _table(path)
    return _ids(path, table, "0" if table.frame.columns == ["0"] else None)


def read_levels(path: Path, column: str) -> dict[Any, int]:
    """The level of every person in a column of a file of people."""
    table = _table(path)
    people = _ids(path, table, None)
    if column not in table.frame.columns:
        raise InputError(f"{path}, line 1: no column '{column}'; the columns are {named(table.frame.columns)}")
    text = table.frame[column]
    levels = text.cast(pl.Int64, strict=False)
    bad = (levels.is_null() | (levels < 1)).fill_null(True)
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(f"{table.where(row)}, column '{column}': a level is a whole number from 1; got '{text[row]}'")
    if people.n_unique() < len(people):
        row = int(people.is_first_distinct().not_().arg_max() or 0)
        raise InputError(f"{table.where(row)}: '{people[row]}' has a level already")
    return dict(zip(people.to_list(), levels.to_list(), strict=True))


def read_columns(path: Path, columns: list[str]) -> tuple[pl.Series, dict[str, pl.Series]]:
    """The ids of a file of people, and these columns of it, as they are written."""
    table = _table(path)
    ids = _ids(path, table, None)
    for column in columns:
        if column not in table.frame.columns:
            raise InputError(f"{path}, line 1: no column '{column}'; the columns are {named(table.frame.columns)}")
    return ids, {column: table.frame[column] for column in columns}


def read_everything(path: Path) -> tuple[pl.Series, pl.DataFrame]:
    """The ids of a file of people, and all its other columns as they are written."""
    table = _table(path)
    ids = _ids(path, table, None)
    name = "node" if "node" in table.frame.columns else "id"
    return ids, table.frame.drop(name).cast(pl.String)


def read_pairs(path: Path) -> list[tuple[Any, ...]]:
    """Pairs of people (source, target), and the slice each is meant for where there is such a column."""
    table = _table(path)
    columns = [c for c in ("source", "target", "slice") if c in table.frame.columns]
    if columns[:2] != ["source", "target"]:
        raise InputError(
            f"{path}, line 1: no columns 'source' and 'target'; the columns are {named(table.frame.columns)}"
        )
    for column in columns[:2]:
        _refuse_gaps(table, table.frame[column])
    return table.frame.select(columns).rows()


def _table(path: Path) -> Table:
    """A table as text, its columns by their names; a single column without a known name is a list without header."""
    if dialect_of(path) == "parquet":
        return DIALECTS["parquet"](path).table
    data = load_text(path)
    first = [cell.strip(' "') for cell in data.lstrip().split(b"\n", 1)[0].decode().split(",")]
    plain = len(first) == 1 and first[0] not in ("node", "id")
    return refuse_empty(path, delimited(path, data, ",", header=not plain))


def _ids(path: Path, table: Table, name: str | None) -> pl.Series:
    name = name or next((c for c in ("node", "id") if c in table.frame.columns), None)
    if name is None:
        raise InputError(f"{path}, line 1: no column 'node' or 'id'")
    return _refuse_gaps(table, table.frame[name]).alias("node")


def _refuse_gaps(table: Table, column: pl.Series) -> pl.Series:
    if column.null_count():
        raise InputError(f"{table.where(int(column.is_null().arg_max() or 0))}: the id is missing")
    return column
