"""Prove a release from its files alone.

This file imports nothing of shoal but the exceptions, on purpose: it shares no code with what it checks. It reads the tables
with polars, counts with numpy, and believes the certificate in nothing it can count itself.
"""

from __future__ import annotations

import hashlib
import json
import os
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


@dataclass(frozen=True)
class Verdict:
    """Whether a release holds, and every check that says so. True in a boolean context when it holds."""

    folder: str
    k: int
    min_class_size: int | None
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """All checks passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[str]:
        """What does not hold, in words."""
        return [f"{check.name}: {check.detail}" for check in self.checks if not check.passed]

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "holds": self.holds,
            "k": self.k,
            "min_class_size": self.min_class_size,
            "checks": [vars(check) for check in self.checks],
        }


def verify(folder: str | os.PathLike[str], k: int | None = None) -> Verdict:
    """Re-read a release folder and check every promise: the files, the simple slices, the crowds of at least k.

    Without `k` the certificate's own k must hold. A folder that is no release at all is an InputError.
    """
    folder = Path(folder)
    claims = _read_certificate(folder)
    if k is None:
        k = claims["k"]
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError(f"k must be a whole number from 1; got {k}")
    checks = [_check_hashes(folder, claims["sha256"])]
    smallest = None
    try:
        nodes, slices, edges = (_read_table(folder, name) for name in ("nodes", "slices", "edges"))
        u, v, t, more = _check_tables(nodes, slices, edges)
        checks += more
        if all(check.passed for check in more):
            checks.append(_check_simple(u, v, t, len(nodes), directed=claims["directed"]))
            sizes = _crowds(u, v, t, len(nodes), len(slices), directed=claims["directed"])
            smallest = int(sizes.min()) if len(sizes) else 0
            exposed = int(sizes[sizes < k].sum())
            found = f"the smallest crowd has {smallest:,}" + (
                f"; {exposed:,} people are in a crowd below {k}" if exposed else ""
            )
            checks.append(Check(f"every degree vector occurs at least {k} times", exposed == 0, found))
            checks.append(_check_claims(claims, len(nodes), len(slices), len(u), smallest))
    except _Unreadable as problem:
        checks.append(Check("the tables can be read", False, str(problem)))
    return Verdict(str(folder), k, smallest, tuple(checks))


class _Unreadable(Exception):
    """A released table is missing or broken: the release does not hold."""


def _read_certificate(folder: Path) -> dict[str, Any]:
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
        "directed": bool,
        "min_class_size": int,
        "sha256": dict,
        "edges": dict,
    }
    for name, kind in expected.items():
        if not isinstance(claims, dict) or not isinstance(claims.get(name), kind):
            raise InputError(f"{file}: '{name}' is missing or not what it should be")
    return claims


def _check_hashes(folder: Path, hashes: dict[str, Any]) -> Check:
    name = "the files are those of the certificate"
    listed = set(hashes)
    present = {file.name for file in folder.iterdir()} - {"certificate.json"}
    if missing := sorted(listed - present):
        return Check(name, False, f"missing: {', '.join(missing)}")
    if extra := sorted(present - listed):
        return Check(name, False, f"not in the certificate: {', '.join(extra)}")
    for file, expected in sorted(hashes.items()):
        if hashlib.sha256((folder / file).read_bytes()).hexdigest() != expected:
            return Check(name, False, f"{file} was changed")
    return Check(name, True, f"{len(listed)} files, SHA-256")


def _read_table(folder: Path, name: str) -> pl.DataFrame:
    try:
        if (folder / f"{name}.parquet").is_file():
            return pl.read_parquet(folder / f"{name}.parquet").cast(pl.String)
        return pl.read_csv(folder / f"{name}.csv", infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _Unreadable(f"{name}: {str(error).splitlines()[0]}") from None


def _check_tables(
    nodes: pl.DataFrame, slices: pl.DataFrame, edges: pl.DataFrame
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Check]]:
    """Every end of an edge is a listed person, every slice is listed, and no person or slice is listed twice."""
    for table, column in ((nodes, "node"), (slices, "slice"), (edges, "source"), (edges, "target"), (edges, "slice")):
        if column not in table.columns:
            raise _Unreadable(f"there is no column '{column}'")
        if table[column].null_count():
            raise _Unreadable(f"column '{column}' has empty cells")
    checks = []
    for table, column, what in ((nodes, "node", "person"), (slices, "slice", "slice")):
        twice = len(table) - table[column].n_unique()
        checks.append(
            Check(
                f"no {what} is listed twice",
                twice == 0,
                f"{len(table):,} listed" + (f", {twice:,} again" if twice else ""),
            )
        )
    columns = []
    for column, listed, what in (
        ("source", nodes["node"], "every edge starts at a listed person"),
        ("target", nodes["node"], "every edge ends at a listed person"),
        ("slice", slices["slice"], "every edge is in a listed slice"),
    ):
        key = pl.DataFrame({column: listed.unique(maintain_order=True)}).with_row_index("code")
        codes = edges.select(column).join(key, on=column, how="left", maintain_order="left")["code"]
        unknown = codes.null_count()
        checks.append(
            Check(what, unknown == 0, f"{unknown:,} of {len(edges):,} do not" if unknown else f"{len(edges):,} edges")
        )
        columns.append(codes.fill_null(0).to_numpy().astype(np.int64))
    return columns[0], columns[1], columns[2], checks


def _check_simple(u: np.ndarray, v: np.ndarray, t: np.ndarray, n: int, *, directed: bool) -> Check:
    name = "every slice is a simple graph"
    loops = int((u == v).sum())
    if loops:
        return Check(name, False, f"{loops:,} edges join a person to themself")
    a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))
    if (int(t.max(initial=0)) + 1) * n * n < 2**63:
        key = np.sort((t * n + a) * n + b)
        again = int((key[1:] == key[:-1]).sum())
    else:
        order = np.lexsort((b, a, t))
        a, b, s = a[order], b[order], t[order]
        again = int(((a[1:] == a[:-1]) & (b[1:] == b[:-1]) & (s[1:] == s[:-1])).sum())
    return Check(
        name, again == 0, f"{again:,} edges occur again in the same slice" if again else "no loops, no repeats"
    )


def _crowds(u: np.ndarray, v: np.ndarray, t: np.ndarray, n: int, n_slices: int, *, directed: bool) -> np.ndarray:
    """How many people share each temporal degree vector (in- and out-degrees together where edges have a direction).

    Refinement: everybody starts in one crowd, and every slice splits crowds by the degree in it. Crowds are numbered
    anew after each slice, so nothing is hashed and nothing can collide.
    """
    crowd = np.zeros(n, np.int64)
    order = np.argsort(t, kind="stable")
    bounds = np.searchsorted(t[order], np.arange(n_slices + 1))
    for s in range(n_slices):
        here = order[bounds[s] : bounds[s + 1]]
        if not len(here):
            continue
        out_degree = np.bincount(u[here], minlength=n)
        in_degree = np.bincount(v[here], minlength=n)
        for degree in (out_degree, in_degree) if directed else (out_degree + in_degree,):
            crowd = np.unique(crowd * (int(degree.max()) + 1) + degree, return_inverse=True)[1]
    return np.unique(crowd, return_counts=True)[1]


def _check_claims(claims: dict[str, Any], n: int, n_slices: int, n_edges: int, smallest: int) -> Check:
    found = {
        "n_nodes": (claims["n_nodes"], n),
        "n_slices": (claims["n_slices"], n_slices),
        "edges.released": (claims["edges"].get("released"), n_edges),
        "min_class_size": (claims["min_class_size"], smallest),
    }
    wrong = [f"{name} is {really:,}, not {claimed}" for name, (claimed, really) in found.items() if claimed != really]
    return Check("the certificate counts right", not wrong, "; ".join(wrong) or "people, slices, edges, smallest crowd")
