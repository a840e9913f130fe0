"""Rewire: from the original slice to exactly the target degrees, by as few edits as can be."""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.realize.choose import cover_surplus
from shoal.realize.enforce import is_realizable
from shoal.realize.view import SliceView
from shoal.rebuild import _crowd_kernels, _rewire_kernels
from shoal.rebuild._crowd_kernels import Crowds
from shoal.rebuild._edgeset import new_set
from shoal.rebuild._rewire_kernels import Rewiring
from shoal.rebuild._walk_kernels import follow_witness, serve_each

NONE = np.empty(0, np.int64)


def rewire(
    view: SliceView,
    target_degrees: np.ndarray,
    *,
    deleted: np.ndarray | None = None,
    crowds: Crowds | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """A simple slice with exactly ``target_degrees`` that shares as many edges as possible with the original.

    Instead of building from nothing, the slice is changed where its degrees are wrong: edges go where nodes have
    too many (``deleted`` says which, where the degree program has chosen them), then nodes that have too few are
    joined, the largest need first. What adjacent leftovers u, v lack comes along alternating walks (u-x and y-v for x-y,
    an added edge x-y if there is one), and if even that fails, along another slice with the target degrees, which always
    ends (:func:`shoal.rebuild._walk_kernels.follow_witness`). Everything is random among equals, so that the result
    does not point at the edits.

    ``target_degrees`` of the view's nodes must be realizable (Erdős–Gallai, or Fulkerson–Chen–Anstee). Where people may
    change ``crowds`` (:mod:`shoal.rebuild.crowds`), the targets are those of the crowds, and change on the way.

    >>> path = SliceView(np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32), np.arange(4))
    >>> rewire(path, np.array([2, 2, 2, 2]), rng=np.random.default_rng(0)).tolist()
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    """
    target = np.array(target_degrees, np.int64) if crowds is None else crowds.target
    if crowds is None:
        check_realizable(target, view)
    if deleted is None:
        deleted = cover_surplus(view, target, rng=rng)
    s = begin(view, target, None if crowds is None else view.keys.size + int(target.sum()) + 1)
    _rewire_kernels.toggle_all(view.keys[deleted], s)
    if s.lack.min(initial=0) < 0:
        _rewire_kernels.drop_surplus(view.keys, 1, s, rng)
    if crowds is not None:
        _crowd_kernels.sink(crowds, s, rng)
    _rewire_kernels.join_lacking(False, s, rng)
    if crowds is not None:
        serve_each(1, s, rng)
        crowds.alone[:] = s.lack
        _crowd_kernels.absorb(crowds, s, rng)
        if s.lack.any():
            check_realizable(target, view)
    finish(s, target, rng)
    return view.as_edges(keys_of(s))


def begin(view: SliceView, target: np.ndarray, room: int | None = None, *, empty: bool = False) -> Rewiring:
    """The original slice, or one without edges, on its way to the target degrees, with space for ``room`` edges."""
    keys, degrees = (NONE, 0) if empty else (view.keys, view.degrees)
    room = keys.size + int(target.sum()) // 2 + 1 if room is None else room
    fixed = np.concatenate([view.keys[view.must_keep], view.forbidden])
    original, now, untouchable = (
        new_set(*of) for of in ((view.keys, view.keys.size), (keys, room), (fixed, fixed.size))
    )
    may = view.limited, view.may_add, view.may_remove
    return Rewiring(view.n_nodes, view.half, *may, original, now, untouchable, view.exempt, target - degrees)


def finish(s: Rewiring, target: np.ndarray, rng: np.random.Generator) -> None:
    """Fill what is still lacking, whatever it takes: along walks, then along a witness."""
    if s.lack.any():
        serve_each(3, s, rng)
    if s.lack.any():
        witness = s._replace(current=new_set(NONE, int(target.sum()) // 2 + 1), lack=target.copy())
        _rewire_kernels.join_lacking(False, witness, rng)
        follow_witness(witness.current, s)


def check_realizable(target: np.ndarray, view: SliceView) -> None:
    """Refuse degrees that no simple slice has."""
    if not is_realizable(target, np.ones(len(target), np.int64), directed=view.directed):
        raise InputError("the target degrees must be realizable (Erdős–Gallai, or Fulkerson–Chen–Anstee)")


def keys_of(s: Rewiring) -> np.ndarray:
    """The edges as they are now, sorted."""
    return np.sort(s.current.items[: s.current.counts[0]])
