"""The same attacker, told which people and which nodes make up each group, as if shoal had published its groups.

Whoever knows the groups looks for a person among the nodes of their group alone. And a tie need not be found through its people:
between two groups there are few ties, and the one with the same history in the known slices goes on in the others. That is the
way to read ties that change hands inside groups, where no node is one person any more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.audit.learn import _kernels
from shoal.audit.learn.case import Case, Learned
from shoal.audit.learn.known import Known, Part
from shoal.audit.learn.matching import GAIN, GROWTH, ROUNDS, Side, match
from shoal.audit.learn.second_graph import Judge, in_words, read_off, unknown
from shoal.errors import InputError

NAME = "groups-known"
APART = np.float32(2 * np.sqrt(GAIN * GROWTH**ROUNDS))  # no company makes up for it that a node is of another group


def groups_known(case: Case, known: Known, groups: np.ndarray) -> Learned:
    """Look for people inside their groups and for ties between their groups; claim what either says of the rest."""
    if len(groups) != case.original.n_nodes:
        raise InputError(f"everybody has a group: {case.original.n_nodes:,} were expected, got {len(groups):,}")
    part = known.of(case.original, case.rng("known"))
    of_node = np.empty(len(groups), np.int64)
    of_node[case.nodes] = groups
    side, seen = case.known_side(part.edges, part.slices), case.seen_side(part.slices)
    found = match(
        _inside(side, groups), _inside(seen, of_node), directed=case.directed, people=case.people, jobs=case.jobs
    )
    there = (side.sizes > 0) & case.wanted
    histories = by_history(case, part, groups, of_node)
    keys = np.unique(np.concatenate([read_off(case, part, found)[0], histories]), axis=0)
    judge = Judge(case, part)
    numbers: dict[str, Any] = {
        "known": part.words,
        "people": int(there.sum()),
        "groups": len(np.unique(groups)),
        "matched": float((found.nodes[there] == case.nodes[there]).mean()),
        **judge.beside_without(keys),
        "histories": judge.judged(histories, ties=True).to_dict(),
    }
    return Learned(
        NAME,
        f"holds {part.words} with names and knows who and which nodes make up each group",
        f"finds the nodes of {numbers['matched']:.0%} of the people in it; {in_words(numbers)[0]}",
        in_words(numbers)[1],
        numbers,
        case.sample,
    )


def _inside(side: Side, groups: np.ndarray) -> Side:
    """The group as one more number of everybody, in which different groups are far apart."""
    return side._replace(roots=np.column_stack([side.roots, APART * groups.astype(np.float32)]))


def by_history(case: Case, part: Part, groups: np.ndarray, of_node: np.ndarray) -> np.ndarray:
    """Claims (slice, u, v): a known tie goes on like the released tie between the two groups whose known slices are most alike.

    Alike is what both have in common of what either has (Jaccard); the most alike are taken first, each tie once.
    """
    mask = part.edges & case.wanted[case.original._edges].all(axis=1)
    mine = _ties(case.original._edges[mask], case.original.slice_codes()[mask], groups, directed=case.directed)
    theirs = _ties(case.seen, case.release.slice_codes(), of_node, directed=case.directed)
    early = theirs.filter(pl.col("slice").is_in(part.slices))
    together = mine.join(early, on=["one group", "other group", "slice"], suffix=" seen").group_by("tie", "tie seen")
    tie, link, common = together.len().sort("tie", "tie seen").to_numpy().T
    n_links = theirs["tie"].n_unique()
    sizes, seen = np.bincount(mine["tie"]), np.bincount(early["tie"], minlength=n_links)
    alike = common / (sizes[tie] + seen[link] - common)
    order = np.lexsort((case.rng("histories").random(len(alike)), -alike))
    given = _kernels.greedy(tie, link, order, len(sizes), n_links)
    taken = pl.DataFrame({"tie seen": np.arange(n_links), "tie": given})
    names = mine.unique("tie").select("tie", "u", "v")
    late = theirs.filter(pl.col("slice").is_in(part.rest)).select("slice", pl.col("tie").alias("tie seen"))
    claims = late.join(taken, on="tie seen").join(names, on="tie").select("slice", "u", "v").sort("slice", "u", "v")
    keys = claims.cast(pl.Int64).to_numpy()
    return keys[unknown(case, part, keys)]


def _ties(edges: np.ndarray, codes: np.ndarray, groups: np.ndarray, *, directed: bool) -> pl.DataFrame:
    """Edges with the number of their pair and the two groups it joins."""
    n = len(groups)
    tie = np.unique(edges[:, 0].astype(np.int64) * n + edges[:, 1], return_inverse=True)[1]
    joined = groups[edges] if directed else np.sort(groups[edges], axis=1)
    columns = {"slice": codes, "u": edges[:, 0], "v": edges[:, 1], "tie": tie}
    return pl.DataFrame(columns | {"one group": joined[:, 0], "other group": joined[:, 1]})
