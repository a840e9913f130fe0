"""The stages cut into pieces of work that any engine can run: people to sort into shards, shards to group, slices to rebuild.

A piece carries all it needs, its own randomness included, and the cut depends on the input and the seed alone: the release is
the same for every engine, any number of workers, in memory and over files.

How a step is written. A *piece* is a NamedTuple of options and arrays; an array may be an `Array`, which is itself or a `Stored`
place in a file. A *task* is a module-level function ``task(piece, threads, tell) -> Result(facts, arrays)`` that calls
`load` on every `Array` it needs. ``run("name", task, pieces, tell)`` gives a `Result` per piece, whose arrays are carried by the
pieces of later steps as they are: in memory they are arrays, over files they are `Stored` and no process but the one
that loads them holds them. So a step over slices that reads what an earlier step made of any slice is

    rounds = run("retie-1", _retie, [RetiePiece(t, [done.arrays["edges"] for done in before], ...) for t in ...], tell)

``graph.held(t)`` is the edges of a slice of the input in this form, ``graph.degree_blocks(size)`` the degrees, and
``run.keep("name", array)`` puts away what this process has and many pieces need. Names of steps are unique within a run: with
a work folder they are its checkpoints.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.randomness import Randomness
from shoal.demands.limits import RowLimits
from shoal.demands.request import Request
from shoal.demands.settings import Settings
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import NoReleaseError
from shoal.graph import TemporalGraph
from shoal.group import lower_bound
from shoal.group.neighbours import EXACT_LIMIT
from shoal.plan.shards import BLOCK_PEOPLE, Shard, cut_people
from shoal.plan.stages import Groups, group_people
from shoal.rebuild.within.small import search_together


class Guide(NamedTuple):
    """What the search sees beside the degrees, and in their place: columns, block of people by block of people."""

    beside: list[list[Array]]
    instead: list[list[Array]] | None = None


class GroupPiece(NamedTuple):
    """A shard, and its own chance. A bound is wanted where its people are all there are."""

    shard: Shard
    settings: Settings
    within: RowLimits | None
    bounded: bool
    guides: int
    rng: np.random.Generator


def group_blocks(
    request: Request,
    chance: Randomness,
    run: Runner,
    tell: Tell,
    some: np.ndarray | None = None,
    guide: Guide | None = None,
) -> list[Groups]:
    """Stage 1, block by block and shard by shard, for everybody or for `some` people (a mask; others get the group -1).

    Whoever knows the whole history faces one block, with a horizon there are many. Many people are cut into shards, for the
    method that can group any part of them: one slice and one k is solved as a whole, and limits must hold for all together.
    """
    graph, promise, settings, limits = request.graph, request.promise, request.settings, request.limits
    people = np.arange(graph.n_nodes) if some is None else np.flatnonzero(some)
    degrees, levels = graph.degree_blocks(BLOCK_PEOPLE), promise.levels[people]
    columns = [promise.columns(block, directed=graph.directed) for block in range(promise.n_blocks)]
    n_guides, ranked = len(guide.beside[0]) if guide else 0, guide is not None and guide.instead is not None
    first = guide.instead if guide and guide.instead else degrees
    seen = [[*block, *more] for block, more in zip(first, guide.beside, strict=True)] if guide else degrees
    seeing = [np.concatenate([chosen, np.arange(n_guides) + len(degrees[0])]) for chosen in columns]
    alike, free = bool((levels == levels[:1]).all()), settings.method == "search" and limits is None
    can_cut = [free and levels.max(initial=1) > 1 and not (alike and len(chosen) == 1) for chosen in seeing]
    sizes = [request.shard_people if can else None for can in can_cut]
    shards = cut_people(seen, seeing, people, levels, sizes, chance, run)
    pieces: list[GroupPiece] = []
    for block, chosen in enumerate(columns):
        within = limits.of_columns(chosen) if limits is not None else None
        within = within if within is None or some is None else within.of_people(some)
        name, alone = "group" if promise.n_blocks == 1 else f"group/{block}", len(shards[block]) == 1
        for number, shard in enumerate(shards[block]):
            rng = chance.stream(name if alone else f"{name}/shard/{number}")
            pieces.append(GroupPiece(shard, settings, within, alone and not ranked, n_guides, rng))
    found = iter(run("group", _group, _in_time(pieces, settings), tell))
    groups = [_joined(graph.n_nodes, [next(found) for _ in block]) for block in shards]
    bounded = [len(block) == 1 and not ranked for block in shards]
    return _with_bounds(groups, bounded, degrees, columns, people, levels, run)


def _in_time(pieces: list[GroupPiece], settings: Settings) -> list[GroupPiece]:
    """Every piece with its share of the time, by its size: they may have to run one after the other."""
    if settings.time_limit is None:
        return pieces
    sizes = [sum(rows.shape[0] * rows.shape[1] for rows in piece.shard.rows) for piece in pieces]
    share = [settings.time_limit * size / max(sum(sizes), 1) for size in sizes]
    return [piece._replace(settings=replace(settings, time_limit=s)) for piece, s in zip(pieces, share, strict=True)]


def search_blocks(request: Request, refusal: NoReleaseError) -> tuple[list[Groups], TemporalGraph]:
    """All stages together, where one after the other they found no way; small graphs only, else the refusal stands.

    It looks at numbers of edges alone, so it stands too where people have attributes.
    """
    if refusal.proven or request.traits is not None:
        raise refusal
    graph, promise, limits = request.graph, request.promise, request.limits
    assert limits is not None  # nothing else can leave no way
    slices = [graph.edges(t) for t in range(graph.n_slices)]
    for block in range(promise.n_blocks):
        here = promise.slices(block)
        found, proven = search_together(
            [slices[t] for t in here],
            [limits.of_slice(t) for t in here],
            promise.levels,
            directed=graph.directed,
            removal_weight=request.settings.removal_weight,
        )
        if found is None:
            raise NoReleaseError(refusal.why, proven=proven)
        for t, edges in zip(here, found, strict=True):
            slices[t] = edges
    released = graph.with_edges(slices)
    before, after = graph.degree_matrix(), released.degree_matrix()
    columns = [promise.columns(block, directed=graph.directed) for block in range(promise.n_blocks)]
    groups = [Groups(distinct_rows(after[:, c])[1], [], lower_bound(before[:, c], promise.levels)) for c in columns]
    return groups, released


def _group(piece: GroupPiece, threads: int, tell: Tell) -> Result:
    people, levels, rows = (np.concatenate([load(part) for part in parts]) for parts in piece.shard)
    order = np.argsort(people)
    rows, levels = np.ascontiguousarray(rows[order], np.int32), levels[order]
    found = group_people(
        rows,
        levels,
        piece.settings,
        within=piece.within,
        bounded=piece.bounded,
        guides=piece.guides,
        rng=piece.rng,
        jobs=threads,
        tell=tell,
    )
    facts = {"rounds": [int(x) for x in found.rounds], "bound": int(found.bound)}
    return Result(facts, {"people": people[order], "labels": found.labels})


def _bound(piece: tuple[list[list[Array]], Array, Array], threads: int, tell: Tell) -> Result:
    columns, people, levels = piece[0], load(piece[1]), load(piece[2])
    rows = np.stack([np.concatenate([load(block) for block in blocks])[people] for blocks in columns], axis=1)
    return Result({"bound": lower_bound(rows.astype(np.int32), levels, jobs=threads)}, {})


def _joined(n: int, parts: list[Result]) -> Groups:
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
    bounded: list[bool],
    degrees: list[list[Array]],
    columns: list[np.ndarray],
    people: np.ndarray,
    levels: np.ndarray,
    run: Runner,
) -> list[Groups]:
    """The bound of a block that was cut into shards, or whose search did not see degrees, is that of all its people together.

    Where they are many it adds up column by column, and where such people have levels there is none (see `lower_bound`).
    """
    sharded = [block for block, done in enumerate(bounded) if not done]
    few, alike = len(levels) <= EXACT_LIMIT, bool((levels == levels[:1]).all())
    kept = [run.keep(name, array) if sharded else array for name, array in (("people", people), ("levels", levels))]
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
