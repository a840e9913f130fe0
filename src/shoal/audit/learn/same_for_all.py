"""Inference without finding anybody: what is true of everybody in a crowd is true of the one who is looked for."""

from __future__ import annotations

import numpy as np

from shoal.audit.learn.case import Case, Learned
from shoal.common.crowds import distinct_rows
from shoal.graph import TemporalGraph

SURE = 0.5  # of the pairs between two crowds, from which on a link between any two of them is claimed


def same_for_all(case: Case) -> Learned:
    """People whose whole crowd meets one person, or some of one other crowd; and how sure links between crowds are."""
    crowd = distinct_rows(case.release.degree_matrix())[1]
    size = np.bincount(crowd)
    one, other = ever_met(case.release)
    n, n_crowds, met = case.original.n_nodes, len(size), one.size > 0
    true = ever_met(case.original)
    was = true[0].astype(np.int64) * n + true[1]

    # (crowd, person) whom all of the crowd meet: ties counted from every member
    at, count = np.unique(crowd[one] * n + other, return_counts=True)
    whole = at[count == size[at // n]]
    same_person = np.unique(whole // n)
    claims = _members(crowd, whole // n), np.repeat(whole % n, size[whole // n])
    right = float(np.isin(claims[0] * n + claims[1], was).mean()) if len(whole) else 0.0

    # (crowd, other crowd) of which every member meets somebody
    each = np.unique(one.astype(np.int64) * n_crowds + crowd[other])
    at, count = np.unique(crowd[each // n_crowds] * n_crowds + each % n_crowds, return_counts=True)
    full = (count == size[at // n_crowds]) & (at // n_crowds != at % n_crowds)
    same_crowd = np.unique(at[full] // n_crowds)

    links = _links(crowd, size, (one, other), true) if met else {"claims": 0, "true": 0.0}
    base = len(was) / (n * (n - 1))
    numbers = {
        "people": n,
        "crowds": n_crowds,
        "meet_same_person": int(size[same_person].sum()),
        "same_person_true": right,
        "meet_same_crowd": int(size[same_crowd].sum()),
        "links": {**links, "base_rate": base},
    }
    return Learned(
        "same-for-all",
        "knows somebody's numbers of contacts and asks what holds for everybody who has them",
        f"{numbers['meet_same_person']:,} of {n:,} people are in a crowd that all meet one and the same person, "
        f"{numbers['meet_same_crowd']:,} in one that all meet somebody of one other crowd; a link between two "
        f"people of crowds that are mostly linked ({links['claims']:,} such pairs) is true in {links['true']:.0%}.",
        f"Of any two people {base:.1%} ever meet.",
        numbers,
        case.sample,
    )


def ever_met(graph: TemporalGraph) -> tuple[np.ndarray, np.ndarray]:
    """Who ever met whom, from both sides, each pair once a side."""
    n, edges = graph.n_nodes, graph._edges.astype(np.int64)
    keys = np.unique(np.concatenate([edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0]]))
    return keys // n, keys % n


def _members(crowd: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Everybody of these crowds, crowd by crowd."""
    order = np.argsort(crowd, kind="stable")
    first = np.searchsorted(crowd[order], np.arange(crowd.max() + 2))
    return np.concatenate([np.empty(0, np.int64), *(order[first[c] : first[c + 1]] for c in which)])


def _links(
    crowd: np.ndarray, size: np.ndarray, seen: tuple[np.ndarray, np.ndarray], true: tuple[np.ndarray, np.ndarray]
) -> dict[str, float]:
    """Pairs of people between crowds that are mostly linked in the release, and how many of those really met."""
    n_crowds = len(size)
    at, count = np.unique(crowd[seen[0]] * n_crowds + crowd[seen[1]], return_counts=True)
    here, there = at // n_crowds, at % n_crowds
    possible = size[here] * (size[there] - (here == there))
    sure = at[count >= SURE * possible]
    right = np.isin(crowd[true[0]] * n_crowds + crowd[true[1]], sure).sum()
    total = int(possible[count >= SURE * possible].sum())
    return {"claims": total // 2, "true": float(right / total) if total else 0.0}
