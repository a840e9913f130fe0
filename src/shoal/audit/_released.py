"""Reading a release folder for verify: tables as text, people and slices as numbers. Shares no code with what wrote them."""

from __future__ import annotations

import hashlib
import json
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
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    file = folder / "certificate.json"
    try:
        claims = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder}: is not a release folder (it has no certificate.json)") from None
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
        if not isinstance(claims, dict) or not isinstance(claims.get(name), kind):
            raise InputError(f"{file}: '{name}' is missing or not what it should be")
    return claims


def read_record(file: Path) -> dict[str, int]:
    """The level of every published name, from the private record of a release in which levels differ."""
    try:
        levels = json.loads(file.read_text(encoding="utf-8"))["levels"]
        return {str(name): int(level) for name, level in levels.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{file}: is not the private record of a release with levels of protection") from None


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
        with (folder / file).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
                return Check(name, False, f"{file} was changed")
    return Check(name, True, f"{len(listed)} files, SHA-256")


def read_tables(folder: Path) -> tuple[Released, list[Check]]:
    """The tables, and whether every end of an edge is a listed person, every slice is listed, and nothing is listed twice."""
    nodes, slices, edges = (_read_table(folder, name) for name in ("nodes", "slices", "edges"))
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
        if numbers.null_count():
            raise Unreadable("column 'block' of the slices is not a number everywhere")
        blocks = numbers.to_numpy() - 1
    else:
        blocks = np.zeros(len(slices), np.int64)
    return Released(nodes["node"].to_list(), slices["slice"].to_list(), blocks, *columns), checks


def _read_table(folder: Path, name: str) -> pl.DataFrame:
    try:
        if (folder / f"{name}.parquet").is_file():
            return pl.read_parquet(folder / f"{name}.parquet").cast(pl.String)
        return pl.read_csv(folder / f"{name}.csv", infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Unreadable(f"{name}: {str(error).splitlines()[0]}") from None
