"""Loops of the audit. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def fuzzy_crowds(
    rows: np.ndarray, counts: np.ndarray, targets: np.ndarray, absolute: float, share: float
) -> np.ndarray:
    """For each target row, people whose every entry is within absolute + share · entry of it.

    `rows` are distinct and `counts` says how many people have each. Most candidates fail in the first few slices.
    """
    n_rows, n_slices = rows.shape
    crowd = np.zeros(len(targets), np.int64)
    low = np.empty(n_slices, np.int64)
    high = np.empty(n_slices, np.int64)
    for i in range(len(targets)):
        target = rows[targets[i]]
        for t in range(n_slices):
            slack = absolute + share * target[t] + 1e-9
            low[t] = np.int64(np.ceil(target[t] - slack))
            high[t] = np.int64(np.floor(target[t] + slack))
        total = np.int64(0)
        for j in range(n_rows):
            fits = True
            for t in range(n_slices):
                if rows[j, t] < low[t] or rows[j, t] > high[t]:
                    fits = False
                    break
            if fits:
                total += counts[j]
        crowd[i] = total
    return crowd


@njit
def nearest_rows(
    known: np.ndarray, rows: np.ndarray, counts: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each known vector: how many people hold a nearest row (l1), and whether row `own` is one of those."""
    crowd = np.zeros(len(known), np.int64)
    among = np.zeros(len(known), np.bool_)
    for i in range(len(known)):
        best = np.int64(2**62)
        for j in range(len(rows)):
            distance = np.int64(0)
            for t in range(rows.shape[1]):
                distance += abs(np.int64(known[i, t]) - np.int64(rows[j, t]))
                if distance > best:
                    break
            if distance < best:
                best, crowd[i], among[i] = distance, 0, False
            if distance == best:
                crowd[i] += counts[j]
                among[i] |= j == own[i]
    return crowd, among
