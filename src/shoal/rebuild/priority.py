"""Priority: Liu & Terzi's graph construction (SIGMOD 2008, doi:10.1145/1376616.1376629), made to finish always.

People are taken by falling degree (out-degree, where edges have a direction). Each joins first the original neighbours that
still want edges, those that want most first, then the others that want most. So even on a realizable sequence it may end with
stubs nobody can take. They are filled along the walks of `rewire` and, where there is none, along a witness.
"""

from __future__ import annotations

import numpy as np

from shoal.realize.view import SliceView
from shoal.rebuild import _rewire_kernels
from shoal.rebuild.rewire import begin, check_realizable, finish, keys_of


def priority(view: SliceView, target_degrees: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A simple slice with exactly these degrees, built from nothing, preferring the original edges.

    Parameters
    ----------
    view
        The original slice.
    target_degrees
        A realizable degree for each of its nodes.
    rng
        Decides among equals.

    Returns
    -------
    (m', 2) int32, sorted; source < target where edges have no direction.

    >>> path = SliceView(np.array([[0, 1], [1, 2], [2, 3]]), np.arange(4))
    >>> priority(path, np.array([1, 1, 1, 1]), np.random.default_rng(0)).tolist()
    [[0, 1], [2, 3]]
    """
    target = np.array(target_degrees, np.int64)
    check_realizable(target, view)
    s = begin(view, target, empty=True)
    _rewire_kernels.join_lacking(True, s, rng)
    finish(s, target, rng)
    return view.as_edges(keys_of(s))
