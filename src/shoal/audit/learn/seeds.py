"""Attackers who know a few people's nodes, or the numbers of somebody and of their contacts before the changes."""

from __future__ import annotations

import numpy as np

from shoal.audit.learn.case import Case, Learned
from shoal.audit.learn.matching import Matcher, settle

SHARES = (0.005, 0.01, 0.05)
GAIN = 60.0  # what the contacts' numbers weigh against a person's own; on real sets twice that does alike


def seeds(case: Case) -> Learned:
    """Knows the whole original, and the nodes of a few people: from them on, names everybody else (percolation)."""
    every = np.ones(case.original.n_edges, bool)
    slices = np.arange(case.original.n_slices)
    known, seen = case.known_side(every, slices), case.seen_side(slices)
    there = np.flatnonzero((known.sizes > 0) & case.wanted)
    work = Matcher(known, seen, directed=case.directed, people=case.people, jobs=case.jobs)
    order, rows = case.rng("seeds").permutation(there), []
    for share in SHARES:
        given = order[: max(round(share * len(there)), 1)]
        start = np.full(case.original.n_nodes, -1, np.int64)
        start[given] = case.nodes[given]
        work.begin(start)
        found = settle(work).nodes
        rest = np.setdiff1d(there, given)
        right = float((found[rest] == case.nodes[rest]).mean()) if len(rest) else 0.0
        rows.append({"share": share, "seeds": len(given), "named": right})
    return Learned(
        "seeds",
        f"holds the whole original and knows the nodes of {', '.join(f'{s:.1%}' for s in SHARES)} of the people",
        f"names {', '.join(format(row['named'], '.0%') for row in rows)} of the others rightly.",
        f"Without the release there is nothing to name; a blind guess names 1 in {len(there):,}.",
        {"people": len(there), "seeds": rows, "named": max(row["named"] for row in rows)},
        case.sample,
    )


def contacts_before(case: Case) -> Learned:
    """Knows a person's numbers before the changes and those of each contact: the node whose surroundings fit best."""
    every, slices = np.ones(case.original.n_edges, bool), np.arange(case.original.n_slices)
    known = case.known_side(every, slices, ever=False)
    seen = case.seen_side(slices, ever=False)
    work = Matcher(known, seen, directed=case.directed, people=case.people, jobs=case.jobs)
    there = (known.sizes > 0) & case.wanted
    work.alone()
    candidates, scores = work.fits(GAIN)
    best = scores == scores.max(axis=1, keepdims=True)
    right = (best & (candidates == case.nodes[:, None])).any(axis=1) / np.maximum(best.sum(axis=1), 1)
    found = float(right[there].mean())
    guess = float(_by_numbers(work, case)[there].mean())
    return Learned(
        "contacts-before",
        "knows the numbers of contacts of a person and of each of their contacts, slice by slice, before the changes",
        f"picks the right node for {found:.0%} of the people.",
        f"With the person's own numbers alone it would be {guess:.0%}; without the release 1 in {int(there.sum()):,}.",
        {"people": int(there.sum()), "found": found, "without_contacts": guess},
        case.sample,
    )


def _by_numbers(work: Matcher, case: Case) -> np.ndarray:
    """The chance that a guess among the nearest rows is right."""
    apart = work.apart
    best = apart == apart.min(axis=1, keepdims=True)
    return np.asarray((best & (work.near == case.nodes[:, None])).any(axis=1) / np.maximum(best.sum(axis=1), 1))
