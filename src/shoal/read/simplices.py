"""Groups of people with a time, as the sets of A. R. Benson are published: everybody of a group has met everybody else of it.

NAME-nverts.txt has the size of each group, NAME-times.txt its time, NAME-simplices.txt the people of all groups in turn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import Table, blank_separated, load_text

_PARTS = ("nverts", "simplices", "times")


def groups_as_pairs(path: Path) -> tuple[Table, pl.Series]:
    """The pairs of all groups as a table source, target, time; and everybody, who may have been alone."""
    files = _siblings(path)
    sizes, people, times = (_one_column(file) for file in files)
    counts = sizes.cast(pl.Int64, strict=False)
    bad = (counts.is_null() | (counts < 1)).fill_null(True)
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(
            f"{files[0]}, line {row + 1}: the size of a group is a whole number from 1; got '{sizes[row]}'"
        )
    if len(times) != len(sizes):
        raise InputError(f"{files[2]}: {len(times):,} times for the {len(sizes):,} groups of {files[0].name}")
    size = counts.to_numpy()
    if int(size.sum()) != len(people):
        raise InputError(f"{files[1]}: {len(people):,} people where {files[0].name} counts {int(size.sum()):,}")
    if size.max() < 2:
        raise InputError(f"{files[0]}: there is no group of two or more")
    n_pairs = int((size.astype(float) * (size - 1) / 2).sum())
    packed = sum(file.stat().st_size for file in files)
    if 8 * 3 * n_pairs > (most := most_unpacked(packed)):
        raise too_much(path, most)
    source, target, group = _pairs(size)
    frame = pl.DataFrame(
        {"source": people.gather(source), "target": people.gather(target), "time": times.gather(group)}
    )
    everybody = people.unique(maintain_order=True).alias("node")
    return Table(frame, lambda row: f"{files[2]}, line {int(group[row]) + 1}"), everybody


def _siblings(path: Path) -> list[Path]:
    for part in _PARTS:
        if (stem := path.name.partition(f"-{part}.txt"))[1]:
            return [path.with_name(f"{stem[0]}-{one}.txt{stem[2]}") for one in _PARTS]
    raise InputError(
        f"{path}: groups come in three files NAME-nverts.txt, NAME-simplices.txt and NAME-times.txt; give one"
    )


def _one_column(file: Path) -> pl.Series:
    frame = blank_separated(file, load_text(file), "#").frame
    if frame.width != 1:
        raise InputError(f"{file}: each line needs one field, and has {frame.width}")
    return frame.to_series()


def _pairs(size: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the two people of every pair stand, and its group; group after group."""
    starts = np.concatenate([[0], np.cumsum(size)[:-1]])
    parts = []
    for one in np.unique(size[size > 1]):
        groups = np.flatnonzero(size == one)
        low, high = np.triu_indices(one, 1)
        first = np.repeat(starts[groups], len(low))
        parts.append(
            (first + np.tile(low, len(groups)), first + np.tile(high, len(groups)), np.repeat(groups, len(low)))
        )
    source, target, group = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(group, kind="stable")
    return source[order], target[order], group[order]
