"""Class changes: where a class has more than k members, a person can move to another class instead of changing edges.

People with the same released row are one class. In a class of more than k, somebody who lacks one degree in a slice
can go to the class whose row is one lower there, and somebody who lacks nothing can go one higher and so take the
missing edge of a hub whose equals are all its neighbours already. No class is ever made or emptied below k, so the
release stays k-anonymous by construction. In a single slice, where most people stand in large crowds, this is the
main tool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.realize.choose import choose_degrees
from shoal.realize.erdos_gallai import is_graphical
from shoal.rebuild import _class_kernels, _kernels
from shoal.rebuild._edgeset import new_set
from shoal.rebuild.rewire import as_edges, finish, rewire


@dataclass
class Classes:
    """The classes of a release: their rows, who is in which, how many are in each."""

    rows: np.ndarray
    member: np.ndarray
    count: np.ndarray
    k: int

    @classmethod
    def of(cls, released: np.ndarray, k: int) -> Classes:
        """Classes of an (n, T) matrix of released degrees."""
        rows, member, count = np.unique(released, axis=0, return_inverse=True, return_counts=True)
        return cls(rows.astype(np.int64), member.reshape(-1).astype(np.int64), count.astype(np.int64), k)

    def neighbours(self, t: int, step: int) -> np.ndarray:
        """For every class the one that differs by ``step`` in slice ``t`` only, -1 where there is none."""
        salt = np.random.default_rng(20150).integers(1, 2**63, self.rows.shape[1], dtype=np.uint64) * np.uint64(2) + 1
        hashes = (self.rows.astype(np.uint64) * salt).sum(axis=1, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        look = _class_kernels.neighbour_class
        out = [look(c, t, step, self.rows, order, hashes[order], salt) for c in range(len(self.rows))]
        return np.array(out, dtype=np.int64)

    def free(self, t: int, spare: int) -> np.ndarray:
        """Who can lose an edge in slice ``t`` and go one class lower, in classes with at least ``spare`` to spare."""
        return ((self.count >= self.k + spare) & (self.neighbours(t, -1) >= 0))[self.member]


def _attempt(
    edges: np.ndarray,
    n: int,
    t: int,
    classes: Classes,
    deleted: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray] | None:
    """New edges, and for every node how many missing edges found no partner; None where the changes do not work out."""
    target = classes.rows[classes.member, t]
    member, count = classes.member.copy(), classes.count.copy()
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    lack = target - np.bincount(edges.ravel(), minlength=n)
    current = new_set(keys, 2 * keys.size + int(target.sum()) + n)
    original = new_set(keys, keys.size)
    _kernels.remove_all(keys[deleted], n, current, lack)
    if lack.min(initial=0) < 0:
        _kernels.drop_surplus(keys, n, current, lack, rng)
    _class_kernels.sink(classes.neighbours(t, -1), classes.k, lack, target, member, count, rng)
    _kernels.join_lacking(n, current, lack, rng)
    _class_kernels.pair_up(n, current, original, lack, rng)
    alone = lack.copy()
    _class_kernels.absorb(classes.neighbours(t, 1), classes.k, n, current, lack, target, member, count, rng)
    if lack.any() and not is_graphical(target):
        return None
    finish(current, original, n, target, lack, rng)
    _kernels.polish(n, current, original, lack, rng)
    classes.member[:], classes.count[:] = member, count
    return as_edges(current, n), alone


def rewire_single(
    edges: np.ndarray,
    n: int,
    labels: np.ndarray,
    k: int,
    *,
    deletion_weight: float = 1.0,
    rng: np.random.Generator,
    rounds: int = 3,
) -> np.ndarray:
    """Degrees and edges of a graph with one slice, where changing class is the main tool.

    The degree program takes a missing degree for half an edge, which holds as long as partners are found. Groups whose
    missing degrees stayed alone count them at a whole edge in the next round; the best round is kept.
    """
    sizes = np.bincount(labels)
    levels, deleted = choose_degrees(edges, n, labels, sizes, deletion_weight=deletion_weight, rng=rng)
    best = rewire(edges, n, levels[labels], deleted=deleted, rng=rng)
    fewest = _edits(edges, best, n, deletion_weight)
    free = Classes.of(levels[labels][:, None], k).free(0, k)
    price = np.full(sizes.size, 0.5)
    for _ in range(rounds):
        levels, deleted = choose_degrees(
            edges, n, labels, sizes, deletion_weight=deletion_weight, rng=rng, free=free, lack_price=price
        )
        classes = Classes.of(levels[labels][:, None], k)
        found = _attempt(edges, n, 0, classes, deleted, rng)
        if found is None:
            break
        new, alone = found
        edits = _edits(edges, new, n, deletion_weight)
        if edits < fewest:
            best, fewest = new, edits
        lonely = np.bincount(labels, weights=alone, minlength=sizes.size)
        price = np.where(lonely > 0, np.minimum(1.05, price + 0.25), price)
    return best


def _edits(old: np.ndarray, new: np.ndarray, n: int, deletion_weight: float) -> float:
    a, b = (e[:, 0].astype(np.int64) * n + e[:, 1] for e in (old, new))
    kept = int(np.isin(a, b, assume_unique=True).sum())
    return deletion_weight * (a.size - kept) + b.size - kept
