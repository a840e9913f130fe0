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
    """(people, columns) the level at which everybody's value is published, so that all share it with as many as they need.

    Whoever is raised along is nearest in the numbers of edges.
    """
    n = len(levels)
    levels = np.zeros((n, len(scales)), np.int64)
    for column, scale in enumerate(scales):  # a missing value is published as what it is, anything
        missing = np.array(scale.names[0])[scale.codes[0]] == "*"
        levels[missing, column] = scale.top
    rows = None
    while True:
        keys = _keys(scales, levels)
        first, label = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
        label = label.ravel()
        sizes, most = np.bincount(label), np.zeros(len(first), np.int64)
        np.maximum.at(most, label, levels)
        rare = np.flatnonzero(sizes < most)
        if not len(rare):
            return levels
        one = int(rare[np.lexsort((rare, sizes[rare]))[0]])
        goal, price, taken = _ways(scales, levels[first], first, sizes, most, one)
        if not np.isfinite(price).any():
            raise InputError(_too_few(scales, levels[first[one]], int(first[one]), int(sizes[one]), int(most[one])))
        other = int(price.argmin())
        mine, theirs = np.flatnonzero(label == one), np.flatnonzero(label == other)
        if taken[other] < len(theirs):
            rows = graph.degree_matrix() if rows is None else rows
            centre = rows[mine].mean(axis=0)
            near = np.argsort(np.abs(rows[theirs] - centre).sum(axis=1), kind="stable")
            theirs = theirs[near[: taken[other]]]
        levels[mine] = goal[other]
        levels[theirs] = goal[other]


def _keys(scales: list[Scale], levels: np.ndarray) -> np.ndarray:
    """What everybody is called at their levels, as numbers: a level and a name for each column."""
    people = np.arange(len(levels))
    named = [scale.codes[levels[:, c], people] for c, scale in enumerate(scales)]
    return np.column_stack([*named, levels]) if scales else np.zeros((len(levels), 1), np.int64)


def _ways(
    scales: list[Scale], levels: np.ndarray, first: np.ndarray, sizes: np.ndarray, most: np.ndarray, one: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every stratum that `one` could join: the levels they meet at, the price, and how many of its people are raised."""
    goal = np.maximum(levels, levels[one])
    for c, scale in enumerate(scales):
        for level in range(scale.top + 1):
            apart = scale.codes[level, first] != scale.codes[level, first[one]]
            goal[apart & (goal[:, c] <= level), c] = level + 1
    missing = np.maximum(np.maximum(most, most[one]) - sizes[one], 0)
    meets = (goal == levels).all(axis=1)  # whoever is there already stays as they are
    enough = (sizes - missing >= most) & ~meets
    taken = np.where(enough, missing, sizes)
    tops = np.array([scale.top for scale in scales])
    rise = ((goal - levels) / tops).sum(axis=1) * np.where(meets, 0, taken) + ((goal - levels[one]) / tops).sum(
        axis=1
    ) * sizes[one]
    fixed = np.array([scale.fixed for scale in scales])
    barred = ((goal > levels) & fixed).any(axis=1) | ((goal > levels[one]) & fixed).any(axis=1)
    barred[one] = True
    return goal, np.where(barred, np.inf, rise), taken


def _too_few(scales: list[Scale], levels: np.ndarray, person: int, size: int, need: int) -> str:
    kept = ", ".join(
        f"{scale.name} {scale.names[level][scale.codes[level, person]]}"
        for scale, level in zip(scales, levels, strict=True)
        if scale.fixed
    )
    who = f"of {kept} " if kept else ""
    return f"there are {size:,} people {who}who cannot be published together with others, and each needs a crowd of {need:,}"
