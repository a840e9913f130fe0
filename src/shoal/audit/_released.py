"""Reading a release folder for verify: tables as text, people and slices as numbers. Shares no code with what wrote them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import InputError


@dataclass(frozen=True)
class Check:
    """One thing that must hold, and what was found."""

    name: str
    passed: bool
    detail: str


# No release has a certificate that long, or packs so many rows into a byte of Parquet.
_LONGEST_CERTIFICATE, _ROWS_PER_BYTE = 10_000_000, 100
BROKEN = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


class Unreadable(Exception):
    """A released table is missing or broken: the release does not hold."""


@dataclass(frozen=True)
class Released:
    """People by name, slices by name, the block of each slice, and edges (u, v, t) as positions in these lists."""

    people: list[str]
    slices: list[str]
    blocks: np.ndarray
    u: np.ndarray
    v: np.ndarray
    t: np.ndarray


def read_certificate(folder: Path) -> dict[str, Any]:
    """The claims of a release; whatever is no release at all is an InputError."""
    try:
        there = folder.is_dir()
    except (OSError, ValueError):  # a name that no file system holds
        there = False
    if not there:
        raise InputError(f"{folder}: no such folder")
    file = folder / "certificate.json"
    try:
        if file.stat().st_size > _LONGEST_CERTIFICATE:
            raise InputError(f"{file}: is too long for a certificate")
        claims = json.loads(file.read_text(encoding="utf-8"))
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


def read_record(record: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, int]:
    """The level of every published name, from the private record of a release in which levels differ."""
    try:
        known = record if isinstance(record, Mapping) else json.loads(Path(record).read_text(encoding="utf-8"))
        levels = known["levels"]
        if not all(type(level) is int and 1 <= level < 2**31 for level in levels.values()):
            raise ValueError("levels")
        return dict(levels)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        what = "this" if isinstance(record, Mapping) else record
        raise InputError(f"{what}: is not the private record of a release with levels of protection") from None


def check_hashes(folder: Path, hashes: dict[str, Any]) -> Check:
    """The files are those of the certificate, all of them and no others."""
    name = "the files are those of the certificate"
    listed = set(hashes)
    files = (file for file in folder.rglob("*") if not file.is_dir())
    present = {file.relative_to(folder).as_posix() for file in files} - {"certificate.json"}
    if missing := sorted(listed - present):
        return Check(name, False, f"missing: {', '.join(missing)}")
    if extra := sorted(present - listed):
        return Check(name, False, f"not in the certificate: {', '.join(extra)}")
    for file, expected in sorted(hashes.items()):
        if not (folder / file).is_file():
            return Check(name, False, f"{file} is not a file")
        with (folder / file).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
                return Check(name, False, f"{file} was changed")
    return Check(name, True, f"{len(listed)} files, SHA-256")


def read_tables(folder: Path) -> tuple[Released, list[Check]]:
    """The tables, and whether every end of an edge is a listed person, every slice is listed, and nothing is listed twice."""
    nodes, slices = read_table(folder, "nodes", "node"), read_table(folder, "slices", "slice", "block")
    edges = read_table(folder, "edges", "source", "target", "slice")
    for table, column in ((nodes, "node"), (slices, "slice"), (edges, "source"), (edges, "target"), (edges, "slice")):
        if column not in table.columns:
            raise Unreadable(f"there is no column '{column}'")
        if table[column].null_count():
            raise Unreadable(f"column '{column}' has empty cells")
    checks = []
    for table, column, what in ((nodes, "node", "person"), (slices, "slice", "slice")):
        twice = len(table) - table[column].n_unique()
        found = f"{len(table):,} listed" + (f", {twice:,} again" if twice else "")
        checks.append(Check(f"no {what} is listed twice", twice == 0, found))
    columns = []
    for column, listed, what in (
        ("source", nodes["node"], "every edge starts at a listed person"),
        ("target", nodes["node"], "every edge ends at a listed person"),
        ("slice", slices["slice"], "every edge is in a listed slice"),
    ):
        key = pl.DataFrame({column: listed.unique(maintain_order=True)}).with_row_index("code")
        codes = edges.select(column).join(key, on=column, how="left", maintain_order="left")["code"]
        unknown = codes.null_count()
        found = f"{unknown:,} of {len(edges):,} do not" if unknown else f"{len(edges):,} edges"
        checks.append(Check(what, unknown == 0, found))
        columns.append(codes.fill_null(0).to_numpy().astype(np.int64))
    if "block" in slices.columns:
        numbers = slices["block"].cast(pl.Int64, strict=False)
        if numbers.null_count() or not numbers.is_between(1, len(slices)).all():
            raise Unreadable("column 'block' of the slices is not the number of a block everywhere")
        blocks = numbers.to_numpy() - 1
    else:
        blocks = np.zeros(len(slices), np.int64)
    return Released(nodes["node"].to_list(), slices["slice"].to_list(), blocks, *columns), checks


def read_table(folder: Path, name: str, *columns: str) -> pl.DataFrame:
    """Those of these columns that are there, as text; never much more memory than the file has bytes."""
    try:
        if (folder / f"{name}.parquet").is_file():
            return scan_rows(folder / f"{name}.parquet", *columns).cast(pl.String).collect()
        return _read_csv((folder / f"{name}.csv").read_bytes(), columns)
    except BROKEN as error:
        raise Unreadable(f"{name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None


def scan_rows(file: Path, *columns: str) -> pl.LazyFrame:
    """Those of these columns that are there, not read yet, of a Parquet file of a credible length."""
    lazy = pl.scan_parquet(file, glob=False)
    if lazy.select(pl.len()).collect().item() > _ROWS_PER_BYTE * file.stat().st_size:
        raise Unreadable(f"{file.name} unpacks to too many rows for a release")
    have = lazy.collect_schema()
    return lazy.select(column for column in columns if column in have)


def _read_csv(data: bytes, columns: tuple[str, ...]) -> pl.DataFrame:
    """A table without blank lines and with as many cells in every line, as shoal writes them."""
    have = pl.read_csv(data, infer_schema=False, n_rows=0).columns
    n_lines = data.strip(b"\n").count(b"\n") + 1
    if (b'"' not in data and b"\n\n" in data) or n_lines * (len(have) - 1) > data.count(b","):
        raise Unreadable("a table has blank lines, or lines with too few cells")
    return pl.read_csv(data, infer_schema=False, columns=[column for column in columns if column in have])
