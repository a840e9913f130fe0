"""What a parameter must be: every public function asks here, and whoever gives something else reads one sentence."""

from __future__ import annotations

import errno
import functools
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from shoal.common.progress import Progress, usable_cores
from shoal.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")


def shown(value: object) -> str:
    """A value as it stands in a sentence, whatever it is."""
    try:
        text = repr(value)
    except Exception:
        text = f"something of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:59] + "…"


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number within these bounds."""
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value
    if not fits or (high is not None and value > high):
        most = "" if high is None else f" to {high:,}"
        raise InputError(f"{name} must be a whole number from {low:,}{most}; got {shown(value)}")
    return int(value)


def some_jobs(jobs: Any) -> int:
    """How many jobs; as many as there are cores where nobody says."""
    return usable_cores() if jobs is None else whole("jobs", jobs, 1, 10_000)


def some_progress(progress: Any) -> Progress:
    """Whom to tell how far the work is: nobody where none is given, whoever looks where it is True."""
    if isinstance(progress, bool):
        from shoal.common.display import visible_progress

        return visible_progress() if progress else Progress()
    if progress is not None and not callable(getattr(progress, "stage", None)):
        raise InputError(
            f"progress must be True, or have a method stage as shoal.common.progress.Progress has; got {shown(progress)}"
        )
    return Progress() if progress is None else progress


def number(name: str, value: Any, low: float, high: float, *, above: bool = False) -> float:
    """A finite number within these bounds; with `above`, larger than the lower one."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool) and _finite(value)
    if not real or not (low < value if above else low <= value) or not value <= high:
        least = f"above {low:,g}" if above else f"a number from {low:,g}"
        most = "" if high == math.inf else f" and at most {high:,g}"
        raise InputError(f"{name} must be {least}{most}; got {shown(value)}")
    return float(value)


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """One of these words."""
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"unknown {name} {shown(value)}; known are {', '.join(known)}")
    return value


def a_path(name: str, value: Any) -> Path:
    """Where something is."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise InputError(f"{name} must be a path; got {shown(value)}")
    try:
        os.lstat(value)
    except (OSError, ValueError) as error:  # too long, or with a character that no name may have
        if isinstance(error, ValueError) or error.errno == errno.ENAMETOOLONG:
            raise InputError(f"{name} must be a path that a file system can hold; got {shown(value)}") from None
    return value if isinstance(value, Path) else Path(value)


def a_list(name: str, value: Any) -> list[Any]:
    """Several of something; a text, which would be taken letter by letter, and a mapping are not."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list; got {shown(value)}")
    return list(value)


def a_text(name: str, value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{name} must be a text; got {shown(value)}")
    return value


def yes_or_no(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False; got {shown(value)}")
    return bool(value)


def formerly(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse a keyword by the name it once had, in a sentence that says the new one."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> R:
            for old, new in names.items():
                if old in options:
                    raise InputError(f"{old} is called {new} now")
            return function(*args, **options)

        return run

    return wrap
