"""Rewire: from the original slice to exactly the target degrees, by as few edits as can be."""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.realize.choose import cover_surplus
from shoal.realize.erdos_gallai import is_graphical
from shoal.rebuild import _kernels
from shoal.rebuild._edgeset import new_set

EdgeSet = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def rewire(
    edges: np.ndarray,
    n: int,
    target_degrees: np.ndarray,
    *,
    deleted: np.ndarray | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """A simple graph with exactly ``target_degrees`` that shares as many edges as possible with ``edges``.

    Instead of building from nothing, the slice is changed where its degrees are wrong: edges go where nodes have
    too many (``deleted`` says which, where the degree program has chosen them), then nodes that have too few are
    joined, the largest need first. What adjacent leftovers u, v lack comes by three-edge repairs (u–x and y–v for
    x–y, an added edge x–y if there is one), and if even that fails, along a Havel–Hakimi graph of the targets,
    which always ends (:func:`shoal.rebuild._kernels.follow_witness`). Last, squares with three edits are swapped
    into one edit. Everything is random among equals, so that the result does not point at the edits.

    ``target_degrees`` must be realizable (even sum, Erdős–Gallai).

    >>> path = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    >>> rewire(path, 4, np.array([2, 2, 2, 2]), rng=np.random.default_rng(0)).tolist()
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    """
    target = np.ascontiguousarray(target_degrees, dtype=np.int64)
    if not is_graphical(target):
        raise InputError("target_degrees must be realizable (even sum, Erdős–Gallai)")
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    lack = target - np.bincount(edges.ravel(), minlength=n)
    original = new_set(keys, keys.size)
    current = new_set(keys, keys.size + int(target.sum()) // 2 + 1)
    if deleted is None:
        deleted = cover_surplus(edges, n, target, rng=rng)
    _kernels.remove_all(keys[deleted], n, current, lack)
    if lack.min(initial=0) < 0:
        _kernels.drop_surplus(keys, n, current, lack, rng)
    _kernels.join_lacking(n, current, lack, rng)
    finish(current, original, n, target, lack, rng)
    _kernels.polish(n, current, original, lack, rng)
    return as_edges(current, n)


def finish(
    current: EdgeSet, original: EdgeSet, n: int, target: np.ndarray, lack: np.ndarray, rng: np.random.Generator
) -> None:
    """Fill what is still lacking, whatever it takes: small repairs, then along a witness."""
    if lack.any():
        _kernels.repair(n, current, original, lack, rng)
    if lack.any():
        _kernels.follow_witness(n, current, lack, target, rng)


def as_edges(current: EdgeSet, n: int) -> np.ndarray:
    """The edge set as a sorted (m, 2) array."""
    keys = np.sort(current[2][: current[3][0]])
    return np.stack([keys // n, keys % n], axis=1).astype(np.int32)
