"""The file formats shoal reads, by name. Each gives a Table and says which of its columns mean what."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl

from shoal.errors import InputError
from shoal.read.simplices import groups_as_pairs
from shoal.read.text import (
    Table,
    blank_separated,
    delimited,
    first_line,
    load_text,
    most_unpacked,
    refuse_empty,
    refuse_too_wide,
    short,
    too_much,
)

# What polars may raise on a file that only looks like Parquet; its panics are no PolarsError.
NO_PARQUET = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


class Layout(NamedTuple):
    """A table and the names of its columns; None where it has no such column. `directed` is what the file says, if it does."""

    table: Table
    source: str | None = None
    target: str | None = None
    time: str | None = None
    layer: str | None = None
    people: pl.Series | None = None
    end: str | None = None
    directed: bool | None = None


def _csv(path: Path) -> Layout:
    """Comma, tab or semicolon separated: whichever of them, in this order, the header holds."""
    data = load_text(path)
    header = data.lstrip(b"\r\n").split(b"\n", 1)[0]
    separator = next((s for s in ",\t;" if s.encode() in header), ",")
    return Layout(refuse_empty(path, delimited(path, data, separator)))


def _parquet(path: Path) -> Layout:
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


def _columns(path: Path, comments: str, **places: int) -> Layout:
    """A blank-separated file whose columns stand at fixed places; those beyond its width are not there."""
    table = blank_separated(path, load_text(path), comments)
    width = table.frame.width
    if places["target"] >= width:
        raise InputError(f"{path}: each line needs at least {places['target'] + 1} fields, and has {width}")
    found = {name: str(place) for name, place in places.items() if place < width}
    return Layout(table, found["source"], found["target"], found.get("time"), found.get("layer"))


def _snap(path: Path) -> Layout:
    """`u v t`, comments with #."""
    return _columns(path, "#", source=0, target=1, time=2)


def _konect(path: Path) -> Layout:
    """`u v [weight [time]]`, comments with %."""
    return _columns(path, "%", source=0, target=1, time=3)


def _sociopatterns(path: Path) -> Layout:
    """`t i j …`."""
    return _columns(path, "#", time=0, source=1, target=2)


def _multiplex(path: Path) -> Layout:
    """`layer u v [weight]`."""
    return _columns(path, "#%", layer=0, source=1, target=2)


def _multinet(path: Path) -> Layout:
    """The sections of a multinet .mpx file that matter here: #ACTORS (people) and #EDGES (`u,v,layer`)."""
    data = load_text(path)

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
    return Layout(Table(_plain_rows(edges, ["u", "v", "layer"]), where), "u", "v", layer="layer", people=actors)


def _plain_rows(text: bytearray, columns: list[str]) -> pl.DataFrame:
    return pl.read_csv(bytes(text), has_header=False, new_columns=columns, quote_char=None, infer_schema=False)


def _simplices(path: Path) -> Layout:
    """Groups of any size with a time, in three files NAME-nverts.txt, NAME-simplices.txt and NAME-times.txt."""
    table, people = groups_as_pairs(path)
    return Layout(table, "source", "target", "time", people=people)


def _graphml(path: Path) -> Layout:
    """The edges of a GraphML file, with their attributes."""
    from shoal.read.xml import graphml

    return graphml(path)


def _gexf(path: Path) -> Layout:
    """The edges of a GEXF file, with their attributes, and with the spells of a dynamic one."""
    from shoal.read.xml import gexf

    return gexf(path)


DIALECTS: dict[str, Callable[[Path], Layout]] = {
    "csv": _csv,
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
_SUFFIXES = {".parquet": "parquet", ".pq": "parquet", ".mpx": "multinet", ".graphml": "graphml", ".gexf": "gexf"}


def dialect_of(path: Path) -> str:
    """The dialect of a file whose name says it, packed or not; everything else is CSV or TSV with a header."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = next((suffix for suffix in reversed(suffixes) if suffix not in (".gz", ".zst")), "")
    return _SUFFIXES.get(last, "csv")
