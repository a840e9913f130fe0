"""A release folder back into a graph. It may come from anybody, so nothing in it is taken for granted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.contacts import build
from shoal.contacts.behind import CLAIMS, EdgeContacts, gather, split
from shoal.errors import InputError
from shoal.graph import Slice, TemporalGraph
from shoal.read.dialects import NO_PARQUET, parquet
from shoal.read.text import delimited, first_line, load_text
from shoal.slicing.moments import read_moments


def load_json(file: Path) -> Any:
    """The content of a JSON file."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # nested too deep
        raise InputError(f"{file}: cannot be read as JSON") from None


def read_claims(folder: Path) -> dict[str, Any]:
    """What the certificate of a release says; `verify` reads it by code of its own."""
    if not (folder / "certificate.json").is_file():
        raise InputError(f"{folder}: is not a release folder (it has no certificate.json)")
    claims = load_json(folder / "certificate.json")
    if not isinstance(claims, dict) or not all(isinstance(claims.get(name), bool) for name in ("directed", "ordered")):
        raise InputError(f"{folder}: the certificate does not say whether there are directions and an order in time")
    return claims


def read_release(folder: Path, contacts: str | None = None) -> TemporalGraph:
    """The graph of a release, isolated people and empty slices included; refused where `contacts` are wanted and there are none."""
    claims = read_claims(folder)
    people = read_table(folder, "nodes", "node")
    slices = read_table(folder, "slices", "slice")
    edges = read_table(folder, "edges", "source", "target", "slice")
    for name, column in (("nodes", people["node"]), ("slices", slices["slice"])):
        if column.n_unique() < len(column):
            raise InputError(f"{folder}: the table {name} lists something twice")
    frame, extra = build.whole_numbers(edges, ["source", "target"], people["node"])
    ids, ends = build.encode_ids([frame["source"], frame["target"]], extra)
    if len(ids) != len(people):
        raise InputError(f"{folder}: there are edges of people who are not in the table nodes")
    labels = slices["slice"].cast(pl.String).to_list()
    try:
        codes = edges["slice"].cast(pl.String).replace_strict(labels, range(len(labels)), return_dtype=pl.Int32)
    except pl.exceptions.PolarsError:
        raise InputError(f"{folder}: there are edges in slices that are not in the table slices") from None
    blank = pl.Series([None] * len(labels), dtype=pl.String)
    layers, starts = (slices[name].cast(pl.String) if name in slices.columns else blank for name in ("layer", "start"))
    parts = [Slice(*x) for x in zip(labels, layers.to_list(), starts.to_list(), strict=True)]
    directed, ordered = claims["directed"], claims["ordered"]
    made = TemporalGraph._from_codes(ids, ends, codes.to_numpy(), parts, directed=directed, ordered=ordered)
    made.tally = None  # these are edges, not the contacts they were made of
    if isinstance(claims.get("contacts"), dict):
        made.contacts = _contacts(folder, claims["contacts"], slices, made)
    elif contacts is not None:
        raise InputError(f"{folder}: this release has edges, and not the contacts behind them")
    return made


def _contacts(folder: Path, said: dict[str, Any], slices: pl.DataFrame, graph: TemporalGraph) -> EdgeContacts:
    """How many contacts are behind the edges, from a table of counts or of times."""
    timed = said.get("kind") == "times"
    layers = ["layer"] if timed and graph.has_layers else []
    table = read_table(folder, "contacts", "source", "target", *(["time", *layers] if timed else ["slice", "count"]))
    names = graph.nodes.cast(pl.String).to_list()
    labels = [part.label for part in graph.slices]
    try:
        u, v = (
            table[end].cast(pl.String).replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
            for end in ("source", "target")
        )
        if timed:
            codes, weights = _slices_of(table, slices, layers), None
        else:
            places = table["slice"].cast(pl.String).replace_strict(labels, range(len(labels)), return_dtype=pl.Int32)
            codes, weights = places.to_numpy(), table["count"].cast(pl.Int64).to_numpy()
        counts, _ = gather(graph._stored(), u, v, codes, weights)
    except (pl.exceptions.PolarsError, IndexError, ValueError):
        raise InputError(f"{folder}: the table of contacts does not fit the edges") from None
    drawn = next((how for how, claim in CLAIMS.items() if said.get(claim) is True), "freely")
    return split(graph._starts, counts, None, None, drawn)


def _slices_of(table: pl.DataFrame, slices: pl.DataFrame, layers: list[str]) -> np.ndarray:
    """The slice of every contact by its time, and by its layer where there are some."""
    numbers = table["time"].cast(pl.String).str.contains(r"^-?[0-9.]+$").all()
    since, times = (
        one.cast(pl.String).cast(pl.Float64).to_numpy() if numbers else read_moments(one.cast(pl.String)).us
        for one in (slices["from"], table["time"])
    )
    codes = np.zeros(len(table), np.int64)
    names = slices["layer"].to_list() if layers else [None] * len(slices)
    mine = np.array(table["layer"].to_list() if layers else [None] * len(table), object)
    for name in dict.fromkeys(names):
        here, rows = np.flatnonzero([one == name for one in names]), np.flatnonzero(mine == name)
        codes[rows] = here[np.searchsorted(since[here], times[rows], side="right") - 1]
    return codes


def read_table(folder: Path, name: str, *columns: str) -> pl.DataFrame:
    """A table of the release: a CSV file, a Parquet file or a folder of these. It has these columns, and no gap in them."""
    if (folder / name).is_dir():
        files = sorted((folder / name).glob("*.parquet"))
        parts = [parquet(file).frame for file in files]
        if len({tuple(part.schema.items()) for part in parts}) != 1:
            raise InputError(f"{folder / name}: its files do not have the same columns")
        frame = pl.concat(parts)
    elif (folder / f"{name}.parquet").is_file():
        frame = parquet(folder / f"{name}.parquet").frame
    else:
        file = folder / f"{name}.csv"
        frame = delimited(file, load_text(file, own=True), ",").frame
    for column in columns:
        if column not in frame.columns:
            raise InputError(f"{folder}: the table {name} has no column '{column}'")
        if frame[column].null_count():
            raise InputError(f"{folder}: the table {name} has empty cells in its column '{column}'")
    return frame


# What a private record says about each person, and the column for it in a record that is Parquet.
PEOPLE = {"ids": "id", "groups": "group", "levels": "level"}


def is_table(file: Path) -> bool:
    """Whether a private record is Parquet, by its name; any other is JSON."""
    return file.suffix == ".parquet"


def load_record(file: Path) -> Any:
    """What a private record says, whichever way it was written."""
    if not is_table(file):
        return load_json(file)
    try:
        table = pl.read_parquet(file, glob=False)
        rest = json.loads(pl.read_parquet_metadata(file)["record"])
        return rest | {name: dict(zip(table["node"], table[column], strict=True)) for name, column in PEOPLE.items()}
    except (*NO_PARQUET, KeyError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: is not the private record of a release ({first_line(error)})") from None
