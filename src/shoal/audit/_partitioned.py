"""Verifying a release whose edges lie in one Parquet file per slice: slice after slice, so that memory stays bounded.

Like `_released`, it shares no code with what wrote the files. It holds a number for every person and the edges of one slice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audit._released import BROKEN, Check, Unreadable, scan_rows


def is_partitioned(folder: Path) -> bool:
    """Whether the edges of a release are a folder."""
    return (folder / "edges").is_dir()


def check_partitioned(folder: Path, claims: dict[str, Any], k: int | None) -> tuple[list[Check], int]:
    """All checks of such a release but that of the hashes, and its smallest crowd."""
    if claims["directed"] or claims["n_blocks"] != 1 or len(claims["people_by_k"]) > 1:
        raise Unreadable("a release in partitioned Parquet has no directions, no horizon and one level for everybody")
    nodes, slices = _read(folder / "nodes.parquet", "node"), _read(folder / "slices.parquet", "slice")
    if not nodes.dtype.is_integer():
        raise Unreadable("nodes: people in partitioned Parquet are whole numbers")
    numbers = nodes.cast(pl.Int64, strict=False)
    if numbers.null_count() or not len(numbers):
        raise Unreadable("nodes: nobody is listed, or by a number of more than 63 bits")
    names, labels = np.sort(numbers.to_numpy()), slices.cast(pl.String).to_list()
    files = sorted(path.name for path in (folder / "edges").iterdir())
    if files != [f"{t + 1:05}.parquet" for t in range(len(labels))]:
        raise Unreadable(f"edges: expected one file for each of {len(labels):,} slices, 00001.parquet and so on")
    twice = int((names[1:] == names[:-1]).sum())
    checks = [
        Check(
            "no person is listed twice", twice == 0, f"{len(names):,} listed" + (f", {twice:,} again" if twice else "")
        ),
        Check("no slice is listed twice", len(set(labels)) == len(labels), f"{len(labels):,} listed"),
    ]
    n = len(names)
    crowd = np.zeros(n, np.int64)
    strangers = elsewhere = loops = again = n_edges = 0
    for file, label in zip(files, labels, strict=True):
        u, v, wrong = _read_slice(folder / "edges" / file, label)
        elsewhere, n_edges = elsewhere + wrong, n_edges + len(u)
        u, v = _places(u, names), _places(v, names)
        known = (u >= 0) & (v >= 0)
        strangers += int(len(u) - known.sum())
        u, v = u[known], v[known]
        loops += int((u == v).sum())
        key = np.minimum(u, v) * n + np.maximum(u, v)
        key.sort()
        again += int((key[1:] == key[:-1]).sum())
        degree = np.bincount(u, minlength=n) + np.bincount(v, minlength=n)
        crowd = _renumbered(crowd * (int(degree.max(initial=0)) + 1) + degree)
    sizes = np.bincount(crowd)
    smallest, exposed = int(sizes.min(initial=n)), 0
    k = claims["k"] if k is None else k
    exposed = int(sizes[sizes < k].sum())
    simple = f"{loops:,} loops, {again:,} repeats" if loops or again else "no loops, no repeats"
    counted = {
        "n_nodes": (claims["n_nodes"], n),
        "n_slices": (claims["n_slices"], len(labels)),
        "edges.released": (claims["edges"].get("released"), n_edges),
        "min_class_size": (claims["min_class_size"], smallest),
    }
    wrong_claims = [f"{name} is {really:,}, not {said}" for name, (said, really) in counted.items() if said != really]
    found = f"the smallest crowd has {smallest:,}"
    found += f"; {exposed:,} people are in a crowd below {k}" if exposed else ""
    checks += [
        Check("every edge joins listed people", strangers == 0, f"{strangers:,} of {n_edges:,} edges do not"),
        Check("every edge is in its slice", elsewhere == 0, f"{elsewhere:,} are not, of {len(files):,} files"),
        Check("every slice is a simple graph", not loops and not again, simple),
        Check("the certificate counts right", not wrong_claims, "; ".join(wrong_claims) or "people, slices, edges, smallest crowd"),
        Check(f"every degree vector occurs at least {k} times", exposed == 0, found),
    ]  # fmt: skip
    return checks, smallest


def _read(file: Path, column: str) -> pl.Series:
    try:
        found = scan_rows(file, column).collect()[column]
    except BROKEN as error:
        raise Unreadable(f"{file.name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None
    if found.null_count():
        raise Unreadable(f"column '{column}' has empty cells")
    return found


def _read_slice(file: Path, label: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Both ends of the edges of a file, and how many are not in its slice."""
    try:
        scan = scan_rows(file, "source", "target", "slice")
        wrong = scan.select((pl.col("slice").cast(pl.String) != label).fill_null(True).sum()).collect().item()
        frame = scan.select(pl.col("source", "target").cast(pl.Int64)).collect()
    except BROKEN as error:
        raise Unreadable(f"edges/{file.name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None
    if frame["source"].null_count() or frame["target"].null_count():
        raise Unreadable(f"edges/{file.name}: has empty cells")
    return frame["source"].to_numpy(), frame["target"].to_numpy(), int(wrong)


def _places(values: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Where each value stands among the sorted names; -1 for a stranger."""
    if len(names) and names[-1] - names[0] + 1 == len(names):
        place = values - names[0]
        return np.where((place >= 0) & (place < len(names)), place, -1)
    place = np.minimum(np.searchsorted(names, values), len(names) - 1)
    return np.where(names[place] == values, place, -1)


def _renumbered(crowd: np.ndarray) -> np.ndarray:
    """Crowds numbered from 0 without gaps: by a table where numbers are not too far apart, else by sorting."""
    highest = int(crowd.max(initial=0))
    if highest > 16 * len(crowd):
        return np.unique(crowd, return_inverse=True)[1]
    there = np.zeros(highest + 1, bool)
    there[crowd] = True
    return (np.cumsum(there, dtype=np.int32) - 1)[crowd].astype(np.int64)
