"""Hashes of 64 bits that stand for rows of degrees, made column by column."""

from __future__ import annotations

import numpy as np

from shoal.graph import TemporalGraph


def mix(x: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64: a bijection that spreads every bit over all others."""
    x = (x + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def column_hash(graph: TemporalGraph, column: int) -> np.ndarray:
    """What one slice adds to the hash of everybody's row."""
    return mix(mix(np.array([column], np.uint64)) + graph.degree_column(column).astype(np.uint64))


def row_hashes(graph: TemporalGraph) -> np.ndarray:
    """A hash of each row of degrees; the sum of the columns' own, so that one can be taken away again."""
    total = np.zeros(graph.n_nodes, np.uint64)
    for column in range(graph.n_columns):
        total += column_hash(graph, column)
    return total
