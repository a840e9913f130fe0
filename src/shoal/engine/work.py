"""The work folder: a checkpoint for every finished shard and slice, from which a killed run goes on; and who runs pieces.

The folder belongs to one run: its input, its options, its seed. It holds what must not be published, so it is readable by its
owner only and vanishes when the release is there.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import shoal
from shoal.common.checks import a_path, whole, yes_or_no
from shoal.common.randomness import a_seed
from shoal.engine import Engine, Result, Task, Tell, open_engine
from shoal.engine.parts import Array, load, read_facts, stored_arrays, work_problem, write_part
from shoal.errors import InputError
from shoal.files.appear import clear_drafts, replacing

_RUN = "run.json"


@dataclass(frozen=True)
class Work:
    """A work folder, the seed of its run, and a name for the draft of the release, which a resumed run finds again."""

    folder: Path
    seed: int
    draft: str

    def path(self, name: str) -> Path:
        """Where the checkpoint of this name lies."""
        return self.folder / f"{name}.part"

    def remove(self) -> None:
        """The release is there: nothing of the work is needed any more."""
        shutil.rmtree(self.folder, ignore_errors=True)


def check_run(shard_people: int, work_dir: str | os.PathLike[str] | None, *, resume: bool) -> int:
    """Refuse shards of nobody, and going on with work that was never kept; gives the size of a shard."""
    shard_people = whole("shard_people", shard_people, 1, 10**12)
    if work_dir is not None:
        a_path("work_dir", work_dir)
    if yes_or_no("resume", resume) and work_dir is None:
        raise InputError("--resume goes with --work-dir, the folder in which the earlier run left its work")
    return shard_people


def check_work(folder: str | os.PathLike[str] | None, *, resume: bool) -> None:
    """Refuse early, before anything is read, a work folder that could not be begun or gone on with."""
    if folder is None:
        return
    place = Path(os.path.abspath(a_path("work_dir", folder)))
    if resume and not (place / _RUN).exists():
        raise InputError(f"{place}: there is nothing to resume; start without --resume")
    if not resume and place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(f"{place}: is not an empty folder; go on with the work in it by --resume, or delete it")


def open_work(folder: str | os.PathLike[str], what: dict[str, Any], seed: int | None, *, resume: bool) -> Work:
    """Begin a work folder for the run described by `what`, or go on with it."""
    place = Path(os.path.abspath(folder))
    file = place / _RUN
    described = json.loads(json.dumps({"version": shoal.__version__, **what}))
    if resume:
        try:
            earlier = json.loads(file.read_text(encoding="utf-8"))
            kept, draft, before = int(earlier["seed"]), str(earlier["draft"]), dict(earlier["what"])
        except FileNotFoundError:
            raise InputError(f"{place}: there is nothing to resume; start without --resume") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(
                f"{file}: is damaged, so this work cannot be resumed; delete the folder and start again"
            ) from None
        if seed is not None and seed != kept:
            raise InputError(f"{place}: was begun with another seed; start again without --resume")
        for name in dict.fromkeys([*described, *before]):  # the input first: what follows from it is not at fault
            if before.get(name) != described.get(name):
                what_for = "input (another file, or cut into slices otherwise)" if name == "input" else name
                raise InputError(
                    f"{place}: was begun with another {what_for}; start again without --resume, in another folder"
                )
        clear_drafts(place)
        return Work(place, kept, draft)
    check_work(place, resume=False)
    work = Work(place, secrets.randbits(128) if seed is None else a_seed(seed), secrets.token_hex(4))
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise work_problem(file, error) from None
    with replacing(file, mode=0o600, problem=work_problem) as unfinished:
        content = {"seed": work.seed, "draft": work.draft, "what": described}
        unfinished.write_text(json.dumps(content), encoding="utf-8")
    return work


class Runner(NamedTuple):
    """Runs a named step over pieces: where, and in which folder what is done is kept, if in any.

    Results that are `stored` stay in that folder: arrays come back as `Stored`, which the pieces of a later step carry and
    `load`. Otherwise arrays come back as they are. A step that is done already, wholly or in part, goes on from there.
    """

    engine: Engine
    work: Work | None = None
    stored: bool = False
    part: str = ""

    def within(self, part: str) -> Runner:
        """The same for a part of the work that has steps of the same names."""
        return self._replace(part=f"{part}-")

    def __call__(self, name: str, task: Task, pieces: Sequence[Any], tell: Tell | None = None) -> list[Result]:
        """What the task gives for every piece, in their order."""
        if self.work is None:
            return self.engine.map(task, pieces, tell)
        named = [(self.work.path(f"{self.part}{name}-{i:05}"), piece) for i, piece in enumerate(pieces)]
        return self.engine.map(functools.partial(_kept, task, self.stored), named, tell)

    def keep(self, name: str, array: np.ndarray) -> Array:
        """An array that many pieces are to carry: itself, or where it lies now."""
        if self.work is None or not self.stored:
            return array
        path = self.work.path(self.part + name)
        write_part(path, {}, {"kept": array})
        return stored_arrays(path)["kept"]


@contextmanager
def open_runner(
    what: dict[str, Any],
    seed: int | None,
    *,
    engine: Any,
    jobs: int | None,
    worker_memory: str | None,
    work_dir: str | os.PathLike[str] | None,
    resume: bool,
    within: Runner | None = None,
) -> Iterator[Runner]:
    """Who runs the pieces of the run described by `what`. Data that lie in a work folder bring theirs along, as `within`."""
    if within is not None and within.work is not None:
        if engine != "local" or jobs is not None or worker_memory is not None or work_dir is not None:
            raise InputError(
                "these data lie in a work folder, whose engine, jobs and memory were chosen when it was opened"
            )
        place = within.work.folder / "release"
        yield within._replace(work=open_work(place, what, seed, resume=(place / _RUN).exists()))
        return
    work = None if work_dir is None else open_work(work_dir, what, seed, resume=resume)
    with open_engine(engine, jobs=jobs, memory=worker_memory, work=work.folder if work else None) as workers:
        yield Runner(workers, work)


def _kept(task: Task, stored: bool, named: tuple[Path, Any], threads: int, tell: Tell) -> Result:
    path, piece = named
    if not path.exists():
        done = task(piece, threads, tell)
        write_part(path, done.facts, {name: load(array) for name, array in done.arrays.items()})
        return Result(done.facts, stored_arrays(path)) if stored else done
    arrays = stored_arrays(path)
    read = {name: load(array) for name, array in arrays.items()}  # compares checksums, too
    return Result(read_facts(path), arrays if stored else read)
