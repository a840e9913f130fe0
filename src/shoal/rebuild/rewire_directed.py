"""Rewire a digraph: from the original slice to exactly the target in- and out-degrees, by as few edits as can be."""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.realize.choose import cover_surplus
from shoal.realize.fulkerson import is_digraphical
from shoal.rebuild import _directed_kernels as kernels
from shoal.rebuild._edgeset import new_set
from shoal.rebuild.rewire import EdgeSet, as_edges


def rewire_directed(
    edges: np.ndarray,
    n: int,
    in_degrees: np.ndarray,
    out_degrees: np.ndarray,
    *,
    deleted: np.ndarray | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """A simple digraph with exactly these degrees that shares as many arcs as possible with ``edges``.

    The steps are those of :func:`shoal.rebuild.rewire.rewire`: arcs go where nodes send or receive too many
    (``deleted`` says which, where the degree program has chosen them), then those that have to send are joined with
    those that have to receive, the largest need first. What is left is repaired by u → y and x → v for x → y, and if
    even that fails, along a Kleitman–Wang digraph of the targets, which always ends
    (:func:`shoal.rebuild._directed_kernels.follow_witness`). Last, squares with three edits are swapped into one edit.

    The degrees must be realizable (equal sums, Fulkerson–Chen–Anstee).

    >>> path = np.array([[0, 1], [1, 2]], dtype=np.int32)
    >>> rewire_directed(path, 3, np.array([1, 1, 1]), np.array([1, 1, 1]), rng=np.random.default_rng(0)).tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    target = as_target(in_degrees, out_degrees)
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    cover = np.stack([edges[:, 0], edges[:, 1] + np.int64(n)], axis=1)
    lack = target - np.bincount(cover.ravel(), minlength=2 * n)
    original = new_set(keys, keys.size)
    current = new_set(keys, keys.size + int(target[:n].sum()) + 1)
    if deleted is None:
        deleted = cover_surplus(cover, 2 * n, target, rng=rng)
    kernels.remove_all(keys[deleted], n, current, lack)
    if lack.min(initial=0) < 0:
        kernels.drop_surplus(keys, n, current, lack, rng)
    fill(current, original, n, target, lack, rng)
    kernels.polish(n, current, original, lack, rng)
    return as_edges(current, n)


def as_target(in_degrees: np.ndarray, out_degrees: np.ndarray) -> np.ndarray:
    """What everybody has to send, then what everybody has to receive; refused where no digraph has it."""
    if not is_digraphical(in_degrees, out_degrees):
        raise InputError("in_degrees and out_degrees must be realizable (equal sums, Fulkerson–Chen–Anstee)")
    return np.concatenate([out_degrees, in_degrees]).astype(np.int64)


def fill(
    current: EdgeSet, original: EdgeSet, n: int, target: np.ndarray, lack: np.ndarray, rng: np.random.Generator
) -> None:
    """Fill what is lacking, whatever it takes: original arcs first, then others, small repairs, along a witness."""
    keys = original[2][: original[3][0]]
    start, near = kernels.lists(keys // n, keys % n, n)
    kernels.join_lacking(n, current, lack, start, near, rng)
    if lack.any():
        kernels.repair(n, current, original, lack, rng)
    if lack.any():
        kernels.follow_witness(n, current, lack, target, rng)
