"""Memory that is free goes back to the system.

The C library of Linux keeps what threads set free, in a store for each of them, up to several times what is in use: a million
people took gigabytes that nobody needed any more. Elsewhere nothing is done.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable

EVERY = 1.0  # seconds between two times; it takes milliseconds, and pages that are wanted again are made anew
_last = [time.perf_counter()]


@functools.cache
def _trimmer() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return None


def give_back() -> None:
    """Do so, unless it was done a moment ago: short runs never do."""
    now, trim = time.perf_counter(), _trimmer()
    if trim is not None and now > _last[0] + EVERY:
        _last[0] = now
        trim(0)
