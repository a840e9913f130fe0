"""Telling invented contacts from true ones, by what anybody can compute from the release, and by learning from shoal itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from shoal.audit.exposure import reidentify
from shoal.audit.learn.case import REMADE, Case, Learned, among, connected_people
from shoal.common.edges import edge_keys
from shoal.graph import TemporalGraph

EDGES = 200_000  # edges that are looked at where there are more
IN_WORDS = {
    "other-slices": "in how many other slices the two meet",
    "next-slices": "whether they meet in the slice before or after",
    "common-contacts": "how many contacts they share in the slice",
    "common-ever": "how many contacts they share over all slices",
    "adamic-adar": "how many rare contacts they share over all slices",
    "degree-product": "the product of their numbers of contacts in the slice",
    "degree-least": "the smaller of their numbers of contacts in the slice",
    "ever-product": "the product of their numbers of different contacts",
    "learner": "a learner trained on releases that shoal itself made",
}


def features(graph: TemporalGraph, which: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """What a release says of each of its edges (or of those given by their places)."""
    which = np.arange(graph.n_edges) if which is None else which
    codes, n = graph.slice_codes(), graph.n_nodes
    low, high = graph._edges.min(axis=1, initial=n), graph._edges.max(axis=1, initial=0)
    pair, where, times = np.unique(low.astype(np.int64) * n + high, return_inverse=True, return_counts=True)
    where = where.ravel()
    keys = where.astype(np.int64) * (graph.n_slices + 2) + codes + 1
    ever = _adjacency(pair // n, pair % n, n)
    contacts = np.asarray(ever.sum(axis=1)).ravel()
    rare = (1 / np.log(np.maximum(contacts, 2))).astype(np.float32)
    u, v = low[which], high[which]
    found = {
        "other-slices": times[where[which]] - 1,
        "next-slices": np.isin(keys[which] - 1, keys).astype(int) + np.isin(keys[which] + 1, keys),
        "common-ever": _shared(ever, u, v, np.ones(n, np.float32)),
        "adamic-adar": _shared(ever, u, v, rare),
        "ever-product": contacts[u] * contacts[v],
    }
    for name in ("common-contacts", "degree-product", "degree-least"):
        found[name] = np.zeros(len(which))
    for t in range(graph.n_slices):
        here = np.flatnonzero(codes[which] == t)
        if len(here):
            edges = graph.edges(t)
            slice_ = _adjacency(edges[:, 0], edges[:, 1], n)
            degrees = np.asarray(slice_.sum(axis=1)).ravel()
            found["common-contacts"][here] = _shared(slice_, u[here], v[here], np.ones(n, np.float32))
            found["degree-product"][here] = degrees[u[here]] * degrees[v[here]]
            found["degree-least"][here] = np.minimum(degrees[u[here]], degrees[v[here]])
    return {name: np.asarray(found[name], float) for name in IN_WORDS if name in found}


def _adjacency(u: np.ndarray, v: np.ndarray, n: int) -> sparse.csr_array:
    both = sparse.coo_array((np.ones(2 * len(u), np.float32), (np.concatenate([u, v]), np.concatenate([v, u]))), (n, n))
    made = both.tocsr()
    made.data[:] = 1
    return made


def _shared(ties: sparse.csr_array, u: np.ndarray, v: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weight of the contacts that u and v share, pair by pair."""
    parts = [np.empty(0)]
    for at in range(0, len(u), 20_000):
        both = ties[u[at : at + 20_000]].multiply(ties[v[at : at + 20_000]])
        parts.append(np.asarray(both.tocsr() @ weight))
    return np.concatenate(parts)


def ranks(values: np.ndarray) -> np.ndarray:
    """From 1; equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[which.ravel()])


def auc(values: np.ndarray, positive: np.ndarray) -> float:
    """The chance that a feature tells a positive from a negative, whichever way round it points; a half is a coin."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if n_positive == 0 or n_negative == 0:
        return 0.5
    above = ranks(values)[positive].sum() - n_positive * (n_positive + 1) / 2
    area = float(above / (n_positive * n_negative))
    return max(area, 1 - area)


def not_in(graph: TemporalGraph, before: TemporalGraph) -> np.ndarray:
    """Which edges of a graph are not in the one it was made from."""
    marks = [~np.isin(edge_keys(graph.edges(t)), edge_keys(before.edges(t))) for t in range(graph.n_slices)]
    return np.concatenate([*marks, np.empty(0, bool)])


def invented(case: Case) -> Learned:
    """How well invented edges are told from true ones, and what is left of k when the most suspicious are struck out."""
    release, made_up = case.release, not_in(case.release, case.original)
    which = np.arange(release.n_edges)
    if release.n_edges > EDGES:
        which = np.sort(case.rng("invented").choice(release.n_edges, EDGES, replace=False))
    seen = features(release, which)
    areas = {name: auc(values, made_up[which]) for name, values in seen.items()}
    suspicion, share = _learned(case, seen)
    areas["learner"] = auc(suspicion, made_up[which])
    best = max(areas, key=areas.__getitem__)
    numbers: dict[str, Any] = {
        "edges": len(which),
        "invented": int(made_up[which].sum()),
        "auc": areas,
        "best": best,
        "best_auc": areas[best],
    }
    after = ""
    if len(which) == release.n_edges:
        numbers["struck"] = struck = _struck(case, suspicion, round(share * len(which)), made_up)
        after = (
            f" With the {struck['edges']:,} most suspicious struck out ({struck['invented']:.0%} of them invented), a guess "
            f"by somebody's original numbers is right in {struck['guesses_right']:.1%}, and was in "
            f"{struck['guesses_right_before']:.1%}."
        )
    real = numbers["invented"] / max(len(which), 1)
    return Learned(
        "invented",
        "has the release, and shoal, and asks which contacts were invented",
        f"tells an invented contact from a true one rightly in {areas[best]:.0%} of such pairs, by {IN_WORDS[best]}.{after}",
        f"A coin is right in 50 %; {real:.0%} of the released contacts are invented.",
        numbers,
        case.sample if len(which) == release.n_edges else f"{EDGES:,} of the {release.n_edges:,} edges were looked at",
    )


def _learned(case: Case, seen: dict[str, np.ndarray]) -> tuple[np.ndarray, float]:
    """How suspicious a learner finds each edge, and which share it expects to be invented.

    It is trained on what shoal makes of the release (or of a connected part of it) when asked for crowds three times as large,
    where the attacker knows what was invented: at the same k nothing would have to change.
    """
    from sklearn.linear_model import LogisticRegression

    part = case.release
    if part.n_nodes > REMADE:
        part = among(part, connected_people(part, REMADE, case.rng("invented")))
    made = case.remade(part, "invented", k=3 * case.k)
    labels = not_in(made, part)
    if labels.all() or not labels.any():
        return np.zeros(len(next(iter(seen.values())))), 0.0
    learner = LogisticRegression(max_iter=1000).fit(_ranked(features(made)), labels)
    return np.asarray(learner.predict_proba(_ranked(seen))[:, 1]), float(labels.mean())


def _ranked(table: dict[str, np.ndarray]) -> np.ndarray:
    """Features as ranks from 0 to 1, which mean the same in graphs of different size, with the raw small counts beside them."""
    raw = [table[name] for name in ("other-slices", "next-slices", "common-contacts", "degree-least")]
    return np.column_stack([*(ranks(values) / max(len(values), 1) for values in table.values()), *raw])


def _struck(case: Case, suspicion: np.ndarray, count: int, made_up: np.ndarray) -> dict[str, float]:
    """The release without its most suspicious edges: how often a guess by original numbers is right then."""
    out = np.argsort(-suspicion, kind="stable")[:count]
    keep = np.ones(len(suspicion), bool)
    keep[out] = False
    codes, edges = case.release.slice_codes(), case.release._edges
    left = case.release.with_edges([edges[keep & (codes == t)] for t in range(case.release.n_slices)])
    before, after = (reidentify(case.original, graph, k=case.k) for graph in (case.release, left))
    return {
        "edges": len(out),
        "invented": float(made_up[out].mean()) if len(out) else 0.0,
        "guesses_right_before": before.expected_success,
        "guesses_right": after.expected_success,
        "found": after.unique,
    }
