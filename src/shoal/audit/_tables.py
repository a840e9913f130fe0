"""Tables of a release as text, for verify: in the one form that shoal writes, some rows after the other.

Like `_released`, it shares no code with what wrote the files.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

_ROWS_PER_BYTE = 100  # no release packs more into a byte of Parquet
_TIMES = ("time", "from", "until")
_NUMBERED = ("node", "source", "target", "block", "count", *_TIMES)
BROKEN = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
_PIECE_BYTES, _PIECE_ROWS = 1 << 25, 1 << 21  # of a table that are looked at together; no line is longer
_QUOTED, _BARE = rb'"(?:[^"]|"")*+"', rb'[^",\r\n]'


class Unreadable(Exception):
    """A released table is missing or broken: the release does not hold."""


def read_table(folder: Path, name: str, columns: list[str], *optional: str) -> pl.DataFrame:
    """Exactly these columns, and those of the optional ones that are there, as text."""
    return pl.concat(read_pieces(folder, name, columns, *optional))


def read_pieces(folder: Path, name: str, columns: list[str], *optional: str) -> Iterator[pl.DataFrame]:
    """The same, some rows after the other, so that the text of a large table never lies in memory as a whole."""
    try:
        pieces: Iterator[pl.DataFrame]
        if (folder / f"{name}.parquet").is_file():
            rows = scan_rows(folder / f"{name}.parquet", columns, *optional).cast(pl.String)
            count = rows.select(pl.len()).collect().item()
            pieces = (rows.slice(i, _PIECE_ROWS).collect() for i in range(0, max(count, 1), _PIECE_ROWS))
        else:
            pieces = _read_csv(folder / f"{name}.csv", columns, optional)
        for table in pieces:
            for column in columns:
                if table[column].null_count():
                    raise Unreadable(f"column '{column}' has empty cells")
            yield table
    except BROKEN as error:
        raise Unreadable(f"{name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None


def scan_rows(file: Path, columns: list[str], *optional: str) -> pl.LazyFrame:
    """A Parquet file of a credible length with exactly these columns, not read yet; only people and blocks may be numbers."""
    lazy = pl.scan_parquet(file, glob=False)
    if lazy.select(pl.len()).collect().item() > _ROWS_PER_BYTE * file.stat().st_size:
        raise Unreadable(f"{file.name} unpacks to too many rows for a release")
    have = lazy.collect_schema()
    _check_columns(file.name, list(have), columns, optional)
    for column, kind in have.items():
        fits = (kind.is_integer() and column in _NUMBERED) or (kind.is_float() and column in _TIMES)
        if kind != pl.String and not fits:
            raise Unreadable(f"column '{column}' of {file.name} holds {kind}")
    if more := sorted(pl.read_parquet_metadata(file).keys() - {"ARROW:schema"}):
        raise Unreadable(f"{file.name} carries more than its table: {ascii(more[0])[:40]}")
    return lazy


def _check_columns(name: str, have: list[str], columns: list[str], optional: tuple[str, ...]) -> None:
    wanted = columns + [column for column in optional if column in have]
    if missing := [column for column in columns if column not in have]:
        raise Unreadable(f"{name}: there is no column '{missing[0]}'")
    if have != wanted:
        raise Unreadable(f"{name}: the columns are {ascii(have)[:80]}, not {', '.join(wanted)}")


def _read_csv(file: Path, columns: list[str], optional: tuple[str, ...]) -> Iterator[pl.DataFrame]:
    """A table in the one form that shoal writes: any other reader finds the same cells in it, and nothing beside them.

    There is one way to read a line, from left to right, so where a piece ends changes nothing.
    """
    with file.open("rb") as stream:
        data = stream.read(_PIECE_BYTES)
        have = pl.read_csv(data, infer_schema=False, n_rows=0).columns
        _check_columns(file.name, have, columns, optional)
        first, other = (b"(?:%b|%b%b)" % (_QUOTED, _BARE, many) for many in (b"++", b"*+"))
        lines = re.compile(b"(?:%b)++" % (b",".join([first] + [other] * (len(have) - 1)) + b"\n"))
        fits, header = not data.startswith(codecs.BOM_UTF8), True
        while data:
            found = lines.match(data) if fits else None
            end, more = 0 if found is None else found.end(), stream.read(_PIECE_BYTES)
            if not end or (end < len(data) and not more):
                raise Unreadable(
                    f"{file.name}: has lines of too few or too many cells, blank ones, or not the form that shoal writes"
                )
            yield pl.read_csv(data[:end], infer_schema=False, has_header=header, new_columns=have)
            data, header = data[end:] + more, False
