"""Whose values become `*`, chosen together with the groups: crowds may mix people of other values where that changes less.

Beside everybody's degrees the search sees a column for every value of an attribute, in which the people who have it have a
number and the others have none. Groups found so mostly agree; where they do not, their members are raised to what they have in
common. Each group is then part of a stratum that is large enough, so whatever is grouped inside these strata later can be.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.common.randomness import Randomness
from shoal.demands.request import Request
from shoal.engine.parts import Array
from shoal.engine.work import Runner
from shoal.people.scale import Scale
from shoal.plan.pieces import Guide, group_blocks
from shoal.plan.shards import BLOCK_PEOPLE

WEIGHT = 2  # a value that differs counts as an edge, which changes the degrees of two people


def mix_strata(request: Request, chance: Randomness, run: Runner) -> Request:
    """The same with values raised where mixed groups change less than pure ones, over the whole history.

    Limits must hold for all members of a group, and the paper's methods know nothing beside degrees: nobody is mixed then.
    """
    graph, promise, traits = request.graph, request.promise, request.traits
    if traits is None or not traits.mixes or request.limits is not None or request.settings.method != "search":
        return request
    whole = replace(request, promise=replace(promise, blocks=np.zeros_like(promise.blocks)))
    columns = value_columns(traits.scales)
    cut = [slice(first, first + BLOCK_PEOPLE) for first in range(0, max(graph.n_nodes, 1), BLOCK_PEOPLE)]
    seen: list[list[Array]] = [[column[part] for column in columns] for part in cut]
    fixed = [scale.codes[0] for scale in traits.scales if scale.fixed]
    apart = np.unique(np.stack(fixed), axis=1, return_inverse=True)[1].ravel() if fixed else None
    steps = traits.steps.copy()
    for s in range(1 if apart is None else int(apart.max()) + 1):
        some = None if apart is None else apart == s
        part, here = chance.within(f"mixing/{s}"), run.within(f"mixing-{s:05}")
        (found,) = group_blocks(whole, part, here, lambda share: None, some, Guide(seen))
        people = np.flatnonzero(found.labels >= 0)
        steps[people] = common_steps(traits.scales, people, found.labels[people])
    raised = traits.at(steps)
    return replace(request, promise=replace(promise, strata=raised.strata), traits=raised)


def value_columns(scales: tuple[Scale, ...]) -> list[np.ndarray]:
    """A column for every value of every attribute, and of every step above it, which share its weight."""
    found = []
    for scale in scales:
        for step in range(scale.top):
            there = [code for code, name in enumerate(scale.names[step]) if name != "*"]
            found += [np.where(scale.codes[step] == code, WEIGHT, 0).astype(np.int32) for code in there]
    return found


def common_steps(scales: tuple[Scale, ...], people: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(people, columns) the lowest step at which everybody of a group is called the same.

    >>> from shoal.people.scale import make_scale
    >>> sex = make_scale("sex", ["f", "f", "m", "f"], width=None, fixed=False, hierarchy=None)
    >>> common_steps((sex,), np.arange(4), np.array([0, 0, 1, 1])).ravel().tolist()
    [0, 0, 1, 1]
    """
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.unique(labels))
    steps = np.zeros((len(people), len(scales)), np.int64)
    for column, scale in enumerate(scales):
        apart = np.zeros(len(starts), np.int64)
        for step in range(scale.top):
            codes = scale.codes[step, people[order]]
            differ = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
            missing = np.array(scale.names[step])[np.minimum.reduceat(codes, starts)] == "*"
            apart[differ | missing] = step + 1
        steps[order, column] = np.repeat(apart, np.diff([*starts, len(order)]))
    return steps
