"""Retie: edges of a slice swap ends, so that they look like true ones over time, and no degree changes.

A swap puts a-d and c-b in the place of a-b and c-d. Everybody keeps as many edges as before, so whoever looks alike does so
afterwards. One slice is retied while the others stand still; see `shoal.pieces.retie_slices` for the rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.realize.view import SliceView
from shoal.rebuild._edgeset import new_set
from shoal.rebuild._retie_kernels import BEFORE, FIXED, HERE, Around, Ties
from shoal.rebuild._rewire_kernels import half_edges

FEATURES = 6


class Elsewhere(NamedTuple):
    """Pairs that meet in other slices: ``low * n + high``, in how many, and whether in the slice before (1) and after (2)."""

    keys: np.ndarray
    others: np.ndarray
    marks: np.ndarray
    degrees: np.ndarray  # (2, n) everybody's contacts in the slice before and after; 0 where there is none


def look_around(slices: Sequence[np.ndarray], t: int, near: tuple[int | None, int | None], n: int) -> Elsewhere:
    """What slice t has to know of the others: pairs of people who both have edges in it."""
    here = np.zeros(n, bool)
    here[slices[t].ravel()] = True
    found = [np.empty(0, np.int64)] * len(slices)
    for s, edges in enumerate(slices):
        if s != t:
            some = edges[here[edges[:, 0]] & here[edges[:, 1]]].astype(np.int64)
            found[s] = np.unique(some.min(axis=1, initial=n) * n + some.max(axis=1, initial=0))
    keys, others = np.unique(np.concatenate(found), return_counts=True)
    marks, degrees = np.zeros(len(keys), np.int64), np.zeros((2, n), np.int64)
    for side, s in enumerate(near):
        if s is not None:
            marks[np.searchsorted(keys, found[s])] |= BEFORE << side
            degrees[side] = np.bincount(slices[s].ravel(), minlength=n)
    return Elsewhere(keys, others, marks, degrees)


def around(view: SliceView, edges: np.ndarray, elsewhere: Elsewhere, kind: np.ndarray | None = None) -> Around:
    """The same as the kernel sees it, with the edges and the limits of the original slice."""
    n, half = view.people, view.half
    low, high = elsewhere.keys // n, elsewhere.keys % n
    keys, others, marks = low * view.n_nodes + high + half, elsewhere.others, elsewhere.marks
    if half:
        keys, others, marks = np.append(keys, high * view.n_nodes + low + half), np.tile(others, 2), np.tile(marks, 2)
    every = np.unique(np.concatenate([keys, view.keys, view.forbidden]))
    all_others, all_marks = np.zeros(len(every), np.int64), np.zeros(len(every), np.int64)
    all_others[np.searchsorted(every, keys)], all_marks[np.searchsorted(every, keys)] = others, marks
    for which, mark in ((view.keys, HERE), (view.keys[view.must_keep], FIXED), (view.forbidden, FIXED)):
        all_marks[np.searchsorted(every, which)] |= mark
    copies = 2 if half else 1
    now = np.bincount(edges.ravel(), minlength=n)
    both = now * elsewhere.degrees
    share = np.tile(np.where(both > 0, 1 / np.sqrt(np.maximum(both, 1)), 0.0), copies)
    kinds = np.full(view.n_nodes, -1) if kind is None else np.tile(kind, copies)
    start, near = half_edges(every, view.n_nodes)
    return Around(new_set(every, every.size), all_others, all_marks, start, near, kinds, view.exempt, share)


def begin(view: SliceView, edges: np.ndarray, budget: int) -> Ties:
    """The edges as stubs, not looked at yet."""
    keys = edges[:, 0].astype(np.int64) * view.n_nodes + edges[:, 1] + view.half
    m = keys.size
    start = np.zeros(view.n_nodes + 1, np.int64)
    np.cumsum(
        np.bincount(np.concatenate([keys // view.n_nodes, keys % view.n_nodes]), minlength=view.n_nodes), out=start[1:]
    )
    empty = np.empty(2 * m, np.int64)
    return Ties(
        view.half,
        start,
        empty,
        np.empty((m, 2), np.int64),
        empty.copy(),
        new_set(keys, m),
        np.zeros((m + 2, FEATURES), np.int64),
        np.zeros((m + 2, 2)),
        np.empty(m, np.int64),
        np.full(m, -1),
        np.array([0, budget]),
    )
