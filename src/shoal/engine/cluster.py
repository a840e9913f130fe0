"""The engine of many processes: a Dask cluster, started here or running elsewhere.

A worker that dies is replaced and its pieces are run again; they are pure, so nothing changes. Only a few pieces are under way
at a time: the scheduler never holds the whole input.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
from dask.utils import parse_bytes
from distributed import Client, KilledWorker, LocalCluster, as_completed
from distributed.comm import CommClosedError

from shoal.common.checks import shown
from shoal.engine.local import Step, Tell, peak_memory
from shoal.errors import InputError, ShoalError

CONNECT = 20  # seconds to reach a scheduler
LIVES = 10  # workers that may die over one piece before it is given up


class DaskEngine:
    """Runs pieces on the workers of a client, one thread each."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.peaks: dict[str, int] = {}

    def map(self, task: Step, pieces: Sequence[Any], tell: Tell | None = None) -> list[Any]:
        """Results in the order of the pieces, a few more in flight than there are workers."""
        results: list[Any] = [None] * len(pieces)
        waiting = iter(range(len(pieces)))
        width = 2 * max(len(self.client.scheduler_info(n_workers=-1)["workers"]), 1) + 1
        place: dict[Any, int] = {}
        flight = as_completed([], loop=self.client.loop)

        def submit(i: int | None) -> None:
            if i is None:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # pieces are megabytes, on purpose
                future = self.client.submit(_measured, task, pieces[i], pure=False)
            place[future.key] = i
            flight.add(future)

        for _ in range(width):
            submit(next(waiting, None))
        for done, future in enumerate(flight, 1):
            try:
                result, process, peak = future.result()
            except ShoalError:
                raise
            except (CancelledError, CommClosedError) as error:
                raise InputError(f"the Dask cluster went away ({error or type(error).__name__})") from None
            except KilledWorker:
                raise InputError(
                    f"{LIVES} workers died over the same piece of work, probably for want of memory: give them more, "
                    "or make shards smaller or slices narrower"
                ) from None
            results[place.pop(future.key)] = result
            self.peaks[process] = max(self.peaks.get(process, 0), peak)
            future.release()
            submit(next(waiting, None))
            if tell is not None:
                tell(done / len(pieces))
        self.peaks[f"process {os.getpid()}"] = peak_memory()
        return results


def _measured(task: Step, piece: Any) -> tuple[Any, str, int]:
    """The result of a task, and the memory its worker has needed up to now."""
    from distributed import get_worker

    return task(piece, 1, lambda share: None), f"{get_worker().address} {os.getpid()}", peak_memory()


@contextmanager
def open_cluster(engine: Any, jobs: int, memory: str | None, work: Path | None) -> Iterator[DaskEngine]:
    """A client that was given, one to an address, or one to a cluster of processes that lives as long as this block."""
    if isinstance(engine, Client):
        yield DaskEngine(engine)
        return
    if not isinstance(engine, str):
        raise InputError(
            f"an engine is a name, the address of a Dask scheduler or a distributed.Client; got {shown(engine)}"
        )
    if engine != "dask":
        try:
            client = Client(engine, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError):
            raise InputError(f"{engine}: there is no Dask scheduler") from None
        with client:
            yield DaskEngine(client)
        return
    try:
        parse_bytes(memory or 0)
    except ValueError:
        raise InputError(f"worker_memory is a size such as 6GB; got {shown(memory)}") from None
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": LIVES}),
        LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            memory_limit=memory or "auto", silence_logs="CRITICAL", local_directory=None if work is None else str(work),
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        yield DaskEngine(client)
