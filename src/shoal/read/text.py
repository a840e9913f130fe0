"""Text tables into columns of text, quickly; and, when something is wrong, slowly again to say on which line.

Types are never guessed: every cell is read as text. polars parses; where it cannot, or where the number of separators
does not add up, a plain pass over the lines finds the first bad one.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import zstandard

from shoal.errors import InputError

_BLANKS = bytes.maketrans(b"\t", b" ")


@dataclass(frozen=True)
class Table:
    """Columns of a file, and how to say where a row of them stands in it."""

    frame: pl.DataFrame
    where: Callable[[int], str]


def load_bytes(path: Path) -> bytes:
    """The content of a file, decompressed if it is gzip or zstd (told by its first bytes, not by its name)."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            data = _unzstd(data)
    except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
        cut = "ends in the middle" if isinstance(error, EOFError) else "is damaged"
        raise InputError(f"{path}: the compressed file {cut}") from None
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    return data


def _unzstd(data: bytes) -> bytes:
    """All frames of a zstd file; a cut file is an EOFError, as with gzip."""
    out = io.BytesIO()
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        out.write(frame.decompress(data))
        if not frame.eof:
            raise EOFError
        data = frame.unused_data
    return out.getvalue()


def load_text(path: Path) -> bytes:
    """The content of a text file as UTF-8 bytes without byte-order mark."""
    data = load_bytes(path)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: the file is UTF-16; save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(f"{path}, line {_line_of(data, nul)}: this is not a text file (it holds a zero byte)")
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = _line_of(data, error.start)
            raise InputError(f"{path}, line {line}: this is not UTF-8 text (byte 0x{data[error.start]:02x})") from None
    return data


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def delimited(path: Path, data: bytes, separator: str, *, header: bool = True) -> Table:
    """A CSV or TSV table, with quotes as in RFC 4180. Blank lines are skipped."""

    def records() -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator, strict=True)
        before = 0
        try:
            for row in reader:
                if row:
                    yield before + 1, row
                before = reader.line_num
        except csv.Error as error:
            raise InputError(f"{path}, line {before + 1}: {error}") from None

    names = [name.strip() for name in next(records())[1]]
    if len(set(names)) < len(names) and header:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}, line 1: the column '{twice}' occurs twice")
    return _parse(path, data, separator, names if header else None, len(names), records, quote='"')


def blank_separated(path: Path, data: bytes, comments: str) -> Table:
    """Fields separated by any run of spaces and tabs, without header; lines that start with a comment sign are skipped."""
    signs = tuple(comments)

    def records() -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(data.decode().split("\n"), start=1):
            fields = line.split()
            if fields and not fields[0].startswith(signs):
                yield number, fields

    tidy = data.translate(_BLANKS, b"\r")
    if re.search(rb"  | \n|\n | \Z|\A ", tidy):
        tidy = re.sub(rb"(?m)^ | $", b"", re.sub(rb" +", b" ", tidy))
    tidy = re.sub(rb"(?m)^[" + re.escape(comments.encode()) + rb"].*\n?", b"", tidy)
    first = next(records(), None)
    if first is None:
        raise InputError(f"{path}: there are only comments in it")
    return _parse(path, tidy, " ", None, len(first[1]), records, quote=None)


def _parse(
    path: Path,
    data: bytes,
    separator: str,
    names: list[str] | None,
    n_fields: int,
    records: Callable[[], Iterator[tuple[int, list[str]]]],
    quote: str | None,
) -> Table:
    def complain() -> None:
        """Raise for the first line whose number of fields is not that of the first line."""
        for line, fields in records():
            if len(fields) != n_fields:
                raise InputError(f"{path}, line {line}: {len(fields)} fields where {n_fields} are expected")

    def where(row: int) -> str:
        row += names is not None
        for i, (line, _) in enumerate(records()):
            if i == row:
                return f"{path}, line {line}"
        return str(path)

    try:
        frame = pl.read_csv(
            data,
            has_header=names is not None,
            separator=separator,
            quote_char=quote,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        complain()
        raise InputError(f"{path}: cannot be read as a table ({str(error).splitlines()[0]})") from None
    frame = frame.rename(dict(zip(frame.columns, names or [str(i) for i in range(n_fields)], strict=False)))
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
    if quote and quote.encode() in data:
        suspicious = bool(frame[:, -1].null_count())
    else:
        expected = (len(frame) + (names is not None)) * (n_fields - 1)
        suspicious = data.count(separator.encode()) != expected
    if frame.width != n_fields or suspicious:
        complain()
    if not len(frame):
        raise InputError(f"{path}: there is a header but no rows below it")
    return Table(frame, where)
