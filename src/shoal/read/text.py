"""Text tables into columns of text, quickly; and, when something is wrong, slowly again to say on which line.

Types are never guessed: every cell is read as text. polars parses; where it cannot, or where the number of separators
does not add up, a plain pass over the lines finds the first bad one. What polars would make room for is counted before it
does, so that a table never takes much more memory than its file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.read.packed import load_bytes

_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")
MOST_COLUMNS = 4_000  # each takes kilobytes, however short the table
Records = Callable[[], Iterator[tuple[int, Sequence[str | bytes]]]]


def refuse_too_wide(path: Path, n_columns: int) -> None:
    """No table of contacts has so many columns; a file made to hurt has."""
    if n_columns > MOST_COLUMNS:
        raise InputError(f"{path}: there are {n_columns:,} columns, and at most {MOST_COLUMNS:,} are read")


@dataclass(frozen=True)
class Table:
    """Columns of a file, and how to say where a row of them stands in it."""

    frame: pl.DataFrame
    where: Callable[[int], str]


def load_text(path: Path, encoding: str | None = None, said: list[str] | None = None, *, own: bool = False) -> bytes:
    """The content of a text file as UTF-8 bytes without byte-order mark; every line ends with a line feed.

    What is not UTF-8 is read in the encoding that is given; with a list to say so in, also as Windows writes it. In a file of
    shoal's own a carriage return belongs to a name.
    """
    data = load_bytes(path)
    _refuse_foreign(path, data)
    if encoding is not None:
        data = _decoded(path, data, encoding).encode()
    elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: the file is UTF-16; save it as UTF-8, or say --encoding utf-16")
    data = data.removeprefix(b"\xef\xbb\xbf")
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(f"{path}, line {_line_of(data, nul)}: this is not a text file (it holds a zero byte)")
    if not data.isascii():
        data = _as_utf8(path, data, said)
    if b"\r" in data and not own:  # as Windows and old Macs end lines
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    return data


_FOREIGN = (
    (b"PK\x03\x04", "an Excel workbook or another zip file, not a text; read a workbook with --dialect xlsx"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook of the old kind (.xls); save it as .xlsx or as CSV"),
    (b"PAR1", "a Parquet file; read it with --dialect parquet"),
    (b"SQLite format 3", "a SQLite database; read it with 'sqlite:///FILE?query=SELECT ...'"),
)


def _refuse_foreign(path: Path, data: bytes) -> None:
    """Files that are no tables of text, by how they begin."""
    for begin, what in _FOREIGN:
        if data.startswith(begin):
            raise InputError(f"{path}: this is {what}")
    if re.match(rb"(\xef\xbb\xbf)?\s*(\{|\[\s*[\[{\"])", data):
        raise InputError(
            f"{path}: this is JSON, and JSON is not read; make a table of it, one contact a line, such as a CSV file"
        )


def _as_utf8(path: Path, data: bytes, said: list[str] | None) -> bytes:
    try:
        data.decode()
        return data
    except UnicodeDecodeError as error:
        line, byte = _line_of(data, error.start), data[error.start]
    try:
        text = data.decode("cp1252") if said is not None else None
    except UnicodeDecodeError:
        text = None
    if text is None or said is None:
        raise InputError(f"{path}, line {line}: this is not UTF-8 text (byte 0x{byte:02x}); --encoding says what it is")
    # cp1252 gives every byte a letter of its own, so people who differ in the file differ here too, whatever they are called
    said.append(
        "the text is not UTF-8 and was read as Windows writes it (cp1252); say another encoding with --encoding"
    )
    return text.encode()


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise InputError(
            f"unknown encoding '{short(encoding)}' (expected a name such as utf-8, cp1252 or utf-16)"
        ) from None
    except ValueError as error:
        start = getattr(error, "start", 0)
        raise InputError(f"{path}, line {_line_of(data, start)}: this is not {encoding} text") from None


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def delimited(path: Path, data: bytes, separator: str, *, header: bool = True) -> Table:
    """A CSV or TSV table, with quotes as in RFC 4180. Blank lines are skipped."""
    records = _records(path, data, separator)
    names = [name.strip() for name in next(records())[1]]
    refuse_too_wide(path, len(names))
    if header:
        refuse_twice(path, names)
    quoted = b'"' in data
    tidy = data.strip(b"\n") if quoted else _without_blank_lines(data)
    return _parse(path, tidy, separator, names if header else None, len(names), records, quoted=quoted)


def first_rows(path: Path, data: bytes, separator: str, count: int) -> list[list[str]]:
    """How a table begins; one that is far too wide is refused before its rows are kept."""
    rows = []
    for _, fields in islice(_records(path, data, separator)(), count):
        refuse_too_wide(path, len(fields))
        rows.append(list(fields))
    return rows


def refuse_twice(path: Path, names: list[str]) -> None:
    """No two columns have the same name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}, line 1: the column '{short(twice)}' occurs twice")


def _records(path: Path, data: bytes, separator: str) -> Callable[[], Iterator[tuple[int, list[str]]]]:

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

    return records


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
