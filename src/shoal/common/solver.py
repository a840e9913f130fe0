"""The solver of whole-number programs, kept quiet: its C++ code now and then prints a line of its own on stdout."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_lock = threading.Lock()
_silent: list[int] = []  # the real stdout while somebody keeps it to themself, as often as they do


@contextmanager
def own_stdout() -> Iterator[None]:
    """Keep stdout for our data. Several threads may; the last one to leave gives it back."""
    with _lock:
        if not _silent:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
        _silent.append(_away() if not _silent else -1)
    try:
        yield
    finally:
        with _lock:
            first = _silent[0]
            _silent.pop()
            if not _silent and first >= 0:
                os.dup2(first, 1)
                os.close(first)


def _away() -> int:
    """Point stdout to nowhere; gives what it was, or -1 where there is none."""
    try:
        kept = os.dup(1)
    except OSError:
        return -1
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return kept


def milp(*program: Any, **options: Any) -> Any:
    """`scipy.optimize.milp`, silently."""
    from scipy import optimize

    with own_stdout():
        return optimize.milp(*program, **options)
