"""Ties change hands: in one slice, the ends of edges between any two groups move to random members of these groups.

For every two groups A and B there is one random permutation of A and one of B; every edge between them moves both ends by
these, an edge inside A both ends by one permutation of A. An edge a → b and its answer b → a move together. A permutation
takes different pairs to different pairs, so a simple slice stays simple, and a group keeps its edges to every other group.

A permutation is the order of a keyed hash over the members: it needs no table, is the same on any machine, and a later
release can go on with it. The hash is SipHash, a pseudorandom function: who does not have the key cannot tell the
permutations from uniform ones drawn independently.
"""

from __future__ import annotations

import numpy as np

from shoal.move._permute_kernels import move_ends


def move_slice(
    edges: np.ndarray, labels: np.ndarray, key: np.ndarray, *, directed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The edges of a slice after their ends changed hands inside groups, sorted, and where each of them stood before.

    Parameters
    ----------
    edges
        (m, 2) people; in an undirected slice the smaller number first.
    labels
        (n,) everybody's group. The members of a group take places in the order of their numbers.
    key
        Two numbers of 64 bits, secret. Slices with the same key and groups are moved by the same permutations.

    Examples
    --------
    >>> edges, labels = np.array([[0, 2], [1, 3]], np.int32), np.array([0, 0, 1, 1])
    >>> sorted({str(move_slice(edges, labels, np.array([i, 0], np.uint64))[0].tolist()) for i in range(20)})
    ['[[0, 2], [1, 3]]', '[[0, 3], [1, 2]]']
    """
    if len(edges) == 0:
        return edges, np.empty(0, np.int64)
    members = np.argsort(labels, kind="stable")
    start = np.searchsorted(labels[members], np.arange(int(labels.max()) + 2))
    place = np.empty(len(labels), np.int64)
    place[members] = np.arange(len(labels)) - start[labels[members]]
    groups = np.sort(labels[edges], axis=1)
    by_groups = np.lexsort((groups[:, 1], groups[:, 0]))
    moved = move_ends(edges.astype(np.int64), by_groups, labels, start, members, place, key)
    moved = moved if directed else np.sort(moved, axis=1)
    order = np.lexsort((moved[:, 1], moved[:, 0]))
    return moved[order].astype(np.int32), order
