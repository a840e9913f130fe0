"""The nearest realizable sequence, exactly: the integer program of the paper's Eq. 4, solved by HiGHS.

The paper linearises by iterating, because the right-hand side of Erdős–Gallai holds min(d_i, j). That minimum is
concave and stands on the side where concave is harmless, so y_i <= d_i and y_i <= j replace it exactly, and one program
suffices. It is the reference for EnforceRealizability, not part of the pipeline.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import GuaranteeError
from shoal.realize.highs import minimise, rows_of


def nearest_realizable(degrees: np.ndarray, sizes: np.ndarray, *, even: bool = False) -> np.ndarray:
    """The realizable sequence that is constant on groups, keeps their order, and is closest in l1.

    `even` also asks for an even sum.

    >>> nearest_realizable(np.array([9, 2]), np.array([1, 5])).tolist()
    [5, 2]
    """
    order = np.argsort(-degrees, kind="stable")
    d, s = np.asarray(degrees, np.int64)[order], np.asarray(sizes, np.int64)[order]
    m, ends = len(d), np.cumsum(s)
    # Variables: x (m) degrees, a (m) >= |x - d|, y (m, m) >= 0 stands for min(x_g, ends_i), z with sum = 2z.
    n_variables = 2 * m + m * m + 1
    rows: list[tuple[dict[int, float], float, float]] = []
    for g in range(m):
        rows.append(({g: 1, m + g: -1}, -np.inf, float(d[g])))
        rows.append(({g: 1, m + g: 1}, float(d[g]), np.inf))
        if g:
            rows.append(({g - 1: 1, g: -1}, 0, np.inf))
    for i in range(m):
        inequality = {g: float(s[g]) for g in range(i + 1)}
        for g in range(i + 1, m):
            y = 2 * m + i * m + g
            inequality[y] = -float(s[g])
            rows.append(({y: 1, g: -1}, -np.inf, 0))
        rows.append((inequality, -np.inf, float(ends[i] * (ends[i] - 1))))
    if even:
        rows.append(({**{g: float(s[g]) for g in range(m)}, n_variables - 1: -2}, 0, 0))
    r, c, v = zip(*((r, c, v) for r, (terms, _, _) in enumerate(rows) for c, v in terms.items()), strict=True)
    low, high = (np.array([row[end] for row in rows]) for end in (1, 2))
    upper = np.full(n_variables, np.inf)
    upper[:m] = ends[-1] - 1
    upper[2 * m : -1] = np.repeat(ends, m)
    cost, whole = np.zeros(n_variables), np.zeros(n_variables, bool)
    cost[m : 2 * m] = s
    whole[:m] = whole[-1] = True
    constraints = [rows_of((r, c), np.array(v), (len(rows), n_variables), low, high)]
    x, _ = minimise(cost, constraints, np.zeros(n_variables), upper, whole=whole)
    if x is None:
        raise GuaranteeError("the integer program has no answer")
    result = np.empty(m, np.int64)
    result[order] = np.rint(x[:m]).astype(np.int64)
    return result
