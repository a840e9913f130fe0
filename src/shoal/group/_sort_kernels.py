"""A sort of our own: numba takes seconds to compile numpy's."""

from __future__ import annotations

import numpy as np

from shoal._numba import lean

RUN = 16


@lean
def sort_by(key: np.ndarray, order: np.ndarray, spare: np.ndarray, low: int, high: int) -> None:
    """Sort ``order[low:high]`` by ``key[order[i]]``, equals as they stand; ``spare`` is as long as ``order``."""
    for begin in range(low, high, RUN):
        for i in range(begin + 1, min(begin + RUN, high)):
            item, j = order[i], i
            while j > begin and key[order[j - 1]] > key[item]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = item
    width = RUN
    while width < high - low:
        for begin in range(low, high, 2 * width):
            middle, end = min(begin + width, high), min(begin + 2 * width, high)
            i, j = begin, middle
            for place in range(begin, end):
                left = j == end or (i < middle and key[order[i]] <= key[order[j]])
                spare[place] = order[i] if left else order[j]
                i, j = i + left, j + (not left)
        for place in range(low, high):
            order[place] = spare[place]
        width *= 2
