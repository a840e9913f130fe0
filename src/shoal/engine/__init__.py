"""Where pieces of work run: in threads of this process, or in the processes of a Dask cluster.

A piece is a shard of people to group or a slice to rebuild. A task is a pure function of its piece, which carries its own
randomness, so the results are the same wherever and in whatever order pieces run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from shoal.common.checks import a_text, some_jobs
from shoal.engine.local import LocalEngine, Step
from shoal.engine.local import Tell as Tell  # what tasks are handed, for everybody who writes one
from shoal.engine.parts import Array
from shoal.errors import InputError

ENGINES = ("local", "dask")


class Result(NamedTuple):
    """What a task gives: a few facts that fit JSON, and arrays, or where they lie."""

    facts: dict[str, Any]
    arrays: Mapping[str, Array]


class Task(Protocol):
    """A pure function of a piece; how many threads it may use and whom it tells how far it is change nothing."""

    def __call__(self, piece: Any, threads: int, tell: Tell) -> Result:
        """Do the piece."""
        ...


class Engine(Protocol):
    """Runs a function over pieces. `peaks` is the highest memory seen of every process, in bytes."""

    peaks: dict[str, int]

    def map(self, task: Step, pieces: Sequence[Any], tell: Tell | None = None) -> list[Any]:
        """`[task(piece) for piece in pieces]`, in the order of the pieces; `tell` hears the share done."""
        ...


@contextmanager
def open_engine(
    engine: Any = "local", *, jobs: int | None = None, memory: str | None = None, work: Path | None = None
) -> Iterator[Engine]:
    """An engine by name ("local", "dask"), by the address of a Dask scheduler, or by a `distributed.Client`.

    `jobs` are threads, or worker processes of a cluster that is started here and stopped at the end; `memory` is what
    each of these workers may use, and `work` a folder in which they may leave things.
    """
    jobs = some_jobs(jobs)
    if memory is not None:
        a_text("worker_memory", memory)
    if memory is not None and not (isinstance(engine, str) and engine == "dask"):
        raise InputError(
            "worker_memory is for the workers that the engine 'dask' starts; others have what they were given"
        )
    if isinstance(engine, str) and engine == "local":
        yield LocalEngine(jobs)
        return
    if isinstance(engine, str) and engine != "dask" and "://" not in engine:
        raise InputError(
            f"unknown engine '{engine}'; known are {', '.join(ENGINES)}, or the address of a Dask scheduler"
        )
    try:
        from shoal.engine.cluster import open_cluster
    except ImportError:
        raise InputError("the engine 'dask' is not installed: pip install 'shoal[dask]'") from None
    with open_cluster(engine, jobs, memory, work) as cluster:
        yield cluster
