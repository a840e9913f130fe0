"""Groups next to exempt people where first groups do not come about of themselves: an integer program decides."""

from __future__ import annotations

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.common.solver import milp
from shoal.errors import GuaranteeError, NoReleaseError

INFEASIBLE = 2  # of scipy's result codes

NO_PARTITION = "not everybody's k can be met next to the exempt people: too few others may come to look like them"


def rescue_groups(rows: np.ndarray, levels: np.ndarray, exempt: np.ndarray, one_sided: bool) -> np.ndarray:
    """A valid grouping with exempt people, however costly, if there is one at all; -1 is alone.

    Valid groups may be merged unless they hold different exempt rows. So one group for every exempt row and one for all
    others suffice, and it only has to be decided how many of each kind of other people join each host. People are of
    one kind if they have the same k and the same hosts, which are all those that they may not exceed.
    """
    of_host, host_of, count = distinct_rows(rows[exempt])
    hosts, size = rows[exempt][of_host], np.append(count, 0)
    floor = np.zeros(len(size), np.int64)
    np.maximum.at(floor, host_of, levels[exempt])
    loose = np.flatnonzero(~exempt)
    allowed = np.ones((len(loose), len(size)), np.int64)
    for j in range(len(hosts) if one_sided else 0):
        allowed[:, j] = (rows[loose] <= hosts[j]).all(axis=1)
    if (size + allowed.sum(axis=0) < floor).any():
        raise NoReleaseError(NO_PARTITION, proven=True)
    if len(loose) == 0:
        return _split_large(host_of, levels)
    first, kind, count = distinct_rows(np.column_stack([levels[loose], allowed]))
    placed = _enough_for_all(allowed[first] == 1, levels[loose[first]], count, size, floor)
    label = np.full(len(levels), -1, np.int64)
    label[exempt] = host_of
    for i in range(len(first)):
        joined = np.repeat(np.arange(len(size)), placed[i])
        label[loose[kind == i][: len(joined)]] = joined
    label = _split_large(label, levels)
    if (levels > np.where(label >= 0, np.bincount(label + 1)[label + 1], 1)).any():
        raise GuaranteeError("a group is too small for somebody in it; nothing was released, please report this")
    return label


def _enough_for_all(
    allowed: np.ndarray, level: np.ndarray, count: np.ndarray, size: np.ndarray, floor: np.ndarray
) -> np.ndarray:
    """How many of each kind join each host so that nobody's k, ``level`` or ``floor``, is above what a host gathers.

    An integer program. Its variables are the people of a kind who join a host, for every pair that is allowed; and, for
    every host and every level above its floor, whether anybody of that level joins.
    """
    from scipy import optimize, sparse

    kind, host = np.nonzero(allowed)
    higher = np.flatnonzero(level[kind] > floor[host])
    opened, which = np.unique(np.stack([level[kind], host])[:, higher], axis=1, return_inverse=True)
    n_cells, n_opened, n_higher = len(kind), opened.shape[1], len(higher)
    cell, one = np.arange(n_cells), np.ones(n_cells)
    by_kind = sparse.csr_array((one, (kind, cell)), shape=(len(level), n_cells + n_opened))
    by_host = sparse.csr_array((one, (host, cell)), shape=(len(size), n_cells + n_opened))
    row, column = np.tile(np.arange(n_higher), 2), np.concatenate([higher, n_cells + which.ravel()])
    factor = np.concatenate([np.ones(n_higher), -count[kind[higher]]])
    only_if = sparse.csr_array((factor, (row, column)), shape=(n_higher, n_cells + n_opened))
    demand = sparse.csr_array(
        (opened[0], (np.arange(n_opened), n_cells + np.arange(n_opened))), shape=(n_opened, n_cells + n_opened)
    )
    constraints = [
        optimize.LinearConstraint(by_kind, np.where(level > 1, count, 0), count),
        optimize.LinearConstraint(by_host, floor - size, np.inf),
    ]
    if n_opened:
        constraints.append(optimize.LinearConstraint(only_if, -np.inf, 0))
        constraints.append(optimize.LinearConstraint(by_host[opened[1]] - demand, -size[opened[1]], np.inf))
    found = milp(
        np.zeros(n_cells + n_opened),
        integrality=np.ones(n_cells + n_opened),
        bounds=optimize.Bounds(0, np.concatenate([count[kind], np.ones(n_opened)])),
        constraints=constraints,
    )
    if found.x is None:
        raise NoReleaseError(NO_PARTITION, proven=found.status == INFEASIBLE)
    placed = np.zeros(allowed.shape, np.int64)
    placed[kind, host] = np.rint(found.x[:n_cells])
    return placed


def _split_large(label: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Cut every group into runs of falling k, each as short as its first member allows; nobody's group is too large."""
    result, n_groups = np.full(len(label), -1, np.int64), 0
    for g in np.unique(label[label >= 0]):
        members = np.flatnonzero(label == g)
        members = members[np.argsort(-levels[members], kind="stable")]
        while len(members) and levels[members[0]] > 1:
            m = levels[members[0]]
            cut = m if len(members) >= 2 * m or levels[members[m:]].max(initial=1) == 1 else len(members)
            result[members[:cut]] = n_groups
            n_groups, members = n_groups + 1, members[cut:]
    return result
