"""Exact l1 nearest neighbours of degree rows, and a bounded search where exact ones would take too long.

Rows of degrees are small whole numbers, so distances are exact integers. Dense rows are sorted into boxes of 64 that are
skipped whole when they lie too far away; what is left is scanned a block at a time. Sparse rows go through an inverted
index. Above ``EXACT_LIMIT`` rows every row looks only into the boxes nearest to its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.progress import run_jobs
from shoal.group._neighbour_kernels import FAR, Boxes, box_leaves, nearest_by_overlap, nearest_in_leaves, tree_order

EXACT_LIMIT = 120_000  # distinct rows up to which neighbours are exact: beyond, n² comparisons take minutes
MIN_NEIGHBOURS, MORE = 16, 6  # listed for every row at least, and more than groups of k ask for
LEAF_SIZE = 64  # rows of a box: some vector registers, and few enough for tight boxes
N_SUMS = 5  # dimensions of a box: more are tighter and take longer to compare
SEARCH_LEAVES = 96  # boxes that are looked into where not all are
# Rows with fewer entries than this share, and of so many slices at least, go faster through an inverted index than through boxes.
SPARSE_DENSITY, SPARSE_MIN_SLICES = 0.12, 64


def collapse_rows(degrees: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct rows: the index of one row of each crowd, the crowd of every row, and the size of each crowd.

    Near crowds lie close together, for the cache.

    >>> first, label, count = collapse_rows(np.array([[1, 2], [0, 0], [1, 2]]))
    >>> sorted(count.tolist()), bool(label[0] == label[2])
    ([1, 2], True)
    """
    first, label, count = distinct_rows(degrees)
    order, _ = leaves_of(slice_sums(degrees[first]))
    return first[order], np.argsort(order)[label], count[order]


def nearest_rows(
    degrees: np.ndarray, n_neighbours: int, *, jobs: int = 1, progress: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ``n_neighbours`` nearest other rows of every row in l1, nearest first, and their distances.

    Exact up to ``EXACT_LIMIT`` rows. Meant for distinct rows (see `collapse_rows`): a row that occurs a thousand times
    would have itself as its only neighbours.

    >>> near, distance = nearest_rows(np.array([[0, 1], [0, 2], [5, 5]]), 1)
    >>> near.ravel().tolist(), distance.ravel().tolist()
    ([1, 0, 1], [1, 1, 8])
    """
    n = len(degrees)
    n_neighbours = min(n_neighbours, n - 1)
    if n_neighbours < 1:
        return np.empty((n, 0), np.int32), np.empty((n, 0), np.int32)
    thin = degrees.shape[1] >= SPARSE_MIN_SLICES and np.count_nonzero(degrees) < SPARSE_DENSITY * degrees.size
    return (_sparse if thin and n <= EXACT_LIMIT else _dense)(degrees, n_neighbours, jobs, progress)


class Crowds(NamedTuple):
    """The distinct rows of a degree matrix and who is near whom among them.

    `first` is one row of each crowd, `label` the crowd of every row, `sizes` how many are in each; `near` and
    `distance` list the nearest crowds of each, nearest first.
    """

    first: np.ndarray
    label: np.ndarray
    sizes: np.ndarray
    near: np.ndarray
    distance: np.ndarray


def find_crowds(
    degrees: np.ndarray, k: int | np.ndarray, *, jobs: int = 1, progress: Callable[[float], None] | None = None
) -> Crowds:
    """Collapse identical rows and list as many neighbours of each as groups of k, and the bound, want to know.

    Where people have levels of their own, as many as nine in ten of the protected want: a few who ask for a thousand do
    not lengthen everybody's list.
    """
    asked = np.sort(np.ravel(k))
    asked = asked[np.searchsorted(asked, 1, side="right") :]
    most = int(asked[len(asked) * 9 // 10]) if len(asked) else 1
    first, label, count = collapse_rows(degrees)
    near, distance = nearest_rows(degrees[first], max(MIN_NEIGHBOURS, most + MORE), jobs=jobs, progress=progress)
    return Crowds(first, label, count, near, distance)


def small_dtype(degrees: np.ndarray) -> type:
    """16 bits where no distance between two rows can overflow them: half the memory, twice the speed."""
    return np.int16 if degrees.size == 0 or int(degrees.sum(axis=1).max()) < 16_000 else np.int32


def chunks(count: int, length: int) -> list[np.ndarray]:
    """The numbers below ``count`` in runs of ``length``."""
    return [np.arange(i, min(i + length, count)) for i in range(0, count, length)]


def slice_sums(rows: np.ndarray) -> np.ndarray:
    """Sums over ``N_SUMS`` sets of slices, dealt out in turn. Two rows are at least as far apart as their sums."""
    n_sums = min(N_SUMS, rows.shape[1])
    sums = [rows[:, i::n_sums].sum(axis=1, dtype=np.int32) for i in range(n_sums)]
    return np.ascontiguousarray(np.stack(sums, axis=1))


def leaves_of(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An order in which neighbours lie close together, and where each box of it begins."""
    order = np.arange(len(sums))
    starts = np.zeros(2 * (len(sums) // LEAF_SIZE) + 3, np.int64)
    n_leaves = tree_order(sums, LEAF_SIZE, order, starts)
    return order, starts[: n_leaves + 1]


def _dense(
    degrees: np.ndarray, n_neighbours: int, jobs: int, progress: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    n, n_slices = degrees.shape
    by_spread = np.argsort(-degrees.std(axis=0), kind="stable")
    rows: np.ndarray = np.ascontiguousarray(degrees[:, by_spread], dtype=small_dtype(degrees))
    sums = slice_sums(rows)
    order, starts = leaves_of(sums)
    rows, sums, n_leaves = rows[order], sums[order], len(starts) - 1
    blocks = np.empty((n_leaves, n_slices, LEAF_SIZE), rows.dtype)
    low, high = np.empty((2, n_leaves, sums.shape[1]), np.int32)
    centre = np.empty((n_leaves, sums.shape[1]), np.int64)
    boxes = Boxes(rows, sums, starts, blocks, low, high, centre)
    box_leaves(boxes)
    near = np.zeros((n, n_neighbours), np.int32)
    far = np.full((n, n_neighbours), FAR, np.int32)
    limit = n_leaves if n <= EXACT_LIMIT else min(SEARCH_LEAVES, n_leaves)

    def task(leaves: np.ndarray) -> None:
        nearest_in_leaves(boxes, leaves, limit, near, far)

    run_jobs(task, chunks(n_leaves, 16), jobs, progress)
    result, distance = np.empty_like(near), np.empty_like(far)
    result[order], distance[order] = order[near], far
    return result, distance


def _sparse(
    degrees: np.ndarray, n_neighbours: int, jobs: int, progress: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    from scipy import sparse

    n = len(degrees)
    by_row = sparse.csr_array(degrees.astype(np.int32))
    by_column = by_row.tocsc()
    totals = degrees.sum(axis=1).astype(np.int32)
    near = np.zeros((n, n_neighbours), np.int32)
    far = np.full((n, n_neighbours), FAR, np.int32)

    def task(queries: np.ndarray) -> None:
        nearest_by_overlap(
            by_row.indptr, by_row.indices, by_row.data, by_column.indptr, by_column.indices, by_column.data,
            totals, queries, near, far,
        )  # fmt: skip

    run_jobs(task, chunks(n, 512), jobs, progress)
    return near, far
