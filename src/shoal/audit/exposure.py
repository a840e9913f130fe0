"""The audit: how exposed people are to each attacker, which slices expose them, and what an attacker gets from a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.audit import _kernels
from shoal.audit.attackers import FEWEST, PAIRS, SAMPLE, Attacker, Crowds, OneBlock, usual_attackers
from shoal.audit.attribution import attribute
from shoal.audit.findings import Audit, Exposure
from shoal.common.checks import a_list, one_of, some_jobs, some_progress, whole
from shoal.common.crowds import distinct_columns, gathered
from shoal.common.progress import Progress, run_jobs
from shoal.demands.promise import make_promise
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.release import Release

if TYPE_CHECKING:
    from shoal.audit.learn import Known, Learned


def audit(
    graph: TemporalGraph | Release,
    *,
    k: Any = None,
    horizon: str | int | None = None,
    attackers: Sequence[Attacker] | None = None,
    original: TemporalGraph | None = None,
    known: Known | float | None = None,
    groups: Sequence[int] | np.ndarray | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """How many people each attacker can single out.

    Parameters
    ----------
    graph
        The graph an attacker would see: the original, to know the risk, or a release, to know what is left of it. A
        `Release` brings its original along.
    k
        Crowds below this are counted as too small; by default 5, or what a `Release` promises. Or a level for each person, as in
        `anonymize`: everybody is then judged by their own.
    horizon
        That of a release which has one. Adds the attacker it promises something about, who knows any one block of the
        calendar; whoever knows more is then beyond the promise.
    attackers
        By default those of `from shoal.audit import usual_attackers`.
    original
        The graph a release was made from, with the same people in the same order. Adds the attacker who holds somebody's
        original degrees and guesses among the nearest in the release.
    known
        With an original: also try the attackers of `shoal.audit.learn`, who hold this part of it (0.5 for the first half of
        the slices) and learn the rest. They take a minute where there are thousands of people.
    groups
        With `known`: everybody's group, as if it had been published (`Release.groups`), for one attacker more.
    seed
        Of the samples, where not everything can be counted.
    jobs
        Threads; by default all cores. The result does not depend on it.
    progress
        Told how far the work is.

    Examples
    --------
    >>> from shoal import TemporalGraph
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2), (3, 4)]})
    >>> audit(graph)["vector"].unique
    2
    """
    if isinstance(graph, Release):
        k = graph.promise.levels if k is None else k
        horizon = graph.promise.horizon if horizon is None else horizon
        original, graph = graph.original if original is None else original, graph.graph
    k = 5 if k is None else k
    TemporalGraph.check(graph, "audit")
    if graph.n_nodes == 0:
        raise InputError("there is nobody in this graph")
    promise = make_promise(graph, 1 if _is_one(k) else k, horizon=horizon)
    levels = np.full(graph.n_nodes, whole("k", k, 1, 2**62)) if _is_one(k) else promise.levels
    whole("seed", seed, 0)
    if original is not None:
        TemporalGraph.check(original, "audit")
    if known is not None:
        check_known(graph, original, known)
    elif groups is not None:
        raise InputError("groups are for an attacker who holds a part of the original; say which with known")
    chosen = usual_attackers(graph) if attackers is None else a_list("attackers", attackers)
    if not all(callable(getattr(one, "crowds", None)) for one in chosen):
        raise InputError("attackers are those of shoal.audit, or others with a name, a description and a method crowds")

    if promise.n_blocks > 1:
        chosen = [OneBlock(tuple(promise.blocks.tolist())), *chosen]

    def attack(attacker: Attacker) -> Exposure:
        rng = np.random.default_rng([seed, *attacker.name.encode()])
        covered = attacker.covered and (promise.n_blocks == 1 or attacker.name in _WITHIN_A_BLOCK)
        return _judge(attacker, attacker.crowds(graph, rng), levels, covered=covered)

    with some_progress(progress).stage("attacking", len(chosen)) as tell:
        found = run_jobs(attack, chosen, some_jobs(jobs), tell)
    if original is not None:
        both = original.contacts is not None and graph.contacts is not None
        for by in ("edges", "contacts") if both else ("edges",):
            again = reidentify(original, graph, k=levels, seed=seed, by=by)
            found.append(again if promise.n_blocks == 1 else replace(again, covered=False))
    by_level = {int(level): int(count) for level, count in zip(*np.unique(levels, return_counts=True), strict=True)}
    learned: tuple[Learned, ...] = ()
    if known is not None and original is not None:
        from shoal.audit.learn import learn

        k = max(by_level)
        learned = learn(graph, original, k=k, known=known, groups=groups, seed=seed, jobs=jobs, progress=progress)
    return Audit(graph.n_nodes, max(by_level), tuple(found), tuple(attribute(graph)), by_level, learned)


def check_known(graph: TemporalGraph, original: TemporalGraph | None, known: Known | float) -> None:
    """Refuse what nobody can learn from, before any work."""
    from shoal.audit.learn import Known, make_case

    if original is None:
        raise InputError("what is learned from a release can only be judged with the original it was made from")
    what = known if isinstance(known, Known) else Known(known)
    make_case(original, graph, k=1)
    what.of(original, np.random.default_rng(0))


_WITHIN_A_BLOCK = ("one-block", "any-1-slices")  # who know no more than a block of the calendar


def _is_one(k: Any) -> bool:
    """Whether k is one number for everybody (or nothing that could be levels)."""
    return not isinstance(k, Mapping | list | tuple | np.ndarray | pl.Series)


def _judge(attacker: Attacker, crowds: Crowds, levels: np.ndarray, *, covered: bool) -> Exposure:
    sizes, (n_nodes, looked_at) = crowds.sizes, (len(levels), crowds.sizes.shape[1])
    scale = n_nodes / looked_at
    unique = (sizes == 1).sum(axis=1)
    below = (sizes < (levels if crowds.people is None else levels[crowds.people])).sum(axis=1)
    if not crowds.sampled:
        band = 0.0
    elif looked_at == n_nodes:  # sets of slices were drawn
        band = 1.96 * float(unique.std(ddof=1) / np.sqrt(len(unique)))
    else:  # people were drawn
        share = unique[0] / looked_at
        band = 1.96 * n_nodes * float(np.sqrt(share * (1 - share) / looked_at))
    return Exposure(
        name=attacker.name,
        description=attacker.description,
        unique=_whole(unique.mean() * scale),
        below_k=_whole(below.mean() * scale),
        smallest_crowd=int(sizes.min()),
        expected_success=float((1 / sizes).mean()),
        covered=covered,
        sampled=crowds.sampled,
        band=band,
    )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else float(value)


def reidentify(
    original: TemporalGraph, release: TemporalGraph, *, k: int | np.ndarray = 5, seed: int = 0, by: str = "edges"
) -> Exposure:
    """The attacker who holds a person's original degrees and guesses among the nearest people of the release.

    With `by="contacts"` they hold how many contacts somebody had, which both graphs must keep.

    `unique` counts those found for certain (the only nearest one, and the right one); the crowd of a person is the set of
    nearest people. The expected success counts a guess among them, and nothing where the person is not one of them. As each
    row of a release occurs at least k times, no guess can be better than 1 in k. `k` is a number, or everybody's own.
    """
    if not original.nodes.equals(release.nodes) or original.n_slices != release.n_slices:
        raise InputError("original and release must have the same people and slices")
    if one_of("by", by, ("edges", "contacts")) == "edges":
        known, seen, covered = original.degree_column, release.degree_column, True
    else:
        known, seen = original.strength_column, release.strength_column
        covered = release.contacts is not None and release.contacts.drawn == "shared"
    n, columns = release.n_nodes, range(release.n_columns)
    first, inverse, counts = distinct_columns(lambda: map(seen, columns), n, len(columns))
    rows = gathered(seen, len(columns), first)
    totals = rows.sum(axis=1, dtype=np.int64)
    order = np.argsort(totals, kind="stable")
    place = np.argsort(order, kind="stable")
    people = np.arange(n)
    afford = max(PAIRS // max(len(first) * len(columns) // 8, 1), FEWEST)
    if afford < n:
        people = np.random.default_rng(seed).choice(n, min(afford, SAMPLE), replace=False)
    theirs = gathered(known, len(columns), people)
    crowd, among = _kernels.nearest_rows(theirs, rows[order], totals[order], counts[order], place[inverse[people]])
    scale, sampled = n / len(people), len(people) < n
    return Exposure(
        name="reidentify" if by == "edges" else "reidentify-strength",
        description=f"knows the original number of {by} in every slice and guesses among the nearest in the release",
        unique=_whole(float((among & (crowd == 1)).sum()) * scale),
        below_k=_whole(float((among & (crowd < (k if isinstance(k, int) else k[people]))).sum()) * scale),
        smallest_crowd=int(crowd.min()),
        expected_success=float(np.where(among, 1 / crowd, 0).mean()),
        covered=covered,
        sampled=sampled,
        band=0.0 if not sampled else 1.96 * n * float(np.sqrt(np.var(among & (crowd == 1)) / len(people))),
    )
