"""Which slices and layers give people away."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit import _kernels
from shoal.audit.attackers import columns_of
from shoal.audit.hashes import column_hash, row_hashes
from shoal.graph import TemporalGraph


def attribute(graph: TemporalGraph) -> list[dict[str, Any]]:
    """How many people would stand alone without each slice, and without each layer where there are several.

    >>> from shoal import TemporalGraph
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(1, 2), (3, 4), (1, 3)]})
    >>> [(row["without"], row["unique"]) for row in attribute(graph)]
    [('mon', 0), ('tue', 0)]
    """
    everything = row_hashes(graph)
    parts = [("slice", s.label, np.array([t])) for t, s in enumerate(graph.slices)]
    layers = list(dict.fromkeys(s.layer for s in graph.slices if s.layer is not None))
    if layers and len(layers) < graph.n_slices:
        parts += [
            ("layer", name, np.array([t for t, s in enumerate(graph.slices) if s.layer == name])) for name in layers
        ]
    rows = []
    for kind, label, slices in parts:
        rest = everything.copy()
        for column in columns_of(graph, slices):
            rest -= column_hash(graph, int(column))
        rows.append({"kind": kind, "without": label, "unique": int((_kernels.crowds_of(rest) == 1).sum())})
    return rows
