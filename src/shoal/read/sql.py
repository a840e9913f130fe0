"""Contacts from a database: `sqlite:///contacts.db?query=SELECT source, target, time FROM calls`, and the same with duckdb.

The database is opened for reading only, must be there, and is asked one SELECT. What follows `?query=` is the query up to the
end; `%20` and the like are decoded in it, so a plain `%` is better written `%25`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import polars as pl

from shoal.common.checks import a_path
from shoal.errors import InputError
from shoal.interop.packages import package
from shoal.read.dialects import Layout
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import Table, first_line

_EXAMPLE = "sqlite:///contacts.db?query=SELECT source, target, time FROM contacts"
_BATCH = 50_000


class Query(type(Path())):  # type: ignore[misc]
    """The file of a database, with what to ask it. As a path it can be hashed and named like any input file."""

    engine, sql = "", ""

    @classmethod
    def parse(cls, text: str) -> Query | None:
        """The query in an address; None for anything that is not one, such as a path.

        >>> found = Query.parse("sqlite:///data/calls.db?query=SELECT%20*%20FROM calls")
        >>> found.as_posix(), found.engine, found.sql
        ('data/calls.db', 'sqlite', 'SELECT * FROM calls')
        """
        address = re.fullmatch(r"([a-z][a-z0-9+]*)://(?:/([^?]*)(?:\?query=(.*))?)?.*", text, re.DOTALL)
        if address is None:
            return None
        query = cls(unquote(address[2] or ""))
        query.engine, query.sql = address[1], unquote(address[3] or "").strip()
        return query


def place(path: str | os.PathLike[str]) -> Path:
    """Where contacts are: a path, or the query in an address."""
    query = Query.parse(path) if isinstance(path, str) else None
    return query or a_path("path", path)


def ask(query: Query) -> Layout:
    """The rows of the answer; every refusal is one sentence."""
    if query.engine not in _ENGINES:
        raise InputError(f"{query.engine}://: shoal reads databases of {' and '.join(_ENGINES)}, such as {_EXAMPLE}")
    if not query.sql:
        raise InputError(f"{query}: say what to read from it, such as {_EXAMPLE}")
    if query.is_dir():
        raise InputError(f"{query}: is a folder, not a database")
    if not query.is_file():
        raise InputError(f"{query}: no such file")
    frame = _ENGINES[query.engine](query)
    if not len(frame):
        raise InputError(f"{query}: the query gives no rows")
    return Layout(Table(frame, lambda row: f"{query}, row {row + 1} of the answer"))


def _sqlite(query: Query) -> pl.DataFrame:
    import sqlite3

    may = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    try:
        with closing(sqlite3.connect(f"file:{quote(str(query.absolute()))}?mode=ro", uri=True)) as database:
            database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in may else sqlite3.SQLITE_DENY)
            answer = database.execute(query.sql)
            if answer.description is None:
                raise InputError(f"{query}: the query must be a SELECT")
            return _frame(
                query, [column[0] for column in answer.description], iter(lambda: answer.fetchmany(_BATCH), [])
            )
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        if re.search("not authorized|authorization denied|prohibited|one statement", str(error)):
            raise InputError(f"{query}: the query may only read, with one SELECT") from None
        raise InputError(f"{query}: {first_line(error)}") from None


def _duckdb(query: Query) -> pl.DataFrame:
    duckdb = package("duckdb")
    try:
        shut = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}  # no other file, no network
        with closing(duckdb.connect(str(query.absolute()), read_only=True, config=shut)) as database:
            statements = database.extract_statements(query.sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise InputError(f"{query}: the query may only read, with one SELECT")
            answer = database.execute(statements[0])
            return _frame(
                query, [column[0] for column in answer.description], iter(lambda: answer.fetchmany(_BATCH), [])
            )
    except duckdb.Error as error:
        raise InputError(f"{query}: {first_line(error)}") from None


_ENGINES = {"sqlite": _sqlite, "duckdb": _duckdb}


def _frame(query: Query, names: list[str], batches: Iterator[list[tuple[Any, ...]]]) -> pl.DataFrame:
    """Batch by batch into columns, so that the rows are never all there as Python objects."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{query}: the column '{twice}' occurs twice in the answer")
    most, n_cells = most_unpacked(query.stat().st_size), 0
    parts: list[list[pl.Series]] = [[] for _ in names]
    for rows in batches:
        n_cells += len(rows) * len(names)
        if 8 * n_cells > most:
            raise too_much(query, most)
        for part, values in zip(parts, zip(*rows, strict=True), strict=True):
            part.append(_column(values))
    return pl.DataFrame([_joined(part).alias(name) for name, part in zip(names, parts, strict=True)])


def _column(values: tuple[Any, ...]) -> pl.Series:
    """SQLite has no types of columns: numbers where all are numbers, and text where kinds are mixed or strange."""
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float, Decimal} and kinds != {int}:
        return pl.Series([None if value is None else float(value) for value in values], dtype=pl.Float64)
    if len(kinds) > 1 or not kinds <= {int, bool, str, bytes, date, datetime}:
        return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)
    return pl.Series(values)


def _joined(parts: list[pl.Series]) -> pl.Series:
    """The batches of a column as one, of a kind that fits all."""
    kinds = {part.dtype for part in parts if part.dtype != pl.Null}
    kind = kinds.pop() if len(kinds) == 1 else pl.Float64() if all(k.is_numeric() for k in kinds) else pl.String()
    return pl.concat([part.cast(kind, strict=False) for part in parts]) if parts else pl.Series([], dtype=kind)
