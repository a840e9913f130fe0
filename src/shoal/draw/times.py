"""When the contacts of a released slice were: drawn from everybody's in that slice, from edges with about as many contacts.

One contact of an edge, its anchor, is drawn like those of others, moved among them, so that no moment of the original comes
back as it was. From there the edge's contacts are walked forwards and backwards, each a gap away from the one before: one of the
gaps that began at about that time of the day, so that times of the day and gaps stay what they were; a gap that leads to where
nobody had contacts is not taken. No edge has more than a k-th of the gaps that a draw is among: of one that would, some are
left out, evenly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.contacts.behind import Clock
from shoal.draw._kernels import DAY, Gaps, walk
from shoal.draw.classes import class_bounds, class_of, most_each, size_class


class Pool(NamedTuple):
    """What is drawn from: all times of the slice in order, and for every one the class of its edge; gaps likewise."""

    times: np.ndarray
    classes: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    owner: np.ndarray
    gap_classes: np.ndarray
    seen: np.ndarray


def draw_times(
    counts: np.ndarray,
    times: np.ndarray,
    drawn: np.ndarray,
    clock: Clock,
    t: int,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Times for the `drawn` counts of the released edges of slice t, from the counts and times of the original's."""
    several = np.flatnonzero(counts > 1)
    taken = np.minimum(counts - 1, most_each(counts - 1, k))
    bounds = class_bounds(size_class(counts[several]), several, taken[several], k)
    classes, mine = (_classes(some, bounds) for some in (counts, drawn))
    pool = _pool(counts, times, classes, taken)
    made = np.empty(int(drawn.sum()), np.int64)
    whose = np.repeat(np.arange(len(drawn)), drawn)
    for number in np.unique(mine):
        here = np.flatnonzero(mine == number)
        few = number > 0 and not len(bounds)  # edges behind any gap
        made[np.isin(whose, here)] = _walked(pool, drawn[here], -1 if few else int(number), clock, t, k, rng)
    return made[np.lexsort((made, whose))]


def _classes(counts: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """0 for edges of one contact; then those of several, by how many."""
    return np.where(counts > 1, 1 + class_of(size_class(counts), bounds), 0)


def _pool(counts: np.ndarray, times: np.ndarray, classes: np.ndarray, taken: np.ndarray) -> Pool:
    """All times, and of every edge as many gaps as are `taken`, spread over those it has."""
    owner = np.repeat(np.arange(len(counts)), counts)
    order = np.argsort(times, kind="stable")
    follows = np.flatnonzero(np.diff(owner) == 0)
    gaps, share = (counts - 1)[owner[follows]], taken[owner[follows]]
    place = np.arange(len(follows)) - np.searchsorted(owner[follows], owner[follows])
    follows = follows[(place + 1) * share // gaps > place * share // gaps]
    return Pool(
        times[order],
        classes[owner[order]],
        times[follows],
        times[follows + 1],
        owner[follows],
        classes[owner[follows]],
        np.zeros(len(counts), np.int64),
    )


def _walked(
    pool: Pool, counts: np.ndarray, number: int, clock: Clock, t: int, k: int, rng: np.random.Generator
) -> np.ndarray:
    """The times of edges of a class with these counts, those of each together; by chance alone where the class is -1."""
    low, high = clock.spans[t].tolist()
    inside = pool.gap_classes == number
    begin, end, owner = pool.begin[inside], pool.end[inside], pool.owner[inside]
    anchors = _moments(pool.times[pool.classes == number], pool.times, len(counts), clock, t, k, rng)
    back = (rng.random(len(counts)) * counts).astype(np.int64)  # how many come before the anchor
    reach = k * (high - low) // max(len(pool.times), 1)  # on average 2 k contacts are so near
    whose, moments = [], []
    for sign, steps, since, until in ((1, counts - back, begin, end), (-1, back + 1, -end, -begin)):
        order = np.argsort(since % DAY, kind="stable")
        gaps = Gaps((since % DAY)[order], (until - since)[order], owner[order])
        total, starts = int(steps.sum()), np.cumsum(steps) - steps
        first = sign * _moments(pool.times, pool.times, total, clock, t, k, rng)
        first[starts] = sign * anchors
        limit = high if sign > 0 else 1 - low
        busy = np.ascontiguousarray((sign * pool.times)[::sign])
        found = sign * walk(gaps, pool.seen, steps, first, busy, reach, limit, k, rng.random(total))
        once = np.ones(total, bool)
        once[starts] = sign > 0  # the anchor is in both walks
        whose.append(np.repeat(np.arange(len(counts)), steps)[once])
        moments.append(found[once])
    return np.concatenate(moments)[np.argsort(np.concatenate(whose), kind="stable")]


def _moments(
    pool: np.ndarray, times: np.ndarray, n: int, clock: Clock, t: int, k: int, rng: np.random.Generator
) -> np.ndarray:
    """Moments to begin at: as in the pool, moved by up to k places among all contacts, and between two of these.

    Where few are in the pool all contacts are taken, and where these are few, any moment of the slice.
    """
    low, high = clock.spans[t].tolist()
    pool = pool if len(pool) > k else times
    if len(pool) > k:
        like = pool[((np.arange(n) + rng.random(n)) * len(pool) / max(n, 1)).astype(np.int64)]
        place = np.searchsorted(times, like) + rng.uniform(-k, k, n)
        found = np.interp(place, np.arange(len(times)), times - low).astype(np.int64) + low
    else:
        found = low + (rng.random(n) * (high - low)).astype(np.int64)
    on_grid = found - (found - clock.base) % clock.step
    return rng.permutation(np.where(on_grid < low, on_grid + clock.step, on_grid))
