"""The one place that decides how kernels are compiled.

Kernels release the GIL and are cached on disk. They never start threads of their own: parallel work is spread by
Python threads over slices and restarts, which keeps results independent of the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., Any])

    def njit(function: F) -> F:
        """Compile a kernel on first use."""
else:
    import functools

    import numba

    njit = functools.partial(numba.njit, cache=True, nogil=True)  # noqa: TID251
