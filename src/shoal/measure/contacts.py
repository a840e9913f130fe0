"""What the contacts of a release still say: how counts, gaps and times of the day are spread, how bursty, which ties are strong."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.graph import TemporalGraph

DAY = 86_400_000_000
STRONG = 0.1  # of the pairs, those with most contacts


def compare_contacts(original: TemporalGraph, released: TemporalGraph) -> dict[str, Any]:
    """Both graphs' contacts, over all slices; None for what has no times or too few gaps.

    Distances are those of Kolmogorov and Smirnov, from 0 (spread alike) to 1. Burstiness is that of Goh and Barabási (2008,
    doi:10.1209/0295-5075/81/48002), (s - m) / (s + m) of the mean m and deviation s of gaps. `strong_ties` is the share of the
    tenth of the original's pairs with most contacts that is among the strongest of the release again.
    """
    before, after = original.contacts, released.contacts
    if before is None or after is None:
        raise InputError("both graphs must keep the contacts behind their edges; read them with contacts='counts'")
    found: dict[str, Any] = {
        "slices_with_other_totals": sum(a != b for a, b in zip(before.totals(), after.totals(), strict=True)),
        "counts_distance": distance(before.counts, after.counts),
        "strong_ties": _strong_ties(original, released),
    }
    times = [one.times for one in (before, after) if one.times is not None]
    if len(times) < 2:
        return found
    gaps = [gaps_of(one.counts, moments) for one, moments in zip((before, after), times, strict=True)]
    return found | {
        "gaps_distance": distance(*gaps),
        "times_of_day_distance": distance(times[0] % DAY, times[1] % DAY),
        "burstiness": {"original": burstiness(gaps[0]), "released": burstiness(gaps[1])},
    }


def distance(one: np.ndarray, other: np.ndarray) -> float | None:
    """The largest difference between two distribution functions; None where one has no values.

    >>> distance(np.array([1, 2, 3, 4]), np.array([1, 2, 2, 4]))
    0.25
    """
    if not len(one) or not len(other):
        return None
    every = np.union1d(one, other)
    shares = [np.searchsorted(np.sort(some), every, side="right") / len(some) for some in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def gaps_of(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """From a contact of an edge to its next one in the same slice.

    >>> gaps_of(np.array([2, 1, 3]), np.array([5, 7, 0, 1, 1, 9])).tolist()
    [2, 0, 8]
    """
    return np.diff(times)[np.diff(np.repeat(np.arange(len(counts)), counts)) == 0]


def burstiness(gaps: np.ndarray) -> float | None:
    """-1 where gaps are all alike, 0 where contacts come by chance, towards 1 where they come in bursts."""
    if len(gaps) < 2 or not gaps.any():
        return None
    mean, spread = float(gaps.mean()), float(gaps.std())
    return (spread - mean) / (spread + mean)


def _strong_ties(original: TemporalGraph, released: TemporalGraph) -> float | None:
    known, found = (_ties(graph) for graph in (original, released))
    many = -(-len(known) // int(1 / STRONG))
    return len(set(list(known)[:many]) & set(list(found)[:many])) / many if many else None


def _ties(graph: TemporalGraph) -> dict[int, int]:
    """How many contacts pairs have over all slices, most first."""
    assert graph.contacts is not None
    pairs, place = np.unique(graph._edges.astype(np.int64) @ np.array([graph.n_nodes, 1]), return_inverse=True)
    totals = np.bincount(place, graph.contacts.counts, minlength=len(pairs)).astype(np.int64)
    order = np.lexsort((pairs, -totals))
    return dict(zip(pairs[order].tolist(), totals[order].tolist(), strict=True))
