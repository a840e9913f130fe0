"""Structure in the cost of a grouping, and what is left of it afterwards: communities of people, and of groups.

Moved ties stay between the same two groups. So what a release keeps of who mixes with whom depends on groups that lie inside
communities. Beside everybody's degrees the search therefore sees one column for each community, in which its members have
a number and the others have none: in l1, whoever shares a group with people of another community pays for it. In the place
of degrees it sees importance, so that people are together who are important, and have contacts at all, in the same slices; the
degrees of a release are means of the groups either way. Where ties are not
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
from shoal.graph import TemporalGraph
from shoal.measure.pagerank import ALPHA, pagerank
from shoal.plan.pieces import Guide
from shoal.plan.shards import BLOCK_PEOPLE
from shoal.plan.slices import WHOLE

MOST_EDGES = 2_000_000  # of all slices, by which communities are found; of more a random part is looked at
MOST_COLUMNS = 64  # for communities; more of them share columns
FEW_COLUMNS, MANY_PEOPLE = (
    20,
    20_000,
)  # above so many people every column costs seconds: these fill up whole registers at 28 slices
RANKS = 2  # times as many importance as contacts: finer whole numbers


class Pull(NamedTuple):
    """What a person of activity a (contacts over all slices) pays for another community: a to the `power`, times a weight.

    The weight is a multiple of the modularity, up to a limit. Where communities are clear it pays to stay inside them, where they
    are not only the degrees would suffer.
    """

    per_modularity: float
    most: float
    power: float


# Measured by benchmarks/against.py.
MOVED = Pull(4.2, 2.5, 0.6)
# Where ties are not moved, from so many slices on: measured by benchmarks/overtime.py and golden.py. With seven slices nothing is
# gained, with two or three, in which rows differ by little, edits become many more.
UNMOVED, MANY_SLICES = Pull(2.4, 0.15, 0.5), 15


class GuidePiece(NamedTuple):
    """All slices, how many people there are, what another community costs, and chance."""

    slices: list[Array]
    n_people: int
    pull: Pull
    rng: np.random.Generator


class KindPiece(NamedTuple):
    """The slices of a block after moving, everybody's group in it, and chance."""

    slices: list[Array]
    labels: Array
    rng: np.random.Generator


class RankPiece(NamedTuple):
    """A slice of the original."""

    edges: Array
    n_people: int
    directed: bool


def guide_columns(request: Request, chance: Randomness, run: Runner) -> Guide | None:
    """Columns that keep groups inside communities; where ties are moved, importance in the place of degrees.

    None where only the degrees count: by medians, in few slices or blocks of them, under limits, and in large graphs.
    """
    graph, settings, moved = request.graph, request.settings, request.moving is not None
    by_edges = settings.method == "search" and settings.objective == "edges" and request.limits is None
    together = graph.n_slices >= MANY_SLICES and request.promise.n_blocks == 1
    if not moved and not (by_edges and together and graph.n_edges <= WHOLE):
        return None
    slices = [graph.held(t) for t in range(graph.n_slices)]
    pull = MOVED if moved else UNMOVED
    (done,) = run("guide", _guide, [GuidePiece(slices, graph.n_nodes, pull, chance.stream("communities"))])
    blocks = range(-(-max(graph.n_nodes, 1) // BLOCK_PEOPLE))
    beside = [[done.arrays[f"{b}/{c}"] for c in range(done.facts["columns"])] for b in blocks]
    return Guide(beside, _importance(graph, run) if moved else None)


def group_kinds(blocks: Iterable[tuple[list[Array], Array]], chance: Randomness, run: Runner) -> list[Array]:
    """The kind of everybody in every block (slices after moving, groups): communities of groups, found among the moved ties."""
    pieces = [KindPiece(*block, chance.stream(f"kinds/{b}")) for b, block in enumerate(blocks)]
    return [done.arrays["kind"] for done in run("kinds", _kinds, pieces)]


def _importance(graph: TemporalGraph, run: Runner) -> list[list[Array]]:
    """A column for each of the degrees, block of people by block of people as `graph.degree_blocks` has them."""
    pieces = [RankPiece(graph.held(t), graph.n_nodes, graph.directed) for t in range(graph.n_slices)]
    done, sides = run("ranks", _ranks, pieces), range(2 if graph.directed else 1)
    blocks = range(-(-max(graph.n_nodes, 1) // BLOCK_PEOPLE))
    return [[part.arrays[f"{side}/{b}"] for side in sides for part in done] for b in blocks]


def _ranks(piece: RankPiece, threads: int, tell: Tell) -> Result:
    edges, n = load(piece.edges), piece.n_people
    arrays: dict[str, Array] = {}
    for side, way in enumerate([edges, np.ascontiguousarray(edges[:, ::-1])] if piece.directed else [edges]):
        column = rank_column(way, n, directed=piece.directed)
        arrays |= {f"{side}/{b}": column[a : a + BLOCK_PEOPLE] for b, a in enumerate(range(0, max(n, 1), BLOCK_PEOPLE))}
    return Result({}, arrays)


def rank_column(edges: np.ndarray, n: int, *, directed: bool) -> np.ndarray:
    """PageRank in whole numbers: how far everybody is above somebody without contacts, in all `RANKS` times the degrees.

    Who has contacts (in a directed slice, whom an edge leads to) has at least 1, who has none has 0.

    >>> rank_column(np.array([[0, 1], [0, 2], [3, 4]]), 6, directed=False).tolist()
    [4, 2, 2, 2, 2, 0]
    """
    degrees = np.bincount(edges[:, 1] if directed else edges.ravel(), minlength=n)
    if len(edges) == 0:
        return np.zeros(n, np.int32)
    rank = pagerank(edges, n, directed=directed)
    ends = np.bincount(edges[:, 0] if directed else edges.ravel(), minlength=n) == 0
    above = np.where(degrees > 0, rank - (ALPHA * rank[ends].sum() + 1 - ALPHA) / n, 0)
    return np.maximum(np.rint(RANKS * degrees.sum() / above.sum() * above), degrees > 0).astype(np.int32)


def _guide(piece: GuidePiece, threads: int, tell: Tell) -> Result:
    activity = activity_of(piece.slices, piece.n_people)
    edges = _some_edges(piece.slices, piece.rng)
    labels = louvain(edges, piece.n_people, int(piece.rng.integers(2**31)))
    columns = community_columns(labels, activity, modularity(edges, labels), piece.pull)
    arrays = {
        f"{b}/{c}": column[first : first + BLOCK_PEOPLE]
        for c, column in enumerate(columns.T)
        for b, first in enumerate(range(0, max(piece.n_people, 1), BLOCK_PEOPLE))
    }
    return Result({"columns": columns.shape[1]}, arrays)


def activity_of(slices: list[Array], n_people: int) -> np.ndarray:
    """How many contacts everybody has, all slices added up."""
    activity = np.zeros(n_people, np.int64)
    for held in slices:
        activity += np.bincount(load(held).ravel(), minlength=n_people)
    return activity


def community_columns(labels: np.ndarray, activity: np.ndarray, clearness: float, pull: Pull) -> np.ndarray:
    """(people, columns) a column for each community of at least two, the largest first; the smallest share columns.

    >>> community_columns(np.array([4, 4, 1, 1, 1, 0]), np.array([1, 4, 9, 9, 9, 1]), 0.5, Pull(2.4, 1.9, 0.5))
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
    weight = min(pull.per_modularity * max(clearness, 0), pull.most)
    columns = np.zeros((len(labels), min(most, int((sizes > 1).sum()))), np.int32)
    if weight:
        columns[there, rank[labels[there]] % columns.shape[1]] = np.rint(
            weight * activity[there].astype(float) ** pull.power
        )
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
