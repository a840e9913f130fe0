"""The whole method on one page: group the people, give each group one degree vector, rebuild every slice.

An attacker knows somebody's degree in every slice and looks for the one person in the release who has that vector. So
people are put into groups of at least k with similar vectors; each group gets one vector for all its members; every
slice becomes a graph in which they have it, sharing as many edges as possible with the original. Whoever looks for one
of them then finds at least k. How each stage is done, method by method, stands in `stages`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.common.checks import formerly, some_progress
from shoal.common.progress import Progress
from shoal.common.randomness import Randomness
from shoal.demands.against import make_moving
from shoal.demands.limits import make_limits
from shoal.demands.promise import make_promise
from shoal.demands.request import Request
from shoal.demands.settings import METHODS, Settings
from shoal.draw import Pool, check_contacts, draw_contacts
from shoal.engine import Tell
from shoal.engine.work import Runner, check_run, open_runner
from shoal.errors import NoReleaseError
from shoal.graph import TemporalGraph
from shoal.group.cut import SHARD_PEOPLE
from shoal.move.guide import guide_columns
from shoal.move.steps import Moved, rebuild_moved
from shoal.people.grouping import group_strata, published
from shoal.people.mixing import mix_strata
from shoal.people.traits import Asked, make_traits
from shoal.plan.pieces import group_blocks, search_blocks
from shoal.plan.slices import rebuild_slices, retie_slices
from shoal.plan.stages import Groups
from shoal.release import Release
from shoal.warm import warm

__all__ = ["METHODS", "Release", "anonymize"]


@formerly(deletion_weight="removal_weight", keep="must_keep")
def anonymize(
    graph: TemporalGraph,
    k: Any,
    *,
    protect: Iterable[Any] | None = None,
    horizon: str | int | None = None,
    against: str = "numbers",
    move: str = "slice",
    allow: str = "both",
    must_keep: Iterable[Any] | None = None,
    forbid: Iterable[Any] | None = None,
    exempt: Iterable[Any] | None = None,
    contacts: str | None = None,
    protect_counts: bool = False,
    people: Any = None,
    attributes: Iterable[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    sensitive: str | None = None,
    diverse: int = 1,
    stratum: int | None = None,
    method: str = "search",
    seed: int | None = None,
    effort: str = "balanced",
    time_limit: float | None = None,
    objective: str = "edges",
    removal_weight: float = 1.0,
    density: str | None = None,
    restarts: int | None = None,
    jobs: int | None = None,
    engine: Any = "local",
    worker_memory: str | None = None,
    shard_people: int = SHARD_PEOPLE,
    work_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Release a graph in which everybody shares their temporal degree vector with at least k - 1 others.

    Parameters
    ----------
    graph
        What is to be published. In a directed graph the vector holds in-degrees and out-degrees.
    k
        The size of the smallest crowd, from 1 (no protection) to the number of people. Or a level for each person: a
        mapping from ids (people not in it get 1), or a list in the order of `graph.nodes`.
    protect
        Only these people are protected, at k; the others are changed where it helps them.
    horizon
        The attacker knows the degrees within any one stretch of this length: "1mo" or another calendar width, or a number of
        slices. Every stretch gets its own groups. By default the attacker knows the whole history.
    against
        "numbers": somebody who knows how many contacts a person had. "graph": somebody who holds contacts with names, too; ties
        change hands inside groups, so contacts of particular pairs are not to be looked at in the release.
    move
        Against a graph, how long ties keep the hands they were given: "slice", a stretch of the calendar such as "1mo", or
        "tie" for good. Whoever knows the first part of a stretch may read off the rest of it.
    allow
        "both", or only "add" or only "remove" edges.
    must_keep, forbid
        Edges that must stay and pairs that must not be joined: (u, v), or (u, v, slice) for one slice only.
    exempt
        People about whom nothing is changed.
    contacts
        "times" or "counts": also draw how many contacts every released edge has, and when they were, from everybody's in that
        slice. "carried", where whole ties move (against="graph", move="tie"): a tie takes its own along, so whoever knows some of
        them reads off the others. The graph must keep them (`read(contacts=...)`). By default a release has edges only.
    protect_counts
        The attacker knows numbers of contacts too: they are shared out so that everybody in a crowd has as many in every slice.
        Totals of slices then change a little.
    people, attributes, hierarchies, stratum
        A table of people (a file, or anything with columns) with a column `node` or `id`, and which of its columns are published:
        "sex", "age:10" for tens, "sex!" for values that are never merged. The attacker knows them, so crowds agree in them too;
        what too few people have becomes `*`, or what a hierarchy says (by column: a file as ARX writes it, or a mapping from
        values to the steps above them), chosen together with the crowds. With `stratum`, rare combinations alone are raised, until
        each is shared by so many people.
    sensitive, diverse
        A column that nobody knows, and how many different values of it every crowd has; where there are fewer none is published.
    method
        "search", or one of the paper's two, "greedy" and "optimal".
    seed
        For a release that can be made again; by default the randomness comes from the operating system.
    effort
        "fast", "balanced" or "thorough": how long the method "search" looks for better groups and degrees. The groups of a
        single slice are the best there are at any effort, unless people have levels of their own.
    time_limit
        Seconds after which the grouping stops and the best so far is taken; parts that are grouped one by one (shards, blocks
        of a horizon) share them. The result then depends on the machine.
    objective
        "edges" chooses degrees for which the fewest edges change; "l1" takes medians, as the paper's methods always do.
    removal_weight
        How many added edges a removed one is worth. Above 1 the release rather invents contacts than loses them. Medians
        (`objective="l1"` and the paper's methods) leave nothing to weigh, so they refuse it.
    density
        "keep" keeps the number of edges of every slice within 2 %, at the least price in edits; "free" changes the fewest edges.
        By default kept, unless `removal_weight`, `objective` or `method` says how many edges there are.
    restarts
        Random starts of the paper's methods, of which the best is kept; by default 5.
    jobs
        Threads, or worker processes of a cluster; by default as many as cores. The result does not depend on it.
    engine
        "local", "dask" for a cluster of processes on this machine, the address of a Dask scheduler, or a
        `distributed.Client`. The result does not depend on it.
    worker_memory
        What each worker of a cluster started here may use, such as "6GB".
    shard_people
        Graphs of more people are cut into shards of about this size, which are grouped each on its own, unless limits or the
        paper's methods need all people at once.
    work_dir, resume
        A folder for checkpoints, and whether to go on with the run that left them. `Release.save` removes it.
    progress
        Told how far the work is.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = TemporalGraph.from_slices({"club": nx.karate_club_graph()})
    >>> release = anonymize(graph, k=3, seed=7)
    >>> release.min_class_size >= 3
    True
    """
    promise = make_promise(graph, k, protect=protect, horizon=horizon)
    traits = make_traits(graph, promise.levels, people, Asked(attributes, hierarchies, sensitive, diverse, stratum))
    if traits is not None:
        promise = replace(promise, strata=traits.strata, attributes=traits.attributes)
    settings = Settings(method, effort, time_limit, objective, removal_weight, restarts, density)
    limits = make_limits(graph, allow=allow, must_keep=must_keep, forbid=forbid, exempt=exempt, method=method)
    moving = make_moving(graph, promise, limits, against=against, move=move, **vars(settings))
    check_contacts(graph, contacts, None if moving is None else moving.move, protected=protect_counts)
    promise = replace(promise, contacts=protect_counts)
    shard_people, progress = check_run(shard_people, work_dir, resume=resume), some_progress(progress)
    request = Request(graph, promise, settings, shard_people, limits, moving, contacts, traits)
    where = {"engine": engine, "jobs": jobs, "worker_memory": worker_memory, "work_dir": work_dir, "resume": resume}
    warm(progress)
    with open_runner(request.described(), seed, **where, within=graph.run) as run:
        chance = Randomness(seed if run.work is None else run.work.seed, graph.digest())
        try:
            with progress.stage("grouping", 100) as tell:
                request = mix_strata(request, chance, run)
                groups = group(request, chance, run, tell)
            with progress.stage("rebuilding", graph.n_slices) as tell:
                labels = [g.labels for g in groups]
                rebuilt = rebuild(request, labels, chance, run, tell, change_class=traits is None)
        except NoReleaseError as refusal:
            groups, found = search_blocks(request, refusal)
            rebuilt = Rebuilt(found)
        released = finish(request, rebuilt, chance, run, progress)
    promise, traits = request.promise, request.traits
    return Release(
        original=graph, graph=released, promise=promise, method=method,
        groups=promise.lasting([of.labels for of in groups], released),
        chance=chance, rounds=[count for g in groups for count in g.rounds], bound=sum(g.bound for g in groups),
        limits=limits, moved=rebuilt.moved, work=run.work, density=rebuilt.price(settings),
        traits=None if traits is None else published(traits, promise, released),
    )  # fmt: skip


class Rebuilt(NamedTuple):
    """A graph with the degrees of its release, about how many edits keeping its density took, and how ties changed hands.

    `pools` are what contacts are drawn from where ties were moved; else they are drawn from those of the original.
    """

    graph: TemporalGraph
    edits: float = 0.0
    moved: Moved | None = None
    pools: Sequence[Pool] | None = None

    def price(self, settings: Settings) -> int | None:
        """What keeping the density took; None where it was not kept."""
        return round(self.edits) if settings.keeps_density and self.moved is None else None


def group(
    request: Request, chance: Randomness, run: Runner, tell: Tell, some: np.ndarray | None = None
) -> list[Groups]:
    """Stage 1 for everybody or for `some`: guided by communities, and inside strata where people have attributes."""
    guide = guide_columns(request, chance, run)
    if request.traits is not None:
        return group_strata(request, chance, run, tell, guide)
    return group_blocks(request, chance, run, tell, some, guide)


def rebuild(
    request: Request,
    labels: list[np.ndarray],
    chance: Randomness,
    run: Runner,
    tell: Tell,
    *,
    change_class: bool,
    secret: bytes | None = None,
) -> Rebuilt:
    """Stages 2 and 3; against a second graph ties change hands before, by the `secret` of an earlier release or a new one."""
    if request.moving is None:
        return Rebuilt(*rebuild_slices(request, labels, chance, run, tell, change_class=change_class))
    secret = secret or chance.secret("move")
    released, totals, pools = rebuild_moved(request, secret, labels, chance, run, tell)
    return Rebuilt(released, moved=Moved(request.moving.move, secret, totals), pools=pools)


def finish(request: Request, rebuilt: Rebuilt, chance: Randomness, run: Runner, progress: Progress) -> TemporalGraph:
    """What is released: retied, held against the promise, and with contacts where they are asked for."""
    graph, released = request.graph, rebuilt.graph
    if rebuilt.moved is None:  # retying compares with the original, which nothing may do after ties were moved
        with progress.stage("retying", 100) as tell:
            released = retie_slices(request, released, chance, run, tell)
    request.promise.check(released)
    if request.contacts is not None:
        with progress.stage("drawing contacts", graph.n_slices) as tell:
            released.contacts = draw_contacts(request, released, rebuilt.pools, chance, run, tell)
    return released
