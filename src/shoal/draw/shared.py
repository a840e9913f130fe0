"""Counts shared out so that people who are alike in their edges are alike in their contacts, too, slice by slice.

Every edge has one contact, and some of them more. More, over the edges of somebody, must be the same for all members of a crowd.
Where edges have a direction that is a flow: from everybody, as much as their crowd's senders have, over edges, to everybody, as
much as their crowd's receivers have. Without a direction an edge is taken both ways, which gives everybody an even number; flows
of whole numbers are whole. Crowds begin with what they would have had and give way, one by one, where no flow fills all of
them. Nothing at all is a flow, so this ends. Last, every edge gets as many contacts more as the total still lacks: people of a
crowd have as many edges, so that keeps them alike.
"""

from __future__ import annotations

import numpy as np


def share_counts(
    edges: np.ndarray, drawn: np.ndarray, crowd: np.ndarray, *, directed: bool, rng: np.random.Generator
) -> np.ndarray:
    """Counts of the edges of a slice, about as many in all as were drawn; `crowd` numbers people who have as many edges.

    >>> ring = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> counts = share_counts(ring, np.array([1, 5, 1, 5]), np.zeros(4, int), directed=False, rng=np.random.default_rng(0))
    >>> [int(counts[(ring == i).any(axis=1)].sum()) for i in range(4)], int(counts.sum())
    ([6, 6, 6, 6], 12)
    """
    if not len(edges):
        return drawn
    more = np.ones(len(edges), np.int64)
    arcs = edges if directed else np.concatenate([edges, edges[:, ::-1]])
    flow = _shared_flow(arcs, np.resize(drawn - 1, len(arcs)), crowd, 1 if directed else 2, rng)
    more += flow.reshape(-1, len(edges)).sum(axis=0)
    lacking = int(drawn.sum()) - int(more.sum())
    return more + max((2 * lacking + len(edges)) // (2 * len(edges)), 0)


def _shared_flow(
    arcs: np.ndarray, wished: np.ndarray, crowd: np.ndarray, halves: int, rng: np.random.Generator
) -> np.ndarray:
    """What goes over every arc, the same in all for everybody of a crowd, both as a sender and as a receiver."""
    n, sizes = len(crowd), np.bincount(crowd)
    sums = [np.bincount(arcs[:, side], wished, minlength=n) for side in (0, 1)]
    wants = [(np.bincount(crowd, of) / np.maximum(sizes, 1) / halves).astype(np.int64) for of in sums]
    widest = max(-(-int(wished.max(initial=0)) // halves), 1)
    place = rng.permutation(n)  # whose arcs are filled first is chance
    while True:
        found = _flow(place[arcs], [want[crowd[np.argsort(place)]] for want in wants], widest)
        lacks = [
            np.unique(crowd[np.bincount(arcs[:, side], found, minlength=n) < want[crowd]])
            for side, want in enumerate(wants)
        ]
        if not len(lacks[0]) and not len(lacks[1]):
            return found
        for want, some in zip(wants, lacks, strict=True):
            want[some] -= 1
        if halves == 2:  # one crowd, one number
            wants = [np.minimum(*wants)] * 2


def _flow(arcs: np.ndarray, wants: list[np.ndarray], widest: int) -> np.ndarray:
    """A largest flow over arcs from people to people, of which everybody sends and gets no more than they want."""
    from scipy.sparse import csr_array  # not on the way of a run that draws no contacts
    from scipy.sparse.csgraph import maximum_flow

    n = len(wants[0])
    source, sink = 2 * n, 2 * n + 1
    people = np.arange(n)
    rows = np.concatenate([np.full(n, source), arcs[:, 0], people + n])
    columns = np.concatenate([people, arcs[:, 1] + n, np.full(n, sink)])
    room = np.concatenate([wants[0], np.full(len(arcs), widest), wants[1]]).astype(np.int32)
    net = csr_array((room, (rows, columns)), shape=(2 * n + 2, 2 * n + 2))
    result = maximum_flow(net, source, sink).flow
    return np.asarray(result[arcs[:, 0], arcs[:, 1] + n]).ravel().astype(np.int64)
