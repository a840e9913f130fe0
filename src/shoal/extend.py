"""Publish later slices of the same people, so that all releases together keep the promise.

Whoever has the earlier releases can tell two people apart who stood in different groups there. So groups are kept: in every
later slice the members of a group get one degree, and over all releases they stay alike. Newcomers are grouped among themselves;
while they are fewer than k they cannot be hidden and are held back. Limits on what may change go on, too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.anonymize import finish, group, rebuild
from shoal.common.checks import a_path, formerly, some_progress
from shoal.common.progress import Progress
from shoal.common.randomness import Randomness
from shoal.contacts.build import ids_as_series
from shoal.demands.against import Moving, make_moving
from shoal.demands.left_out import EXEMPT, LeftOut
from shoal.demands.limits import Limits, make_limits
from shoal.demands.promise import Promise
from shoal.demands.request import Request
from shoal.demands.settings import Settings
from shoal.draw import check_contacts
from shoal.engine.work import check_run, open_runner
from shoal.errors import InputError
from shoal.files.appear import recover, sha256
from shoal.graph import TemporalGraph
from shoal.group.cut import SHARD_PEOPLE
from shoal.read.record import are_kept, are_numbers, read_record
from shoal.read.release import read_claims, read_table
from shoal.release import Release


@dataclass(frozen=True, eq=False)
class Earlier:
    """What an extension goes on from: the folder before, its private record, everybody's published name, and who waits.

    `file` is where the record was and `sha256` what it was like; `highest` is the highest number ever published as a name,
    this time included; `newcomers` are those who are named now; `keeps_ids` where people go by their own ids.
    """

    folder: Path
    file: Path
    sha256: str
    record: dict[str, Any]
    names: pl.Series
    highest: int
    newcomers: int
    keeps_ids: bool
    held_back: tuple[Any, ...]


@formerly(deletion_weight="removal_weight", keep="must_keep")
def extend(
    folder: str | os.PathLike[str],
    graph: TemporalGraph,
    record: str | os.PathLike[str],
    *,
    allow: str | None = None,
    must_keep: Iterable[Any] | None = None,
    forbid: Iterable[Any] | None = None,
    exempt: Iterable[Any] | None = None,
    contacts: str | None = None,
    seed: int | None = None,
    effort: str = "balanced",
    removal_weight: float = 1.0,
    density: str | None = None,
    jobs: int | None = None,
    engine: Any = "local",
    worker_memory: str | None = None,
    shard_people: int = SHARD_PEOPLE,
    work_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Release later slices under the pseudonyms, and with the groups, of an earlier release.

    Parameters
    ----------
    folder
        The last release; it may be an extension itself.
    graph
        The later slices, with the original ids. People who are not in it have no contacts in them.
    record
        The private record that was written with that release. Write the new one (`save(private=...)`) for the next time; it
        may replace this one.
    allow, must_keep, forbid, exempt
        As in `anonymize`. What is not given goes on as it was, by the record; of pairs, those that were named for all slices.
    contacts, seed, effort, removal_weight, density, jobs, engine, worker_memory, shard_people, work_dir, resume, progress
        As in `anonymize`.

    Examples
    --------
    >>> import pathlib, tempfile, shoal
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> first = shoal.TemporalGraph.from_slices({"mon": [(1, 2), (2, 3), (3, 4)]})
    >>> later = shoal.TemporalGraph.from_slices({"tue": [(1, 3), (2, 3), (1, 2)]})
    >>> _ = shoal.anonymize(first, k=2, seed=1).save(place / "mon", private=place / "record.json", report=False)
    >>> _ = extend(place / "mon", later, place / "record.json", seed=1).save(place / "tue", report=False)
    >>> shoal.verify([place / "mon", place / "tue"]).holds
    True
    """
    folder, file = a_path("folder", folder), Path(os.path.abspath(a_path("record", record)))
    TemporalGraph.check(graph, "extend")
    if folder.is_file():
        raise InputError(f"{folder}: is a file; extend goes on from the folder of the last release, which comes first")
    recover(Path(os.path.abspath(folder)))
    known, digest = read_record(file), sha256(file)
    published, kept = _check_fits(folder, graph, known, file)
    settings = Settings(effort=effort, removal_weight=removal_weight, density=density)
    shard_people, progress = check_run(shard_people, work_dir, resume=resume), some_progress(progress)
    context = graph.digest()
    graph, names = _same_ids(graph, known["ids"])
    newcomers = [node for node in graph.nodes.to_list() if node not in names]
    joining = newcomers if len(newcomers) >= known["k"] else []
    whole = graph.over(ids_as_series([*names, *joining]))
    limits = _limits(whole, known, allow=allow, must_keep=must_keep, forbid=forbid, exempt=exempt)

    nodes = whole.nodes.to_list()
    new = np.array([node not in names for node in nodes])
    labels, levels = np.empty(len(nodes), np.int64), np.full(len(nodes), known["k"], np.int64)
    old_names = [names[node] for node in nodes if node in names]
    labels[~new] = [known["groups"][name] for name in old_names]
    levels[~new] = [known["levels"][name] for name in old_names]
    promise, bound = Promise(levels, np.zeros(whole.n_slices, np.int64), None), 0
    moving = _moving(whole, promise, limits, known, settings)
    check_contacts(graph, contacts, None if moving is None else moving.move)
    request = Request(whole, promise, settings, shard_people, limits, moving, contacts)
    where = {"engine": engine, "jobs": jobs, "worker_memory": worker_memory, "work_dir": work_dir, "resume": resume}
    with open_runner(request.described() | {"record": digest}, seed, **where, within=whole.run) as run:
        chance = Randomness(seed if run.work is None else run.work.seed, context)
        with progress.stage("grouping", 100) as tell:
            if joining:
                (found,) = group(request, chance, run, tell, some=new)
                labels[new], bound = max(known["groups"].values(), default=-1) + 1 + found.labels[new], found.bound
        _, labels = np.unique(labels, return_inverse=True)
        with progress.stage("rebuilding", whole.n_slices) as tell:
            secret = None if moving is None else bytes.fromhex(known["moved"]["secret"])
            rebuilt = rebuild(request, [labels], chance, run, tell, change_class=False, secret=secret)
        released = finish(request, rebuilt, chance, run, progress)
    waiting = tuple(node for node in newcomers if not joining)
    highest = max(known.get("highest", 0), *map(_number, (*known["ids"], *published)))
    series = ids_as_series(nodes) if kept else _names(nodes, names, highest + 1, chance)
    after = Earlier(folder, file, digest, known, series, highest + len(joining), len(joining), kept, waiting)
    return Release(
        original=whole, graph=released, promise=promise, groups=labels, method="extend", chance=chance, rounds=[], bound=bound,
        after=after, limits=limits, moved=rebuilt.moved, work=run.work, density=rebuilt.price(settings),
        left_out=_left_out(nodes, levels, limits, known, context),
    )  # fmt: skip


def _left_out(
    nodes: list[Any], levels: np.ndarray, limits: Limits | None, known: dict[str, Any], context: bytes
) -> LeftOut | None:
    """Whom a budget did not reach in the first release: still exempt, unless somebody said otherwise now."""
    people = np.flatnonzero(levels == 1)
    if known.get("left_out") != EXEMPT or limits is None or limits.exempt is None or not limits.exempt[people].all():
        return None
    return LeftOut(EXEMPT, tuple(nodes[i] for i in people.tolist()), 0, context)


def _moving(
    graph: TemporalGraph,
    promise: Promise,
    limits: Limits | None,
    known: dict[str, Any],
    settings: Settings,
) -> Moving | None:
    """How ties change hands in this extension: as they did before, by the record."""
    moved = known.get("moved")
    if moved is None:
        return None
    return make_moving(graph, promise, limits, against="graph", move=moved["move"], **vars(settings))


def _limits(graph: TemporalGraph, known: dict[str, Any], **given: Any) -> Limits | None:
    """The limits of this extension: what is given now, else what the record carries on, by the original ids."""
    before = known.get("limits") or {"allow": "both", "keep": [], "forbid": [], "exempt": []}
    ids = known["ids"]
    old = {
        "allow": before["allow"],
        "must_keep": [(ids[u], ids[v]) for u, v in before["keep"]],
        "forbid": [(ids[u], ids[v]) for u, v in before["forbid"]],
        "exempt": [ids[name] for name in before["exempt"]],
    }
    chosen = {name: old[name] if value is None else value for name, value in given.items()}
    return make_limits(graph, **chosen, method="search", carried_on=given["must_keep"] is None)


def _number(name: str) -> int:
    """A pseudonym; 0 where people go by their own ids."""
    return int(name) if name.isascii() and name.isdigit() and len(name) < 19 else 0


def _check_fits(folder: Path, graph: TemporalGraph, known: dict[str, Any], file: Path) -> tuple[list[str], bool]:
    """Refuse what would break the promise over all releases together, before any work.

    Gives the names in the folder, and whether they are people's own ids.
    """
    claims = read_claims(folder)
    directed, n_blocks = claims["directed"], claims.get("n_blocks")
    if claims.get("format") == 1:
        raise InputError(f"{folder}: was made by an older version, and does not verify any more; make it again")
    if n_blocks != 1:
        raise InputError(
            f"{folder}: has a horizon, so its groups change over time and cannot be carried on; anonymize later slices alone"
        )
    sizes = Counter(known["groups"].values())
    if any(sizes[known["groups"][name]] < level for name, level in known["levels"].items()):
        raise InputError("the private record is damaged: a group in it is smaller than somebody in it needs")
    if directed != graph.directed:
        raise InputError(f"{folder}: {'has' if directed else 'has no'} directions, unlike the new data")
    if again := sorted(set(known["slices"]) & {part.label for part in graph.slices}):
        raise InputError(f"slice '{again[0]}' was released before; give only later slices")
    keeps_ids = claims.get("ids") == "original"
    if not (are_kept(known["ids"]) if keeps_ids else are_numbers(known["ids"])):
        raise InputError(f"{folder}: the private record is not that of this release: people are called otherwise in it")
    there = {
        what: read_table(folder, table, column)[column].cast(pl.String).to_list()
        for what, table, column in (("people", "nodes", "node"), ("slices", "slices", "slice"))
    }
    if not (set(there["people"]) <= known["ids"].keys() and set(there["slices"]) <= set(known["slices"])):
        raise InputError(
            f"{file}: does not know all people and slices of {folder}, so it is older than this release or of another one; "
            "give the record that was written with it"
        )
    return there["people"], keeps_ids


def _same_ids(graph: TemporalGraph, ids: dict[str, Any]) -> tuple[TemporalGraph, dict[Any, str]]:
    """The graph and original -> published name, with ids as numbers on both sides, or as text on both."""
    numbers = graph.nodes.dtype.is_integer() and all(isinstance(original, int) for original in ids.values())
    if not numbers and graph.nodes.dtype.is_integer():
        graph = graph.renamed(graph.nodes.cast(pl.String))
    return graph, {original if numbers else str(original): name for name, original in ids.items()}


def _names(nodes: list[Any], names: dict[Any, str], first: int, chance: Randomness) -> pl.Series:
    """Published names: those of before; for newcomers numbers that nobody ever had, in a secret order."""
    new = [node for node in nodes if node not in names]
    ranks = chance.rank((f"pseudonym/{node}" for node in new), len(new))
    fresh = {node: first + int(rank) for node, rank in zip(new, ranks, strict=True)}
    return pl.Series("node", [fresh[node] if node in fresh else int(names[node]) for node in nodes])
