"""Loops of the audit. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit

TOGETHER = 256  # some vector registers


@njit
def fuzzy_crowds(
    columns: np.ndarray, counts: np.ndarray, targets: np.ndarray, absolute: float, share: float
) -> np.ndarray:
    """For each target row, people whose every entry is within absolute + share · entry of it.

    `columns` are those of distinct rows and `counts` says how many people have each. Some candidates are looked at together,
    slice by slice, until all of them have failed, most in the first few.
    """
    n_slices, n_rows = columns.shape
    crowd, out = np.zeros(len(targets), np.int64), np.empty(TOGETHER, np.int32)  # by how much each of them is out
    low, high = np.empty(n_slices, np.int32), np.empty(n_slices, np.int32)
    for i in range(len(targets)):
        for t in range(n_slices):
            entry = columns[t, targets[i]]
            slack = absolute + share * entry + 1e-9
            low[t], high[t] = np.int32(np.ceil(entry - slack)), np.int32(np.floor(entry + slack))
        for first in range(0, n_rows, TOGETHER):
            width = min(TOGETHER, n_rows - first)
            for b in range(width):
                out[b] = 0
            t, fits = 0, width
            while t < n_slices and fits > 0:
                for _ in range(min(4, n_slices - t)):
                    least, most, column = low[t], high[t], columns[t, first : first + width]
                    for b in range(width):
                        entry = column[b]
                        below, above = np.int32(least - entry), np.int32(entry - most)
                        worse = below if below > above else above
                        out[b] = worse if worse > out[b] else out[b]
                    t += 1
                fits = 0
                for b in range(width):
                    fits += out[b] == 0
            if fits > 0:
                for b in range(width):
                    if out[b] == 0:
                        crowd[i] += counts[first + b]
    return crowd


@njit
def nearest_rows(
    known: np.ndarray, rows: np.ndarray, totals: np.ndarray, counts: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each known vector: how many people hold a nearest row (l1), and whether row `own` is one of those.

    Rows come sorted by their `totals`. The distance of two rows is never below that of their totals, so from a row's own
    total the search goes outwards, and ends where the totals alone are further apart than the nearest row.
    """
    crowd = np.zeros(len(known), np.int64)
    among = np.zeros(len(known), np.bool_)
    for i in range(len(known)):
        total = np.int64(0)
        for t in range(rows.shape[1]):
            total += known[i, t]
        up, high = 0, len(rows)
        while up < high:  # the first row with this total or a larger one
            middle = (up + high) // 2
            if totals[middle] < total:
                up = middle + 1
            else:
                high = middle
        down, best = up - 1, np.int64(2**62)
        while True:
            above = totals[up] - total if up < len(rows) else np.int64(2**62)
            below = total - totals[down] if down >= 0 else np.int64(2**62)
            if min(above, below) > best or (up == len(rows) and down < 0):
                break
            if above <= below:
                j, up = up, up + 1
            else:
                j, down = down, down - 1
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


@njit
def crowds_of(hashes: np.ndarray) -> np.ndarray:
    """For every person, how many people have the same hash: counted in a table, which takes a fifth of the time of sorting.

    Whoever is met first with a hash stands for all; the table holds their number plus one.
    """
    n, slots = len(hashes), 1
    while slots < 2 * n:
        slots *= 2
    mask = np.uint64(slots - 1)
    holder = np.zeros(slots, np.int64)
    first, count = np.empty(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        slot = hashes[i] & mask
        while holder[slot] and hashes[holder[slot] - 1] != hashes[i]:
            slot = (slot + np.uint64(1)) & mask
        if holder[slot] == 0:
            holder[slot] = i + 1
        first[i] = holder[slot] - 1
        count[first[i]] += 1
    for i in range(n):
        first[i] = count[first[i]]
    return first
