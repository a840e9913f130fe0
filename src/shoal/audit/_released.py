"""Reading a release folder for verify: tables as text, people and slices as numbers. Shares no code with what wrote them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.audit._tables import BROKEN, Unreadable, read_pieces, read_table
from shoal.errors import InputError


@dataclass(frozen=True)
class Check:
    """One thing that must hold, and what was found."""

    name: str
    passed: bool
    detail: str


_LONGEST_CERTIFICATE = 10_000_000  # no release has one that long


class Edges(NamedTuple):
    """The edges of a slice as positions of people, in the order of the file; how many join strangers, and are of another slice."""

    u: np.ndarray
    v: np.ndarray
    strangers: int = 0
    elsewhere: int = 0


@dataclass(frozen=True)
class Released:
    """People by name, slices by name, the block of each slice, and how to get the edges of one.

    `starts` is when each slice begins, None where the table does not say; `has_blocks` whether it has a column of blocks;
    `in_turn` whether edges stand slice after slice.
    """

    people: pl.Series
    slices: list[str]
    starts: list[str | None]
    blocks: np.ndarray
    edges: Callable[[int], Edges]
    has_start: bool
    has_layer: bool
    has_blocks: bool
    table: pl.DataFrame  # of the slices, as it stands in the folder
    columns: pl.DataFrame  # of the people, beside their names
    in_turn: bool = True


def read_certificate(folder: Path) -> dict[str, Any]:
    """The claims of a release; whatever is no release at all is an InputError."""
    try:
        linked, there = folder.is_symlink(), folder.is_dir()
    except (OSError, ValueError):  # a name that no file system holds
        linked, there = False, False
    if linked:
        raise InputError(f"{folder}: is a link; name the folder that it leads to")
    if not there:
        raise InputError(f"{folder}: no such folder")
    file = folder / "certificate.json"
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise InputError(f"{file}: is not a file")
        if file.stat().st_size > _LONGEST_CERTIFICATE:
            raise InputError(f"{file}: is too long for a certificate")
        claims = json.loads(file.read_bytes().decode("utf-8"), object_pairs_hook=_said_once)
    except FileNotFoundError:
        raise InputError(f"{folder}: is not a release folder (it has no certificate.json)") from None
    except RecursionError:
        raise InputError(f"{file}: cannot be read (nested too deep)") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read ({error})") from None
    expected = {
        "k": int,
        "n_nodes": int,
        "n_slices": int,
        "n_blocks": int,
        "directed": bool,
        "min_class_size": int,
        "people_by_k": dict,
        "sha256": dict,
        "edges": dict,
    }
    for name, kind in expected.items():
        if not isinstance(claims, dict) or type(claims.get(name)) is not kind:
            raise InputError(f"{file}: '{name}' is missing or not what it should be")
    levels = claims["people_by_k"]
    if not all(level.isascii() and level.isdigit() and len(level) < 10 for level in levels) or not all(
        type(count) is int for count in levels.values()
    ):
        raise InputError(f"{file}: 'people_by_k' is missing or not what it should be")
    return claims


def _said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A field that is there twice says two things, and readers differ in which they believe."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is there twice")
    return fields


def read_record(record: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, int]:
    """The level of every published name, from the private record of a release in which levels differ."""
    try:
        if isinstance(record, Mapping):
            levels = record["levels"]
        elif Path(record).suffix == ".parquet":
            table = pl.read_parquet(Path(record), columns=["node", "level"], glob=False)
            levels = dict(zip(table["node"].to_list(), table["level"].to_list(), strict=True))
        else:
            levels = json.loads(Path(record).read_text(encoding="utf-8"))["levels"]
        if not all(type(level) is int and 1 <= level < 2**31 for level in levels.values()):
            raise ValueError("levels")
        return dict(levels)
    except (*BROKEN, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        what = "this" if isinstance(record, Mapping) else record
        raise InputError(f"{what}: is not the private record of a release with levels of protection") from None


def read_withheld(record: str | os.PathLike[str] | Mapping[str, Any]) -> int | None:
    """How many people the private record names who are not in the release; None where it does not say."""
    said: Any = record
    try:
        if not isinstance(record, Mapping):
            table, file = Path(record).suffix == ".parquet", Path(record)
            said = json.loads(pl.read_parquet_metadata(file)["record"] if table else file.read_text(encoding="utf-8"))
        named = said.get("withheld")
        return len(named) if isinstance(named, list) else None
    except (*BROKEN, ValueError, KeyError, AttributeError, RecursionError):
        return None


def kind_of(claims: dict[str, Any]) -> str | None:
    """What a release says of its contacts: "times", "counts", or nothing."""
    said = claims.get("contacts")
    return said.get("kind") if isinstance(said, dict) and isinstance(said.get("kind"), str) else None


def columns_of(claims: dict[str, Any]) -> list[str]:
    """The columns of people beside their names that a release says it has; the sensitive one is the last."""
    known, unknown = claims.get("attributes"), claims.get("sensitive")
    found = known.get("columns") if isinstance(known, dict) else []
    found = list(found) if isinstance(found, list) else []
    found += [unknown.get("column")] if isinstance(unknown, dict) else []
    return [name for name in found if isinstance(name, str)]


def read_tables(folder: Path, claims: dict[str, Any]) -> tuple[Released, list[Check]]:
    """The tables, and whether every end of an edge is a listed person, every slice is listed, and nothing is listed twice."""
    nodes, slices, checks = read_lists(folder, claims)
    people, bins = numbered(nodes["node"]), numbered(slices["slice"])
    ends = (
        ("source", people, "every edge starts at a listed person"),
        ("target", people, "every edge ends at a listed person"),
        ("slice", bins, "every edge is in a listed slice"),
    )
    parts: list[list[np.ndarray]] = [[np.empty(0, np.int32)] for _ in ends]
    unknown, has_layer = [0] * len(ends), "layer" in slices.columns
    for edges in read_pieces(folder, "edges", ["source", "target", "slice"], "layer"):
        for i, (column, listed, _) in enumerate(ends):
            codes = places_of(edges[column], listed)
            unknown[i] += codes.null_count()
            parts[i].append(codes.fill_null(0).to_numpy().astype(np.int32))
        if has_layer != ("layer" in edges.columns):
            raise Unreadable("layers are in one of the tables of edges and slices, and not in the other")
        if has_layer and len(slices) and not slices["layer"].gather(parts[2][-1]).eq_missing(edges["layer"]).all():
            raise Unreadable("the layer of an edge is not that of its slice")
    u, v, t = (np.concatenate(part) for part in parts)
    for missing, (_, _, what) in zip(unknown, ends, strict=True):
        found = f"{missing:,} of {len(u):,} do not" if missing else f"{len(u):,} edges"
        checks.append(Check(what, missing == 0, found))
    in_turn = not (t[1:] < t[:-1]).any()
    if not in_turn:
        order = np.argsort(t, kind="stable")
        u, v, t = u[order], v[order], t[order]
    bounds = np.searchsorted(t, np.arange(len(slices) + 1))

    def of_slice(s: int) -> Edges:
        here = slice(bounds[s], bounds[s + 1])
        return Edges(u[here].astype(np.int64), v[here].astype(np.int64))

    return as_released(nodes, slices, of_slice, in_turn=in_turn), checks


def read_lists(folder: Path, claims: dict[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame, list[Check]]:
    """The tables of people and of slices, and whether anything is listed twice in them."""
    timed = ("from", "until") if kind_of(claims) == "times" else ()
    nodes = read_table(folder, "nodes", ["node", *columns_of(claims)])
    slices = read_table(folder, "slices", ["slice"], "layer", "start", "block", *timed)
    checks = []
    for table, column, what in ((nodes, "node", "person"), (slices, "slice", "slice")):
        twice = len(table) - table[column].n_unique()
        found = f"{len(table):,} listed" + (f", {twice:,} again" if twice else "")
        checks.append(Check(f"no {what} is listed twice", twice == 0, found))
    return nodes, slices, checks


def as_released(
    nodes: pl.DataFrame, slices: pl.DataFrame, edges: Callable[[int], Edges], *, in_turn: bool = True
) -> Released:
    """The tables as one thing."""
    has_start, has_blocks = "start" in slices.columns, "block" in slices.columns
    return Released(
        people=nodes["node"],
        columns=nodes.drop("node"),
        slices=slices["slice"].to_list(),
        starts=slices["start"].to_list() if has_start else [None] * len(slices),
        blocks=_read_blocks(slices["block"]) if has_blocks else np.zeros(len(slices), np.int64),
        edges=edges,
        has_start=has_start,
        has_layer="layer" in slices.columns,
        has_blocks=has_blocks,
        table=slices,
        in_turn=in_turn,
    )


def numbered(listed: pl.Series) -> pl.DataFrame:
    """The different values of a list in its order, each with its place: that in the list itself where nothing is listed twice."""
    return pl.DataFrame({"value": listed.unique(maintain_order=True)}).with_row_index("code")


def places_of(values: pl.Series, listed: pl.DataFrame) -> pl.Series:
    """Where each value stands in a list as `numbered` gives it; null where it does not."""
    return values.alias("value").to_frame().join(listed, on="value", how="left", maintain_order="left")["code"]


def _read_blocks(column: pl.Series) -> np.ndarray:
    numbers = column.cast(pl.Int64, strict=False)
    if numbers.null_count() or not numbers.is_between(1, len(column)).all():
        raise Unreadable("column 'block' of the slices is not the number of a block everywhere")
    return numbers.to_numpy() - 1
