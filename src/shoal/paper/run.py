"""Run cells: timed ones alone in a process that can be stopped, the others on all cores; finished ones are kept."""

from __future__ import annotations

import functools
import hashlib
import math
import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import Any

from shoal.common.progress import usable_cores
from shoal.errors import InputError
from shoal.files.kept import Kept
from shoal.paper.plan import Cell
from shoal.paper.tasks import RESULTS, TASKS

Results = dict[Cell, dict[str, Any]]


def run_cells(cells: Iterable[Cell], kept: Kept, tell: Callable[[float], None]) -> Results:
    """The result of every cell, from the kept ones where they are there; `tell` hears the share done."""
    cells = list(dict.fromkeys(cells))
    results: Results = {}

    def done(cell: Cell, result: dict[str, Any]) -> None:
        results[cell] = result
        tell(len(results) / len(cells))

    for cell in cells:
        if _is_whole(cell, result := kept.find(*_determined(cell))):
            done(cell, result)
    with _Alone() as alone:
        for cell in [c for c in cells if c not in results and c.stop_after is not None]:
            result = alone.run(cell)
            kept.keep(result, *_determined(cell))
            done(cell, result)
    left = [c for c in cells if c not in results]
    if left:
        pool = _pool(usable_cores())
        try:
            waiting: dict[Future[dict[str, Any]], Cell] = {pool.submit(_work, c.task, c.args): c for c in left}
            for future in as_completed(waiting):
                cell = waiting[future]
                kept.keep(future.result(), *_determined(cell))
                done(cell, future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return results


def _is_whole(cell: Cell, result: Any) -> bool:
    """Whether a kept result is what the task finds, or the note that it was stopped or refused."""
    if not isinstance(result, dict):
        return False
    if cell.stop_after is not None and result.keys() in ({"stopped"}, {"refused"}):
        return _is_number(result.get("stopped", 0)) and isinstance(result.get("refused", ""), str)
    wanted = RESULTS[cell.task]
    return result.keys() == set(wanted) and all(_fits(name, result[name]) for name in wanted)


def _fits(name: str, found: Any) -> bool:
    """A number, or some of them; slices have labels, and may have no similarity."""
    if not isinstance(found, list):
        return _is_number(found)
    kinds = {"labels": lambda x: isinstance(x, str), "similarity": lambda x: x is None or _is_number(x)}
    return bool(found) and all(map(kinds.get(name, _is_number), found))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _determined(cell: Cell) -> tuple[Any, ...]:
    """A cell by what determines its result: files by what is in them, not by where they lie."""
    return cell.task, tuple(_content(arg) if Path(str(arg)).is_file() else arg for arg in cell.args), cell.stop_after


@functools.lru_cache
def _content(file: str) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _work(task: str, args: tuple[Any, ...]) -> dict[str, Any]:
    return TASKS[task](*args)


def _pool(workers: int) -> ProcessPoolExecutor:
    """Processes of their own, started fresh: forking with running threads can hang."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


class _Alone:
    """One process for timed cells, one after the other; replaced when a cell had to be stopped."""

    def __enter__(self) -> _Alone:
        self.pool = _pool(1)
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)

    def run(self, cell: Cell) -> dict[str, Any]:
        """The result; {"stopped": seconds} where it did not end in time, {"refused": why} where it would not begin."""
        future = self.pool.submit(_work, cell.task, cell.args)
        try:
            return future.result(timeout=cell.stop_after)
        except InputError as error:
            return {"refused": str(error)}
        except TookTooLong:
            for process in list(self.pool._processes.values()):
                process.kill()
            self.pool.shutdown(wait=True)
            self.pool = _pool(1)
            return {"stopped": cell.stop_after}
