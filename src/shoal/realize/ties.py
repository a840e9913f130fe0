"""Who meets in other slices, and what that decides among changes of a slice that cost the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.common.edges import distinct, runs
from shoal.engine.parts import Array, load
from shoal.realize.view import SliceView

EQUALS = 0.004  # of an edit: decides among equals, and hardly among others
HIGHER, NARROW = 5.0, 0.1  # of a degree of those who have many, beside other equals, and the least spread that counts
SPREAD = (0.5, 1.0)  # of degrees: between these the search lets those who have many count the more, the narrower it is
LONG = 8  # other slices in which a pair meets from which on it lasts as long as any
LIKELY, LONGER = 5.0, 16  # the same of pairs to join, beside other equals: measured by benchmarks/overtime.py
BEFORE, AFTER = 1, 2  # of a pair: meets in the slice before, after


class Elsewhere(NamedTuple):
    """Pairs that meet in other slices: ``low * n + high``, in how many, and whether in the slice before (1) and after (2)."""

    keys: np.ndarray
    others: np.ndarray
    marks: np.ndarray
    degrees: np.ndarray  # (2, n) everybody's contacts in the slice before and after; 0 where there is none


def look_around(
    slices: Sequence[Array], t: int, near: tuple[int | None, int | None], n: int, here: np.ndarray | None = None
) -> Elsewhere:
    """What slice t has to know of the others: pairs of people who both have edges in it (or are marked ``here``)."""
    if here is None:
        here = np.zeros(n, bool)
        here[load(slices[t]).ravel()] = True
    found, end, beside = np.empty(sum(map(len, slices)), np.int64), 0, dict[int, np.ndarray]()
    for s, held in enumerate(slices):  # one after the other into one array, so that they lie in memory once
        if s != t:
            edges = load(held)
            pairs = pair_keys(edges[here[edges[:, 0]] & here[edges[:, 1]]], n)
            found[end : end + len(pairs)] = pairs
            end += len(pairs)
            if s in near:
                beside[s] = pairs
    keys, others = runs(found[:end])
    marks, degrees = np.zeros(len(keys), np.int64), np.zeros((2, n), np.int64)
    for side, which in enumerate(near):
        if which is not None:
            marks[np.searchsorted(keys, beside[which])] |= BEFORE << side
            degrees[side] = np.bincount(load(slices[which]).ravel(), minlength=n)
    return Elsewhere(keys, others, marks, degrees)


def pair_keys(edges: np.ndarray, n: int) -> np.ndarray:
    """``low * n + high`` for every pair of people that meets; one that meets in both directions meets once."""
    low, high = np.minimum(edges[:, 0], edges[:, 1]), np.maximum(edges[:, 0], edges[:, 1])
    keys = low.astype(np.int64) * n + high
    return keys if (low == edges[:, 0]).all() else distinct(keys)


def meets(view: SliceView, elsewhere: Elsewhere) -> np.ndarray:
    """In how many other slices the two of each edge meet."""
    us, vs = view.us, view.vs - view.half
    keys = np.minimum(us, vs) * view.people + np.maximum(us, vs)
    return np.append(elsewhere.others, 0)[find(elsewhere.keys, keys)]


def find(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Places of the wanted among sorted keys; the one behind the last for those that are not there."""
    at = np.searchsorted(keys, wanted)
    return np.where(np.append(keys, -1)[at] == wanted, at, len(keys))


class Ties(NamedTuple):
    """What decides among equals: what it costs more to delete each edge, what a degree of each group is worth more, pairs of nodes
    that may well be joined if both lack an edge, and the worth of each, all in small parts of an edit (EQUALS); and how much more
    the search lets a degree be worth than the solver."""

    dearer: np.ndarray | float
    higher: np.ndarray | float
    likely: np.ndarray
    worth: np.ndarray
    alike: float = 1.0


NO_TIES = Ties(0.0, 0.0, np.empty((0, 2), np.int64), np.empty(0))


def ties_of(view: SliceView, elsewhere: Elsewhere) -> Ties:
    """What decides among changes that cost the same.

    Lasting ties stay rather than one-off contacts, and contacts of two who have unlike numbers of them, on which paths and
    PageRank depend, rather than those of equals. Who lacks an edge should have somebody to join whom they meet elsewhere too.
    Edges come to those who have many rather than to those who have few, as true ones do, the more so where all have about as many.
    """
    one, other = view.degrees[view.us], view.degrees[view.vs]
    lasts = np.minimum(meets(view, elsewhere), LONG) / LONG
    dearer = EQUALS * (lasts + np.abs(1 / one - 1 / other))
    mean = np.bincount(view.labels, view.degrees, view.n_groups) / np.maximum(view.sizes, 1)
    size, share = np.log1p(view.degrees), view.degrees / max(1, view.degrees.sum())  # as an end of an edge sees them
    spread = np.sqrt((size - size @ share) ** 2 @ share)
    higher = HIGHER * EQUALS * (np.log1p(mean) - size @ share) / max(spread, NARROW)
    alike = 1 / float(np.clip(spread, *SPREAD))
    if view.directed:
        return Ties(dearer, higher, NO_TIES.likely, NO_TIES.worth, alike)
    absent = (elsewhere.others > 1) & ~np.isin(elsewhere.keys, view.keys)
    likely = np.stack(np.divmod(elsewhere.keys[absent], view.people), axis=1)
    worth = LIKELY * EQUALS * np.minimum(elsewhere.others[absent], LONGER) / LONGER
    return Ties(dearer, higher, likely, worth, alike)
