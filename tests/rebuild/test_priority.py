from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.realize import is_graphical
from shoal.rebuild import complete as completing
from shoal.rebuild import priority
from shoal.rebuild.complete import complete, havel_hakimi


@st.composite
def slices(draw, max_nodes=11):
    """An original slice and realizable degrees for it, both anywhere between empty and complete."""
    n_nodes = draw(st.integers(1, max_nodes))
    pairs = [(u, v) for u in range(n_nodes) for v in range(u + 1, n_nodes)]
    choose = st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])
    original, other = draw(choose), draw(choose)
    if draw(st.booleans()):
        other = [pair for pair in pairs if pair not in other]  # dense ones need the repairs
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


@given(slices(), st.integers(0, 9))
def test_completion_works_from_any_subgraph_even_by_trails_alone(case, seed):
    """Start from arbitrary subgraphs of wrong graphs: the trails must finish what the small repairs cannot."""
    _, degrees = case
    rng = np.random.default_rng(seed)
    start = [(u, v) for u in range(len(degrees)) for v in range(u + 1, len(degrees))]
    rng.shuffle(start)
    lack, kept = degrees.copy(), []
    for u, v in start:
        if lack[u] > 0 and lack[v] > 0 and rng.random() < 0.7:
            kept.append((u, v))
            lack[[u, v]] -= 1
    edges = np.array(kept, np.int32).reshape(-1, 2)
    for no_bridges in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if no_bridges:
                patch.setattr(completing, "_find_bridge", lambda *_: None)
            full = complete(edges, lack, degrees, np.random.default_rng(seed))
        check(full[np.lexsort((full[:, 1], full[:, 0]))], degrees)


@given(st.lists(st.integers(0, 9), max_size=10))
def test_havel_hakimi_has_the_degrees(sequence):
    if is_graphical(np.array(sequence, np.int64)):
        near = havel_hakimi(np.array(sequence, np.int64))
        assert [len(around) for around in near] == sequence
        assert all(u in near[v] and u != v for u, around in enumerate(near) for v in around)


def test_most_edges_of_a_sparse_slice_are_kept():
    graph = nx.gnm_random_graph(300, 450, seed=1)
    edges = np.array(sorted(tuple(sorted(e)) for e in graph.edges), np.int32)
    degrees = np.bincount(edges.ravel(), minlength=300)
    rebuilt = priority(edges, degrees, np.random.default_rng(0))
    check(rebuilt, degrees)
    shared = set(map(tuple, edges.tolist())) & set(map(tuple, rebuilt.tolist()))
    assert len(shared) > 0.7 * len(edges)
