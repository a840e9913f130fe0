"""Graphs that do not fit one process: a folder of Parquet becomes a release in partitioned Parquet, piece by piece.

The plan is that of `anonymize`, with files in a work folder between the steps. Every step is a map of a pure task over
chunks of rows, slices, blocks of people or shards; this process holds counts, and a sample of rows to find the cuts. No
process holds more than a shard, or a slice with one number for everybody.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from shoal.common.checks import a_path, some_progress, whole, yes_or_no
from shoal.common.progress import Progress
from shoal.common.randomness import Randomness, a_seed
from shoal.engine import Engine, Task, open_engine
from shoal.engine.work import Work, check_run, keep_pieces, open_work
from shoal.errors import InputError
from shoal.files.appear import working_beside
from shoal.group.cut import SAMPLE, SHARD_PEOPLE, find_cuts, join_small, smallest_shard, wanted_shards
from shoal.large import contacts as steps
from shoal.large import stages
from shoal.large.contacts import BLOCK_PEOPLE, Contacts, find_contacts
from shoal.large.release import Made, write_large
from shoal.stages import How
from shoal.write.folder import check_target
from shoal.write.private import digest_of

__all__ = ["anonymize_folder", "audit_folder", "is_contacts_folder"]


def is_contacts_folder(path: Path) -> bool:
    """A folder of contacts, not a release."""
    return path.is_dir() and not (path / "certificate.json").exists()


def anonymize_folder(
    folder: str | os.PathLike[str],
    k: int,
    output: str | os.PathLike[str],
    *,
    slice: str | None = None,
    slices: int | None = None,
    source: str = "source",
    target: str = "target",
    time: str = "time",
    timezone: str = "UTC",
    offset: str | None = None,
    time_unit: str = "s",
    origin: str | None = None,
    seed: int | None = None,
    effort: str = "balanced",
    objective: str = "edges",
    deletion_weight: float = 1.0,
    jobs: int | None = None,
    engine: Any = "local",
    worker_memory: str | None = None,
    shard_people: int = SHARD_PEOPLE,
    work_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    private: str | os.PathLike[str] | None = None,
    keep_ids: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Make a release of a folder of Parquet files that may be larger than memory, and give its certificate.

    The files may be partitioned in any way, also by `column=value` folders; ids are whole numbers. The release has a Parquet
    file for every slice. Options are those of `read`, `anonymize` and `Release.save`. The peak memory of every process
    is in the answer under "memory".
    """
    folder, output = a_path("folder", folder), a_path("output", output)
    k, progress = whole("k", k, 1), some_progress(progress)
    keep_ids, force = yes_or_no("keep_ids", keep_ids), yes_or_no("force", force)
    if private is not None:
        a_path("private", private)
    if seed is not None:
        a_seed(seed)
    shard_people = check_run(shard_people, work_dir, resume=resume)
    how = How("search", effort, None, objective, deletion_weight, 1)
    check_target(output, force=force)
    cut = {
        "slice": slice,
        "slices": slices,
        "timezone": timezone,
        "offset": offset,
        "time_unit": time_unit,
        "origin": origin,
    }
    found = find_contacts(folder, source, target, time, cut)
    what = {"input": _fingerprint(found), "columns": [source, target, time], "slices": cut, "k": k, "options": repr(how),
            "shard size": shard_people}  # fmt: skip
    with _working(work_dir, output, what, seed, resume=resume) as work:
        with open_engine(engine, jobs=jobs, memory=worker_memory, work=work.folder) as workers:
            run = _Run(workers, work, progress)
            made = _make(run, found, k, how, shard_people)
            certificate = write_large(run.engine, made, output, private=private, keep_ids=keep_ids, force=force)
        return certificate | {"memory": dict(workers.peaks)}


def audit_folder(
    folder: str | os.PathLike[str],
    *,
    k: int = 5,
    source: str = "source",
    target: str = "target",
    time: str = "time",
    jobs: int | None = None,
    engine: Any = "local",
    worker_memory: str | None = None,
    progress: Progress | None = None,
    **cut: Any,
) -> dict[str, int]:
    """How many people of a folder of Parquet somebody finds who knows their number of edges in every slice."""
    folder, k, progress = a_path("folder", folder), whole("k", k, 1), some_progress(progress)
    found = find_contacts(folder, source, target, time, {"slice": None, "slices": None, **cut})
    with (
        working_beside(Path(tempfile.gettempdir(), "shoal-audit")) as place,
        open_engine(engine, jobs=jobs, memory=worker_memory, work=place) as workers,
    ):
        work = open_work(place / "work", {}, None, resume=False)
        run = _Run(workers, work, progress)
        n = _count(run, found, k)[0]
        parts = run.paths("gather", len(found.slices))
        facts = run("crowds", "counting", stages.count_exposed, [(parts, n, -(-n // BLOCK_PEOPLE), k)])[0]
    return {"people": n, "slices": len(found.slices), **facts}


class _Run:
    """An engine and a work folder, and what they say about themselves."""

    def __init__(self, engine: Engine, work: Work, progress: Progress) -> None:
        self.engine, self.work, self.progress = engine, work, progress

    def __call__(self, name: str, title: str, task: Task, pieces: Sequence[Any]) -> list[dict[str, Any]]:
        with self.progress.stage(title, len(pieces)) as tell:
            return keep_pieces(self.engine, self.work, name, task, pieces, tell)

    def paths(self, name: str, count: int) -> list[Path]:
        return [self.work.path(f"{name}-{i:05}") for i in range(count)]


def _count(run: _Run, found: Contacts, k: int) -> tuple[int, int, Randomness, str]:
    """Stage 0: people get numbers, contacts go to their slice, degrees are counted there.

    Gives the number of people, a bound on the cost, the chance of this input and what tells it from others.
    """
    n_chunks = len(found.chunks)
    looks = run("look", "looking", steps.look, [(chunk, found.columns) for chunk in found.chunks])
    context = "".join(facts["digest"] for facts in looks).encode()
    chance = Randomness(run.work.seed, context)
    numbering = (run.paths("look", n_chunks), chance.stream("people"))
    n = run("people", "numbering", steps.number_people, [numbering])[0]["people"]
    if k > n:
        raise InputError(f"k must be at most the number of people, {n:,}; got {k:,}")
    (people,) = run.paths("people", 1)
    run("send", "sending", steps.send, [(chunk, found, people) for chunk in found.chunks])
    sent = run.paths("send", n_chunks)
    sliced = run("gather", "counting", steps.gather, [(t, sent, n, k) for t in range(len(found.slices))])
    return n, sum(facts["bound"] for facts in sliced), chance, digest_of(context)


def _make(run: _Run, found: Contacts, k: int, how: How, shard_people: int) -> Made:
    """Stages 1 to 3."""
    n, bound, chance, digest = _count(run, found, k)
    sliced = run.paths("gather", len(found.slices))
    rng = chance.stream("shards")
    cuts = find_cuts(stages.sample_rows(sliced, SAMPLE), wanted_shards(n, shard_people), rng)
    n_blocks = -(-n // BLOCK_PEOPLE)
    counts = run("block", "cutting", stages.sort_block, [(b, b * BLOCK_PEOPLE, sliced, cuts) for b in range(n_blocks)])
    people = [sum(column) for column in zip(*(block["counts"] for block in counts), strict=True)]
    shard = join_small(np.array(people), smallest_shard(k, shard_people))
    leaves = [[leaf for leaf in range(len(shard)) if shard[leaf] == s] for s in range(int(shard.max()) + 1)]
    blocks = run.paths("block", n_blocks)
    pieces = [(some, blocks, k, how, chance.stream(f"group/{s}")) for s, some in enumerate(leaves)]
    groups = [facts["groups"] for facts in run("group", "grouping", stages.group_shard, pieces)]
    first = [sum(groups[:s]) for s in range(len(groups))]
    run("groups", "joining", stages.join_groups, [(run.paths("group", len(groups)), first, n)])
    (joined,) = run.paths("groups", 1)
    slices = [(path, joined, how, chance.stream(f"rebuild/{t}")) for t, path in enumerate(sliced)]
    cost = run("rebuild", "rebuilding", stages.rebuild, slices)
    rebuilt = run.paths("rebuild", len(sliced))
    (crowds,) = run("crowds", "counting", stages.count_crowds, [(joined, rebuilt)])
    return Made(run.work, k, n, found.slices, run.paths("people", 1)[0], joined, rebuilt, cost, crowds, bound, digest)


@contextmanager
def _working(
    work_dir: str | os.PathLike[str] | None, output: Path, what: dict[str, Any], seed: int | None, *, resume: bool
) -> Iterator[Work]:
    """The work folder that was named, which stays if the run fails; or one beside the release that never stays."""
    if work_dir is not None:
        work = open_work(work_dir, what, seed, resume=resume)
        yield work
        work.remove()
        return
    output = Path(os.path.abspath(output))
    beside = next(p for p in output.parents if p.exists()) / output.name
    with working_beside(beside) as place:
        yield open_work(place, what, seed, resume=False)


def _fingerprint(found: Contacts) -> list[list[Any]]:
    """The files by name, size and time: another input is another run."""
    files = sorted({chunk.file for chunk in found.chunks})
    return [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]
