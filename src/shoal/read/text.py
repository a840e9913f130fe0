"""Text tables into columns of text, quickly; and, when something is wrong, slowly again to say on which line.

Types are never guessed: every cell is read as text. polars parses; where it cannot, or where the number of separators
does not add up, a plain pass over the lines finds the first bad one. What polars would make room for is counted before it
does, so that a table never takes much more memory than its file.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl
import zstandard

from shoal.errors import InputError

_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# A small file that unpacks to very much is an attack or an accident. Tables of contacts shrink to a tenth, seldom to a hundredth.
_GENEROUS, _GENEROUS_RATIO = 1 << 26, 200
MOST_COLUMNS = 4_000  # each takes kilobytes, however short the table
_DAMAGES = (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError)

Records = Callable[[], Iterator[tuple[int, Sequence[str | bytes]]]]
_most_unpacked: ContextVar[int | None] = ContextVar("most_unpacked", default=None)


@contextmanager
def unpacking_at_most(n_bytes: int) -> Iterator[None]:
    """Refuse files that are larger than this once they are unpacked; by default 64 MB or 200 times the file."""
    token = _most_unpacked.set(n_bytes)
    try:
        yield
    finally:
        _most_unpacked.reset(token)


def most_unpacked(packed: int) -> int:
    """What a file of so many bytes may unpack to."""
    told = _most_unpacked.get()
    return max(_GENEROUS, _GENEROUS_RATIO * packed) if told is None else told


def too_much(path: Path, most: int) -> InputError:
    """The refusal of a file that unpacks to more than that."""
    return InputError(f"{path}: the file unpacks to more than {most / 1e6:,.0f} MB, which is not allowed")


def refuse_too_wide(path: Path, n_columns: int) -> None:
    """No table of contacts has so many columns; a file made to hurt has."""
    if n_columns > MOST_COLUMNS:
        raise InputError(f"{path}: there are {n_columns:,} columns, and at most {MOST_COLUMNS:,} are read")


@dataclass(frozen=True)
class Table:
    """Columns of a file, and how to say where a row of them stands in it."""

    frame: pl.DataFrame
    where: Callable[[int], str]


def load_bytes(path: Path) -> bytes:
    """The content of a file, decompressed if it is gzip or zstd (told by its first bytes, not by its name)."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, ValueError):  # a zero byte in the name
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    data = _unpacked(path, data)
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    return data


def first_bytes(path: Path, n_bytes: int) -> bytes:
    """How a file begins once it is unpacked; no more of it is read than needed."""
    with path.open("rb") as stream:
        packed = stream.read(max(n_bytes, 65_536))
    out = bytearray()
    try:
        for piece in _pieces(packed):
            out += piece
            if len(out) >= n_bytes:
                break
    except _DAMAGES:
        pass  # the file goes on, or is damaged: whoever reads it all will say so
    return bytes(out[:n_bytes])


def _unpacked(path: Path, data: bytes) -> bytes:
    """The data itself where it is not packed. What is packed is unpacked twice: first to count, and nothing is kept then."""
    most, size = most_unpacked(len(data)), 0
    try:
        for piece in _pieces(data):
            size += len(piece)
            if size > most:
                raise too_much(path, most)
    except _DAMAGES as error:
        cut = "ends in the middle" if isinstance(error, EOFError) else "is damaged"
        raise InputError(f"{path}: the compressed file {cut}") from None
    return b"".join(_pieces(data))


def _pieces(data: bytes) -> Iterator[bytes]:
    """The content piece by piece, decompressed if it is gzip or zstd: all members of the one, all frames of the other."""
    if data[:2] == _GZIP:
        yield from _gunzip(data)
    elif data[:4] == _ZSTD:
        yield from _unzstd(data)
    else:
        yield data


class _InSips(io.BytesIO):
    """Gives little at a time: whatever gzip has read beyond a member it copies for the next, and from Python 3.12 on reads much."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(4096 if size is None or size < 0 else min(size, 4096))


def _gunzip(data: bytes) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=_InSips(data))
    while piece := stream.read1(1 << 20):
        yield piece


def _unzstd(data: bytes) -> Iterator[bytes]:
    unpack = zstandard.ZstdDecompressor()
    frame = unpack.decompressobj()
    place = 0
    while place < len(data):
        piece = data[place : place + 256]  # at most 8 MB of zeros come out of so little
        place += len(piece)
        yield frame.decompress(piece)
        if frame.eof:
            place -= len(frame.unused_data)
            if place < len(data):
                frame = unpack.decompressobj()
    if not frame.eof:
        raise EOFError


def load_text(path: Path) -> bytes:
    """The content of a text file as UTF-8 bytes without byte-order mark; every line ends with a line feed."""
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
    if b"\r" in data:  # as Windows and old Macs end lines
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    return data


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def delimited(path: Path, data: bytes, separator: str, *, header: bool = True) -> Table:
    """A CSV or TSV table, with quotes as in RFC 4180. Blank lines are skipped."""

    def records() -> Iterator[tuple[int, list[str]]]:
        lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
        reader = csv.reader(lines, delimiter=separator, strict=True)
        before = 0
        try:
            for row in reader:
                if row:
                    yield before + 1, row
                before = reader.line_num
        except csv.Error as error:
            raise InputError(f"{path}, line {before + 1}: {error}") from None

    names = [name.strip() for name in next(records())[1]]
    refuse_too_wide(path, len(names))
    if len(set(names)) < len(names) and header:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}, line 1: the column '{short(twice)}' occurs twice")
    quoted = b'"' in data
    tidy = data.strip(b"\n") if quoted else _without_blank_lines(data)
    return _parse(path, tidy, separator, names if header else None, len(names), records, quoted=quoted)


def blank_separated(path: Path, data: bytes, comments: str) -> Table:
    """Fields separated by any run of spaces and tabs, without header; lines that start with a comment sign are skipped."""
    signs = tuple(sign.encode() for sign in comments)

    def records() -> Iterator[tuple[int, list[bytes]]]:
        for number, line in enumerate(io.BytesIO(data), start=1):
            fields = line.split()
            if fields and not fields[0].startswith(signs):
                yield number, fields

    first = next(records(), None)
    if first is None:
        raise InputError(f"{path}: there are only comments in it")
    refuse_too_wide(path, len(first[1]))
    tidy = data.translate(_BLANKS)
    while b"  " in tidy:
        tidy = tidy.replace(b"  ", b" ")
    tidy = tidy.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    tidy = _without_blank_lines(re.sub(rb"(?m)^[" + re.escape(comments.encode()) + rb"].*\n?", b"", tidy))
    return _parse(path, tidy, " ", None, len(first[1]), records, quoted=None)


def _without_blank_lines(data: bytes) -> bytes:
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.removeprefix(b"\n")  # and no copy where there are none


def short(text: str) -> str:
    """A cell, cut for a sentence."""
    return text if len(text) <= 40 else text[:37] + "..."


def named(columns: list[str]) -> str:
    """The names of columns, the first dozen where there are many."""
    return ", ".join(short(name) for name in columns[:12]) + (", …" if len(columns) > 12 else "")


def first_line(error: BaseException) -> str:
    """What another library complains of, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _parse(
    path: Path,
    data: bytes,
    separator: str,
    names: list[str] | None,
    n_fields: int,
    records: Records,
    quoted: bool | None,
) -> Table:
    """The table in `data`, which holds no line more than its rows need; `quoted` is None where quotes mean nothing."""

    def complain() -> None:
        """Raise for the first line whose number of fields is not that of the first line."""
        for line, fields in records():
            if len(fields) != n_fields:
                raise InputError(f"{path}, line {line}: {len(fields)} fields where {n_fields} are expected")

    def where(row: int) -> str:
        rows = (line for line, fields in islice(records(), int(names is not None), None) if any(fields))
        return f"{path}, line {next(islice(rows, row, None))}"

    # polars makes room for every field of every line, also of lines that have fewer
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    n_cells, n_separators = n_lines * (n_fields - 1), data.count(separator.encode())
    if quoted and n_cells > n_separators:  # lines are short, or blank, or broken inside quotes
        complain()
        data = _written_again(records, separator)
    elif not quoted and n_cells != n_separators:
        complain()
    try:
        frame = pl.read_csv(
            data,
            has_header=names is not None,
            separator=separator,
            quote_char=None if quoted is None else '"',
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        complain()
        raise InputError(f"{path}: cannot be read as a table ({first_line(error)})") from None
    if quoted and frame[:, -1].null_count():
        complain()
    if frame.width != n_fields:
        raise InputError(f"{path}: cannot be read as a table (its quotes or line ends are not those of a CSV file)")
    frame = frame.rename(dict(zip(frame.columns, names or [str(i) for i in range(n_fields)], strict=True)))
    blank = frame.select(pl.all_horizontal(pl.all().is_null() | (pl.all() == ""))).to_series()
    if blank.any():
        frame = frame.filter(~blank)
    return Table(frame, where)


def refuse_empty(path: Path, table: Table) -> Table:
    """A table of contacts or people without any is a mistake; in a release it may be the truth."""
    if not len(table.frame):
        raise InputError(f"{path}: there is a header but no rows below it")
    return table


def _written_again(records: Records, separator: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(fields for _, fields in records())
    return out.getvalue().strip("\n").encode()
