"""The paper's grouping: DegreeAnonymization with GreedyAssignment or OptimalAssignment.

L. Rossi, M. Musolesi, A. Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015.
k-means in l1 with at least k members per group: assign the nodes to the medians, update the medians, repeat.

Where the paper is silent or does not fit:

- there are ⌊n/k⌋ groups (⌈n/k⌉ groups of k do not fit into n nodes);
- the random orders of GreedyAssignment seldom repeat an assignment, so the rounds mostly run to their cap; the best
  assignment seen is kept, not the last;
- OptimalAssignment is solved as one min-cost flow with lower bounds, which also places the residual nodes best.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.common.progress import run_jobs
from shoal.errors import InputError
from shoal.group import _kernels
from shoal.group.medians import group_medians, l1_cost, middle

MAX_DISTANCES = 400_000_000  # the two methods hold every node-to-group distance: 1.6 GB
N_ORDERS = 10  # l of Algorithm 1
MAX_ROUNDS = 50

Assignment = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]


class Grouping(NamedTuple):
    """Which group each node is in, the l1 cost of that, how many rounds every restart took and which was its best."""

    labels: np.ndarray
    cost: int
    rounds: list[int]
    best_rounds: list[int]


def greedy_assignment(distance: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Algorithm 1: in some random orders, every median takes its k nearest free nodes; the cheapest order wins."""
    labels = np.empty(distance.shape[1], np.int32)
    best, best_cost = labels, None
    for _ in range(N_ORDERS):
        cost = _kernels.take_nearest(distance, rng.permutation(distance.shape[0]), k, labels)
        if best_cost is None or cost < best_cost:
            best, best_cost = labels.copy(), cost
    return best


def optimal_assignment(distance: np.ndarray, k: int, rng: np.random.Generator | None = None) -> np.ndarray:
    """The assignment of least total distance with at least k nodes per group, as a min-cost flow.

    Every node sends one unit to a group; every group keeps k units and passes the rest on to a common sink.
    """
    from ortools.graph.python import min_cost_flow

    n_groups, n_nodes = distance.shape
    node, group, sink = np.arange(n_nodes), n_nodes + np.arange(n_groups), n_nodes + n_groups
    flow = min_cost_flow.SimpleMinCostFlow()
    choices = flow.add_arcs_with_capacity_and_unit_cost(
        np.repeat(node, n_groups), np.tile(group, n_nodes), np.ones(distance.size, np.int64), distance.T.ravel()
    )
    flow.add_arcs_with_capacity_and_unit_cost(
        group, np.full(n_groups, sink), np.full(n_groups, n_nodes), np.zeros(n_groups, np.int64)
    )
    supply = np.concatenate([np.ones(n_nodes, np.int64), np.full(n_groups, -k), [-(n_nodes - n_groups * k)]])
    flow.set_nodes_supplies(np.arange(sink + 1), supply)
    status = flow.solve()
    if status != flow.OPTIMAL:
        raise RuntimeError(f"min-cost flow ended with status {status}")
    used = flow.flows(choices).reshape(n_nodes, n_groups)
    return used.argmax(axis=1).astype(np.int32)


ASSIGNMENTS: dict[str, Assignment] = {"greedy": greedy_assignment, "optimal": optimal_assignment}


def degree_anonymization(
    degrees: np.ndarray,
    k: int,
    *,
    assignment: str = "greedy",
    rng: np.random.Generator,
    restarts: int = 5,
    time_limit: float | None = None,
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Grouping:
    """Groups of at least k nodes by alternating assignment and medians, the best of several random starts.

    After `time_limit` seconds no round begins any more, and the best groups so far are taken.

    >>> rows = np.array([[0, 0], [0, 1], [9, 9], [9, 8]])
    >>> found = degree_anonymization(rows, 2, rng=np.random.default_rng(0))
    >>> found.cost, bool(found.labels[0] == found.labels[1]), bool(found.labels[2] == found.labels[3])
    (2, True, True)
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    n_nodes = degrees.shape[0]
    if k == 1:
        return Grouping(np.arange(n_nodes, dtype=np.int32), 0, [0], [0])
    n_groups = n_nodes // k
    if n_groups * n_nodes > MAX_DISTANCES:
        raise InputError(
            f"method '{assignment}' compares every person with every group, {n_groups * n_nodes:,} pairs; "
            f"it can hold {MAX_DISTANCES:,}: use a larger k or fewer people"
        )

    def start(child: np.random.Generator) -> Grouping:
        return _alternate(degrees, k, ASSIGNMENTS[assignment], child, deadline)

    runs = run_jobs(start, rng.spawn(restarts), jobs, progress)
    best = min(runs, key=lambda run: run.cost)
    rounds = [count for run in runs for count in run.rounds]
    return Grouping(best.labels, best.cost, rounds, [count for run in runs for count in run.best_rounds])


def _alternate(
    degrees: np.ndarray, k: int, assign: Assignment, rng: np.random.Generator, deadline: float | None
) -> Grouping:
    """One start of DegreeAnonymization: until the assignment repeats or the rounds, or the time, are used up."""
    n_nodes, n_groups = len(degrees), len(degrees) // k
    labels = (rng.permutation(n_nodes) % n_groups).astype(np.int32)
    wide = 2 * int(degrees.sum(axis=1, dtype=np.int64).max(initial=0)) > np.iinfo(np.int32).max
    distance = np.empty((n_groups, n_nodes), np.int64 if wide else np.int32)
    centres = middle(*group_medians(degrees, labels))
    best, best_cost, rounds, best_round = labels, l1_cost(degrees, labels, centres), 0, 0
    while rounds < MAX_ROUNDS and (deadline is None or time.monotonic() < deadline):
        rounds += 1
        _kernels.distances(centres, degrees, distance)
        before, labels = labels, assign(distance, k, rng)
        centres = middle(*group_medians(degrees, labels))
        cost = l1_cost(degrees, labels, centres)
        if cost < best_cost:
            best, best_cost, best_round = labels, cost, rounds
        if np.array_equal(before, labels):
            break
    return Grouping(best, best_cost, [rounds], [best_round])
