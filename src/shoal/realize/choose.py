"""Choose the degrees of the groups of a slice, and the edges to delete for them; the program itself stands in `degrees`."""

from __future__ import annotations

import numpy as np

from shoal.realize._anneal_kernels import anneal
from shoal.realize.degrees import Chosen, DegreeProgram, arrays_of
from shoal.realize.enforce import is_realizable, realize_slice
from shoal.realize.ties import NO_TIES, Ties
from shoal.realize.view import SliceView

EXACT_EDGES = 1000  # slices up to this size go to the solver


def choose_degrees(
    view: SliceView,
    *,
    removal_weight: float = 1.0,
    rng: np.random.Generator,
    exact: bool | None = None,
    exact_edges: int = EXACT_EDGES,
    may_sink: np.ndarray | None = None,
    lack_price: np.ndarray | float = 0.5,
    edges: tuple[int, int] | None = None,
    ties: Ties = NO_TIES,
) -> Chosen:
    """Degrees of the groups in one slice, and the edges to delete for them.

    ``exact`` asks for the solver or forbids it; by default slices of up to ``exact_edges`` go to it too. Larger ones are solved
    by prices (`_program_kernels.prices`) and a local search. Without limits degrees are realizable. ``ties`` decide among equals.

    ``may_sink`` marks people who may end below the degree of their group, because they can change to another one
    afterwards (see :mod:`shoal.rebuild.crowds`): an edge lost there need not come back. ``lack_price`` is what a
    missing degree costs (of all groups, or of each): half an edge if two that lack one can be joined, a whole one
    if they are neighbours already. ``edges`` is how many the slice may have afterwards; any number by default.

    >>> path = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    >>> choose_degrees(SliceView(path, np.array([0, 0, 1, 1])), rng=np.random.default_rng(0))
    Chosen(targets=array([2, 2]), deleted=array([False, False, False]), price=0.0)
    """
    if view.us.size == 0:
        return Chosen(view.bounds[0].copy(), np.zeros(0, bool))
    program = DegreeProgram(view, removal_weight, may_sink, lack_price, edges, ties)
    found = program.expand(program.solve(rng, exact, exact_edges))
    if may_sink is not None:
        return found
    found = program.close(found, rng)
    if not view.limited and not is_realizable(found.targets, view.sizes, directed=view.directed):
        targets = realize_slice(
            found.targets, view.sizes, view.degrees, view.labels, directed=view.directed, highest=view.bounds[1]
        )
        found = Chosen(targets, cover_surplus(view, targets[view.labels], rng=rng), found.price)
    return found


def cover_surplus(view: SliceView, target: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Few edges whose deletion brings everybody to or below the target degrees (a minimum cover of the surplus)."""
    n, nobody = view.n_nodes, np.zeros(view.us.size, bool)
    alone = arrays_of(view.us, view.vs, np.ones(view.us.size), np.arange(n), np.ones(n))
    return anneal(alone, nobody, target.astype(np.int64), 2.0, 0.1, 0.05, True, 1, rng)[0]
