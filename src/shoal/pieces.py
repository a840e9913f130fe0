"""The stages cut into pieces of work that any engine can run: people to sort into shards, shards to group, slices to rebuild.

A piece carries all it needs, its own randomness included, and the cut depends on the input and the seed alone: the release is
the same for every engine, any number of workers, in memory and over files.

How a step is written. A *piece* is a NamedTuple of options and arrays; an array may be an `Array`, which is itself or a `Stored`
place in a file. A *task* is a module-level function ``task(piece, threads, tell) -> Done(facts, arrays)`` that calls
`load` on every `Array` it needs. ``run("name", task, pieces, tell)`` gives a `Done` per piece, whose arrays are carried by the
pieces of later steps as they are: in memory they are arrays, over files they are `Stored` and no process but the one
that loads them holds them. So a step over slices that reads what an earlier step made of any slice is

    rounds = run("retie-1", _retie, [RetiePiece(t, [done.arrays["edges"] for done in before], ...) for t in ...], tell)

``graph.held(t)`` is the edges of a slice of the input in this form, ``graph.degree_blocks(size)`` the degrees, and
``run.keep("name", array)`` puts away what this process has and many pieces need. Names of steps are unique within a run: with
a work folder they are its checkpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.randomness import Randomness
from shoal.demands.limits import Limits, RowLimits
from shoal.demands.promise import Promise
from shoal.engine import Done, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import NoReleaseError
from shoal.graph import TemporalGraph
from shoal.group import lower_bound
from shoal.group.cut import SAMPLE, Cuts, find_cuts, join_small, shard_of, smallest_shard, wanted_shards
from shoal.group.neighbours import EXACT_LIMIT
from shoal.realize import SliceLimits
from shoal.rebuild.within.small import search_together
from shoal.stages import Groups, How, group_people, rebuild_slice

BLOCK_PEOPLE = 250_000  # people whose rows are sorted into shards at once: a few hundred megabytes at 365 slices


class CutPiece(NamedTuple):
    """A block of people: their numbers, their k, and columns of their degrees, to be sorted by the leaves of a tree of cuts."""

    people: np.ndarray
    ks: np.ndarray
    first: int
    columns: list[Array]
    cuts: Cuts


class GroupPiece(NamedTuple):
    """A shard: people, their k and their rows, each in parts; and their own chance. A bound is wanted where they are everybody."""

    people: list[Array]
    ks: list[Array]
    rows: list[Array]
    how: How
    within: RowLimits | None
    bounded: bool
    rng: np.random.Generator


class SlicePiece(NamedTuple):
    """A slice: its edges, everybody's group, and its own chance."""

    edges: Array
    labels: Array
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
    some: np.ndarray | None = None,
) -> list[Groups]:
    """Stage 1, block by block and shard by shard, for everybody or for `some` people (a mask; others get the group -1).

    Whoever knows the whole history faces one block, with a horizon there are many. Many people are cut into shards, for the
    method that can group any part of them: one slice and one k is solved as a whole, and limits must hold for all together.
    """
    people = np.arange(graph.n_nodes) if some is None else np.flatnonzero(some)
    degrees, needs = graph.degree_blocks(BLOCK_PEOPLE), promise.needs[people]
    columns = [promise.columns(block, directed=graph.directed) for block in range(promise.n_blocks)]
    shared = how.method == "search" and limits is None and needs.max(initial=1) > 1
    alike = bool((needs == needs[:1]).all())
    cuts = []
    for block, chosen in enumerate(columns):
        n_shards = wanted_shards(len(people), shard_people) if shared and not (alike and len(chosen) == 1) else 1
        rng = chance.stream(f"shards/{block}")
        cuts.append(find_cuts(_sample(degrees, chosen, people, n_shards, rng), n_shards, rng))
    bounds = np.searchsorted(people, np.arange(len(degrees) + 1) * BLOCK_PEOPLE)
    slots = [(block, b, slice(bounds[b], bounds[b + 1])) for block in range(len(columns)) for b in range(len(degrees))]
    cutting = [
        CutPiece(people[at], needs[at], b * BLOCK_PEOPLE, [degrees[b][c] for c in columns[block]], cuts[block])
        for block, b, at in slots
    ]
    sorted_people = run("cut", _cut, cutting)
    pieces: list[GroupPiece] = []
    n_pieces = []
    for block, chosen in enumerate(columns):
        parts = sorted_people[block * len(degrees) : (block + 1) * len(degrees)]
        within = limits.of_columns(chosen) if limits is not None else None
        within = within if within is None or some is None else within.of_people(some)
        name = "group" if promise.n_blocks == 1 else f"group/{block}"
        shards = _shards(parts, shard_people)
        for shard, leaves in enumerate(shards):
            held = [(part.arrays, leaf) for part in parts for leaf in leaves]
            who, ks, rows = ([of[f"{what}/{leaf}"] for of, leaf in held] for what in ("people", "ks", "rows"))
            rng = chance.stream(name if len(shards) == 1 else f"{name}/shard/{shard}")
            pieces.append(GroupPiece(who, ks, rows, how, within, len(shards) == 1, rng))
        n_pieces.append(len(shards))
    found = iter(run("group", _group, _in_time(pieces, how), tell))
    groups = [_joined(graph.n_nodes, [next(found) for _ in range(count)]) for count in n_pieces]
    return _with_bounds(groups, n_pieces, degrees, columns, people, needs, run)


def _sample(
    degrees: list[list[Array]], columns: np.ndarray, people: np.ndarray, n_shards: int, rng: np.random.Generator
) -> np.ndarray:
    """The rows by which to find the cuts, of all people or of as many as suffice; none where nothing is cut."""
    if n_shards > 1 and len(people) > SAMPLE:
        people = people[rng.choice(len(people), SAMPLE, replace=False)]
    sample = np.zeros((len(people) if n_shards > 1 else 0, len(columns)), np.int32)
    for i, c in enumerate(columns if len(sample) else ()):
        sample[:, i] = np.concatenate([load(block[c]) for block in degrees])[people]
    return sample


def _shards(parts: Sequence[Done], shard_people: int) -> list[list[int]]:
    """The leaves of every shard: all have at least twice as many people as any of them asks for."""
    counts = np.sum([part.facts["counts"] for part in parts], axis=0)
    asked = np.max([part.facts["asked"] for part in parts], axis=0)
    last = int(np.flatnonzero(counts).max(initial=0)) + 1
    shard = join_small(counts[:last], smallest_shard(asked[:last], shard_people))
    return [np.flatnonzero(shard == s).tolist() for s in range(int(shard.max()) + 1)]


def _in_time(pieces: list[GroupPiece], how: How) -> list[GroupPiece]:
    """Every piece with its share of the time, by its size: they may have to run one after the other."""
    if how.time_limit is None:
        return pieces
    sizes = [sum(rows.shape[0] * rows.shape[1] for rows in piece.rows) for piece in pieces]
    share = [how.time_limit * size / max(sum(sizes), 1) for size in sizes]
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
    *,
    change_class: bool = True,
) -> TemporalGraph:
    """Stages 2 and 3, slice by slice. With `change_class` the people of a slice that is released alone may go to another crowd."""
    single = (np.bincount(promise.blocks) == 1) & change_class & promise.for_everybody
    kept = [run.keep(f"labels-{block:05}", of) for block, of in enumerate(labels)]
    pieces = [
        SlicePiece(
            graph.held(t),
            kept[block],
            how,
            graph.directed,
            limits.of_slice(t) if limits is not None else None,
            promise.k if single[block] else None,
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


def _cut(piece: CutPiece, threads: int, tell: Tell) -> Done:
    """A block of people by leaf: their numbers, their k, their rows; how many there are, and the highest k."""
    people, ks, first, columns, cuts = piece
    rows = np.stack([load(column)[people - first] for column in columns], axis=1)
    leaf = shard_of(rows, cuts)
    asked = np.ones(cuts.n_leaves, np.int64)
    np.maximum.at(asked, leaf, ks)
    order = np.argsort(leaf, kind="stable")
    counts = np.bincount(leaf, minlength=cuts.n_leaves)
    arrays: dict[str, Array] = {}
    for i, here in enumerate(np.split(order, np.cumsum(counts)[:-1])):
        arrays |= {f"people/{i}": people[here], f"ks/{i}": ks[here], f"rows/{i}": rows[here]}
    return Done({"counts": counts.tolist(), "asked": asked.tolist()}, arrays)


def _group(piece: GroupPiece, threads: int, tell: Tell) -> Done:
    people, ks, rows = (np.concatenate([load(part) for part in parts]) for parts in piece[:3])
    order = np.argsort(people)
    rows, ks = np.ascontiguousarray(rows[order], np.int32), ks[order]
    found = group_people(
        rows, ks, piece.how, within=piece.within, bounded=piece.bounded, rng=piece.rng, jobs=threads, tell=tell
    )
    facts = {"rounds": [int(x) for x in found.rounds], "bound": int(found.bound)}
    return Done(facts, {"people": people[order], "labels": found.labels})


def _rebuild(piece: SlicePiece, threads: int, tell: Tell) -> Done:
    edges, labels, how, directed, limits, change_class, rng = piece
    made = rebuild_slice(
        load(edges), load(labels), how, directed=directed, limits=limits, change_class=change_class, rng=rng
    )
    return Done({}, {"edges": made})


def _bound(piece: tuple[list[list[Array]], Array, Array], threads: int, tell: Tell) -> Done:
    columns, people, needs = piece[0], load(piece[1]), load(piece[2])
    rows = np.stack([np.concatenate([load(block) for block in blocks])[people] for blocks in columns], axis=1)
    return Done({"bound": lower_bound(rows.astype(np.int32), needs, jobs=threads)}, {})


def _joined(n: int, parts: list[Done]) -> Groups:
    """The groups of all shards of a block, numbered one shard after the other."""
    labels, count = np.full(n, -1, np.int32), 0
    for part in parts:
        found = load(part.arrays["labels"])
        labels[load(part.arrays["people"])] = found + count
        count += int(found.max(initial=-1)) + 1
    alone: dict[str, Any] = parts[0].facts if len(parts) == 1 else {"rounds": [], "bound": 0}
    return Groups(labels, alone["rounds"], alone["bound"])


def _with_bounds(
    groups: list[Groups],
    n_shards: list[int],
    degrees: list[list[Array]],
    columns: list[np.ndarray],
    people: np.ndarray,
    needs: np.ndarray,
    run: Runner,
) -> list[Groups]:
    """The bound of a block that was cut into shards is that of all its people together.

    Where they are many it adds up column by column, and where such people have levels there is none (see `lower_bound`).
    """
    sharded = [block for block, count in enumerate(n_shards) if count > 1]
    few, alike = len(needs) <= EXACT_LIMIT, bool((needs == needs[:1]).all())
    kept = [run.keep(name, array) if sharded else array for name, array in (("people", people), ("needs", needs))]
    pieces, of_block = list[Any](), list[int]()
    for block in sharded:
        for some in [columns[block]] if few else columns[block][:, None] if alike else []:
            pieces.append(([[b[c] for b in degrees] for c in some], *kept))
            of_block.append(block)
    found = [done.facts["bound"] for done in run("bound", _bound, pieces)]
    for block in sharded:
        total = sum(bound for of, bound in zip(of_block, found, strict=True) if of == block)
        groups[block] = groups[block]._replace(bound=total)
    return groups
