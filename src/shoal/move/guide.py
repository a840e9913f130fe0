"""Structure in the cost of a grouping, and what is left of it afterwards: communities of people, and of groups.

Moved ties stay between the same two groups. So what a release keeps of who mixes with whom depends on groups that lie inside
communities. Beside everybody's degrees the search therefore sees one column for each community, in which its members have
a number and the others have none: in l1, whoever shares a group with people of another community pays for it. Where ties are not
moved a little of it helps too: people of one community have too many or too few edges on the same days, so one edit serves two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from shoal.common.communities import louvain, modularity
from shoal.common.randomness import Randomness
from shoal.demands.request import Request
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.plan.shards import BLOCK_PEOPLE
from shoal.plan.slices import WHOLE

MOST_EDGES = 2_000_000  # of all slices, by which communities are found; of more a random part is looked at
MOST_COLUMNS = 64  # for communities; more of them share columns
FEW_COLUMNS, MANY_PEOPLE = (
    20,
    20_000,
)  # above so many people every column costs seconds: these fill up whole registers at 28 slices
# What a person of activity a (contacts over all slices) pays for another community: √a times the weight. Where communities are
# clear it pays to stay inside them, where they are not only the degrees would suffer: measured by benchmarks/against.py.
PER_MODULARITY, MOST_WEIGHT = 2.4, 1.9
# Where ties are not moved, at most this, and from so many slices on: measured by benchmarks/overtime.py and golden.py. With seven
# slices nothing is gained, with two or three, in which rows differ by little, edits become many more.
UNMOVED_WEIGHT, MANY_SLICES = 0.15, 15


class GuidePiece(NamedTuple):
    """All slices, how many people there are, what another community costs at most, and chance."""

    slices: list[Array]
    n_people: int
    most_weight: float
    rng: np.random.Generator


class KindPiece(NamedTuple):
    """The slices of a block after moving, everybody's group in it, and chance."""

    slices: list[Array]
    labels: Array
    rng: np.random.Generator


def guide_columns(request: Request, chance: Randomness, run: Runner) -> list[list[Array]] | None:
    """Columns that keep groups inside communities, block of people by block of people as `graph.degree_blocks` has degrees.

    None where only the degrees count: by medians, in few slices or blocks of them, under limits, and in large graphs.
    """
    graph, settings, moved = request.graph, request.settings, request.moving is not None
    by_edges = settings.method == "search" and settings.objective == "edges" and request.limits is None
    together = graph.n_slices >= MANY_SLICES and request.promise.n_blocks == 1
    if not moved and not (by_edges and together and graph.n_edges <= WHOLE):
        return None
    slices = [graph.held(t) for t in range(graph.n_slices)]
    weight = MOST_WEIGHT if moved else UNMOVED_WEIGHT
    (done,) = run("guide", _guide, [GuidePiece(slices, graph.n_nodes, weight, chance.stream("communities"))])
    blocks = range(-(-max(graph.n_nodes, 1) // BLOCK_PEOPLE))
    return [[done.arrays[f"{b}/{c}"] for c in range(done.facts["columns"])] for b in blocks]


def group_kinds(blocks: Iterable[tuple[list[Array], Array]], chance: Randomness, run: Runner) -> list[Array]:
    """The kind of everybody in every block (slices after moving, groups): communities of groups, found among the moved ties."""
    pieces = [KindPiece(*block, chance.stream(f"kinds/{b}")) for b, block in enumerate(blocks)]
    return [done.arrays["kind"] for done in run("kinds", _kinds, pieces)]


def _guide(piece: GuidePiece, threads: int, tell: Tell) -> Result:
    activity = np.zeros(piece.n_people, np.int64)
    for held in piece.slices:
        activity += np.bincount(load(held).ravel(), minlength=piece.n_people)
    edges = _some_edges(piece.slices, piece.rng)
    labels = louvain(edges, piece.n_people, int(piece.rng.integers(2**31)))
    columns = community_columns(labels, activity, modularity(edges, labels), piece.most_weight)
    arrays = {
        f"{b}/{c}": column[first : first + BLOCK_PEOPLE]
        for c, column in enumerate(columns.T)
        for b, first in enumerate(range(0, max(piece.n_people, 1), BLOCK_PEOPLE))
    }
    return Result({"columns": columns.shape[1]}, arrays)


def community_columns(
    labels: np.ndarray, activity: np.ndarray, clearness: float, most_weight: float = MOST_WEIGHT
) -> np.ndarray:
    """(people, columns) a column for each community of at least two, the largest first; the smallest share columns.

    >>> community_columns(np.array([4, 4, 1, 1, 1, 0]), np.array([1, 4, 9, 9, 9, 1]), 0.5)
    array([[0, 1],
           [0, 2],
           [4, 0],
           [4, 0],
           [4, 0],
           [0, 0]], dtype=int32)
    """
    sizes = np.bincount(labels, minlength=1)
    most = MOST_COLUMNS if len(labels) <= MANY_PEOPLE else FEW_COLUMNS
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    there = np.flatnonzero(sizes[labels] > 1)
    weight = min(PER_MODULARITY * max(clearness, 0), most_weight)
    columns = np.zeros((len(labels), min(most, int((sizes > 1).sum()))), np.int32)
    if weight:
        columns[there, rank[labels[there]] % columns.shape[1]] = np.rint(weight * np.sqrt(activity[there]))
    return columns


def _kinds(piece: KindPiece, threads: int, tell: Tell) -> Result:
    labels = load(piece.labels)
    edges = labels[_some_edges(piece.slices, piece.rng)]
    kinds = louvain(edges, int(labels.max(initial=0)) + 1, int(piece.rng.integers(2**31)))
    return Result({}, {"kind": kinds[labels].astype(np.int32)})


def _some_edges(slices: list[Array], rng: np.random.Generator) -> np.ndarray:
    """All edges, or a random part of those of every slice where they are too many."""
    share = min(1.0, MOST_EDGES / max(sum(len(held) for held in slices), 1))
    found = [np.empty((0, 2), np.int32)]
    for held in slices:
        edges = load(held)
        found.append(edges if share == 1 else edges[rng.random(len(edges)) < share])
    return np.concatenate(found)
