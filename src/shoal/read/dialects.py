"""The file formats shoal reads, by name. Each gives a Table and says which of its columns mean what."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from shoal.errors import InputError
from shoal.read.header import SAMPLE, find_header
from shoal.read.packed import first_bytes, most_unpacked, too_much
from shoal.read.simplices import groups_as_pairs
from shoal.read.text import (
    Table,
    blank_separated,
    delimited,
    first_line,
    first_rows,
    load_text,
    refuse_empty,
    refuse_too_wide,
    short,
)

# What polars may raise on a file that only looks like Parquet; its panics are no PolarsError.
NO_PARQUET = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


class TextOptions(NamedTuple):
    """What is known of a text beforehand: whether its first line names columns, and its encoding; None where nobody said."""

    header: bool | None = None
    encoding: str | None = None


NOTHING = TextOptions()


class Layout(NamedTuple):
    """A table and the names of its columns; None where it has no such column. `directed` is what the file says, if it does.

    `others` has names for further columns that are known to be no people and no times; `said` is what was assumed.
    """

    table: Table
    source: str | None = None
    target: str | None = None
    time: str | None = None
    layer: str | None = None
    people: pl.Series | None = None
    end: str | None = None
    directed: bool | None = None
    others: Mapping[str, str] = MappingProxyType({})
    said: tuple[str, ...] = ()


def _csv(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """Separated by comma, tab or semicolon: whichever of them the first lines all hold equally often."""
    said: list[str] = []
    data = load_text(path, asked.encoding, said)
    separator = _separator(data)
    header = asked.header
    if header is None:
        header, note = find_header(first_rows(path, data, separator, SAMPLE + 1))
        said += [note] if note else []
    return Layout(refuse_empty(path, delimited(path, data, separator, header=header)), said=tuple(said))


def _separator(data: bytes) -> str:
    lines = [line for line in data[:65_536].split(b"\n")[:20] if line.strip()]
    lines = lines[:-1] if len(data) > 65_536 and len(lines) > 1 else lines
    counts = {mark: {line.count(mark.encode()) for line in lines} for mark in ",\t;"}
    steady = [mark for mark, found in counts.items() if len(found) == 1 and found != {0}]
    holds = [mark for mark in counts if mark.encode() in lines[0]]
    return max(steady, key=lambda mark: max(counts[mark]), default=holds[0] if holds else ",")


def _xlsx(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """The first sheet of an Excel workbook."""
    from shoal.read.excel import sheet

    table, said = sheet(path, asked.header)
    return Layout(table, said=said)


def _parquet(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """A Parquet file that has rows."""
    table = parquet(path)
    if not len(table.frame):
        raise InputError(f"{path}: the table has no rows")
    return Layout(table)


def parquet(path: Path) -> Table:
    """The columns of a Parquet file that hold one value a row; lists and the like are left out."""
    if not path.is_file():
        raise InputError(f"{path}: {'is not a file' if path.exists() else 'no such file'}")
    try:
        lazy = pl.scan_parquet(path, glob=False)
        schema = lazy.collect_schema()
        refuse_too_wide(path, len(schema))
        n_rows = lazy.select(pl.len()).collect().item()  # from the file's own index
        if 8 * n_rows * len(schema) > (most := most_unpacked(path.stat().st_size)):
            raise too_much(path, most)
        frame = lazy.select(name for name, kind in schema.items() if not kind.is_nested()).collect()
    except NO_PARQUET as error:
        raise InputError(f"{path}: not a readable Parquet file ({first_line(error)})") from None
    return Table(frame, lambda row: f"{path}, row {row + 1}")


def _columns(path: Path, asked: TextOptions, comments: str, **places: int) -> Layout:
    """A blank-separated file whose columns stand at fixed places; those beyond its width are not there."""
    said: list[str] = []
    table = blank_separated(path, load_text(path, asked.encoding, said), comments)
    width = table.frame.width
    if places["target"] >= width:
        raise InputError(f"{path}: each line needs at least {places['target'] + 1} fields, and has {width}")
    found = {name: str(place) for name, place in places.items() if place < width}
    others = {place: name for name, place in found.items() if name == "weight"}
    time, layer = found.get("time"), found.get("layer")
    return Layout(table, found["source"], found["target"], time, layer, others=others, said=tuple(said))


def _snap(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """`u v t`, comments with #."""
    return _columns(path, asked, "#", source=0, target=1, time=2)


def _konect(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """`u v [weight [time]]`, comments with %."""
    return _columns(path, asked, "%", source=0, target=1, weight=2, time=3)


def _sociopatterns(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """`t i j …`."""
    return _columns(path, asked, "#", time=0, source=1, target=2)


def _multiplex(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """`layer u v [weight]`."""
    return _columns(path, asked, "#%", layer=0, source=1, target=2, weight=3)


def _multinet(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """The sections of a multinet .mpx file that matter here: #ACTORS (people) and #EDGES (`u,v,layer`)."""
    said: list[str] = []
    data = load_text(path, asked.encoding, said)

    def entries() -> Iterator[tuple[int, bytes, list[bytes]]]:
        section = b""
        for number, line in enumerate(io.BytesIO(data), start=1):
            text = line.strip()
            if text.startswith(b"#"):
                section = text[1:].strip().upper()
            elif text and not text.startswith(b"--"):
                yield number, section, [field.strip() for field in text.split(b",")]

    def where(row: int) -> str:
        lines = (number for number, section, _ in entries() if section == b"EDGES")
        return f"{path}, line {next(islice(lines, row, None))}"

    edges, people = bytearray(), bytearray()
    for number, section, fields in entries():
        if section == b"ACTORS" and fields[0]:
            people += fields[0] + b"\n"
        elif section == b"EDGES":
            if len(fields) < 3:
                got = short(b",".join(fields).decode())
                raise InputError(f"{path}, line {number}: an edge is `person,person,layer`; got '{got}'")
            edges += b",".join(fields[:3]) + b"\n"
    if not edges:
        raise InputError(f"{path}: there is no edge in an #EDGES section")
    actors = _plain_rows(people, ["node"])["node"] if people else None
    return Layout(
        Table(_plain_rows(edges, ["u", "v", "layer"]), where), "u", "v", layer="layer", people=actors, said=tuple(said)
    )


def _plain_rows(text: bytearray, columns: list[str]) -> pl.DataFrame:
    return pl.read_csv(bytes(text), has_header=False, new_columns=columns, quote_char=None, infer_schema=False)


def _simplices(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """Groups of any size with a time, in three files NAME-nverts.txt, NAME-simplices.txt and NAME-times.txt."""
    table, people = groups_as_pairs(path)
    return Layout(table, "source", "target", "time", people=people)


def _graphml(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """The edges of a GraphML file, with their attributes."""
    from shoal.read.xml import graphml

    return graphml(path)


def _gexf(path: Path, asked: TextOptions = NOTHING) -> Layout:
    """The edges of a GEXF file, with their attributes, and with the spells of a dynamic one."""
    from shoal.read.xml import gexf

    return gexf(path)


DIALECTS: dict[str, Callable[..., Layout]] = {
    "csv": _csv,
    "xlsx": _xlsx,
    "parquet": _parquet,
    "snap": _snap,
    "konect": _konect,
    "sociopatterns": _sociopatterns,
    "multiplex": _multiplex,
    "multinet": _multinet,
    "simplices": _simplices,
    "graphml": _graphml,
    "gexf": _gexf,
}
# Which of them the options about a text act on.
TAKES = {
    "header": ("csv", "xlsx"),
    "encoding": ("csv", "snap", "konect", "sociopatterns", "multiplex", "multinet"),
}
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_SUFFIXES = {
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".parquet": "parquet", ".pq": "parquet", ".mpx": "multinet", ".graphml": "graphml",
    ".gexf": "gexf",
}  # fmt: skip


def dialect_of(path: Path) -> str:
    """The dialect of a file whose name says it, packed or not; everything else is CSV or TSV."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = next((suffix for suffix in reversed(suffixes) if suffix not in (".gz", ".zst")), "")
    return _SUFFIXES.get(last, "csv")


def guess_dialect(path: Path, name: str | None = None) -> str:
    """The dialect of a file by its name, else by how it begins. `name` is what the file was called before it came here."""
    named = dialect_of(path if name is None else Path(re.sub(r"[^\w.]", "_", name)))
    if not path.is_file():
        return named
    start = first_bytes(path, 65_536)
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:4] == b"PK\x03\x04" and b"[Content_Types].xml" in start:
        return "xlsx"
    if named != "csv":
        return named
    if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<?xml", b"<gexf", b"<graphml")):
        return "gexf" if b"<gexf" in start[:4096] else "graphml"
    lines = [line.strip() for line in start.decode(errors="replace").splitlines()[:50] if line.strip()]
    if any(line.upper() in ("#EDGES", "#ACTORS") for line in lines):
        return "multinet"
    if lines and lines[0].startswith("%"):
        return "konect"
    return _of_columns([line for line in lines if not line.startswith(("#", "%"))])


def _of_columns(lines: list[str]) -> str:
    """Numbers between blanks are snap, konect (`u v weight time`) or sociopatterns (`time u v`); the rest is CSV."""
    if not lines or (re.search(r"[,;\t]", lines[0]) and not re.fullmatch(r"[\d.\s]+", lines[0])):
        return "csv"
    rows = [line.split() for line in lines]
    if len(rows[0]) < 2 or not all(_NUMBER.fullmatch(field) for field in rows[0][:2]):
        return "csv"
    if any(not _NUMBER.fullmatch(row[0]) for row in rows):
        return "snap"
    if len(rows[0]) == 4 and all(_NUMBER.fullmatch(field) for field in rows[0]) and float(rows[0][3]) >= 1e8:
        return "konect"
    times = [float(row[0]) for row in rows]
    rising = len(rows[0]) >= 3 and len(times) > 2 and times == sorted(times) and len(set(times)) < len(times)
    return "sociopatterns" if rising and times[0] >= 10 else "snap"
