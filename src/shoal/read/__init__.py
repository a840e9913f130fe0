"""Stage 0, read: a file of contacts becomes a TemporalGraph."""

from __future__ import annotations

import os
import re
from pathlib import Path

import polars as pl

from shoal.common.checks import a_path, a_text, yes_or_no
from shoal.contacts import build
from shoal.contacts.columns import take_roles
from shoal.errors import InputError, RowError, spoken
from shoal.graph import TemporalGraph
from shoal.read.dialects import DIALECTS, TAKES, Layout, TextOptions, dialect_of, guess_dialect
from shoal.read.people import read_people
from shoal.read.release import read_release
from shoal.read.sql import Query, ask, place
from shoal.read.text import named, short
from shoal.slicing import Slicing

__all__ = ["read"]


def read(
    path: str | os.PathLike[str],
    *,
    slice: str | None = None,
    slices: int | None = None,
    source: str | None = None,
    target: str | None = None,
    time: str | None = None,
    layer: str | None = None,
    dialect: str | None = None,
    nodes: str | os.PathLike[str] | None = None,
    timezone: str = "UTC",
    offset: str | None = None,
    time_format: str | None = None,
    time_unit: str = "s",
    day_first: bool | None = None,
    origin: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    directed: bool = False,
    contacts: str | None = None,
    count: str | None = None,
) -> TemporalGraph:
    """Read contacts from a file: CSV, TSV, Excel, Parquet, GraphML, GEXF or a named dialect, plain or compressed.

    What nobody says is guessed from the names of columns and from what is in them; `graph.tally` tells what was guessed
    and what was not used.

    Parameters
    ----------
    path
        The file, or a release folder, or a query of a database such as
        `sqlite:///contacts.db?query=SELECT source, target, time FROM calls` (duckdb too, where that is installed).
    slice, slices
        How time is cut: calendar bins ("1h", "1d", "1w", "1mo", "1y"), each distinct "value", or N equal parts.
    source, target, time, layer
        Names of columns; by default these very words, or others that mean the same. A column `layer` is used where you
        name it, or where no time is cut; otherwise the layers are merged.
    dialect
        csv, xlsx, parquet, snap, konect, sociopatterns, multiplex, multinet, simplices, graphml or gexf; by default what
        the file's name says, or how it begins.
    nodes
        A file with more people, who may never appear in a contact: a column `node` or `id`, or one id a line.
    timezone, offset
        Whose calendar, and how much later its bins begin ("5h").
    time_format, time_unit
        For times that are neither Unix seconds nor ISO 8601: a strptime format, or ms, us, ns.
    day_first
        Whether 03/04/2021 is the third of April; only needed where no date of the file tells.
    origin
        The date that small numbers count from; without it their slices are numbered.
    header
        Whether the first line of a CSV file or a sheet names the columns; by default what it looks like. Columns without
        names are called 0, 1, 2 and so on.
    encoding
        Of a text that is not UTF-8; by default cp1252, as Windows writes it.
    directed
        Keep the direction of contacts.
    contacts, count
        Keep the contacts behind the edges, for a release that has them: "times", only "counts", or "carried", which is times where
        there are any, else counts; and a column that says how many contacts a line stands for, or how long it lasted in whole
        seconds or minutes.

    Examples
    --------
    >>> import pathlib, shoal, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "calls.csv"
    >>> _ = file.write_text("source,target,time\\nann,bob,2024-05-01\\nbob,cem,2024-05-03\\n")
    >>> shoal.read(file, slice="1d")
    TemporalGraph(3 nodes, 3 slices, 2 edges, undirected)
    """
    path = place(path)
    told = {"source": source, "target": target, "time": time, "layer": layer}
    for name, value in (*told.items(), ("dialect", dialect), ("encoding", encoding), ("count", count)):
        if value is not None:
            a_text(name, value)
    slicing = Slicing(slice, slices, timezone, offset, time_format, time_unit, day_first, origin)
    if header is not None:
        yes_or_no("header", header)
    if nodes is not None:
        a_path("nodes", nodes)
    yes_or_no("directed", directed)
    text = TextOptions(header, encoding)
    if isinstance(path, Query):
        _refuse(f"{path}: a query", dialect=dialect, **text._asdict())
        layout = ask(path)
    elif path.is_dir():
        if not (path / "certificate.json").exists() and next(path.rglob("*.parquet"), None) is not None:
            raise InputError(
                f"{path}: is a folder of Parquet, which `shoal anonymize` and `shoal audit` take; here contacts come in one file"
            )
        asked = {"dialect": dialect, "nodes": nodes, "count": count, "directed": directed or None}
        _refuse(f"{path}: a release", **told, **asked, **text._asdict(), **slicing.asked())
        return read_release(path, contacts)
    else:
        layout = _layout(path, dialect, text)
    if directed and layout.directed is False:
        raise InputError(f"{path}: --directed was asked for, but edges in it have no direction")
    names, guessed = choose_columns(path, layout, told, cut=slicing.cuts)
    if count is not None:
        if count not in layout.table.frame.columns:
            raise _no_column(path, layout, count, "count")
        names["count"] = count
    if layout.end is not None and names.get("time") == layout.time:
        names["end"] = layout.end
    used = {name for name in names.values() if name}
    unused = tuple(layout.others.get(name, name) for name in layout.table.frame.columns if name not in used)
    frame, said = layout.table.frame.select(sorted(used)), layout.said
    extra = read_people(Path(nodes)) if nodes is not None else None
    if layout.people is not None:
        extra = layout.people if extra is None else pl.concat([layout.people, extra.cast(pl.String)])
    where = layout.table.where
    del layout  # with every column that is not asked for
    frame, extra = build.whole_numbers(frame, [names["source"], names["target"]], extra)
    try:
        graph = TemporalGraph._from_contacts(
            frame, {**names}, slicing, nodes=extra, directed=directed, contacts=contacts
        )
    except RowError as error:
        raise InputError(f"{where(error.row)}, column '{error.column}': {error.problem}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    assert graph.tally is not None
    graph.tally = graph.tally._replace(
        unused=unused, guessed=guessed, remarks=(*map(spoken, said), *graph.tally.remarks)
    )
    return graph


def _refuse(what: str, **options: object) -> None:
    """Refuse options that have no effect on what is read."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{what} does not take --{name.replace('_', '-')}")


def _layout(path: Path, dialect: str | None, asked: TextOptions) -> Layout:
    """The file as its dialect says: the one that is named, or the one it looks like."""
    if dialect is not None and dialect not in DIALECTS:
        raise InputError(f"unknown dialect '{dialect}'; known are {', '.join(DIALECTS)}")
    guess = dialect or guess_dialect(path)
    _refuse(
        f"{path}: the dialect {guess}",
        **{name: value for name, value in asked._asdict().items() if guess not in TAKES[name]},
    )
    layout = DIALECTS[guess](path, asked)
    if dialect is None and guess != "csv" and guess != dialect_of(path):
        layout = layout._replace(said=(f"the file was read in the dialect {guess}, as it begins", *layout.said))
    return layout


def choose_columns(
    path: Path, layout: Layout, told: dict[str, str | None], *, cut: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Which column means what, and which of that is guessed: what the user named, else the dialect's own, else a guess."""
    frame = layout.table.frame
    known = {role: name or getattr(layout, role) for role, name in told.items()}
    names = {role: name for role, name in known.items() if name is not None}
    for role, name in names.items():
        if name not in frame.columns:
            raise _no_column(path, layout, name, role)
    wanted = ["source", "target", "time"] if cut or not layout.source else ["source", "target"]
    names, guessed = take_roles(frame, names, wanted if cut else [*wanted, "layer"])
    for role in ("source", "target"):
        if role not in names:
            raise _no_column(path, layout, role, role)
    if cut and "time" not in names:
        raise InputError(
            f"{path}: a slice width was given but there is no column 'time'; the columns are {named(frame.columns)} (name the "
            "right one with --time)"
        )
    if not cut and "time" in names:
        if told["time"] or "layer" not in names:
            raise InputError(
                f"{path}: there are times in it; say how to cut them with --slice (1h, 1d, 1w, 1mo, 1y, value) or --slices; "
                f"they are in column '{short(names['time'])}', and --slices 1 takes all together"
            )
        guessed.pop("time", None)
        del names["time"]
    return names, guessed


def _no_column(path: Path, layout: Layout, name: str, role: str) -> InputError:
    """Say what is there, and what else may be meant."""
    have = layout.table.frame.columns
    line = "" if layout.source or isinstance(path, Query) else ", line 1"
    hint = ""
    if len(have) == 1 and re.search(r"\S\s+\S", have[0]):
        hint = "; columns between blanks are read with --dialect snap, konect or sociopatterns"
    elif not layout.source and any(re.fullmatch(r"[-+.\d]+", one) for one in have) and have[0] != "0":
        hint = "; if the first line is a contact, say --no-header"
    return InputError(
        f"{path}{line}: no column '{short(name)}'; the columns are {named(have)} (name the right one with --{role}){hint}"
    )
