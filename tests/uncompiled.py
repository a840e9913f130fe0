"""Kernels as plain Python, so that their lines can be counted (make coverage) and broken (make mutants).

A search then takes a hundred times longer, so it makes fewer steps, and $SHOAL_EXAMPLES says how few examples are enough.
Processes that tests start compile as usual.
"""

from __future__ import annotations

import os

from hypothesis import settings

UNCOMPILED = os.environ.get("SHOAL_UNCOMPILED") == "1"
FEWER = 50


def examples(number: int) -> settings:
    """So many examples for a property, or the few that are allowed."""
    return settings(max_examples=min(number, int(os.environ.get("SHOAL_EXAMPLES", number))))


def run_kernels_as_python() -> None:
    """Before anything of shoal is imported."""
    import numba

    numba.config.DISABLE_JIT = True
    from shoal.group.search import EFFORTS

    for name, effort in EFFORTS.items():
        EFFORTS[name] = effort._replace(
            steps=max(effort.steps // FEWER, 2), steps_large=max(effort.steps_large // FEWER, 1)
        )
