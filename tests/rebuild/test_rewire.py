import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError
from shoal.group import cheapest_runs, search_groups
from shoal.realize import SliceView, choose_degrees
from shoal.rebuild import rewire, rewire_alone
from tests import naive
from tests.strategies import grouped_slices, slices
from tests.uncompiled import examples


def simple(edges, n):
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    return bool((edges[:, 0] < edges[:, 1]).all() and (np.diff(keys) > 0).all())


def edits(a, b, n):
    a, b = (e[:, 0].astype(np.int64) * n + e[:, 1] for e in (a, b))
    return len(np.setxor1d(a, b))


@examples(300)
@given(slices(), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_exact_degrees_simple_and_the_same_again(slice_, share, seed):
    edges, n = slice_
    pairs = np.stack(np.triu_indices(n, 1), 1)
    other = pairs[np.random.default_rng(seed).random(len(pairs)) < share]
    target = np.bincount(other.ravel(), minlength=n)
    a, b = (rewire(SliceView(edges, np.arange(n)), target, rng=np.random.default_rng(1)) for _ in range(2))
    assert (np.bincount(a.ravel(), minlength=n) == target).all()
    assert simple(a, n)
    assert a.dtype == np.int32
    assert (a == b).all()
    if (target == np.bincount(edges.ravel(), minlength=n)).all():
        assert (a == edges).all()


@pytest.mark.compiled
def test_close_to_the_fewest_edits_on_small_slices():
    ours = best = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = 14
        pairs = np.stack(np.triu_indices(n, 1), 1).astype(np.int32)
        edges = pairs[rng.random(len(pairs)) < rng.random()]
        labels = rng.permutation(np.arange(n) // 3 % 4)
        view = SliceView(edges, labels)
        targets, deleted, _ = choose_degrees(view, rng=rng)
        ours += edits(edges, rewire(view, targets[labels], deleted=deleted, rng=rng), n)
        best += naive.fewest_edits(edges, n, targets[labels])
    assert best <= ours <= 1.03 * best


def test_unrealizable_is_refused():
    with pytest.raises(InputError, match="realizable"):
        rewire(SliceView(np.zeros((0, 2), np.int32), np.arange(3)), np.array([2, 1, 0]), rng=np.random.default_rng(0))


@examples(120)
@given(grouped_slices())
def test_single_slice_is_anonymous(slice_):
    edges, n, labels, sizes = slice_
    for levels in (np.full(n, sizes.min()), np.random.default_rng(1).integers(1, sizes[labels] + 1)):
        view, rng = SliceView(edges, labels), np.random.default_rng(0)
        new = rewire_alone(view, choose_degrees(view, rng=rng), levels, rng=rng)
        assert simple(new, n)
        degrees = np.bincount(new.ravel(), minlength=n)
        assert (np.bincount(degrees)[degrees] >= levels).all()


@pytest.mark.compiled
def test_people_with_levels_change_crowds_too():
    """It saves edges there as well: here a fifth of them."""
    rng = np.random.default_rng(0)
    edges = np.array(nx.barabasi_albert_graph(400, 3, seed=1).edges(), np.int32)
    levels, degrees = rng.integers(1, 9, 400), np.bincount(edges.ravel(), minlength=400)
    view = SliceView(edges, cheapest_runs(degrees, levels))
    chosen = choose_degrees(view, rng=rng)
    plain = rewire(view, chosen.targets[view.labels], deleted=chosen.deleted, rng=rng)
    assert edits(edges, rewire_alone(view, chosen, levels, rng=rng), 400) < 0.9 * edits(edges, plain, 400)


@pytest.mark.parametrize("k", [2, 10])
def test_given_degrees_on_enron_within_three_percent_of_the_fewest_edits(real_data, k):
    graph = shoal.read(real_data("enron-jhu184/edges.csv.gz"), slice="1mo")
    labels = search_groups(graph.degree_matrix(), k, rng=np.random.default_rng(0))
    n = graph.n_nodes
    ours = best = 0
    for t in range(20, 30, 3):
        e, rng = graph.edges(t), np.random.default_rng(0)
        view = SliceView(e, labels)
        targets, deleted, _ = choose_degrees(view, rng=rng)
        ours += edits(e, rewire(view, targets[labels], deleted=deleted, rng=rng), n)
        best += naive.fewest_edits(e, n, targets[labels])
    assert best <= ours <= 1.03 * best
