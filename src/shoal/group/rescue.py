"""Groups next to exempt people where first groups do not come about of themselves: an integer program decides."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from shoal.common.crowds import distinct_rows
from shoal.errors import NoReleaseError
from shoal.group.levels import by_level, runs_of

NO_PARTITION = "not everybody's k can be met next to the exempt people: too few others may come to look like them"


def rescue_groups(rows: np.ndarray, levels: np.ndarray, exempt: np.ndarray, one_sided: bool) -> np.ndarray:
    """A valid grouping with exempt people, however costly, if there is one at all; -1 is alone.

    Valid groups may be merged unless they hold different exempt rows. So one group for every exempt row and one for all
    others suffice, and it only has to be decided how many of each kind of other people join each host. People are of
    one kind if they have the same k and the same hosts, which are all those that they may not exceed. What a host gathers is
    cut again where it is large.
    """
    of_host, host_of, count = distinct_rows(rows[exempt])
    hosts, size = rows[exempt][of_host], np.append(count, 0)
    floor = np.zeros(len(size), np.int64)
    np.maximum.at(floor, host_of, levels[exempt])
    loose, label = np.flatnonzero(~exempt), np.full(len(levels), -1, np.int64)
    allowed = np.ones((len(loose), len(size)), np.int64)
    for j in range(len(hosts) if one_sided else 0):
        allowed[:, j] = (rows[loose] <= hosts[j]).all(axis=1)
    label[exempt] = host_of
    first, kind, count = distinct_rows(np.column_stack([levels[loose], allowed]))
    placed = _enough_for_all(allowed[first] == 1, levels[loose[first]], count, size, floor)
    for i in range(len(first)):
        joined = np.repeat(np.arange(len(size)), placed[i])
        label[loose[kind == i][: len(joined)]] = joined
    result, n_groups = np.full(len(label), -1, np.int64), 0
    for g in np.unique(label[label >= 0]):
        here = np.flatnonzero(label == g)
        result[here] = n_groups + by_level(rows[here], levels[here], runs_of)
        n_groups += len(here)
    return result


def _enough_for_all(
    allowed: np.ndarray, level: np.ndarray, count: np.ndarray, size: np.ndarray, floor: np.ndarray
) -> np.ndarray:
    """How many of each kind join each host so that nobody's k, ``level`` or ``floor``, is above what a host gathers."""
    from ortools.sat.python import cp_model  # seconds to import, and rarely needed

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    of_kind: defaultdict[int, list[Any]] = defaultdict(list)
    of_host: defaultdict[int, list[Any]] = defaultdict(list)
    cells = [(int(i), int(j), model.new_int_var(0, int(count[i]), "")) for i, j in np.argwhere(allowed)]
    for i, j, joining in cells:
        of_kind[i].append(joining)
        of_host[j].append(joining)
    for i in range(len(level)):
        model.add_linear_constraint(sum(of_kind[i]), int(count[i]) if level[i] > 1 else 0, int(count[i]))
    for j in range(len(size)):
        model.add(sum(of_host[j]) >= int(floor[j] - size[j]))
    for i, j, joining in cells:
        if level[i] > floor[j]:
            some = model.new_bool_var("")
            model.add(joining == 0).only_enforce_if(~some)
            model.add(sum(of_host[j]) >= int(level[i] - size[j])).only_enforce_if(some)
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise NoReleaseError(NO_PARTITION, proven=status == cp_model.INFEASIBLE)
    placed = np.zeros(allowed.shape, np.int64)
    for i, j, joining in cells:
        placed[i, j] = solver.value(joining)
    return placed
