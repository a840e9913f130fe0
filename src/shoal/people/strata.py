"""Strata: people who are published with the same attributes, each stratum large enough for everybody in it.

A combination that too few people have is raised until it is shared: its people join others, a few of whom are raised along
where enough of them stay behind, or all of them. Of all ways, the one that changes least is taken; a change is a step of one
person's value on its way to `*`, as a share of that way.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.people.scale import Scale


def find_strata(scales: list[Scale], levels: np.ndarray, graph: TemporalGraph) -> np.ndarray:
    """(people, columns) the step at which everybody's value is published, so that all share it with as many as they need.

    Whoever is raised along is nearest in the numbers of edges.
    """
    n = len(levels)
    steps = np.zeros((n, len(scales)), np.int64)
    for column, scale in enumerate(scales):  # a missing value is published as what it is, anything
        missing = np.array(scale.names[0])[scale.codes[0]] == "*"
        steps[missing, column] = scale.top
    rows = None
    while True:
        keys = _keys(scales, steps)
        first, label = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
        label = label.ravel()
        sizes, most = np.bincount(label), np.zeros(len(first), np.int64)
        np.maximum.at(most, label, levels)
        rare = np.flatnonzero(sizes < most)
        if not len(rare):
            return steps
        one = int(rare[np.lexsort((rare, sizes[rare]))[0]])
        goal, price, taken = _ways(scales, steps[first], first, sizes, most, one)
        if not np.isfinite(price).any():
            raise InputError(_too_few(scales, steps[first[one]], int(first[one]), int(sizes[one]), int(most[one])))
        other = int(price.argmin())
        mine, theirs = np.flatnonzero(label == one), np.flatnonzero(label == other)
        if taken[other] < len(theirs):
            rows = graph.degree_matrix() if rows is None else rows
            centre = rows[mine].mean(axis=0)
            near = np.argsort(np.abs(rows[theirs] - centre).sum(axis=1), kind="stable")
            theirs = theirs[near[: taken[other]]]
        steps[mine] = goal[other]
        steps[theirs] = goal[other]


def _keys(scales: list[Scale], steps: np.ndarray) -> np.ndarray:
    """What everybody is called at their steps, as numbers: a step and a name for each column."""
    people = np.arange(len(steps))
    named = [scale.codes[steps[:, c], people] for c, scale in enumerate(scales)]
    return np.column_stack([*named, steps]) if scales else np.zeros((len(steps), 1), np.int64)


def _ways(
    scales: list[Scale], steps: np.ndarray, first: np.ndarray, sizes: np.ndarray, most: np.ndarray, one: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every stratum that `one` could join: the steps they meet at, the price, and how many of its people are raised."""
    goal = np.maximum(steps, steps[one])
    for c, scale in enumerate(scales):
        for step in range(scale.top + 1):
            apart = scale.codes[step, first] != scale.codes[step, first[one]]
            goal[apart & (goal[:, c] <= step), c] = step + 1
    missing = np.maximum(np.maximum(most, most[one]) - sizes[one], 0)
    meets = (goal == steps).all(axis=1)  # whoever is there already stays as they are
    enough = (sizes - missing >= most) & ~meets
    taken = np.where(enough, missing, sizes)
    tops = np.array([scale.top for scale in scales])
    rise = ((goal - steps) / tops).sum(axis=1) * np.where(meets, 0, taken) + ((goal - steps[one]) / tops).sum(
        axis=1
    ) * sizes[one]
    fixed = np.array([scale.fixed for scale in scales])
    barred = ((goal > steps) & fixed).any(axis=1) | ((goal > steps[one]) & fixed).any(axis=1)
    barred[one] = True
    return goal, np.where(barred, np.inf, rise), taken


def _too_few(scales: list[Scale], steps: np.ndarray, person: int, size: int, need: int) -> str:
    kept = ", ".join(
        f"{scale.name} {scale.names[step][scale.codes[step, person]]}"
        for scale, step in zip(scales, steps, strict=True)
        if scale.fixed
    )
    who = f"of {kept} " if kept else ""
    return f"there are {size:,} people {who}who cannot be published together with others, and each needs a crowd of {need:,}"
