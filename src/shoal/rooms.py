"""One room of the house, prepared: `python -m shoal.rooms ROOM` runs a stage once, so that its kernels are in numba's cache.

It says a line for every kernel that is compiled. `shoal.warm` starts it, and nobody imports it: it knows all stages.
"""

from __future__ import annotations

import os
import sys

import numpy as np

from shoal._numba import compiling


def _group() -> None:
    from shoal.demands.settings import Settings
    from shoal.plan.stages import group_people

    rng = np.random.default_rng(0)
    rows, levels = rng.integers(0, 6, (40, 3), dtype=np.int32), np.full(40, 2, np.int64)
    group_people(rows, levels, Settings(effort="fast"), rng=rng, jobs=1, tell=lambda share: None)


def _realize() -> None:
    from shoal.demands.settings import Settings
    from shoal.plan.stages import realize
    from shoal.realize import SliceView

    rng = np.random.default_rng(0)
    pairs = np.column_stack(np.triu_indices(12, 1)).astype(np.int32)
    view = SliceView(pairs[rng.random(len(pairs)) < 0.4], np.arange(12) // 3)  # in pairs no deletion can pay
    realize(view, Settings(effort="fast"), rng)


def _rebuild() -> None:
    from shoal.realize import SliceView
    from shoal.rebuild import rewire

    pairs = SliceView(np.array([[0, 1], [2, 3]], np.int32), np.zeros(4, np.int32))
    rewire(pairs, np.array([2, 2, 1, 1]), deleted=np.zeros(2, bool), rng=np.random.default_rng(0))  # needs a walk


def _retie() -> None:
    from shoal.realize import SliceView
    from shoal.realize.ties import look_around
    from shoal.rebuild.retie import Aims, retie

    rng, pairs = np.random.default_rng(0), np.column_stack(np.triu_indices(8, 1)).astype(np.int32)
    slices = [pairs[rng.random(len(pairs)) < 0.4] for _ in range(3)]
    view, kind = SliceView(pairs[::3], np.zeros(8, np.int64)), np.arange(8) % 2
    aims = Aims((0.1, 0.1), ranks=(np.full(8, 0.1), np.full(8, 0.1)))
    retie(view, slices[1], look_around(slices, 1, (0, 2), 8), aims, kind=kind, rng=rng)


def _report() -> None:
    from shoal.audit import audit
    from shoal.audit.attackers import few_attackers
    from shoal.datasets import messenger
    from shoal.measure import compare
    from shoal.measure.communities import agreement, louvain

    graph = messenger(30, 4, seed=1)
    audit(graph, k=2, original=graph, attackers=few_attackers(graph))
    compare(graph, graph, communities=False)
    louvain(graph, 0)
    agreement(np.arange(9) // 3, np.arange(9) % 3, np.arange(9))


PREPARE = {"group": _group, "realize": _realize, "rebuild": _rebuild, "retie": _retie, "report": _report}

if __name__ == "__main__":
    with compiling(lambda kernel: os.write(1, f"{kernel}\n".encode())):
        PREPARE[sys.argv[1]]()
