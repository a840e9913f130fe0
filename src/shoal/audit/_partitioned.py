"""Verifying a release whose edges lie in one Parquet file per slice: slice after slice, so that memory stays bounded.

Like `_released`, it shares no code with what wrote the files. It holds a number for every person and the edges of one slice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audit._claims import Counted, check_counts
from shoal.audit._released import BROKEN, Check, Unreadable, scan_rows


def check_partitioned(folder: Path, claims: dict[str, Any], k: int | None) -> tuple[list[Check], Counted]:
    """All checks of such a release but those of its files and its certificate alone, and what was counted."""
    plain = claims["n_blocks"] == 1 and claims.get("horizon") is None and claims.get("ordered") is True
    if claims["directed"] or not plain or len(claims["people_by_k"]) > 1:
        raise Unreadable("a release in partitioned Parquet has no directions, no horizon and one level for everybody")
    numbers, slices = _read(folder / "nodes.parquet", "node"), _read(folder / "slices.parquet", "slice")
    if not numbers.dtype.is_integer():
        raise Unreadable("nodes: people in partitioned Parquet are whole numbers")
    numbers = numbers.cast(pl.Int64, strict=False)
    if numbers.null_count() or not len(numbers):
        raise Unreadable("nodes: nobody is listed, or by a number of more than 63 bits")
    sorted_names, names, labels = numbers.is_sorted(), np.sort(numbers.to_numpy()), slices.cast(pl.String).to_list()
    files = sorted(path.name for path in (folder / "edges").iterdir())
    if files != [f"{t + 1:05}.parquet" for t in range(len(labels))]:
        raise Unreadable(f"edges: expected one file for each of {len(labels):,} slices, 00001.parquet and so on")
    twice = int((names[1:] == names[:-1]).sum())
    n = len(names)
    crowd = np.zeros(n, np.int64)
    strangers = elsewhere = loops = again = unsorted = n_edges = 0
    for file, label in zip(files, labels, strict=True):
        u, v, wrong = _read_slice(folder / "edges" / file, label)
        elsewhere, n_edges = elsewhere + wrong, n_edges + len(u)
        u, v = _places(u, names), _places(v, names)
        known = (u >= 0) & (v >= 0)
        strangers += int(len(u) - known.sum())
        u, v = u[known], v[known]
        loops += int((u == v).sum())
        key = np.minimum(u, v) * n + np.maximum(u, v)
        unsorted += int((u > v).sum() + (key[1:] < key[:-1]).sum())
        key.sort()
        again += int((key[1:] == key[:-1]).sum())
        degree = np.bincount(u, minlength=n) + np.bincount(v, minlength=n)
        crowd = _renumbered(crowd * (int(degree.max(initial=0)) + 1) + degree)
    sizes = np.bincount(crowd)
    counted = Counted(
        n_nodes=n,
        n_slices=len(labels),
        n_blocks=1,
        released=n_edges,
        min_class_size=int(sizes.min(initial=n)),
        n_classes=len(sizes),
        has_start=False,
        has_layer=False,
        numbered=sorted_names and twice == 0 and bool(names[0] == 1 and names[-1] == n),
        with_gaps=False,
    )
    listed = f"{n:,} listed" + (f", {twice:,} again" if twice else "")
    simple = f"{loops:,} loops, {again:,} repeats" if loops or again else "no loops, no repeats"
    checks = [
        Check("no person is listed twice", twice == 0, listed),
        Check("no slice is listed twice", len(set(labels)) == len(labels), f"{len(labels):,} listed"),
        Check("every edge joins listed people", strangers == 0, f"{strangers:,} of {n_edges:,} edges do not"),
        Check("every edge is in its slice", elsewhere == 0, f"{elsewhere:,} are not, of {len(files):,} files"),
        Check("every slice is a simple graph", not loops and not again, simple),
        Check("the order of the rows says nothing", sorted_names and not unsorted, f"{unsorted:,} edges are not sorted"),
        *check_counts(claims, counted),
    ]  # fmt: skip
    for least in sorted({claims["k"], k or claims["k"]}):
        exposed = int(sizes[sizes < least].sum())
        found = f"the smallest crowd has {counted.min_class_size:,}"
        found += f"; {exposed:,} people are in a crowd below {least}" if exposed else ""
        checks.append(Check(f"every degree vector occurs at least {least} times", exposed == 0, found))
    return checks, counted


def _read(file: Path, column: str) -> pl.Series:
    try:
        found = scan_rows(file, [column]).collect()[column]
    except BROKEN as error:
        raise Unreadable(f"{file.name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None
    if found.null_count():
        raise Unreadable(f"column '{column}' has empty cells")
    return found


def _read_slice(file: Path, label: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Both ends of the edges of a file, and how many are not in its slice."""
    try:
        scan = scan_rows(file, ["source", "target", "slice"])
        if not all(scan.collect_schema()[end].is_integer() for end in ("source", "target")):
            raise Unreadable(f"edges/{file.name}: people in partitioned Parquet are whole numbers")
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
