"""Walking from contact to contact of an edge: each next one a gap further, drawn among gaps that began at about that time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit

DAY = 86_400_000_000  # gaps are like each other where they begin at the same time of the day


class Gaps(NamedTuple):
    """Gaps between two contacts of an edge: the time of the day they began at, by which they are sorted, their length and edge."""

    begin: np.ndarray
    length: np.ndarray
    owner: np.ndarray


@njit
def window(begin: np.ndarray, owner: np.ndarray, seen: np.ndarray, moment: int, k: int) -> tuple[int, int]:
    """The gaps that began nearest to a time of the day, as few as leave no edge more than a k-th of them.

    `seen` has a zero for every edge, before and after.
    """
    low = high = int(np.searchsorted(begin, moment))
    most = 0
    while high - low < len(begin) and (high == low or most * k > high - low):
        right = low == 0 or (high < len(begin) and begin[high] - moment < moment - begin[low - 1])
        if right:
            added = owner[high]
            high += 1
        else:
            low -= 1
            added = owner[low]
        seen[added] += 1
        most = max(most, seen[added])
    for i in range(low, high):
        seen[owner[i]] = 0
    return low, high


@njit
def _is_busy(busy: np.ndarray, moment: int, reach: int) -> bool:
    """Whether one of these moments, in order, is no further away than the reach."""
    after = int(np.searchsorted(busy, moment))
    return (after < len(busy) and busy[after] - moment <= reach) or (after > 0 and moment - busy[after - 1] <= reach)


@njit
def walk(
    gaps: Gaps,
    seen: np.ndarray,
    counts: np.ndarray,
    first: np.ndarray,
    busy: np.ndarray,
    reach: int,
    end: int,
    k: int,
    chance: np.ndarray,
) -> np.ndarray:
    """Moments one after the other, edge by edge, so many for each; `chance` is a number in [0, 1) for each of them.

    `first` has a moment for each of them to begin at: an edge begins at its first, and where a gap leads past the end of the
    slice, or to where no moment of `busy` is within reach, or there are no gaps, it begins again at that of its turn.
    """
    times = np.empty(len(chance), np.int64)
    at = 0
    for e in range(len(counts)):
        for j in range(at, at + counts[e]):
            now = end
            if j > at:
                low, high = window(gaps.begin, gaps.owner, seen, times[j - 1] % DAY, k)
                if high > low:
                    now = times[j - 1] + gaps.length[low + int(chance[j] * (high - low))]
            times[j] = now if now < end and _is_busy(busy, now, reach) else first[j]
        at += counts[e]
    return times
