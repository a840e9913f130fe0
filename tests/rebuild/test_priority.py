from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import rebuild
from shoal.realize import SliceView
from shoal.rebuild._rewire_kernels import toggle_all
from shoal.rebuild.rewire import begin, finish, keys_of


def priority(edges, degrees, rng):
    return rebuild.priority(SliceView(edges, np.arange(len(degrees))), degrees, rng)


@st.composite
def slices(draw, max_nodes=11):
    """An original slice and realizable degrees for it, both anywhere between empty and complete."""
    n_nodes = draw(st.integers(1, max_nodes))
    pairs = [(u, v) for u in range(n_nodes) for v in range(u + 1, n_nodes)]
    choose = st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])
    original, other = draw(choose), draw(choose)
    if draw(st.booleans()):
        other = [pair for pair in pairs if pair not in other]  # dense ones need the walks
    degrees = np.bincount(np.array(other, int).ravel(), minlength=n_nodes)
    return np.array(sorted(original), np.int32).reshape(-1, 2), degrees


def check(edges, degrees):
    assert np.array_equal(np.bincount(edges.ravel(), minlength=len(degrees)), degrees)
    assert (edges[:, 0] < edges[:, 1]).all()
    assert list(map(tuple, edges.tolist())) == sorted(set(map(tuple, edges.tolist())))


@given(slices(), st.integers(0, 99))
def test_the_degrees_are_exact_and_the_graph_simple(case, seed):
    original, degrees = case
    check(priority(original, degrees, np.random.default_rng(seed)), degrees)


@given(slices())
def test_the_original_degrees_give_the_original_graph_in_sparse_slices(case):
    original, _ = case
    degrees = np.bincount(original.ravel(), minlength=len(case[1]))
    rebuilt = priority(original, degrees, np.random.default_rng(0))
    check(rebuilt, degrees)
    if degrees.max(initial=0) <= 1:
        assert np.array_equal(rebuilt, original)


@pytest.mark.parametrize("walks", [True, False])
@given(slices(), st.integers(0, 9))
def test_finishing_works_from_any_subgraph_even_along_the_witness_alone(walks, case, seed):
    """Start from arbitrary graphs below the targets: the witness must finish what walks cannot."""
    _, target = case
    n, rng = len(target), np.random.default_rng(seed)
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    rng.shuffle(pairs)
    lack, keys = target.astype(np.int64), []
    for u, v in pairs:
        if lack[u] > 0 and lack[v] > 0 and rng.random() < 0.7:
            keys.append(u * n + v)
            lack[[u, v]] -= 1
    view = SliceView(np.empty((0, 2), np.int32), np.arange(n))
    s = begin(view, target.astype(np.int64))
    toggle_all(np.array(keys, np.int64), s)
    with pytest.MonkeyPatch.context() as patch:
        if not walks:
            patch.setattr(sys.modules[finish.__module__], "serve_each", lambda *_: None)
        finish(s, target.astype(np.int64), rng)
    check(view.as_edges(keys_of(s)), target)


def test_most_edges_of_a_sparse_slice_are_kept():
    graph = nx.gnm_random_graph(300, 450, seed=1)
    edges = np.array(sorted(tuple(sorted(e)) for e in graph.edges), np.int32)
    degrees = np.bincount(edges.ravel(), minlength=300)
    rebuilt = priority(edges, degrees, np.random.default_rng(0))
    check(rebuilt, degrees)
    shared = set(map(tuple, edges.tolist())) & set(map(tuple, rebuilt.tolist()))
    assert len(shared) > 0.7 * len(edges)
