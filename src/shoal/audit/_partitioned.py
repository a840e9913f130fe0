"""Reading a release whose edges lie in one Parquet file per slice, so that no more than a slice is held at a time.

Like `_released`, it shares no code with what wrote the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audit._released import Check, Edges, Released, as_released, columns_of, numbered, places_of, read_lists
from shoal.audit._tables import BROKEN, Unreadable, scan_rows


def read_partitioned(folder: Path, claims: dict[str, Any]) -> tuple[Released, list[Check]]:
    """The tables of people and slices, whether anything is listed twice in them, and a file of edges for every slice."""
    nodes, slices, checks = read_lists(folder, claims)
    try:
        names = scan_rows(folder / "nodes.parquet", ["node", *columns_of(claims)]).collect()["node"]
    except BROKEN as error:
        raise Unreadable(f"nodes: {(str(error).splitlines() or ['cannot be read'])[0]}") from None
    labels = slices["slice"].to_list()
    layers = slices["layer"].to_list() if "layer" in slices.columns else None
    files = sorted(path.name for path in (folder / "edges").iterdir())
    if files != [f"{t + 1:05}.parquet" for t in range(len(labels))]:
        raise Unreadable(f"edges: expected one file for each of {len(labels):,} slices, 00001.parquet and so on")
    if names.dtype.is_integer():
        names = names.cast(pl.Int64, strict=False)
        if names.null_count():
            raise Unreadable("nodes: somebody is listed by a number of more than 63 bits")
    sought = names.arg_sort().to_numpy().astype(np.int64) if names.dtype.is_integer() else numbered(names)

    def of_slice(s: int) -> Edges:
        frame, wrong = _read_slice(folder / "edges" / files[s], labels[s], None if layers is None else layers[s], names)
        ends = [_places(frame[end], names, sought) for end in ("source", "target")]
        known = (ends[0] >= 0) & (ends[1] >= 0)
        return Edges(ends[0][known], ends[1][known], int(len(known) - known.sum()), wrong)

    return as_released(nodes, slices, of_slice), checks


def _read_slice(file: Path, label: str, layer: str | None, names: pl.Series) -> tuple[pl.DataFrame, int]:
    """Both ends of the edges of a file, and how many are not in its slice, or not in its layer."""
    where = {"slice": label} | ({} if layer is None else {"layer": layer})
    try:
        scan = scan_rows(file, ["source", "target", *where])
        wrong = scan.select(
            pl.any_horizontal((pl.col(name) != value).fill_null(True) for name, value in where.items()).sum()
        )
        frame, elsewhere = scan.select("source", "target").collect(), int(wrong.collect().item())
    except BROKEN as error:
        raise Unreadable(f"edges/{file.name}: {(str(error).splitlines() or ['cannot be read'])[0]}") from None
    if any(kind.is_integer() != names.dtype.is_integer() for kind in frame.dtypes):
        raise Unreadable(f"edges/{file.name}: people are called by numbers here and by text elsewhere")
    if frame["source"].null_count() or frame["target"].null_count():
        raise Unreadable(f"edges/{file.name}: has empty cells")
    return frame, elsewhere


def _places(values: pl.Series, names: pl.Series, sought: np.ndarray | pl.DataFrame) -> np.ndarray:
    """Where each value stands among the names; -1 for a stranger. `sought` is what sorts numbers, or `numbered` text."""
    if isinstance(sought, pl.DataFrame):
        return places_of(values, sought).cast(pl.Int64).fill_null(-1).to_numpy()
    numbers, listed = values.cast(pl.Int64, strict=False).fill_null(-1).to_numpy(), names.to_numpy()[sought]
    if not len(listed):
        return np.full(len(numbers), -1)
    if listed[-1] - listed[0] + 1 == len(listed):  # numbers without gaps
        place = np.clip(numbers - listed[0], 0, len(listed) - 1)
    else:
        place = np.minimum(np.searchsorted(listed, numbers), len(listed) - 1)
    return np.where(listed[place] == numbers, sought[place], -1)
