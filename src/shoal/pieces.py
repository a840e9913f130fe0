"""The stages cut into pieces of work that any engine can run: shards of people to group, slices to rebuild.

A piece carries all it needs, its own randomness included, and the cut depends on the input and the seed alone: the release is
the same for every engine and any number of workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.engine import Done, Engine, Task, Tell
from shoal.engine.work import Work, run_pieces
from shoal.graph import TemporalGraph
from shoal.group import lower_bound
from shoal.group.bound import slice_bound
from shoal.group.cut import cut_people
from shoal.group.neighbours import EXACT_LIMIT
from shoal.limits import Limits, RowLimits
from shoal.promise import Promise
from shoal.randomness import Randomness
from shoal.realize import SliceLimits
from shoal.stages import Groups, How, group_people, rebuild_slice


class Runner(NamedTuple):
    """Where pieces run, and the folder in which what is done is kept, if any."""

    engine: Engine
    work: Work | None

    def __call__(self, name: str, task: Task, pieces: Sequence[Any], tell: Tell | None = None) -> list[Done]:
        """What the task gives for every piece."""
        return run_pieces(self.engine, self.work, name, task, pieces, tell)


class GroupPiece(NamedTuple):
    """A shard of people: their rows, what they need, and their own chance. A bound is wanted where they are everybody."""

    rows: np.ndarray
    needs: np.ndarray
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

    Whoever knows the whole history faces one block, with a horizon there are many. Many people who all ask for the same
    are cut into shards.
    """
    degrees, alone = graph.degree_matrix(), promise.n_blocks == 1
    plain = how.method == "search" and how.time_limit is None and promise.for_everybody and limits is None
    pieces: list[GroupPiece] = []
    shards: list[list[np.ndarray]] = []
    for block in range(promise.n_blocks):
        columns = promise.columns(block, directed=graph.directed)
        rows = np.ascontiguousarray(degrees[:, columns])
        within = limits.of_columns(columns) if limits is not None else None
        cut = [np.arange(len(rows))]
        if plain and promise.k > 1 and rows.shape[1] > 1:
            cut = cut_people(rows, promise.k, shard_people, chance.stream(f"shards/{block}"))
        whole, name = len(cut) == 1, "group" if alone else f"group/{block}"
        for shard, people in enumerate(cut):
            rng = chance.stream(name if whole else f"{name}/shard/{shard}")
            some, needs = (rows, promise.needs) if whole else (rows[people], promise.needs[people])
            pieces.append(GroupPiece(some, needs, how, within, whole, rng))
        shards.append(cut)
    found = iter(run("group", _group, pieces, tell))
    groups = [_joined(cut, list(itertools.islice(found, len(cut)))) for cut in shards]
    return _with_bounds(groups, shards, degrees, promise, graph.directed, run)


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


def _group(piece: GroupPiece, threads: int, tell: Tell) -> Done:
    rows, needs, how, within, bounded, rng = piece
    found = group_people(rows, needs, how, within=within, bounded=bounded, rng=rng, jobs=threads, tell=tell)
    return Done({"rounds": [int(x) for x in found.rounds], "bound": int(found.bound)}, {"labels": found.labels})


def _rebuild(piece: SlicePiece, threads: int, tell: Tell) -> Done:
    edges, labels, how, directed, limits, change_class, rng = piece
    made = rebuild_slice(edges, labels, how, directed=directed, limits=limits, change_class=change_class, rng=rng)
    return Done({}, {"edges": made})


def _bound(piece: tuple[np.ndarray, int], threads: int, tell: Tell) -> Done:
    rows, k = piece
    few = len(rows) <= EXACT_LIMIT
    return Done({"bound": int(lower_bound(rows, k, jobs=threads) if few else slice_bound(rows, k))}, {})


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
    blocks = [(degrees[:, promise.columns(block, directed=directed)], promise.k) for block in sharded]
    for block, done in zip(sharded, run("bound", _bound, blocks), strict=True):
        groups[block] = groups[block]._replace(bound=done.facts["bound"])
    return groups
