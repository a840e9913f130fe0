"""Which pairs of in- and out-degrees belong to a simple digraph: the theorem of Fulkerson, Chen and Anstee.

No node points at itself, no arc repeats. Any k nodes I send at most min(in_j, k) arcs to every node j, and one less to
those of themselves that could take k, because nobody points at themselves. So for every I of size k

    Σ_{i ∈ I} (out_i + [in_i ≥ k])  ≤  Σ_j min(in_j, k),

and with equal sums of both degrees this is enough (Anstee 1982, doi:10.4153/CJM-1982-029-3). The left side is largest
for the first k nodes by falling out-degree and, among equals, falling in-degree: n inequalities, all at once.
"""

from __future__ import annotations

import numpy as np


def satisfies_fulkerson(in_degrees: np.ndarray, out_degrees: np.ndarray, sizes: np.ndarray) -> bool:
    """Whether the inequalities hold and no degree is negative; the two sums are not compared.

    They go on holding when out-degrees fall, not when in-degrees do.
    """
    if len(sizes) == 0:
        return True
    if min(int(in_degrees.min()), int(out_degrees.min())) < 0:
        return False
    order = np.lexsort((-in_degrees, -out_degrees))
    ins, outs = (np.repeat(d[order].astype(np.int64), sizes[order]) for d in (in_degrees, out_degrees))
    n = len(ins)
    ins = np.minimum(ins, n)
    position = np.arange(1, n + 1)
    # The i-th node counts in the bracket for every k from i to in_i.
    counted = ins >= position
    bracket = np.bincount(position[counted], minlength=n + 2) - np.bincount(ins[counted] + 1, minlength=n + 2)
    at_least = n - np.cumsum(np.bincount(ins, minlength=n + 1))[:-1]  # how many have an in-degree of at least 1, 2, ..
    return bool((np.cumsum(outs) + np.cumsum(bracket)[1 : n + 1] <= np.cumsum(at_least)).all())


def is_digraphical(in_degrees: np.ndarray, out_degrees: np.ndarray, sizes: np.ndarray | None = None) -> bool:
    """Whether some simple digraph has these degrees; with `sizes`, one pair per group of that many nodes.

    >>> is_digraphical(np.array([1, 1, 1]), np.array([1, 1, 1])), is_digraphical(np.array([2, 0]), np.array([1, 1]))
    (True, False)
    """
    ins, outs = np.asarray(in_degrees), np.asarray(out_degrees)
    sizes = np.ones(len(ins), np.int64) if sizes is None else np.asarray(sizes)
    return int(np.dot(ins, sizes)) == int(np.dot(outs, sizes)) and satisfies_fulkerson(ins, outs, sizes)
