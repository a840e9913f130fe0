"""Contacts that do not fit one process: a folder of Parquet becomes a graph that lies in a work folder, slice by slice.

It is a `TemporalGraph` to whoever asks it, with the numbers, slices and edges that `shoal.read` gives to the same contacts in one
file, so `anonymize` and `extend` make the same release of it, through the same pieces. No process holds more than a
shard, a slice with a number for everybody, or an id and a few numbers for everybody.
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from shoal.common.checks import a_path, a_text, some_progress, whole, yes_or_no
from shoal.common.progress import Progress
from shoal.contacts import build
from shoal.contacts.behind import EdgeContacts
from shoal.demands.promise import make_promise
from shoal.draw import kept
from shoal.engine import Result, open_engine
from shoal.engine.work import Runner, Work, check_run, open_work
from shoal.errors import InputError, spoken
from shoal.files.appear import working_beside
from shoal.graph import Slice, Tally, TemporalGraph
from shoal.large import contacts as steps
from shoal.large.anchor import anchor_of, clock_of, slices_of, unpacked
from shoal.large.contacts import Contacts, find_contacts
from shoal.large.graph import StoredGraph, behind_of
from shoal.read.people import read_people
from shoal.slicing import Slicing
from shoal.write.folder import check_target

__all__ = ["StoredGraph", "anonymize_folder", "audit_folder", "is_contacts_folder", "open_folder"]

_ROLES = ("source", "target", "time", "layer", "count")


def is_contacts_folder(path: Path) -> bool:
    """A folder of contacts, not a release."""
    return path.is_dir() and not (path / "certificate.json").exists()


@contextmanager
def open_folder(
    folder: str | os.PathLike[str],
    *,
    engine: Any = "local",
    jobs: int | None = None,
    worker_memory: str | None = None,
    work_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    beside: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Iterator[StoredGraph]:
    """A folder of Parquet files as a graph, which lives as long as this block and may be larger than memory.

    The files may be partitioned in any way, also by `column=value` folders. `reading` are the options of `shoal.read`; the
    others are those of `anonymize`, which are chosen here. `beside` is where the work folder stands for the time being, if
    no `work_dir` is named.
    """
    folder, progress = a_path("folder", folder), some_progress(progress)
    check_run(1, work_dir, resume=resume)
    told, slicing, nodes, directed = _reading(folder, reading)
    found = find_contacts(folder, told, slicing, reading.get("contacts"))
    what = {"input": _fingerprint([chunk.file for chunk in found.chunks]), "columns": found.columns, "slices": asdict(slicing),
            "directed": directed, "contacts": found.kept, "people": _fingerprint([] if nodes is None else [nodes])}  # fmt: skip
    beside = Path(tempfile.gettempdir(), "shoal-folder") if beside is None else Path(beside)
    extra = None if nodes is None else read_people(nodes)
    with (
        _working(work_dir, beside, what, resume=resume) as work,
        open_engine(engine, jobs=jobs, memory=worker_memory, work=work.folder) as workers,
    ):
        yield _cut_folder(folder, found, extra, Runner(workers, work, stored=True), progress, directed=directed)


def _reading(folder: Path, given: dict[str, Any]) -> tuple[dict[str, str | None], Slicing, Path | None, bool]:
    """The options of `read` that speak of columns, of time, of people and of directions; those of text files are refused."""
    from shoal.read import read

    usual = {name: one.default for name, one in inspect.signature(read).parameters.items() if name != "path"}
    if unknown := [name for name in given if name not in usual]:
        raise TypeError(f"open_folder() got an unexpected keyword argument '{unknown[0]}'")
    options = usual | given
    for name in ("dialect", "header", "encoding"):
        if options[name] is not None:
            raise InputError(f"{folder}: --{name} does not go with a folder of Parquet; it works on a single file")
    for name in _ROLES:
        if options[name] is not None:
            a_text(name, options[name])
    nodes = None if options["nodes"] is None else a_path("nodes", options["nodes"])
    directed = yes_or_no("directed", options["directed"])
    slicing = Slicing(**{field.name: options[field.name] for field in fields(Slicing)})
    return {name: options[name] for name in _ROLES}, slicing, nodes, directed


def _cut_folder(
    folder: Path, found: Contacts, extra: Any, run: Runner, progress: Progress, *, directed: bool
) -> StoredGraph:
    """People get numbers, contacts go to their slice, degrees are counted there."""

    def step(name: str, title: str, task: Callable[..., Result], pieces: list[Any]) -> list[Result]:
        with progress.stage(title, len(pieces)) as tell:
            return run(name, task, pieces, tell)

    looks = step("look", "looking", steps.look, [(chunk, found) for chunk in found.chunks])
    try:
        anchor, said = anchor_of(looks)
        cut = slices_of(anchor, None, None, found.slicing)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from None
    slices = [Slice(*label) for label in cut.labels]
    if len(slices) > steps.MOST_SLICES:
        raise steps.too_many(folder, len(slices))
    seen = [done.arrays[role] for done in looks for role in ("source", "target")]
    people = step("people", "numbering", steps.number_people, [(seen, extra)])[0].arrays["ids"]
    ids = unpacked(people)
    sent = step("send", "sending", steps.send, [(chunk, found, anchor, people, len(slices)) for chunk in found.chunks])
    pieces = [
        steps.Sent(
            [done.arrays[str(t)] for done in sent],
            [done.arrays[f"{t}/more"] for done in sent if f"{t}/more" in done.arrays],
            found.kept,
            len(ids),
            directed,
        )
        for t in range(len(slices))
    ]
    parts = step("gather", "counting", steps.gather, pieces)
    tally = Tally(
        sum(chunk.rows for chunk in found.chunks),
        sum(done.facts["loops"] for done in sent),
        sum(done.facts["repeats"] for done in parts),
        found.unused,
        found.guessed,
        (*map(spoken, dict.fromkeys((*said, *cut.said))), *build.alike(ids)),
    )
    timed = "time" in found.columns
    arrays = [done.arrays for done in parts]
    graph = StoredGraph(ids, slices, arrays, run, directed=directed, ordered=timed, tally=tally)
    graph.slicing = found.slicing if timed else None
    if found.kept is not None:
        clock = clock_of(looks, cut.spans, found.slicing) if found.kept == "times" else None
        graph.contacts = EdgeContacts(tuple(map(behind_of, arrays)), clock)
    return graph


def anonymize_folder(folder: Any, k: Any, output: Any, **options: Any) -> dict[str, Any]:
    """Make a release of a folder of Parquet that may be larger than memory, and give its certificate.

    Options are those of `read`, `anonymize` and `Release.save`. The peak memory of every process is in the answer under "memory".
    """
    from shoal.anonymize import anonymize
    from shoal.release import Release

    opening = inspect.signature(open_folder).parameters
    of_anonymize, of_save = (inspect.signature(of).parameters.keys() - opening for of in (anonymize, Release.save))
    making, saving = ({name: options.pop(name) for name in of if name in options} for of in (of_anonymize, of_save))
    if "contacts" in making:
        options["contacts"] = kept(making["contacts"])  # what is to be published must be read
    progress = some_progress(options.pop("progress", None))
    check_target(a_path("output", output), force=yes_or_no("force", saving.get("force", False)))
    with open_folder(folder, **options, beside=output, progress=progress) as graph:
        release = anonymize(graph, k, **making, progress=progress)
        certificate = release.save(output, **saving, progress=progress)
        return {**certificate, "memory": peaks_of(graph)}


def audit_folder(folder: Any, *, k: int = 5, **options: Any) -> dict[str, int]:
    """How many people of a folder of Parquet somebody finds who knows their number of edges in every slice.

    Options are those of `open_folder`.
    """
    k = whole("k", k, 1)
    with open_folder(folder, **options) as graph:
        crowds = make_promise(graph, 1).crowds(graph)[0]
        return {
            "people": graph.n_nodes,
            "slices": graph.n_slices,
            "smallest": int(crowds.min()),
            "classes": round(float((1 / crowds).sum())),
            "unique": int((crowds == 1).sum()),
            "below": int((crowds < k).sum()),
        }


def peaks_of(graph: TemporalGraph) -> dict[str, int]:
    """The peak memory of every process that worked on the graph, in bytes."""
    return {} if graph.run is None else dict(graph.run.engine.peaks)


@contextmanager
def _working(
    work_dir: str | os.PathLike[str] | None, beside: Path, what: dict[str, Any], *, resume: bool
) -> Iterator[Work]:
    """The work folder that was named, which stays if the run fails; or one that never stays."""
    if work_dir is not None:
        work = open_work(work_dir, what, None, resume=resume)
        yield work
        work.remove()
        return
    beside = Path(os.path.abspath(beside))
    with working_beside(next(p for p in beside.parents if p.exists()) / beside.name) as place:
        yield open_work(place, what, None, resume=False)


def _fingerprint(files: list[Path]) -> list[list[Any]]:
    """Files by name, size and time: another input is another run."""
    return [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in sorted(set(files))]
