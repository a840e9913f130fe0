"""The file formats shoal reads, by name. Each gives a Table and says which of its columns mean what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from shoal.errors import InputError
from shoal.read.simplices import groups_as_pairs
from shoal.read.text import Table, blank_separated, delimited, load_text, most_unpacked, too_much


class Layout(NamedTuple):
    """A table and the names of its columns; None where it has no such column. `directed` is what the file says, if it does."""

    table: Table
    source: str | None = None
    target: str | None = None
    time: str | None = None
    layer: str | None = None
    people: list[str] | None = None
    end: str | None = None
    directed: bool | None = None


def _csv(path: Path) -> Layout:
    """Comma, tab or semicolon separated: whichever of them, in this order, the header holds."""
    data = load_text(path)
    header = data.lstrip(b"\r\n").split(b"\n", 1)[0]
    separator = next((s for s in ",\t;" if s.encode() in header), ",")
    return Layout(delimited(path, data, separator))


def _parquet(path: Path) -> Layout:
    try:
        lazy = pl.scan_parquet(path)
        n_cells = lazy.select(pl.len()).collect().item() * len(lazy.collect_schema())  # from the file's own index
        if 8 * n_cells > (most := most_unpacked(path.stat().st_size)):
            raise too_much(path, most)
        frame = pl.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({str(error).splitlines()[0]})") from None
    if not len(frame):
        raise InputError(f"{path}: the table has no rows")
    return Layout(Table(frame, lambda row: f"{path}, row {row + 1}"))


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
    section, rows, lines, people = "", [], [], []
    for number, line in enumerate(load_text(path).decode().splitlines(), start=1):
        text = line.strip()
        if text.startswith("#"):
            section = text[1:].strip().upper()
        elif not text or text.startswith("--"):
            continue
        elif section == "ACTORS":
            people.append(text.split(",")[0].strip())
        elif section == "EDGES":
            fields = [field.strip() for field in text.split(",")]
            if len(fields) < 3:
                raise InputError(f"{path}, line {number}: an edge is `person,person,layer`; got '{text[:40]}'")
            rows.append(fields[:3])
            lines.append(number)
    if not rows:
        raise InputError(f"{path}: there is no edge in an #EDGES section")
    frame = pl.DataFrame(rows, schema={"u": pl.String, "v": pl.String, "layer": pl.String}, orient="row")
    return Layout(Table(frame, lambda row: f"{path}, line {lines[row]}"), "u", "v", layer="layer", people=people)


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
