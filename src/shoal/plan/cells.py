"""Slices larger than a worker: cut into cells that are rebuilt each on its own.

The groups of a slice are dealt at random to parts, and a cell holds the edges between two parts, or those inside one. A cell is
rebuilt within its own pairs, so that the members of a group have equal degrees in it.

*Proof that the slice then is what it should be.* Every group lies in one part. Two people belong to one pair of parts (to one
ordered pair, where edges have a direction), so every pair of people belongs to one cell and no edge can come from two: the slice is
simple. The degree of a person is the sum of their degrees in the cells, and in each of them the members of a group have
equal ones: so have they in the slice. Nothing has to hold between cells, neither an even sum nor an inequality.

The edges between two parts are a slice in which the people of the one part only send and those of the other only receive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.edges import edge_keys
from shoal.common.randomness import Randomness
from shoal.demands.settings import Settings
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError
from shoal.plan.stages import rebuild_slice

# Rebuilding takes about 270 bytes per edge (2.0 GB for 7.6 million, docs/scale.md): this many fit a worker of 6 GB.
CELL_EDGES = 16_000_000


class CutSlice(NamedTuple):
    """A slice to cut: its edges, everybody's group, the part of every group."""

    edges: Array
    labels: Array
    parts: Array
    n_parts: int
    directed: bool


class CellPiece(NamedTuple):
    """The edges from part `one` to part `other`, which may be the same, and what `rebuild_slice` has to know."""

    edges: Array
    labels: Array
    parts: Array
    one: int
    other: int
    settings: Settings
    directed: bool
    rng: np.random.Generator


def wanted_parts(n_edges: int, n_groups: int, most: int) -> int:
    """How many parts leave about `most` edges in a cell: between two of p parts lie 2 / p² of the edges.

    >>> wanted_parts(1_000, 50, 1_000), wanted_parts(2_000, 50, 1_000), wanted_parts(10_000, 3, 10)
    (1, 2, 3)
    """
    return 1 if n_edges <= most else min(int(np.ceil(np.sqrt(2 * n_edges / most))), n_groups)


def rebuild_in_cells(
    t: int,
    edges: Array,
    labels: Array,
    n_groups: int,
    settings: Settings,
    directed: bool,
    chance: Randomness,
    run: Runner,
) -> Array:
    """Stages 2 and 3 of a slice that is cut: its new edges."""
    n_parts = wanted_parts(len(edges), n_groups, CELL_EDGES)
    parts = run.keep(f"parts-{t:05}", chance.stream(f"rebuild/{t}/parts").integers(n_parts, size=n_groups))
    (cut,) = run(f"cells-{t:05}", _cut, [CutSlice(edges, labels, parts, n_parts, directed)])
    pieces = []
    for name, held in cut.arrays.items():
        one, other = map(int, name.split("/"))
        rng = chance.stream(f"rebuild/{t}/cell/{name}")
        pieces.append(CellPiece(held, labels, parts, one, other, settings, directed, rng))
    cells = run(f"cell-{t:05}", _rebuild_cell, pieces)
    (whole,) = run(f"joined-{t:05}", _join, [[cell.arrays["edges"] for cell in cells]])
    return whole.arrays["edges"]


def _cut(piece: CutSlice, threads: int, tell: Tell) -> Result:
    """The edges by cell; those without a direction go from the lower part to the higher."""
    edges, part = load(piece.edges), load(piece.parts)[load(piece.labels)]
    ends = part[edges]
    if not piece.directed:
        edges = np.where((ends[:, 0] > ends[:, 1])[:, None], edges[:, ::-1], edges)
        ends.sort(axis=1)
    cell = ends @ np.array([piece.n_parts, 1])
    order = np.argsort(cell, kind="stable")
    found, first = np.unique(cell[order], return_index=True)
    names = [f"{c // piece.n_parts}/{c % piece.n_parts}" for c in found.tolist()]
    return Result({}, dict(zip(names, np.split(edges[order], first[1:]), strict=True)) if len(edges) else {})


def _rebuild_cell(piece: CellPiece, threads: int, tell: Tell) -> Result:
    labels = load(piece.labels)
    part = load(piece.parts)[labels]
    people = np.flatnonzero((part == piece.one) | (part == piece.other))
    place = np.full(len(labels), -1, np.int32)
    place[people] = np.arange(len(people), dtype=np.int32)
    of_group, across = np.unique(labels[people], return_inverse=True)[1], piece.one != piece.other
    senders = part[people] == piece.one if across else None
    made, _ = rebuild_slice(
        place[load(piece.edges)],
        of_group,
        piece.settings,
        directed=piece.directed or across,
        senders=senders,
        rng=piece.rng,
    )
    if senders is not None and not (senders[made[:, 0]] & ~senders[made[:, 1]]).all():
        raise GuaranteeError("a cell was left by one of its edges; nothing was released, please report this")
    return Result({}, {"edges": people[made].astype(np.int32) if piece.directed else np.sort(people[made], axis=1)})


def _join(piece: list[Array], threads: int, tell: Tell) -> Result:
    edges = np.concatenate([load(cell) for cell in piece]).astype(np.int32)
    return Result({}, {"edges": edges[np.argsort(edge_keys(edges))]})
