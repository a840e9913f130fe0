"""The one place that decides how kernels are compiled.

Kernels release the GIL and are cached on disk. They never start threads of their own: parallel work is spread by
Python threads over slices and restarts, which keeps results independent of the number of cores.

numba keeps compiled kernels in $NUMBA_CACHE_DIR, else beside the package, else (where that is read-only) in the user's cache
folder. Where it may write to none of them it refuses; shoal then compiles in every run, and says so once.

numba's cache looks at the file of a kernel alone, not at those of the kernels it calls. Here a kept kernel is found again only
while no file of kernels has changed, so that after an upgrade nothing old runs.

A kernel whose name begins with an underscore is called by kernels alone: it gets no door to Python, which takes a tenth of the
time to compile. Calling it from Python would crash, so a test looks for that.

With the compiler switched off (NUMBA_DISABLE_JIT=1) they are plain Python and give the same results: so lines are counted.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., Any])

    def njit(function: F) -> F:
        """Compile a kernel on first use."""

    def lean(function: F) -> F:
        """Compile a kernel that makes no arrays."""

    def inlined(function: F) -> F:
        """The same, written into the kernels that call it."""
else:
    import warnings

    from numba.core.runtime import rtsys

    @functools.cache
    def _say_once() -> None:
        warnings.warn(
            "compiled kernels cannot be kept, so every run compiles for half a minute: neither shoal's own folder nor the "
            "user's cache folder can be written; set NUMBA_CACHE_DIR to a folder that can",
            RuntimeWarning,
            stacklevel=4,
        )

    def njit(function, **options):
        """Compile a kernel on first use, from the cache where there is one."""
        options |= {"nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": function.__name__.startswith("_")}
        try:
            return _of_these_sources(_of_one_kind(numba.njit(cache=True, **options)(function)))  # noqa: TID251
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
        _say_once()
        return _of_one_kind(numba.njit(**options)(function))  # noqa: TID251

    def _of_one_kind(kernel):
        """Constants that kernels hand to a kernel are numbers like any other; numba would compile it once more for each."""
        if hasattr(kernel, "get_call_template"):  # not where the compiler is switched off
            find = kernel.get_call_template
            kernel.get_call_template = lambda args, kws: find(
                [numba.types.unliteral(one) for one in args], {name: numba.types.unliteral(kws[name]) for name in kws}
            )
        return kernel

    def _of_these_sources(kernel):
        """Kept kernels are found again only if no file of kernels changed; numba has no public way to say so."""
        cache = getattr(kernel, "_cache", None)
        if hasattr(cache, "_cache_file"):  # not where the compiler is switched off
            cache._cache_file._source_stamp = (cache._cache_file._source_stamp, sources())
            cache.load_overload = functools.partial(_take, cache)
        return kernel

    def _take(cache, signature, context):
        """A kept kernel, or None. numba would first import all that it could compile, which takes longer than most kernels run.

        Whatever is compiled after all asks for that itself (`CompilerBase`).
        """
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    def lean(function):
        """Compile a kernel that makes no arrays, and so need not count who holds them.

        Small kernels that hand a dozen arrays to one another spend most of their time on that, and threads wait for one
        another at the counters.
        """
        return njit(function, _nrt=False)

    def inlined(function):
        """The same, written into the kernels that call it."""
        return njit(function, _nrt=False, inline="always")


@functools.cache
def sources() -> str:
    """A hash of all files of kernels: what is compiled depends on all of them, since kernels call one another."""
    house, found = Path(__file__).parent, hashlib.blake2b(digest_size=8)
    for file in sorted(house.rglob("_*.py")):
        found.update(str(file.relative_to(house)).encode() + file.read_bytes())
    return found.hexdigest()


@contextmanager
def compiling(tell: Callable[[str], object]) -> Iterator[None]:
    """Call this with its name whenever a kernel of ours begins to be compiled in here; one from the cache is not."""
    from numba.core import event

    class Hear(event.Listener):  # type: ignore[misc]
        """Hears only beginnings."""

        def on_start(self, event: Any) -> None:
            kernel = event.data["dispatcher"].py_func
            name = f"{kernel.__module__}.{kernel.__name__}"
            if name.startswith("shoal."):
                tell(name)

        def on_end(self, event: Any) -> None:
            pass

    listener = Hear()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


def kept_in(kernel: Any) -> Path | None:
    """The folder in which numba keeps this kernel; None where kernels are not compiled or cannot be kept."""
    return None if numba.config.DISABLE_JIT or not kernel.stats.cache_path else Path(kernel.stats.cache_path)


def made_for() -> tuple[str, ...]:
    """What compiled kernels depend on besides their sources: the compiler, Python and the processor."""
    from llvmlite import binding  # type: ignore[import-untyped]

    return numba.__version__, sys.version, binding.get_host_cpu_name()


def records(count: int, fields: np.dtype[Any]) -> np.ndarray:
    """Zeros with named fields, which kernels read as attributes, compiled or not.

    No field may be called like an attribute of numpy's records (``size``), which plain Python would read instead.
    """
    assert not any(hasattr(np.void, name) for name in fields.names or ())
    made = np.zeros(count, fields)
    return made.view(np.recarray) if numba.config.DISABLE_JIT else made
