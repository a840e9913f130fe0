"""The one place that decides how kernels are compiled.

Kernels release the GIL and are cached on disk. They never start threads of their own: parallel work is spread by
Python threads over slices and restarts, which keeps results independent of the number of cores.

With the compiler switched off (NUMBA_DISABLE_JIT=1) they are plain Python and give the same results: so lines are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., Any])

    def njit(function: F) -> F:
        """Compile a kernel on first use."""
else:
    import functools

    njit = functools.partial(numba.njit, cache=True, nogil=True)  # noqa: TID251


def records(count: int, fields: np.dtype[Any]) -> np.ndarray:
    """Zeros with named fields, which kernels read as attributes, compiled or not."""
    made = np.zeros(count, fields)
    return made.view(np.recarray) if numba.config.DISABLE_JIT else made
