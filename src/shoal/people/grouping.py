"""Stage 1 where people have attributes: every stratum is grouped on its own, since only people of one may share a crowd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.common.randomness import Randomness
from shoal.demands.promise import Promise
from shoal.demands.request import Request
from shoal.engine import Tell
from shoal.engine.work import Runner
from shoal.graph import TemporalGraph
from shoal.people.diverse import diversify, held_back
from shoal.people.traits import Traits
from shoal.plan.pieces import Guide, group_blocks
from shoal.plan.stages import Groups


def group_strata(
    request: Request,
    chance: Randomness,
    run: Runner,
    tell: Tell,
    guide: Guide | None = None,
) -> list[Groups]:
    """Groups of people who agree in their attributes, for every block; those of all strata, one after the other."""
    graph, promise, traits, limit = request.graph, request.promise, request.traits, request.settings.time_limit
    assert traits is not None
    strata = traits.strata
    every = [Groups(np.full(graph.n_nodes, -1, np.int32), [], 0) for _ in range(promise.n_blocks)]
    for s in range(int(strata.max(initial=-1)) + 1):
        some = strata == s
        in_time = replace(request.settings, time_limit=None if limit is None else limit * float(some.mean()))
        found = group_blocks(
            replace(request, settings=in_time),
            chance.within(f"stratum/{s}"),
            run.within(f"stratum-{s:05}"),
            lambda share: None,
            some=some,
            guide=guide,
        )
        for block, groups in enumerate(found):
            labels, rounds, bound = every[block]
            labels[some] = groups.labels[some] + labels.max(initial=-1) + 1
            every[block] = Groups(labels, rounds + groups.rounds, bound + groups.bound)
        tell((s + 1) / (int(strata.max()) + 1))
    if traits.sensitive is None or traits.diverse == 1 or request.limits is not None:
        return every
    degrees, values = graph.degree_matrix(), traits.columns[traits.sensitive]
    for block, groups in enumerate(every):
        rows = degrees[:, promise.columns(block, directed=graph.directed)]
        labels = diversify(groups.labels, values, rows, promise.levels, strata, traits.diverse)
        every[block] = groups._replace(labels=labels)
    return every


def published(traits: Traits, promise: Promise, released: TemporalGraph) -> Traits:
    """The columns as they are released: without sensitive values in crowds that have too few of them."""
    if traits.sensitive is None:
        return traits
    return traits.without(held_back(promise.crowd_labels(released), traits.columns[traits.sensitive], traits.diverse))
