"""Text tables into columns of text, quickly; and, when something is wrong, slowly again to say on which line.

Types are never guessed: every cell is read as text. polars parses; where it cannot, or where the number of separators
does not add up, a plain pass over the lines finds the first bad one.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import zstandard

from shoal.errors import InputError

_BLANKS = bytes.maketrans(b"\t", b" ")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# A small file that unpacks to very much is an attack or an accident. Tables of contacts shrink to a tenth, seldom to a hundredth.
_GENEROUS, _GENEROUS_RATIO = 1 << 30, 200
_most_unpacked: ContextVar[int | None] = ContextVar("most_unpacked", default=None)


@contextmanager
def unpacking_at_most(n_bytes: int) -> Iterator[None]:
    """Refuse files that are larger than this once they are unpacked; by default 1 GB or 200 times the file."""
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
    except (EOFError, zlib.error, zstandard.ZstdError):
        pass  # the file goes on, or is damaged: whoever reads it all will say so
    return bytes(out[:n_bytes])


def _unpacked(path: Path, data: bytes) -> bytes:
    """The data itself where it is not packed; never more than allowed, and never much more in memory."""
    most = most_unpacked(len(data))
    out, size = [], 0
    try:
        for piece in _pieces(data):
            size += len(piece)
            if size > most:
                raise too_much(path, most)
            out.append(piece)
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        cut = "ends in the middle" if isinstance(error, EOFError) else "is damaged"
        raise InputError(f"{path}: the compressed file {cut}") from None
    return b"".join(out)


def _pieces(data: bytes) -> Iterator[bytes]:
    """The content piece by piece, decompressed if it is gzip or zstd: all members of the one, all frames of the other."""
    if data[:2] == _GZIP:
        yield from _gunzip(data)
    elif data[:4] == _ZSTD:
        yield from _unzstd(data)
    else:
        yield data


def _gunzip(data: bytes) -> Iterator[bytes]:
    while data:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            piece = member.decompress(data, 1 << 24)
            if not data and not piece and not member.eof:
                raise EOFError
            yield piece
            data = member.unconsumed_tail
        data = member.unused_data.lstrip(b"\0")  # padding between members, as gzip allows


def _unzstd(data: bytes) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    place = 0
    while place < len(data):
        piece = data[place : place + 1024]  # at most 32 MB of zeros come out of so little
        place += len(piece)
        yield frame.decompress(piece)
        if frame.eof:
            place -= len(frame.unused_data)
            if place < len(data):
                frame = zstandard.ZstdDecompressor().decompressobj()
    if not frame.eof:
        raise EOFError


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
