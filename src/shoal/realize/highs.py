"""HiGHS, asked in one way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.common.solver import milp

if TYPE_CHECKING:
    from scipy import sparse

INFEASIBLE = 2  # of scipy's result codes


class Rows(NamedTuple):
    """Constraints ``low <= matrix @ x <= high``."""

    matrix: sparse.csr_array
    low: np.ndarray | float
    high: np.ndarray | float


def rows_of(places: Any, values: np.ndarray, shape: tuple[int, int], low: Any, high: Any) -> Rows:
    """Constraints from the places (rows, columns) of their values."""
    from scipy import sparse

    return Rows(sparse.csr_array((values, places), shape=shape), low, high)


def minimise(
    cost: np.ndarray,
    constraints: list[Rows],
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    whole: bool | np.ndarray = True,
    nodes: float = math.inf,
    gap: float = 0.0,
) -> tuple[np.ndarray | None, bool]:
    """The cheapest x, whole where that is asked for, and whether it is proven that there is none.

    ``nodes`` limits the solver's search tree: a limit in seconds would make results depend on the machine.
    """
    from scipy import optimize

    limits: Any = {"mip_rel_gap": gap} | ({} if nodes == math.inf else {"node_limit": int(nodes)})
    result = milp(
        cost,
        constraints=[optimize.LinearConstraint(*rows) for rows in constraints],
        bounds=optimize.Bounds(lower, upper),
        integrality=np.broadcast_to(whole, cost.shape).astype(np.int64),
        options=limits,
    )
    return result.x, result.status == INFEASIBLE
