"""EnforceRealizability and the parity step of the paper: from one degree per group to a realizable one per group.

All functions take one slice: `degrees` and `sizes` of the m groups. Groups stay whole, so k-anonymity is untouched.
"""

from __future__ import annotations

import numpy as np

from shoal.realize.erdos_gallai import satisfies_erdos_gallai


def _pointwise_violation(degrees: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """By how much each group exceeds its own constraint in Eq. 5, summed over its members; groups largest first.

    The i-th node (from 1) of the sorted sequence may have at most (i - 1) + #{j > i : d_j >= i}. These constraints add up
    to those of Erdős and Gallai, so wherever the latter fail, at least one group exceeds its own.
    """
    ends = np.cumsum(sizes)
    starts = ends - sizes
    n = int(ends[-1])
    at_least = n - np.searchsorted(np.repeat(degrees, sizes)[::-1], np.arange(n + 2), side="left")
    excess = np.zeros(len(degrees), np.int64)
    for g in range(len(degrees)):
        i = np.arange(starts[g] + 1, ends[g] + 1)
        allowed = (i - 1) + np.maximum(at_least[i] - i, 0)
        excess[g] = np.maximum(degrees[g] - allowed, 0).sum()
    return excess


def enforce_realizability(degrees: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Lower group degrees until the Erdős–Gallai inequalities hold (the pivot method of the paper).

    The pivot is the first group, largest degree first, that exceeds its own constraint. It goes down by its total excess
    divided by its size (at least 1), and no group that followed it stays above it, so the order is kept. Every round
    lowers at least one degree and none rises, so the loop ends: at the latest at the all-zero sequence, which is realizable.

    >>> enforce_realizability(np.array([5, 1]), np.array([2, 2])).tolist()
    [2, 1]
    """
    degrees = np.asarray(degrees, np.int64).clip(min=0)
    order = np.argsort(-degrees, kind="stable")
    d, s = degrees[order], np.asarray(sizes, np.int64)[order]
    while not satisfies_erdos_gallai(d, s):
        excess = _pointwise_violation(d, s)
        pivot = int((excess > 0).argmax())
        d[pivot] -= max(1, excess[pivot] // s[pivot])
        d[pivot:] = np.minimum(d[pivot:], d[pivot])
    result = np.empty_like(degrees)
    result[order] = d
    return result


def fix_parity(degrees: np.ndarray, sizes: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Make the degree sum even by moving one group by 1, at the least cost; `up` and `down` are each group's l1 price.

    The paper moves the smallest group with an odd degree sum. Any group of odd size will do, and the cheapest that stays
    realizable is taken (the smaller group among equals). Where none stays realizable, the largest odd group goes down and
    the sequence is enforced anew; sums only fall, so this ends too.
    """
    while int(np.dot(degrees, sizes)) % 2:
        odd = np.flatnonzero(sizes % 2)
        moves = [(int(up[g]), int(sizes[g]), int(g), 1) for g in odd]
        moves += [(int(down[g]), int(sizes[g]), int(g), -1) for g in odd if degrees[g] > 0]
        for _, _, g, step in sorted(moves):
            moved = degrees.copy()
            moved[g] += step
            if satisfies_erdos_gallai(moved, sizes):
                return moved
        lowered = degrees.copy()
        lowered[odd[degrees[odd].argmax()]] -= 1
        degrees = enforce_realizability(lowered, sizes)
    return degrees


def realize_slice(degrees: np.ndarray, sizes: np.ndarray, members: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Both steps for one slice. `members` holds the nodes' original degrees, from which prices of moves are counted."""
    degrees = enforce_realizability(degrees, sizes)
    own = degrees[labels]
    above = np.bincount(labels, weights=members > own, minlength=len(sizes)).astype(np.int64)
    below = np.bincount(labels, weights=members < own, minlength=len(sizes)).astype(np.int64)
    return fix_parity(degrees, sizes, up=sizes - 2 * above, down=sizes - 2 * below)
