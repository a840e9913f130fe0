"""scipy: one sparse adjacency matrix per slice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from shoal.contacts import build
from shoal.errors import InputError
from shoal.interop.packages import labelled, wrong

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph

_EXPECTED = "a square matrix of scipy.sparse or numpy, or a list or dict of them"


def from_scipy(
    cls: type[TemporalGraph], matrices: Any, *, nodes: Iterable[Any] | None, directed: bool, ordered: bool
) -> TemporalGraph:
    """Entries that are not 0 are contacts; without directions the two entries of a pair are one."""
    many = labelled(matrices) if isinstance(matrices, Mapping | list | tuple) else {"all": matrices}
    pairs = {label: _pairs(matrix, directed=directed) for label, matrix in many.items()}
    sizes = {size for _, size in pairs.values()}
    if len(sizes) > 1:
        raise InputError(f"the matrices differ in size: {', '.join(f'{n} × {n}' for n in sorted(sizes))}")
    size = sizes.pop() if sizes else 0
    names = list(range(size)) if nodes is None else build.ids_as_series(nodes).to_list()
    if len(names) != size or len(set(names)) < size:
        raise InputError(f"nodes must name each of the {size:,} rows once; got {len(set(names)):,} names")
    slices = {label: [(names[u], names[v]) for u, v in some.tolist()] for label, (some, _) in pairs.items()}
    return cls.from_slices(slices, nodes=names, directed=directed, ordered=ordered)


def _pairs(matrix: Any, *, directed: bool) -> tuple[np.ndarray, int]:
    """The (m, 2) places of the contacts in one matrix, each once, and how many rows it has."""
    is_sparse = bool(scipy.sparse.issparse(matrix))
    if not is_sparse and getattr(matrix, "ndim", 0) != 2:
        raise wrong("from_scipy", _EXPECTED, matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix is square; got {matrix.shape[0]} × {matrix.shape[1]}")
    entries = scipy.sparse.coo_array(matrix)
    there = entries.data != 0
    ends = np.column_stack([entries.coords[0][there], entries.coords[1][there]])
    if not directed:
        ends = np.sort(ends, axis=1)
    return np.unique(ends, axis=0), int(matrix.shape[0])


def to_scipy(graph: TemporalGraph) -> dict[str, scipy.sparse.csr_array]:
    """Ones where there are edges, rows and columns in the order of `nodes`."""
    shape = (graph.n_nodes, graph.n_nodes)
    matrices = {}
    for label, edges in graph:
        ends = edges if graph.directed else np.concatenate([edges, edges[:, ::-1]])
        ones = np.ones(len(ends), np.int64)
        matrices[label] = scipy.sparse.csr_array((ones, (ends[:, 0], ends[:, 1])), shape=shape)
    return matrices
