"""First groups for people of different needs: from the highest need down, everybody takes their nearest free people.

While the people of need m choose, nobody of a higher need is free, so m people make a group. Should fewer than m be left
in all, they fit into the groups there are: each has as many members as its highest need, at least m, and takes nearly as
many more. So without pinned people this always succeeds. With them it may not; then a small integer program decides
whether any valid partition exists, and names one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import optimize, sparse

from shoal._numba import njit
from shoal.crowds import distinct_rows
from shoal.errors import GuaranteeError, NoReleaseError
from shoal.solver import milp

FAR = 1 << 60
INFEASIBLE = 2  # of scipy's result codes
NO_PARTITION = "the needs cannot be met next to these pinned rows: too few people may share a row"


class People(NamedTuple):
    """Rows, needs and pins of people sorted by kind of row; where each kind begins, and which kinds are near it."""

    rows: np.ndarray
    need: np.ndarray
    pinned: np.ndarray
    kind: np.ndarray
    start: np.ndarray
    near: np.ndarray
    one_sided: bool


@njit
def _suits(who: People, a: int, b: int) -> bool:
    """Whether ``b`` may be in a group that ``a`` began."""
    if who.pinned[b]:
        return who.kind[a] == who.kind[b] and (who.pinned[a] or not who.one_sided)
    return not (who.one_sided and who.pinned[a]) or np.all(who.rows[b] <= who.rows[a])


@njit
def _distance(rows: np.ndarray, a: int, b: int) -> np.int64:
    total = np.int64(0)
    for t in range(rows.shape[1]):
        total += abs(np.int64(rows[a, t]) - np.int64(rows[b, t]))
    return total


@njit
def _gather_listed(who: People, label: np.ndarray, cursor: np.ndarray, a: int, taken: np.ndarray) -> bool:
    """Fill ``taken`` with free people from the kinds listed near ``a``; nobody of kind c before ``cursor[c]`` is free."""
    count = 0
    for j in range(-1, who.near.shape[1]):
        c = who.kind[a] if j < 0 else who.near[who.kind[a], j]
        while cursor[c] < who.start[c + 1] and label[cursor[c]] >= 0:
            cursor[c] += 1
        for b in range(cursor[c], who.start[c + 1]):
            if count == taken.size:
                return True
            if label[b] < 0 and b != a and _suits(who, a, b):
                taken[count] = b
                count += 1
    return count == taken.size


@njit
def _gather_any(who: People, label: np.ndarray, a: int, taken: np.ndarray, gap: np.ndarray) -> bool:
    """Fill ``taken`` with the nearest free people of all; ``gap`` is room for their distances."""
    count = 0
    for b in range(label.size):
        if label[b] >= 0 or b == a or not _suits(who, a, b):
            continue
        d = _distance(who.rows, a, b)
        if count == taken.size and d >= gap[count - 1]:
            continue
        i = min(count, taken.size - 1)
        while i > 0 and gap[i - 1] > d:
            gap[i], taken[i] = gap[i - 1], taken[i - 1]
            i -= 1
        gap[i], taken[i] = d, b
        count = min(count + 1, taken.size)
    return count == taken.size


@njit
def _nearest_group(who: People, founder: np.ndarray, size: np.ndarray, a: int) -> int:
    """The group whose founder is nearest to ``a`` of those that are large enough for ``a`` and may still grow."""
    best, best_gap = -1, np.int64(FAR)
    for g in range(founder.size):
        if who.need[a] <= size[g] + 1 < 2 * who.need[founder[g]] and _suits(who, founder[g], a):
            d = _distance(who.rows, founder[g], a)
            if d < best_gap:
                best, best_gap = g, d
    return best


@njit
def seed_groups(who: People, order: np.ndarray, label: np.ndarray) -> bool:
    """Write groups into ``label`` (all -1 before), those of need 1 staying alone where nobody takes them.

    ``order`` lists who needs protection, by falling need. Returns whether all of them found a group.
    """
    cursor = who.start[:-1].copy()
    founder, size = np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    taken, gap = np.empty(label.size, np.int64), np.empty(label.size, np.int64)
    n_groups = begin = 0
    while begin < order.size:
        m = who.need[order[begin]]
        end = begin
        while end < order.size and who.need[order[end]] == m:
            end += 1
        for attempt in range(3):
            for a in order[begin:end]:
                if label[a] >= 0:
                    continue
                if attempt == 2:
                    g = _nearest_group(who, founder[:n_groups], size[:n_groups], a)
                    if g < 0:
                        return False
                    label[a] = g
                    size[g] += 1
                elif (attempt == 0 and _gather_listed(who, label, cursor, a, taken[: m - 1])) or (
                    attempt == 1 and _gather_any(who, label, a, taken[: m - 1], gap)
                ):
                    label[a] = n_groups
                    label[taken[: m - 1]] = n_groups
                    founder[n_groups], size[n_groups] = a, m
                    n_groups += 1
        begin = end
    return True


def rescue_groups(rows: np.ndarray, need: np.ndarray, pinned: np.ndarray, one_sided: bool) -> np.ndarray:
    """A valid grouping with pinned people, however costly, if there is one at all.

    Valid groups may be merged unless they hold different pinned rows. So one group for every pinned row and one for
    all others suffice, and it only has to be decided how many of each kind of unpinned people join each host. People
    are of one kind if they have the same need and the same hosts, which are all those that they may not exceed.
    """
    of_host, host_of, pins = distinct_rows(rows[pinned])
    hosts, size = rows[pinned][of_host], np.append(pins, 0)
    floor = np.zeros(len(size), np.int64)
    np.maximum.at(floor, host_of, need[pinned])
    loose = np.flatnonzero(~pinned)
    allowed = np.ones((len(loose), len(size)), np.int64)
    for j in range(len(hosts) if one_sided else 0):
        allowed[:, j] = (rows[loose] <= hosts[j]).all(axis=1)
    if (size + allowed.sum(axis=0) < floor).any():
        raise NoReleaseError(NO_PARTITION, proven=True)
    if len(loose) == 0:
        return _split_large(host_of, need)
    first, kind, count = distinct_rows(np.column_stack([need[loose], allowed]))
    placed = _enough_for_all(allowed[first] == 1, need[loose[first]], count, size, floor)
    label = np.full(len(need), -1, np.int64)
    label[pinned] = host_of
    for i in range(len(first)):
        joined = np.repeat(np.arange(len(size)), placed[i])
        label[loose[kind == i][: len(joined)]] = joined
    label = _split_large(label, need)
    if (need > np.where(label >= 0, np.bincount(label + 1)[label + 1], 1)).any():
        raise GuaranteeError("a group is smaller than somebody in it needs; nothing was released, please report this")
    return label


def _enough_for_all(
    allowed: np.ndarray, level: np.ndarray, count: np.ndarray, size: np.ndarray, floor: np.ndarray
) -> np.ndarray:
    """How many of each kind join each host so that nobody's need, ``level`` or ``floor``, is above what a host gathers.

    An integer program. Its variables are the people of a kind who join a host, for every pair that is allowed; and, for
    every host and every need above its floor, whether anybody of that need joins.
    """
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


def _split_large(label: np.ndarray, need: np.ndarray) -> np.ndarray:
    """Cut every group into runs of falling need, each as short as its first member allows; nobody's group is too large."""
    result, n_groups = np.full(len(label), -1, np.int64), 0
    for g in np.unique(label[label >= 0]):
        members = np.flatnonzero(label == g)
        members = members[np.argsort(-need[members], kind="stable")]
        while len(members) and need[members[0]] > 1:
            m = need[members[0]]
            cut = m if len(members) >= 2 * m or need[members[m:]].max(initial=1) == 1 else len(members)
            result[members[:cut]] = n_groups
            n_groups, members = n_groups + 1, members[cut:]
    return result
