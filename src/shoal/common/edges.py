"""Edges as whole numbers, to compare and sort them."""

from __future__ import annotations

import numpy as np


def edge_keys(edges: np.ndarray) -> np.ndarray:
    """One whole number per edge, in the order of the edges.

    >>> edge_keys(np.array([[0, 1], [1, 2]], np.int32)).tolist()
    [1, 4294967298]
    """
    return (edges[:, 0].astype(np.int64) << 32) | edges[:, 1]
