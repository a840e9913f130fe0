"""The stages cut into pieces of work that any engine can run: shards of people to group, slices to rebuild.

A piece carries all it needs, its own randomness included, and the cut depends on the input and the seed alone: the release is
the same for every engine and any number of workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.randomness import Randomness
from shoal.demands.limits import Limits, RowLimits
from shoal.demands.promise import Promise
from shoal.engine import Done, Engine, Task, Tell
from shoal.engine.work import Work, run_pieces
from shoal.errors import NoReleaseError
from shoal.graph import TemporalGraph
from shoal.group import lower_bound
from shoal.group.cut import cut_people
from shoal.realize import SliceLimits
from shoal.rebuild.within.small import search_together
from shoal.stages import Groups, How, group_people, rebuild_slice


class Runner(NamedTuple):
    """Where pieces run, and the folder in which what is done is kept, if any."""

    engine: Engine
    work: Work | None

    def __call__(self, name: str, task: Task, pieces: Sequence[Any], tell: Tell | None = None) -> list[Done]:
        """What the task gives for every piece."""
        return run_pieces(self.engine, self.work, name, task, pieces, tell)


class GroupPiece(NamedTuple):
    """A shard of people: their rows, their levels, and their own chance. A bound is wanted where they are everybody."""

    rows: np.ndarray
    ks: np.ndarray
    how: How
    within: RowLimits | None
    bounded: bool
    rng: np.random.Generator


class SlicePiece(NamedTuple):
    """A slice: its edges, everybody's group, and its own chance."""

    edges: np.ndarray
    labels: np.ndarray
    how: How
    directed: bool
    limits: SliceLimits | None
    change_class: int | None
    rng: np.random.Generator


def group_blocks(
    graph: TemporalGraph,
    promise: Promise,
    how: How,
    limits: Limits | None,
    chance: Randomness,
    shard_people: int,
    run: Runner,
    tell: Tell,
) -> list[Groups]:
    """Stage 1, block by block and shard by shard.

    Whoever knows the whole history faces one block, with a horizon there are many. Many people are cut into shards, for the
    method that can group any part of them: one slice and one k is solved as a whole, and limits must hold for all together.
    """
    degrees, alone = graph.degree_matrix(), promise.n_blocks == 1
    pieces: list[GroupPiece] = []
    shards: list[list[np.ndarray]] = []
    for block in range(promise.n_blocks):
        columns = promise.columns(block, directed=graph.directed)
        rows = np.ascontiguousarray(degrees[:, columns])
        within = limits.of_columns(columns) if limits is not None else None
        cut = [np.arange(len(rows))]
        exact = promise.for_everybody and rows.shape[1] == 1
        if how.method == "search" and limits is None and promise.k > 1 and not exact:
            cut = cut_people(rows, promise.needs, shard_people, chance.stream(f"shards/{block}"))
        whole, name = len(cut) == 1, "group" if alone else f"group/{block}"
        for shard, people in enumerate(cut):
            rng = chance.stream(name if whole else f"{name}/shard/{shard}")
            some, ks = (rows, promise.needs) if whole else (rows[people], promise.needs[people])
            pieces.append(GroupPiece(some, ks, how, within, whole, rng))
        shards.append(cut)
    pieces = _in_time(pieces, how)
    found = iter(run("group", _group, pieces, tell))
    groups = [_joined(cut, list(itertools.islice(found, len(cut)))) for cut in shards]
    return _with_bounds(groups, shards, degrees, promise, graph.directed, run)


def _in_time(pieces: list[GroupPiece], how: How) -> list[GroupPiece]:
    """Every piece with its share of the time, by its size: they may have to run one after the other."""
    if how.time_limit is None:
        return pieces
    total = sum(piece.rows.size for piece in pieces)
    share = [how.time_limit * piece.rows.size / max(total, 1) for piece in pieces]
    return [piece._replace(how=replace(how, time_limit=s)) for piece, s in zip(pieces, share, strict=True)]


def rebuild_slices(
    graph: TemporalGraph,
    promise: Promise,
    how: How,
    limits: Limits | None,
    chance: Randomness,
    labels: list[np.ndarray],
    run: Runner,
    tell: Tell,
) -> TemporalGraph:
    """Stages 2 and 3, slice by slice. The people of a slice that is released alone may change to another crowd."""
    single = np.bincount(promise.blocks) == 1
    pieces = [
        SlicePiece(
            graph.edges(t),
            labels[block],
            how,
            graph.directed,
            limits.of_slice(t) if limits is not None else None,
            promise.k if single[block] and promise.for_everybody else None,
            chance.stream(f"rebuild/{t}"),
        )
        for t, block in enumerate(promise.blocks)
    ]
    return graph.with_edges([done.arrays["edges"] for done in run("slice", _rebuild, pieces, tell)])


def search_blocks(
    graph: TemporalGraph, promise: Promise, how: How, limits: Limits, refusal: NoReleaseError
) -> tuple[list[Groups], TemporalGraph]:
    """All stages together, where one after the other they found no way; small graphs only, else the refusal stands."""
    if refusal.proven:
        raise refusal
    slices = [graph.edges(t) for t in range(graph.n_slices)]
    for block in range(promise.n_blocks):
        here = promise.slices(block)
        found, proven = search_together(
            [slices[t] for t in here],
            [limits.of_slice(t) for t in here],
            promise.needs,
            directed=graph.directed,
            deletion_weight=how.deletion_weight,
        )
        if found is None:
            raise NoReleaseError(refusal.why, proven=proven)
        for t, edges in zip(here, found, strict=True):
            slices[t] = edges
    released = graph.with_edges(slices)
    before, after = graph.degree_matrix(), released.degree_matrix()
    columns = [promise.columns(block, directed=graph.directed) for block in range(promise.n_blocks)]
    groups = [Groups(distinct_rows(after[:, c])[1], [], lower_bound(before[:, c], promise.needs)) for c in columns]
    return groups, released


def _group(piece: GroupPiece, threads: int, tell: Tell) -> Done:
    rows, ks, how, within, bounded, rng = piece
    found = group_people(rows, ks, how, within=within, bounded=bounded, rng=rng, jobs=threads, tell=tell)
    return Done({"rounds": [int(x) for x in found.rounds], "bound": int(found.bound)}, {"labels": found.labels})


def _rebuild(piece: SlicePiece, threads: int, tell: Tell) -> Done:
    edges, labels, how, directed, limits, change_class, rng = piece
    made = rebuild_slice(edges, labels, how, directed=directed, limits=limits, change_class=change_class, rng=rng)
    return Done({}, {"edges": made})


def _bound(piece: tuple[np.ndarray, np.ndarray], threads: int, tell: Tell) -> Done:
    return Done({"bound": lower_bound(*piece, jobs=threads)}, {})


def _joined(cut: list[np.ndarray], parts: list[Done]) -> Groups:
    """The groups of all shards of a block, numbered one shard after the other."""
    if len(cut) == 1:
        return Groups(parts[0].arrays["labels"], parts[0].facts["rounds"], parts[0].facts["bound"])
    labels, count = np.empty(sum(map(len, cut)), np.int32), 0
    for people, part in zip(cut, parts, strict=True):
        labels[people] = part.arrays["labels"] + count
        count += int(part.arrays["labels"].max()) + 1
    return Groups(labels, [], 0)


def _with_bounds(
    groups: list[Groups],
    shards: list[list[np.ndarray]],
    degrees: np.ndarray,
    promise: Promise,
    directed: bool,
    run: Runner,
) -> list[Groups]:
    """The bound of a block that was cut into shards is that of all its people together."""
    sharded = [block for block, cut in enumerate(shards) if len(cut) > 1]
    blocks = [(degrees[:, promise.columns(block, directed=directed)], promise.needs) for block in sharded]
    for block, done in zip(sharded, run("bound", _bound, blocks), strict=True):
        groups[block] = groups[block]._replace(bound=done.facts["bound"])
    return groups
