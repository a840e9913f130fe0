"""A release from its folder and its original, to measure it later on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shoal.audit._released import read_certificate
from shoal.common.crowds import distinct_rows
from shoal.common.randomness import Randomness
from shoal.demands.promise import Promise
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.group import lower_bound
from shoal.read.record import read_record
from shoal.read.release import read_table
from shoal.release import Release


def reopened(folder: Path, original: TemporalGraph, graph: TemporalGraph, record: Path | None) -> Release:
    """A release from its folder and its original, as far as they tell: for measuring, not for going on with it."""
    claims = read_certificate(folder)
    levels = np.full(graph.n_nodes, claims["k"], np.int64)
    if record is not None:
        known = read_record(record)
        by_name = {str(known["ids"][name]): level for name, level in known["levels"].items()}
        levels = np.array([by_name[str(node)] for node in graph.nodes.to_list()], np.int64)
    elif claims["people_by_k"].keys() != {str(claims["k"])}:
        raise InputError(f"{folder}: people have levels of their own, which stand in the private record (--record)")
    slices = read_table(folder, "slices", "slice")
    blocks = slices["block"].cast(int).to_numpy() - 1 if "block" in slices.columns else np.zeros(len(slices), np.int64)
    promise = Promise(levels, blocks.astype(np.int64), claims.get("horizon"))
    rows = original.degree_matrix()
    parts = [rows[:, promise.columns(block, directed=graph.directed)] for block in range(promise.n_blocks)]
    return Release(
        original=original,
        graph=graph,
        promise=promise,
        groups=distinct_rows(graph.degree_matrix())[1],
        method=str(claims.get("method", "search")),
        chance=Randomness(0, graph.digest()),
        rounds=[],
        bound=sum(lower_bound(np.ascontiguousarray(part), levels, jobs=1) for part in parts),
    )
