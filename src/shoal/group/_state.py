"""The state of the search: who is in which group, and every group's sorted columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.group._problem import Problem
from shoal.group._state_kernels import fill

LANES = 16


class State(NamedTuple):
    """Arrays the kernels work on. Nodes are sorted by class, so a class of identical rows is a range of nodes.

    ``columns[g, :size[g], t]`` are the degrees of group g's members in slice t, ascending.
    """

    degrees: np.ndarray
    row_class: np.ndarray
    class_start: np.ndarray
    near: np.ndarray
    heat: np.ndarray
    columns: np.ndarray
    size: np.ndarray
    members: np.ndarray
    label: np.ndarray
    slot: np.ndarray
    shard: np.ndarray


def build_state(problem: Problem, k: int, label: np.ndarray, dtype: type) -> State:
    """State of the grouping ``label`` (whole numbers from 0, below n // k).

    Slices are padded with empty ones to whole vector registers. Every class is put at
    the front of its own list of neighbours.
    """
    n, n_slices = problem.degrees.shape
    n_groups = max(n // k, 1)
    width = -(-n_slices // LANES) * LANES if n_slices > LANES // 2 else LANES // 2
    rows = np.zeros((n, width), dtype)
    rows[:, :n_slices] = problem.degrees
    class_start = problem.class_start
    n_classes = len(class_start) - 1
    own = np.arange(n_classes, dtype=np.int32)
    state = State(
        degrees=rows,
        row_class=np.repeat(own, np.diff(class_start)),
        class_start=class_start.astype(np.int64),
        near=np.concatenate([own[:, None], problem.near.astype(np.int32)], axis=1),
        heat=_heat(problem.distance[:, :k], np.diff(class_start)),
        columns=np.zeros((n_groups, 2 * k, width), dtype),
        size=np.zeros(n_groups, np.int64),
        members=np.zeros((n_groups, 2 * k), np.int32),
        label=np.empty(n, np.int32),
        slot=np.zeros(n, np.int32),
        shard=np.zeros(n_groups, np.int32),
    )
    fill(state, label)
    return state


def _heat(distance: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The scale of a class's moves: halfway (geometrically) between how far its own neighbours and all neighbours are."""
    own = distance.mean(axis=1) if distance.size else np.ones(len(count))
    return np.sqrt(own * np.average(own, weights=count)).astype(np.float32)
